"""Where each rank's time went: the four parts into which every figure divides it."""

from __future__ import annotations

from dataclasses import dataclass

from waywiser.model.summary import Function, RankSummary, Summary

SET_UP = frozenset({"MPI_Init", "MPI_Init_thread", "MPI_Finalize"})
"""Functions whose time is a part of its own, not MPI time."""


@dataclass(frozen=True)
class RankTime:
    """One rank's wall time in s, from the start of MPI_Init to the end of MPI_Finalize.

    `application` is what the other parts leave. It is 0 where several threads of the rank were in
    MPI at once for longer than the rank ran, because their times add up.
    """

    rank: int
    host: str
    wall: float
    application: float
    mpi: float
    init: float
    finalize: float

    @property
    def mpi_share(self) -> float:
        """MPI time over wall time; 0 for a rank without wall time."""
        return self.mpi / self.wall if self.wall > 0 else 0.0


def rank_time(rank: RankSummary) -> RankTime:
    """The parts of one rank's time."""
    in_mpi = rank.mpi_seconds + rank.init_seconds + rank.finalize_seconds
    return RankTime(
        rank=rank.rank,
        host=rank.host,
        wall=rank.wall_seconds,
        application=max(0.0, rank.wall_seconds - in_mpi),
        mpi=rank.mpi_seconds,
        init=rank.init_seconds,
        finalize=rank.finalize_seconds,
    )


def rank_times(summary: Summary) -> list[RankTime]:
    """The ranks of which the profile holds something, in rank order."""
    return [rank_time(rank) for rank in summary.per_rank or ()]


@dataclass(frozen=True)
class Total:
    """Times in s, summed over ranks."""

    wall: float
    application: float
    mpi: float
    init: float
    finalize: float

    def share(self, seconds: float) -> float:
        """`seconds` over all ranks' wall time; 0 where no time was recorded."""
        return seconds / self.wall if self.wall > 0 else 0.0


def total_time(times: list[RankTime]) -> Total:
    """The ranks' times added up."""
    return Total(
        wall=sum(time.wall for time in times),
        application=sum(time.application for time in times),
        mpi=sum(time.mpi for time in times),
        init=sum(time.init for time in times),
        finalize=sum(time.finalize for time in times),
    )


def imbalance(times: list[RankTime]) -> float | None:
    """Largest over mean application time of the ranks; None where there was none."""
    application = [time.application for time in times]
    if not application or sum(application) <= 0:
        return None
    return max(application) * len(application) / sum(application)


def extremes(times: list[RankTime]) -> tuple[RankTime, RankTime] | None:
    """The ranks with the most and with the least application time; None below two ranks."""
    if len(times) < 2:
        return None
    slowest = max(times, key=lambda time: (time.application, -time.rank))
    fastest = min(times, key=lambda time: (time.application, time.rank))
    return slowest, fastest


def by_time(functions: dict[str, Function]) -> list[tuple[str, Function]]:
    """(name, totals), the longest time first, then by name."""
    return sorted(functions.items(), key=lambda item: (-item[1].seconds, item[0]))
