"""Recorded programs of every form of MPI call, replayed: every message finds its receive."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recordings import record
from tests.replayed import machine
from tests.support import MpiLibrary
from tests.system.conftest import Build
from tests.unfolded import merged
from waywiser.native import simulate

EXPECTED = (
    *("collectives between two groups", "a probe ends at once", "MPI_Win_lock_all"),
    *("operations of files", "threads of a rank"),
)
"""Approximations of a replay, each of which has a remark."""


@pytest.mark.parametrize(
    ("program", "ranks"),
    [
        ("point_to_point", 2),
        ("collectives", 3),
        ("intercommunicator", 3),
        ("neighbours", 4),
        ("one_sided", 2),
        ("persistent", 3),
        ("partitioned", 2),
        ("threads", 2),
    ],
)
@pytest.mark.parametrize("in_calls", [False, True], ids=["asynchronous", "in-calls"])
def test_every_message_finds_its_receive(
    openmpi: MpiLibrary, build: Build, tmp_path: Path, program: str, ranks: int, in_calls: bool
) -> None:
    executable = build(openmpi, f"{program}.c", "-lpthread")
    arguments = [str(tmp_path / "file")] if program == "one_sided" else []
    record(openmpi, tmp_path, ranks, executable, *arguments)
    (run,) = tmp_path.glob("run-*")
    merged(run)

    path = str(run / "trace" / "trace.ww")
    prediction = simulate.replay(path, machine(eager=4096, asynchronous=not in_calls))

    assert [remark for remark in prediction.remarks if not remark.startswith(EXPECTED)] == []
    assert prediction.messages > 0
    assert prediction.makespan_ns > 0
