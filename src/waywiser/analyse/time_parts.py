"""The ranks' time in parts, and its share that ranks waited for a CPU."""

from __future__ import annotations

from waywiser.analyse.times import rank_times, total_time
from waywiser.model.diagnosis import Part, TimePart
from waywiser.model.efficiencies import efficiencies
from waywiser.model.progress import without_progress
from waywiser.model.summary import Summary
from waywiser.model.teams import teams_of


def time_parts(summary: Summary) -> tuple[TimePart, ...]:
    """Return the parts that are not 0. The trace of a whole run divides MPI's time. The profile's
    times of OpenMP's threads and of files divide the application's."""
    summary, _ = without_progress(summary)
    ranks = summary.per_rank or ()
    total = total_time(rank_times(summary))
    waits = summary.waits if summary.waits and summary.waits.window_seconds is None else None
    waiting = min(total.mpi, sum(waits.seconds.values())) if waits else 0.0
    threads = sum(team.lost for team in teams_of(ranks)) if _divided(summary) else 0.0
    files = sum(rank.posix_io.seconds for rank in ranks if rank.posix_io)
    files = min(files, total.application - threads)
    parts: dict[Part, float] = {
        "application": total.application - threads - files,
        "openmp": threads,
        "files": files,
        "waiting": waiting,
        "transfer" if waits else "mpi": total.mpi - waiting,
        "init": total.init,
        "finalize": total.finalize,
    }
    return tuple(
        TimePart(part=part, seconds=seconds, share=total.share(seconds))
        for part, seconds in parts.items()
        if seconds > 0
    )


def _divided(summary: Summary) -> bool:
    """True if the efficiency tree has OpenMP's branch."""
    tree = efficiencies(summary)
    return tree is not None and tree.openmp is not None


def queued(summary: Summary) -> TimePart | None:
    """Return the time in which ranks were ready to run and had no CPU, in any part; None if the
    kernel does not report it, or if there was none."""
    ranks = [rank for rank in summary.per_rank or () if rank.queued_seconds is not None]
    seconds = sum(min(rank.queued_seconds or 0.0, rank.wall_seconds) for rank in ranks)
    wall = sum(rank.wall_seconds for rank in ranks)
    if seconds <= 0 or wall <= 0:
        return None
    return TimePart(part="queued", seconds=seconds, share=seconds / wall)
