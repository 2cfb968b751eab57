"""Virtual clocks harm no program, and say where they could not follow one."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, captured
from tests.system.conftest import Build
from tests.system.virtual_clocks import MACHINE, message

pytestmark = [pytest.mark.every_mpi, pytest.mark.in_turn]

EVERYDAY = ("tags", "nothing", "datatypes", "freed early", "own", "large")
REMARKED = {
    "probes": "a probe ends at once",
    "cancels": "a cancelled receive is taken to have got no message",
    "groups": "collectives of neighbours, and between two groups",
    "partitions": "a partitioned message is taken to leave when its request is started",
}
"""Calls that are followed only approximately, and the start of the remark on each."""

PATIENCE_SECONDS = 30
"""A rank waits so long for a clock that does not come."""


def ran(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, *deeds: str
) -> tuple[dict[str, Any] | None, str]:
    """The clocks of virtual_odd.c on two ranks, which does as it does alone; and what was said."""
    (waywiser.directory / "machine.toml").write_text(MACHINE)
    large = ("-DLARGE_COUNTS",) if mpi.name == "mpich" else ()
    command = mpi.command(2, build(mpi, "virtual_odd.c", "-pthread", *large), *deeds)
    alone = captured(command)
    options = ("-o", "run", "--virtual", "machine.toml", "--cpu", "1e12")
    begin = time.monotonic()
    done = waywiser("profile", *options, "--", *command, timeout=200)

    assert done.returncode == alone.returncode, done.stderr
    assert done.stdout == alone.stdout
    assert time.monotonic() - begin < PATIENCE_SECONDS
    clocks: dict[str, Any] | None = waywiser.show()["virtual"]
    return clocks, done.stderr


def test_everyday_things_are_followed_without_a_remark(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    """Tags up to the largest, empty messages and those of nobody, datatypes, communicators that are
    freed under a receive, MPI_COMM_SELF, large counts."""
    clocks, _output = ran(mpi, waywiser, build, *EVERYDAY)

    assert clocks is not None
    assert clocks["remarks"] == []
    # 3003 exchanges, and 100 handshakes of empty messages, one after the other.
    expected = (3003 + 100 * 3) * message(0)
    assert clocks["seconds"] > expected
    assert clocks["seconds"] == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("deed", REMARKED)
def test_what_is_followed_nearly_is_reported(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, deed: str
) -> None:
    clocks, output = ran(mpi, waywiser, build, deed)

    assert clocks is not None
    assert clocks["seconds"] > 0
    (remark,) = clocks["remarks"]
    assert remark.startswith(REMARKED[deed])
    assert REMARKED[deed] in output


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("errors", "a call that passes messages has failed"),
        ("at once", "several threads of a rank have called MPI at once"),
    ],
)
def test_a_rank_that_cannot_be_followed_gives_no_time(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, deed: str, reason: str
) -> None:
    """Never a wrong one; and nobody waits for its clock until patience ends."""
    clocks, output = ran(mpi, waywiser, build, deed)

    assert clocks is not None
    assert clocks["seconds"] is None
    assert clocks["per_rank"] == []
    assert clocks["functions"] == {}
    assert clocks["remarks"][0] == reason
    assert "virtual clocks on Made-up machine, CPU x 1e+12: no time" in output
    assert reason in output


def test_threads_that_call_in_turn_are_followed(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    clocks, _output = ran(mpi, waywiser, build, "in turn")

    assert clocks is not None
    assert clocks["remarks"] == []
    # 60 exchanges, the last Allreduce and the end.
    assert clocks["seconds"] == pytest.approx(62 * message(4), rel=0.01)


def test_an_aborted_program_ends_as_alone(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    ran(mpi, waywiser, build, "abort")

    assert waywiser.show()["status"] == "partial"
