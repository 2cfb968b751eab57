"""One-sided communication in a replay, against closed forms that are derived in each test."""

from __future__ import annotations

from pathlib import Path

from tests.replayed import O_, G, L, Program, machine, one_way
from waywiser.native import _native as native


def test_a_put_is_over_with_its_epoch(tmp_path: Path) -> None:
    """The origin waits in MPI_Win_complete until it hears that the data are there: o + G s + 2 L,
    and tells the target, whose processor has only that message to work on."""
    size = 4096
    program = Program(2)
    number = program.trace.communicator(range(2), kind=native.ObjectKind.window)
    program.call(1, "Win_post", object=number, counts=[0])
    program.call(1, "Win_wait", object=number)
    program.call(0, "Win_start", object=number, counts=[1])
    program.call(0, "Put", object=number, peer=1, bytes=size)
    program.call(0, "Win_complete", object=number)

    found = program.replay(tmp_path, machine())

    # Post, put, the answer, and the message that the epoch is over.
    assert found.makespan_ns == one_way(0) + (O_ + G * size + 2 * L) + one_way(0)
    assert found.ranks[1].overhead_ns == 2 * O_
