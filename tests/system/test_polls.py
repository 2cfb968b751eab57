"""Programs that spin on polls: while they do, most polls go without time stamps, and all count."""

from __future__ import annotations

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build

pytestmark = pytest.mark.in_turn

POLLS = 100_000


def test_every_poll_of_a_spin_counts(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    # The tests' usual Open MPI gives the CPU away in each poll that finds nothing, and MPICH sleeps
    # at times. A system call makes a poll so long that it is timed, and there would be no spin.
    without_yield = {
        "OMPI_MCA_mpi_yield_when_idle": "0",
        "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "0",
    }

    done = waywiser.profiles(mpi.command(1, build(mpi, "polls.c"), str(POLLS)), env=without_yield)

    assert done.stdout == "0 found, 1 asked\n"
    functions = waywiser.show()["functions"]
    calls = {name: function["calls"] for name, function in functions.items()}
    pending = {name: function["pending_calls"] for name, function in functions.items()}
    spun = ("MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe")
    assert calls == dict.fromkeys(spun, POLLS) | {
        "MPI_Test": POLLS + 1,  # the last one finds the message
        **dict.fromkeys(("MPI_Init", "MPI_Irecv", "MPI_Send", "MPI_Finalize"), 1),
    }
    assert pending == dict.fromkeys(calls, 0) | dict.fromkeys((*spun, "MPI_Test"), POLLS)
