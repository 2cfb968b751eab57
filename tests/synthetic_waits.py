"""Made-up waiting of a run: ranks that wait for rank 1, which computes longer than the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from waywiser.model.waits import (
    CallPlace,
    CriticalPlace,
    HostClock,
    Iterations,
    RankWaits,
    WaitCause,
    WaitingPair,
    WaitKind,
    Waits,
)

REMARK = "2 receives had no send"
SLOW = 1


def waits_of(seconds: Mapping[WaitKind, float], **known: Any) -> Waits:
    """So much waiting, of which nothing else is known but what is given."""
    nothing: dict[str, Any] = {
        **dict.fromkeys(("ranks", "causes", "pairs", "critical_path"), ()),
        **dict.fromkeys(("mpi_seconds", "wall_seconds", "critical_path_seconds"), 0.0),
        **dict.fromkeys(("unmatched_sends", "unmatched_receives"), 0),
    }
    return Waits(seconds=dict(seconds), **nothing | known)


def waits(ranks: int, name: str = "solve") -> Waits:
    """Each rank but the slow one waits 0.5 s for its message and 0.25 s in a collective.

    Args:
        name: of the function that calls MPI.
    """
    receive = CallPlace(function="MPI_Recv", place=f"{name} at cg.c:12")
    reduce = CallPlace(function="MPI_Allreduce", place=f"{name} at cg.c:30")
    send = CallPlace(function="MPI_Send", place=None)
    others = [rank for rank in range(ranks) if rank != SLOW]
    late, collective = 0.5 * len(others), 0.25 * len(others)
    mpi = 1.5 * ranks
    pairs: list[WaitingPair] = [(rank, SLOW, 0.75, 20) for rank in others]
    return Waits(
        seconds={"late_sender": late, "all_to_all": collective},
        mpi_seconds=mpi,
        wall_seconds=2.0 * ranks,
        ranks=tuple(
            RankWaits(
                rank=rank,
                wall_seconds=2.0,
                mpi_seconds=1.5,
                seconds={} if rank == SLOW else {"late_sender": 0.5, "all_to_all": 0.25},
                caused_seconds=late + collective if rank == SLOW else 0.0,
                critical_seconds=1.75 if rank == SLOW else 0.25 / len(others),
            )
            for rank in range(ranks)
        ),
        causes=(
            WaitCause(
                wait="late_sender",
                waiting=receive,
                causing_rank=SLOW,
                computing=True,
                before=reduce,
                after=send,
                seconds=late,
                mpi_share=late / mpi,
                calls=10 * len(others),
                direct_seconds=0.5,
                most_waiting_rank=others[0],
            ),
            WaitCause(
                wait="all_to_all",
                waiting=reduce,
                causing_rank=SLOW,
                computing=False,
                before=None,
                after=receive,
                seconds=collective,
                mpi_share=collective / mpi,
                calls=10 * len(others),
                direct_seconds=collective,
                most_waiting_rank=others[-1],
            ),
        ),
        pairs=tuple(pairs),
        critical_path_seconds=2.0,
        critical_path=(
            CriticalPlace(rank=SLOW, computing=True, place=reduce, seconds=1.5),
            CriticalPlace(rank=SLOW, computing=False, place=reduce, seconds=0.25),
            CriticalPlace(rank=others[0], computing=True, place=None, seconds=0.25),
        ),
        unmatched_sends=0,
        unmatched_receives=2,
        clocks=(
            HostClock(
                host="n0",
                offset_seconds=0.0,
                drift=0.0,
                uncertainty_seconds=0.0,
                method="same clock",
            ),
            HostClock(
                host="n1",
                offset_seconds=-0.125,
                drift=1e-6,
                uncertainty_seconds=2e-6,
                method="messages",
            ),
        ),
        iterations=Iterations(rank=0, calls=3, first=receive, begin_seconds=(0.0, 0.5, 0.9, 1.3)),
        remarks=(REMARK,),
    )
