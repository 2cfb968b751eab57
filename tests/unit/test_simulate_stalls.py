"""Programs that cannot go on in a replay: it ends, and names who waits for whom in which call."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.replayed import Program, machine, one_way
from waywiser.native import _native as native
from waywiser.native import simulate


def test_a_message_that_never_comes_is_named(tmp_path: Path) -> None:
    program = Program(2, killed=[0, 1])
    program.call(0, "Comm_rank")
    program.call(1, "Recv", source=0, source_tag=3, posted=8)
    program.call(1, "Comm_rank")

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == 10
    assert found.remarks == [
        "a call cannot end as recorded, and is taken to: rank 1 in MPI_Recv waits for a message "
        "from rank 0 of tag 3"
    ]


def test_a_deadlock_is_an_error_that_names_calls_and_partners(tmp_path: Path) -> None:
    """Recorded where both sends were eager."""
    program = Program(2)
    for rank in (0, 1):
        program.call(rank, "Send", peer=1 - rank, tag=4, bytes=500)
        program.call(rank, "Recv", source=1 - rank, source_tag=4, posted=500)
        program.call(rank, "Finalize")

    assert program.replay(tmp_path, machine(eager=500)).remarks == []
    with pytest.raises(
        native.InvalidInput,
        match="rank 0 in MPI_Send waits until rank 1 receives its message of tag 4; rank 1 in",
    ):
        program.replay(tmp_path, machine(eager=499))


def test_a_message_that_nobody_receives_is_named(tmp_path: Path) -> None:
    program = Program(2)
    program.call(0, "Send", peer=1, tag=4, bytes=8)
    program.call(1, "Comm_rank")

    assert program.replay(tmp_path, machine()).remarks == [
        "messages are never received: the first ones from rank 0 in MPI_Send to rank 1 of tag 4"
    ]


@pytest.mark.parametrize("cut", range(8, 1200, 61))
def test_a_file_that_is_cut_is_replayed_as_far_as_it_goes(tmp_path: Path, cut: int) -> None:
    program = Program(3)
    for _ in range(20):
        for rank in range(3):
            program.call(rank, "Isend", peer=(rank + 1) % 3, tag=1, bytes=8, request=0)
            program.call(rank, "Recv", source=(rank - 1) % 3, source_tag=1, posted=8)
            program.call(rank, "Wait", requests=[0], completed=[0])
    whole = Path(program.trace.write(tmp_path / "whole.ww")).read_bytes()
    (tmp_path / "cut.ww").write_bytes(whole[: min(cut, len(whole) - 1)])

    found = simulate.replay(str(tmp_path / "cut.ww"), machine())

    assert any("cut.ww: the file ends" in remark for remark in found.remarks)
    assert found.makespan_ns <= 20 * one_way(8)
