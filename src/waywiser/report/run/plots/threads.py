"""Threads that call MPI: threads that only make progress, and threads that compute."""

from __future__ import annotations

from itertools import islice

from waywiser.analyse.times import by_time
from waywiser.model.summary import RankSummary, Summary, Thread
from waywiser.report.drawing.plot import Cell, Drawn, Table, left_out
from waywiser.units import counted, percent_text, seconds_text

TABLE_ROWS = 64


def threads(summary: Summary) -> Drawn | None:
    """The number of threads that only make progress, and the effect on the MPI time."""
    ranks = [rank for rank in summary.per_rank or () if rank.mpi_threads > 1]
    if not ranks:
        return None
    ranks.sort(key=lambda rank: (-rank.progress_threads, rank.rank))
    caption = f"Several threads called MPI on {counted(len(ranks), 'rank')}"
    totals = summary.threads
    if totals.progress_threads:
        caption += (
            f"; {counted(totals.progress_threads, 'thread')} only "
            f"{'makes' if totals.progress_threads == 1 else 'make'} progress, polling with "
            f"MPI_Test and the like. {percent_text(totals.progress_mpi_share)} of the MPI time "
            f"({seconds_text(totals.progress_mpi_seconds)}) is theirs, not the computing threads'."
        )
    else:
        caption += "; no thread only makes progress."
    every = ((rank, thread) for rank in ranks for thread in rank.threads)
    rows = tuple(_row(rank, thread) for rank, thread in islice(every, TABLE_ROWS))
    rest = left_out(TABLE_ROWS, sum(rank.mpi_threads for rank in ranks))
    columns = ("Rank", "Host", "Thread", "Role", "Life (s)", "MPI (s)", "Most MPI time in")
    shown = Table("Threads that called MPI", columns, rows, rest)
    return Drawn("threads", "Threads that call MPI", caption, table=shown, topic="mpi")


def _row(rank: RankSummary, thread: Thread) -> tuple[Cell, ...]:
    functions = by_time(thread.functions)
    most = functions[0][0] if functions else "none"
    role = "only progress" if thread.role == "progress" else "computes"
    return rank.rank, rank.host, thread.thread, role, thread.seconds, thread.mpi_seconds, most
