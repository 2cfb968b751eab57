"""Divide each rank's time into the four parts that every metric uses.

The whole is thread time: a rank's wall time, once for each of its threads that called MPI. With
one such thread that is the wall time itself. Times of several threads add up, so that wall time
alone would give shares above 100 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from waywiser.model.progress import spent
from waywiser.model.summary import Function, RankSummary, Summary


@dataclass(frozen=True)
class Parts:
    """Thread time in s, divided; of one rank, or summed over ranks."""

    application: float
    mpi: float
    init: float
    finalize: float

    @property
    def whole(self) -> float:
        """Thread time from the start of MPI_Init to the end of MPI_Finalize."""
        return self.application + self.mpi + self.init + self.finalize

    def share(self, seconds: float) -> float:
        """`seconds` over the whole; 0 where no time was recorded."""
        return seconds / self.whole if self.whole > 0 else 0.0

    @property
    def mpi_share(self) -> float:
        return self.share(self.mpi)


@dataclass(frozen=True)
class RankTime(Parts):
    """One rank's time in s."""

    rank: int
    host: str
    wall: float
    threads: int
    """Number of threads that called MPI; 1 if none did."""

    @property
    def pace(self) -> float:
        """Application time of one thread [s], comparable between ranks of any number of threads."""
        return self.application / self.threads


def rank_time(rank: RankSummary) -> RankTime:
    """Return the parts of one rank's time."""
    return RankTime(
        application=rank.application_seconds,
        mpi=rank.mpi_seconds,
        init=rank.init_seconds,
        finalize=rank.finalize_seconds,
        rank=rank.rank,
        host=rank.host,
        wall=rank.wall_seconds,
        threads=max(1, rank.mpi_threads),
    )


class _Same:
    """Ranks as the key of a cache; comparing the numbers of thousands of ranks is avoided."""

    def __init__(self, ranks: tuple[RankSummary, ...]) -> None:
        self.ranks = ranks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.ranks is other.ranks

    def __hash__(self) -> int:
        return id(self.ranks)


@lru_cache(maxsize=2)
def _times(same: _Same) -> tuple[RankTime, ...]:
    return tuple(rank_time(rank) for rank in same.ranks)


def rank_times(summary: Summary) -> list[RankTime]:
    """Return the times of the ranks with data in the profile, in rank order."""
    # Cached, because a report needs them twenty times.
    return list(_times(_Same(summary.per_rank or ())))


def total_time(times: list[RankTime]) -> Parts:
    """Add up the ranks' times."""
    return Parts(
        application=sum(time.application for time in times),
        mpi=sum(time.mpi for time in times),
        init=sum(time.init for time in times),
        finalize=sum(time.finalize for time in times),
    )


def whose_time(times: list[RankTime]) -> str:
    """Return the whole of a share: "the ranks' time", or that of their threads."""
    whose = "the ranks'" if len(times) > 1 else "the rank's"
    threaded = any(time.threads > 1 for time in times)
    return f"the time of {whose} MPI threads" if threaded else f"{whose} time"


def threads_note(times: list[RankTime]) -> str:
    """Return the sentence that a caption requires if a rank has several threads, else ""."""
    if all(time.threads == 1 for time in times):
        return ""
    return (
        " Where several threads of a rank called MPI, the times are those of its MPI threads, "
        "added up: its wall time counts once for each of them."
    )


def extremes(times: list[RankTime]) -> tuple[RankTime, RankTime] | None:
    """Return the ranks with the most and with the least application time; None below two ranks."""
    if len(times) < 2:
        return None
    slowest = max(times, key=lambda time: (time.pace, -time.rank))
    # The last of equals, so that the two are never the same rank.
    fastest = min(times, key=lambda time: (time.pace, -time.rank))
    return slowest, fastest


AnyFunction = TypeVar("AnyFunction", bound=Function)


def by_time(functions: Mapping[str, AnyFunction]) -> list[tuple[str, AnyFunction]]:
    """Return (name, totals), the longest time first, then by name."""
    return sorted(functions.items(), key=lambda item: (-spent(item[1]), item[0]))
