"""Programs that call MPI from several threads."""

from __future__ import annotations

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build, ProfileOf
from tests.system.ledger import Ledger

pytestmark = [pytest.mark.every_mpi, pytest.mark.in_turn]


def test_threads_are_kept_apart_and_sum_to_the_rank(mpi: MpiLibrary, profile_of: ProfileOf) -> None:
    document = profile_of(mpi, "threads.c", 2, options=("-lpthread",))

    ledger = Ledger(2)
    for rank in ledger.ranks:
        for t in range(3):
            messages, size = 10 * (t + 1), 8 * (t + 1)
            ledger.call(rank, "MPI_Send", sent=size, times=messages)
            ledger.call(rank, "MPI_Irecv", posted=size, times=messages)
            ledger.call(rank, "MPI_Wait", times=messages)
            ledger.message(rank, rank, size, messages)
    ledger.check(document, "MPI_Init_thread MPI_Comm_dup")
    for rank_summary in document["per_rank"]:
        threads = rank_summary["threads"]
        main, *senders = threads
        assert {"MPI_Init_thread", "MPI_Comm_dup", "MPI_Finalize"} == set(main["functions"])
        sent = sorted(
            (thread["functions"]["MPI_Send"]["calls"], thread["functions"]["MPI_Send"]["bytes"])
            for thread in senders
        )
        assert sent == [(10, 80), (20, 320), (30, 720)]
        for name, function in rank_summary["functions"].items():
            own = [t["functions"][name] for t in threads if name in t["functions"]]
            assert sum(f["calls"] for f in own) == function["calls"]
            assert abs(sum(f["seconds"] for f in own) - function["seconds"]) < 1e-6
        assert abs(sum(t["mpi_seconds"] for t in threads) - rank_summary["mpi_seconds"]) < 1e-6


def test_init_with_threads_is_not_mpi_time(mpi: MpiLibrary, profile_of: ProfileOf) -> None:
    document = profile_of(mpi, "threads.c", 2, options=("-lpthread",))

    for rank in document["per_rank"]:
        seconds = {name: function["seconds"] for name, function in rank["functions"].items()}
        others = sum(seconds.values()) - seconds["MPI_Init_thread"] - seconds["MPI_Finalize"]
        assert abs(rank["mpi_seconds"] - others) < 1e-9
        assert abs(rank["init_seconds"] - seconds["MPI_Init_thread"]) < 1e-6


def test_short_lived_threads_exhaust_nothing(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    program = build(mpi, "threads.c", "-lpthread")

    waywiser.profiles(mpi.command(1, program, "500"))

    (rank,) = waywiser.show("run", "--per-rank")["per_rank"]
    assert rank["functions"]["MPI_Comm_rank"]["calls"] == 500
    assert len(rank["threads"]) <= 64
