"""Threads that call MPI: those that only make progress apart from those that compute."""

from __future__ import annotations

from itertools import islice

from waywiser.analyse.times import by_time
from waywiser.model.summary import RankSummary, Summary, Thread
from waywiser.report.figure import Cell, Table, left_out
from waywiser.units import counted, percent_text, seconds_text

TABLE_ROWS = 64


def _threaded(summary: Summary) -> list[RankSummary]:
    ranks = [rank for rank in summary.per_rank or () if rank.mpi_threads > 1]
    return sorted(ranks, key=lambda rank: (-rank.progress_threads, rank.rank))


def caption(summary: Summary) -> str:
    """How many threads only make progress, and what that means for the MPI time."""
    called = f"Several threads called MPI on {counted(len(_threaded(summary)), 'rank')}"
    found = summary.threads
    if not found.progress_threads:
        return f"{called}; no thread only makes progress."
    return (
        f"{called}; {counted(found.progress_threads, 'thread')} only "
        f"{'makes' if found.progress_threads == 1 else 'make'} progress, polling with MPI_Test and "
        f"the like. {percent_text(found.progress_mpi_share)} of the MPI time "
        f"({seconds_text(found.progress_mpi_seconds)}) is theirs, not the computing threads'."
    )


def table(summary: Summary) -> Table:
    """The threads, ranks with threads that make progress first."""
    ranks = _threaded(summary)
    every = ((rank, thread) for rank in ranks for thread in rank.threads)
    rows = [_row(rank, thread) for rank, thread in islice(every, TABLE_ROWS)]
    columns = ("Rank", "Host", "Thread", "Role", "Life (s)", "MPI (s)", "Most MPI time in")
    rest = left_out(TABLE_ROWS, sum(rank.mpi_threads for rank in ranks))
    return Table("Threads that called MPI", columns, tuple(rows), rest)


def _row(rank: RankSummary, thread: Thread) -> tuple[Cell, ...]:
    functions = by_time(thread.functions)
    most = functions[0][0] if functions else "none"
    role = "only progress" if thread.role == "progress" else "computes"
    return rank.rank, rank.host, thread.thread, role, thread.seconds, thread.mpi_seconds, most


def absent(_: Summary) -> str:
    return ""


def concern(summary: Summary) -> bool:
    return bool(_threaded(summary))
