"""Summaries of small runs, each made for one sentence: ranks of 10 s on host n0 unless said."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from waywiser.analyse.diagnosis import diagnosis
from waywiser.model.openmp import OpenMp
from waywiser.model.pairs import Pairs
from waywiser.model.posix_io import PosixIo
from waywiser.model.summary import (
    CallSite,
    Communicator,
    CommunicatorFunction,
    Function,
    FunctionTotal,
    Matrix,
    Phase,
    RankSeconds,
    RankSummary,
    Summary,
    SummaryMpi,
)

WALL = 10.0

FILES = PosixIo(seconds=1.0, bytes=1, functions={})

TEAM = OpenMp(
    threads=2,
    regions=1,
    region_seconds=6.0,
    busy_seconds=[5.0, 3.0],
    wait_seconds=[0.5, 2.0],
    load_balance=0.8,
    tasks=0,
)
"""In regions of 6 s, 2 x 6 - 5 - 3 - 0.5 - 2 = 1.5 s pass before threads begin."""


def function(seconds: float, sync: float = 0.0, **more: Any) -> Function:
    values = {"calls": 10, "bytes": 0, "receive_bytes": 0, "sizes": (), **more}
    return Function(seconds=seconds, sync_seconds=sync, **values)


def rank(number: int, functions: Mapping[str, Function], host: str = "n0") -> RankSummary:
    inside = [f for name, f in functions.items() if name not in ("MPI_Init", "MPI_Finalize")]
    sync = sum(f.sync_seconds for f in inside)
    return RankSummary(
        rank=number,
        host=host,
        cpus=str(number),
        wall_seconds=WALL,
        mpi_seconds=sum(f.seconds for f in inside) + sync,
        sync_seconds=sync,
        init_seconds=0.0,
        finalize_seconds=0.0,
        cpu_seconds=WALL,
        voluntary_switches=0,
        involuntary_switches=0,
        peak_memory_bytes=1,
        functions=dict(functions),
        threads=(),
    )


def added(parts: Sequence[Function]) -> Function:
    """One function's sums."""
    bins: dict[int, tuple[int, float]] = {}
    for part in parts:
        for bound, calls, seconds in part.sizes:
            before, spent = bins.get(bound, (0, 0.0))
            bins[bound] = before + calls, spent + seconds
    keys = ("calls", "bytes", "receive_bytes", "pending_calls", "pending_seconds", "sync_seconds")
    return Function(
        **{key: sum(getattr(part, key) for part in parts) for key in keys},
        seconds=math.fsum(part.seconds for part in parts),
        sizes=tuple((bound, *bins[bound]) for bound in sorted(bins)),
    )


def totals(ranks: Sequence[RankSummary]) -> dict[str, FunctionTotal]:
    """Each function's sums over ranks, with those that spent the most and the least in it."""
    sums = {}
    for name in sorted({name for rank_summary in ranks for name in rank_summary.functions}):
        own = [
            (rank_summary.rank, rank_summary.functions[name])
            for rank_summary in ranks
            if name in rank_summary.functions
        ]
        times = [RankSeconds(rank=r, seconds=f.seconds + f.sync_seconds) for r, f in own]
        sums[name] = FunctionTotal(
            **dict(added([f for _, f in own])),
            most=max(times, key=lambda time: time.seconds),
            least=min(times, key=lambda time: time.seconds),
        )
    return sums


def communicator(size: int, functions: Mapping[str, FunctionTotal]) -> Communicator:
    return Communicator(
        size=size,
        name="",
        ranks=f"0-{size - 1}",
        intercommunicator=False,
        functions={
            name: CommunicatorFunction(
                calls=f.calls,
                seconds=f.seconds,
                max_seconds=0,
                sync_seconds=f.sync_seconds,
                bytes=0,
                receive_bytes=0,
                roots=(),
            )
            for name, f in functions.items()
        },
    )


def summary(
    ranks: Sequence[RankSummary], *, split: bool = False, lost: int = 0, **more: Any
) -> Summary:
    functions = totals(ranks)
    values = {"communicators": (communicator(len(ranks) + lost, functions),), **more}
    return Summary(
        waywiser="0",
        status="complete",
        mpi=SummaryMpi(library="L", version="1", abi="mpich"),
        ranks=len(ranks) + lost,
        split_sync=split,
        wall_seconds=WALL,
        mpi_seconds=tuple(rank_summary.mpi_seconds for rank_summary in ranks),
        init_seconds=(0.0,) * len(ranks),
        finalize_seconds=(0.0,) * len(ranks),
        functions=functions,
        matrix=Matrix(bytes=Pairs(()), messages=Pairs(())),
        per_rank=tuple(ranks),
        lost=(),
        **values,
    )


def phase(number: int, functions: Mapping[str, Function], name: str | None = None) -> Phase:
    return Phase(
        phase=number,
        name=name,
        entries=1,
        seconds=1,
        max_seconds=1,
        max_rank=0,
        functions=dict(functions),
    )


def site(place: str | None, name: str, seconds: float, sync: float = 0.0) -> CallSite:
    return CallSite(
        place=place,
        module="/opt/app",
        address="0x10",
        function=name,
        ranks=4,
        most=RankSeconds(rank=0, seconds=1),
        calls=1,
        seconds=seconds,
        max_seconds=1,
        sync_seconds=sync,
        bytes=0,
        receive_bytes=0,
    )


def openmp(wait: float, tasks: int = 0) -> OpenMp:
    return OpenMp(
        threads=2,
        regions=1,
        region_seconds=8.0,
        busy_seconds=[8.0, 8.0 - wait],
        wait_seconds=[0.0, wait],
        load_balance=1.0,
        tasks=tasks,
    )


def diagnosis_text(of: Summary) -> str:
    return diagnosis(of).text
