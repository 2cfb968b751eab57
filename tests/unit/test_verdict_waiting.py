"""The verdict on waiting that --split-sync has measured: who waits for whom, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.made_runs import communicator, function, phase, rank, said, site, summary
from waywiser.analyse.waiting import late_ranks
from waywiser.model.summary import FunctionTotal


def waited(waits: Sequence[float], *, hosts: Sequence[str] = (), **more: Any) -> str:
    """The verdict on ranks that wait so long [s] before MPI_Allreduce, and transfer for 0.1 s."""
    hosts = hosts or ["n0"] * len(waits)
    ranks = [
        rank(number, {"MPI_Allreduce": function(0.1, wait)}, host)
        for number, (wait, host) in enumerate(zip(waits, hosts, strict=True))
    ]
    return said(summary(ranks, split=True, **more))


def test_all_wait_for_one() -> None:
    text = waited([2.1, 2.1, 0.0, 2.1], hosts=["n0", "n0", "n3", "n3"])

    assert text == (
        "21 % of their time, 3 ranks wait in MPI_Allreduce for rank 2 on host n3; rank 2 itself "
        "waits 0 %. MPI as a whole is 17 % of the ranks' time, transfer in these calls 1.0 %."
    )


def test_one_waits_for_one() -> None:
    assert waited([0.0, 5.0]).startswith(
        "50 % of its time, rank 1 on host n0 waits in MPI_Allreduce for rank 0 on host n0;"
    )


def test_a_rank_that_waits_some_is_mostly_waited_for() -> None:
    assert "mostly for rank 3 on host n0; rank 3 itself waits 4.0 %" in waited([2, 2, 2, 0.4])
    assert "wait in MPI_Allreduce for rank 3 on host n0" in waited([2, 2, 2, 0.1])


def test_a_slow_host() -> None:
    hosts = ["n0", "n0", "n1", "n1", "n2", "n2"]

    text = waited([2, 2, 0.01, 0.005, 2, 2], hosts=hosts)

    assert "4 ranks wait in MPI_Allreduce for the 2 ranks of host n1; these themselves" in text
    assert "wait at most 0.1 %." in text


@pytest.mark.parametrize(
    ("late", "name"),
    [
        ({1, 6}, "for ranks 1 and 6 on host n0;"),
        ({1, 2, 6}, "for ranks 1, 2 and 6 on host n0;"),
        ({1, 2, 6, 7}, "for 4 ranks (rank 1 on host n0 and others);"),
    ],
)
def test_several_slow_ranks(late: set[int], name: str) -> None:
    assert name in waited([0.01 if number in late else 2 for number in range(12)])


def test_ranks_that_wait_alike_wait_in_turn() -> None:
    text = waited([2.0, 1.8, 2.2, 1.9])

    assert text.startswith(
        "20 % of their time, ranks wait in MPI_Allreduce for each other in turn; each one between "
        "18 % and 22 %."
    )
    assert " for rank" not in text


def test_neither_alike_nor_one() -> None:
    text = waited([2.0, 1.6, 0.8, 1.2])

    assert "ranks wait for others in MPI_Allreduce; rank 2 on host n0 the least (8.0 %), " in text
    assert "in turn" not in text


def test_in_communicators_of_some_no_one_is_blamed() -> None:
    functions = {"MPI_Allreduce": FunctionTotal(**dict(function(0.1, 6.0)))}

    text = waited([2, 2, 2, 0], communicators=(communicator(2, functions),))

    assert "wait for others in MPI_Allreduce; rank 3" in text
    assert " for rank" not in text


def test_a_lost_rank_may_be_the_late_one() -> None:
    assert " for rank" not in waited([2, 2, 2, 0], lost=1)


@pytest.mark.parametrize(
    ("waits", "late"),
    [
        ([0, 1], 1),
        ([0.3, 1], 0),
        ([0, 0, 1, 1], 2),
        ([0, 0, 0, 1], 0),
        ([1, 1, 1, 1], 0),
        ([0.2, 0.3, 1, 1], 0),
        ([0.01, 0.1, 1, 1, 1], 2),
        ([1], 0),
        ([], 0),
    ],
)
def test_who_is_late(waits: list[float], late: int) -> None:
    assert late_ranks(waits) == late


def test_several_collectives() -> None:
    ranks = [
        rank(n, {"MPI_Bcast": function(0.0, n), "MPI_Allreduce": function(0.0, 2 * n)})
        for n in range(2)
    ]

    assert "waits in collectives (mostly MPI_Allreduce) for rank 0" in said(
        summary(ranks, split=True)
    )


def test_where_little_is_waiting_the_share_comes_first() -> None:
    ranks = [
        rank(n, {"MPI_Allreduce": function(0.1, n), "MPI_Recv": function(3.0)}) for n in range(2)
    ]

    sites = (site("f at f.c:1", "MPI_Recv", 6.0), site("g at g.c:2", "MPI_Allreduce", 0.2, 1.0))

    text = said(summary(ranks, split=True, call_sites=sites))

    assert text.startswith("36 % of the ranks' time is MPI; most of it in MPI_Recv (30 %).")
    assert "10 % of its time, rank 1 on host n0 waits in MPI_Allreduce for rank 0" in text
    assert "for rank 0 on host n0, all of that called from g at g.c:2; rank 0" in text


def test_the_phase_and_the_call_site_of_waiting() -> None:
    text = waited(
        [2, 2, 2, 0],
        phases=(
            phase(1, {"MPI_Allreduce": function(0.3, 0.4)}),
            phase(2, {"MPI_Allreduce": function(0.1, 5.6)}),
        ),
        call_sites=(
            site("solve at cg.c:131", "MPI_Allreduce", 0.1, 3.0),
            site("solve at cg.c:131", "MPI_Allreduce", 0.1, 3.0),
        ),
    )

    assert (
        "for rank 3 on host n0, nearly all of that in phase 2, called from solve at cg.c:131; "
        "rank 3 itself" in text
    )
