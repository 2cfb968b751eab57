"""The profile of a rank's OpenMP threads."""

from __future__ import annotations

from waywiser.model.openmp import OpenMp
from waywiser.native._native import RankProfile

NS = 1e-9


def openmp_of(rank: RankProfile) -> OpenMp | None:
    """The rank's parallel regions; None if it had none."""
    openmp = rank.openmp
    if openmp.regions == 0 or not openmp.threads:
        return None
    busy = [thread.busy_ns * NS for thread in openmp.threads]
    known = sum(busy) > 0 and openmp.tasks == 0
    return OpenMp(
        threads=len(busy),
        regions=openmp.regions,
        region_seconds=openmp.ns * NS,
        busy_seconds=busy,
        wait_seconds=[(thread.barrier_ns + thread.end_ns) * NS for thread in openmp.threads],
        load_balance=sum(busy) / (len(busy) * max(busy)) if known else None,
        tasks=openmp.tasks,
    )
