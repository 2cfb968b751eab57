"""Programs of MPI Sessions, with and without MPI_Init: profiled from the first to the last."""

from __future__ import annotations

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build
from tests.system.ledger import Ledger

pytestmark = pytest.mark.in_turn

RANKS = 3
HOUSEKEEPING = """
    MPI_Session_init MPI_Session_finalize MPI_Group_from_session_pset MPI_Group_size
    MPI_Group_range_incl MPI_Comm_create_from_group MPI_Group_free MPI_Comm_free
"""


def _book(steps: str, ranks: int = RANKS) -> Ledger:
    """The calls of sessions.c in these steps. Its communicators are the world backwards."""
    book = Ledger(ranks)
    there: set[str] = set()
    for step in steps:
        if step in "abi":
            there.add(step)
        if step in "ABf":
            there.remove({"f": "i"}.get(step, step.lower()))
        for place in there if step == "x" else ():
            size = 4 * (1 + "abi".index(place))
            to_next = 1 if place == "i" else -1
            for rank in book.ranks:
                to = (rank + to_next) % ranks
                book.send(rank, "MPI_Sendrecv", to, size, posted=size)
                book.call(rank, "MPI_Allreduce", sent=4, posted=4)
    return book


def _check(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, steps: str, ranks: int = RANKS
) -> None:
    waywiser.profiles(mpi.command(ranks, build(mpi, "sessions.c"), steps))

    document = waywiser.show("run", "--per-rank")
    assert (document["status"], document["lost"]) == ("complete", [])
    _book(steps, ranks).check(document, HOUSEKEEPING)
    sessions = steps.count("a") + steps.count("b")
    for rank in document["per_rank"]:
        calls = {name: function["calls"] for name, function in rank["functions"].items()}
        assert calls["MPI_Session_init"] == calls["MPI_Session_finalize"] == sessions
        assert calls.get("MPI_Init", 0) == calls.get("MPI_Finalize", 0) == steps.count("i")
        within = rank["init_seconds"] + rank["mpi_seconds"] + rank["finalize_seconds"]
        assert 0 < rank["init_seconds"] < within < rank["wall_seconds"] + 1e-6


@pytest.mark.every_mpi
@pytest.mark.parametrize(
    "steps",
    [
        pytest.param("axA", id="a session alone"),
        pytest.param("abxAxB", id="the first of two ends first"),
        pytest.param("iaxAxf", id="within MPI_Init and MPI_Finalize"),
        pytest.param("iaxfxA", id="MPI_Finalize before the session's end"),
    ],
)
def test_a_program_of_sessions(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, steps: str
) -> None:
    _check(mpi, waywiser, build, steps)


def test_mpi_init_after_a_session(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    """Intel MPI crashes then, without the profiler too."""
    _check(mpi, waywiser, build, "aixAxf")


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param("axAbxB", id="after a session"),
        pytest.param("ixfaxAbxB", id="after MPI_Finalize"),
    ],
)
def test_mpi_begins_again(mpich: MpiLibrary, waywiser: Waywiser, build: Build, steps: str) -> None:
    """Open MPI 5.0 and Intel MPI 2021.18 crash then, without the profiler too; MPICH 5.0 hangs now
    and then where several ranks begin again, so that one does."""
    _check(mpich, waywiser, build, steps, ranks=1)


def test_a_session_that_is_never_finalised(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    waywiser.profile(mpi.command(1, build(mpi, "sessions.c"), "axe"))

    document = waywiser.show("run", "--per-rank")
    assert document["status"] == "partial"
    assert (
        "rank 0 ended outside MPI by exit, without MPI_Session_finalize; "
        "the profile holds what came before"
    ) in document["lost"]  # and perhaps how the launcher took it
    _book("ax", 1).check(document, HOUSEKEEPING)
