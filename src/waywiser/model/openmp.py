"""OpenMP: how evenly the threads of a rank share the work of its parallel regions."""

from __future__ import annotations

from waywiser.model.base import Model


class OpenMp(Model):
    """Parallel regions of one rank between MPI_Init and MPI_Finalize.

    Regions nested in others count as their threads' work, and so do calls of MPI. The lists are by
    OpenMP thread number; numbers from 512 on are left out.
    """

    threads: int
    """Threads of the largest team."""

    regions: int
    region_seconds: float
    """Wall time in parallel regions."""

    busy_seconds: list[float]
    """Busy time of each thread in parallel regions, without its waits."""

    wait_seconds: list[float]
    """Waiting time of each thread in barriers and at the ends of regions."""

    imbalance: float | None
    """Largest busy time over the mean busy time: 1 is perfect. None if it is unknown."""

    tasks: int
    """Explicit tasks. Where there are any, the waits hold the tasks that ran in barriers, and the
    imbalance is None."""
