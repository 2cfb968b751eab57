"""The division of the time of a rank's OpenMP threads while the rank is outside of MPI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from waywiser.model.summary import RankSummary

TOLERANCE = 0.01
"""Share of the time outside MPI by which the time in parallel regions may exceed it."""


@dataclass(frozen=True)
class Team:
    """The threads of one rank: their time outside of MPI in s, divided."""

    threads: int
    useful: float
    """Time outside regions on the thread that calls MPI, and time in regions without waits."""

    waiting: float
    """Time of threads in barriers and at the ends of regions."""

    idle: float
    """Time outside regions on all threads except the caller of MPI."""

    late: float
    """Time in regions before a thread begins, or of threads that are not in the team."""

    @property
    def whole(self) -> float:
        return self.useful + self.waiting + self.idle + self.late

    @property
    def lost(self) -> float:
        """The time that is not useful [s of wall time]: the mean over the threads."""
        return (self.whole - self.useful) / self.threads


def openmp_unknown(ranks: Sequence[RankSummary]) -> str:
    """Reason why the times of OpenMP threads cannot be divided; "" if they can."""
    teams = [(rank, rank.openmp) for rank in ranks if rank.openmp]
    if any(openmp.tasks for _, openmp in teams):
        return "the threads run tasks while they wait"
    if any(rank.mpi_threads > 1 for rank, _ in teams):
        return "several threads of a rank call MPI"
    if any(openmp.threads > len(openmp.busy_seconds) for _, openmp in teams):
        return "teams have more threads than the profile distinguishes"
    if any(
        openmp.region_seconds > (1 + TOLERANCE) * rank.application_seconds for rank, openmp in teams
    ):
        return "MPI is called within parallel regions"
    return ""


def teams_of(ranks: Sequence[RankSummary]) -> list[Team]:
    """Return the team of each rank if `openmp_unknown` has no objection; a rank without regions is
    one thread that is always useful."""
    return [_team(rank) for rank in ranks]


def _team(rank: RankSummary) -> Team:
    openmp = rank.openmp
    if openmp is None:
        return Team(1, rank.application_seconds, 0.0, 0.0, 0.0)
    serial = max(0.0, rank.application_seconds - openmp.region_seconds)
    busy, waiting = sum(openmp.busy_seconds), sum(openmp.wait_seconds)
    return Team(
        threads=openmp.threads,
        useful=serial + busy,
        waiting=waiting,
        idle=(openmp.threads - 1) * serial,
        late=max(0.0, openmp.threads * openmp.region_seconds - busy - waiting),
    )
