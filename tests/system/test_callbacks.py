"""Calls that a program makes in what MPI calls back."""

from __future__ import annotations

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build, ProfileOf
from tests.system.ledger import Ledger

pytestmark = [pytest.mark.every_mpi, pytest.mark.in_turn]

RANKS = 2
AROUND = """
    MPI_Comm_dup MPI_Comm_free MPI_Op_create MPI_Op_free MPI_Reduce_local MPI_Grequest_start
    MPI_Grequest_complete MPI_Comm_create_errhandler MPI_Comm_set_errhandler MPI_Errhandler_free
    MPI_Comm_create_keyval MPI_Comm_set_attr
"""


def test_calls_in_callbacks_count(mpi: MpiLibrary, profile_of: ProfileOf) -> None:
    document = profile_of(mpi, "callbacks.c", RANKS)

    book = Ledger(RANKS)
    for rank in book.ranks:
        for _ in range(2):  # at MPI_Comm_free, and at MPI_Finalize
            book.send(rank, "MPI_Sendrecv", rank, 20, posted=20)
        book.call(rank, "MPI_Type_size")
        book.call(rank, "MPI_Status_set_elements", times=2)
        book.call(rank, "MPI_Status_set_cancelled", times=2)
        book.call(rank, "MPI_Error_class")
        book.call(rank, "MPI_Iprobe")
        book.call(rank, "MPI_Wait")
        book.call(rank, "MPI_Test")
        book.call(rank, "MPI_Probe")  # fails
    book.check(document, AROUND)


def test_their_time_is_that_of_the_call_around(mpi: MpiLibrary, profile_of: ProfileOf) -> None:
    document = profile_of(mpi, "callbacks.c", RANKS)

    seconds = {name: function["seconds"] for name, function in document["functions"].items()}
    within = {"MPI_Sendrecv", "MPI_Type_size", "MPI_Status_set_elements", "MPI_Error_class"}
    within |= {"MPI_Status_set_cancelled", "MPI_Iprobe"}
    assert {name for name, spent in seconds.items() if spent == 0} == within


def test_an_error_that_the_program_handles_stays_its_own(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    """MPICH's calls return success then; the profiler must not ask it about their arguments."""
    program = build(mpi, "handlers.c")
    bare = mpi.run(1, program)

    done = waywiser.profiles(mpi.command(1, program))

    assert done.stdout == bare.stdout == 3 * "no such rank\n"
    assert waywiser.show()["matrix"]["bytes"] == []
