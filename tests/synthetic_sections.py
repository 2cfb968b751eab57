"""A made-up run of four ranks with a number for every section of the report."""

from __future__ import annotations

from functools import cache
from typing import Any

from tests import synthetic
from tests.closed_form_replay import MS, Program, base_on_paper
from tests.synthetic_runs import function
from tests.synthetic_waits import waits
from waywiser.analyse.advice.advice import advice
from waywiser.model.openmp import OpenMp
from waywiser.model.pairs import Pairs
from waywiser.model.posix_io import IoFunction, PosixIo
from waywiser.model.summary import (
    Calls,
    CallSite,
    Communicator,
    CommunicatorFunction,
    Function,
    Matrix,
    Phase,
    RankSeconds,
    Summary,
    Thread,
    ThreadTotals,
)

PROGRAM = Program((2 * MS, 3 * MS, 2 * MS, 6 * MS), 1000, 5000, 12 * MS, {"Rabenseifner": 0.5})

REMARK = "3 calls of MPI_Gatherv had several roots"


def calls(seconds: float, sync_seconds: float = 0.0, **more: Any) -> Calls:
    return Calls(
        **{
            "calls": 10,
            "seconds": seconds,
            "max_seconds": 0.5,
            "sync_seconds": sync_seconds,
            "bytes": 80,
            "receive_bytes": 0,
            **more,
        }
    )


def collective(seconds: float, sync_seconds: float = 0.0) -> CommunicatorFunction:
    return CommunicatorFunction(**calls(seconds, sync_seconds).model_dump(), roots=())


def phase(
    number: int, seconds: float, functions: dict[str, Function], name: str | None = None
) -> Phase:
    return Phase(
        phase=number,
        name=name,
        entries=3,
        seconds=seconds,
        max_seconds=seconds + 1,
        max_rank=1,
        functions=functions,
    )


def communicator(name: str, size: int | None, seconds: float) -> Communicator:
    return Communicator(
        size=size,
        name=name,
        ranks="0-3" if size == 4 else None,
        intercommunicator=False,
        functions={"MPI_Allreduce": collective(seconds, 0.5)},
    )


@cache
def with_everything(name: str = "rows") -> Summary:
    """Four ranks, measured with every option, and numbers that are easy to check by hand.

    Args:
        name: of communicators and phases.
    """
    summary = synthetic.summary(4)
    ranks = [
        rank.replace(
            sync_seconds=(0.4, 0.1, 0.3, 0.2)[rank.rank],
            instructions=3_000_000_000,
            cycles=2_000_000_000,
            cpu_seconds=1.0,
            openmp=OpenMp(
                threads=2,
                regions=5,
                region_seconds=3.0,
                busy_seconds=[3.0, 1.0 + rank.rank],
                wait_seconds=[0.0, 2.0 - rank.rank / 2],
                load_balance=(4 + rank.rank) / 6,
                tasks=0,
            ),
            posix_io=PosixIo(
                seconds=0.25,
                bytes=1000,
                functions={
                    "write": IoFunction(
                        calls=2, bytes=500, seconds=0.125 * rank.rank, max_seconds=0.1
                    )
                },
            ),
        )
        for rank in summary.per_rank or ()
    ]
    threads = (
        Thread(thread=0, seconds=2.0, mpi_seconds=0.5, functions={"MPI_Send": function(0.5)}),
        Thread(
            thread=1,
            role="progress",
            seconds=2.0,
            mpi_seconds=1.9,
            functions={"MPI_Test": function(1.9)},
        ),
    )
    progress = {"mpi_threads": 2, "progress_threads": 1, "progress_mpi_seconds": 1.9}
    ranks[2] = ranks[2].replace(**progress, threads=threads)
    allreduce = summary.functions["MPI_Allreduce"]
    site = calls(1.0, 0.25).model_dump()
    return summary.replace(
        split_sync=True,
        sync_seconds=(0.4, 0.1, 0.3, 0.2),
        per_rank=tuple(ranks),
        functions={
            **summary.functions,
            "MPI_Allreduce": allreduce.replace(seconds=0.25, sync_seconds=0.75),
        },
        phases=(
            phase(1, 1.0, {"MPI_Init": function(2.0)}),
            phase(2, 5.0, {"MPI_Allreduce": function(4.0, 2.0), "MPI_Send": function(8.0)}, name),
        ),
        communicators=(
            communicator(name, 4, 1.0),
            communicator(name, 4, 2.0),
            communicator("", None, 0.25),
        ),
        call_sites=(
            CallSite(
                **site,
                place="solve at cg.c:131",
                module="/opt/app",
                address="0x10",
                function="MPI_Allreduce",
                ranks=4,
                most=RankSeconds(rank=3, seconds=0.5),
            ),
            CallSite(
                **{**site, "seconds": 3.0},
                place=None,
                module="/opt/lib/libsolver.so",
                address="0x2f",
                function="MPI_Send",
                ranks=1,
                most=RankSeconds(rank=0, seconds=3.25),
            ),
        ),
        threads=ThreadTotals(
            progress_ranks=1,
            progress_threads=1,
            progress_mpi_seconds=1.9,
            progress_mpi_share=0.38,
        ),
        collective_matrix=Matrix(
            bytes=Pairs([(0, 1, 800), (0, 2, 16)]), messages=Pairs([(0, 1, 10), (0, 2, 1)])
        ),
        collective_remarks=(REMARK,),
        waits=waits(4, name),
        advice=advice(base_on_paper(PROGRAM, (0, 0, 1, 1))),
    )
