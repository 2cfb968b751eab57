"""Plots of ranks, functions, phases, threads and files."""

from __future__ import annotations

from typing import Any

from tests import synthetic
from tests.synthetic_plots import of_ranks, plain, plot, whole
from tests.synthetic_runs import function, phase, rank, summary
from tests.synthetic_sections import communicator
from waywiser.model.summary import RankSummary, Summary, ThreadTotals
from waywiser.report.run.plots.ranks import WIDE_BAR_RANKS

UNSPLIT: dict[str, Any] = {"split_sync": False}


def many() -> Summary:
    """More ranks than a screen has columns."""
    [first, *_] = whole().per_rank or ()
    ranks = tuple(first.replace(rank=number) for number in range(4096))
    return whole().replace(ranks=4096, per_rank=ranks)


def no_times() -> Summary:
    nothing = {
        "wall_seconds": 0.0,
        "mpi_seconds": 0.0,
        "init_seconds": 0.0,
        "finalize_seconds": 0.0,
    }
    ranks = tuple(rank_summary.replace(**nothing) for rank_summary in plain().per_rank or ())
    return plain().replace(per_rank=ranks)


def functions(number: int, size: int = 0) -> Summary:
    """Summary of one rank that calls `number` functions, with payloads if `size` is given."""
    sizes = ((size, 10, 0.1),) if size else ()
    names = [f"MPI_F{n}" for n in range(number)]
    return summary([rank(0, {name: function(0.1) for name in names})]).replace(
        functions={name: plain().functions["MPI_Barrier"].replace(sizes=sizes) for name in names}
    )


def of_functions(name: str, number: int, size: int = 0) -> str:
    return plot(name, lambda: functions(number, size))


WORLD, ROW = communicator("world", 4, 1.0), communicator("row", 2, 0.0)
IDLE = ROW.replace(
    functions={"MPI_Bcast": ROW.functions["MPI_Allreduce"].replace(sync_seconds=0.0)}
)


def team(**change: Any) -> str:
    """Plot of ranks whose OpenMP summaries are changed."""

    def changed(rank_summary: RankSummary) -> dict[str, Any]:
        assert rank_summary.openmp is not None
        return {"openmp": rank_summary.openmp.replace(**change)}

    return of_ranks("openmp", changed)


UNWAITED = {name: total.replace(sync_seconds=0.0) for name, total in plain().functions.items()}

NO_PROGRESS = ThreadTotals(
    progress_ranks=0, progress_threads=0, progress_mpi_seconds=0.0, progress_mpi_share=0.0
)
