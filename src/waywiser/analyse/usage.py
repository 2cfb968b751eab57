"""Use of a machine and waiting of its jobs, from accounts of its batch system.

Sources: D. G. Feitelson, L. Rudolph, "Metrics and benchmarking for parallel job scheduling", Job
Scheduling Strategies for Parallel Processing, 1998 (bounded slowdown); of waiting, see
`stats.survival`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from waywiser import __version__
from waywiser.errors import InvalidCommand
from waywiser.machines.accounts.period import Period, moment_text, months, period_of
from waywiser.machines.accounts.read import Jobs
from waywiser.model.usage import (
    JobClass,
    PeriodChange,
    PeriodComparison,
    Unit,
    Usage,
    UsedMonth,
)
from waywiser.stats.summary import SAMPLES_NEEDED
from waywiser.stats.survival import Change, Curve, change, curve, mean_of, quantile, quantile_of

SHORTEST_RUN = 600
"""Runs shorter than this [s] count as this long in the bounded slowdown."""

HOUR, DAY, WEEK = 3600, 86400, 604800
LEVEL = 0.05
NO_JOB = "the accounts have no job in it that can be counted"

Integers = NDArray[np.int64]
Chosen = NDArray[np.bool_]


@dataclass(frozen=True)
class _Accounts:
    """The jobs of one period, with their sizes in nodes or in cores."""

    jobs: Jobs
    sizes: Integers
    period: Period

    @cached_property
    def last_known(self) -> int:
        """The time at which the accounts were written, or a little before."""
        jobs = self.jobs
        return int(max(jobs.since.max(), jobs.start.max(), jobs.finish.max()))

    @cached_property
    def came(self) -> Chosen:
        """Mask of the jobs that could have started for the first time in the period."""
        return (self.jobs.since >= self.period.begin) & (self.jobs.since < self.period.end)

    @cached_property
    def waited(self) -> tuple[Integers, Chosen]:
        """Observed waiting time of each job in the period [s], and whether it then started."""
        jobs = self.jobs
        end = min(self.period.end, self.last_known)
        started = (jobs.start >= 0) & (jobs.start <= end)
        cancelled = (jobs.start < 0) & (jobs.finish >= 0)
        seen = np.where(started, jobs.start, np.where(cancelled, np.minimum(jobs.finish, end), end))
        return np.maximum(seen - jobs.since, 0), started

    def used(self, begin: int, end: int) -> int:
        """Return nodes or cores times seconds of jobs that have ended."""
        jobs = self.jobs
        ran = (jobs.start >= 0) & (jobs.finish >= 0)
        overlap = np.minimum(jobs.finish, end) - np.maximum(jobs.start, begin)
        return int((self.sizes * np.where(ran, np.maximum(overlap, 0), 0)).sum())

    def curve(self, chosen: Chosen, weeks: int, **options: int) -> Curve:
        times, started = self.waited
        week = np.minimum((self.jobs.since - self.period.begin) // WEEK, weeks - 1)
        return curve(times[chosen], started[chosen], week[chosen], weeks, **options)


def usage_of(
    jobs: Jobs,
    unit: Unit | None,
    size: int | None,
    period: str | None = None,
    compared: tuple[str, str] | None = None,
) -> Usage:
    """
    Args:
        unit: unit of jobs' sizes; None: cores if the accounts have them.
        size: size of the machine, in `unit`.

    Raises:
        InvalidCommand: a period is not valid, or has no job.
    """
    unit, sizes = _sized(jobs, unit)
    whole = _whole(jobs) if period is None else period_of(period, "--period")
    accounts = _Accounts(jobs, sizes, whole)
    begin, end = whole.begin, whole.end
    seconds = accounts.used(begin, end)
    if not seconds and not accounts.came.any():  # all files together hold at least one job
        raise InvalidCommand(f"--period {period}: {NO_JOB}")
    return Usage(
        waywiser=__version__,
        unit=unit,
        size=size,
        begin=moment_text(begin),
        end=moment_text(end),
        use=_share(seconds, size, begin, end),
        unit_hours=seconds / HOUR,
        most_at_once=_most_at_once(accounts),
        months=tuple(_month(accounts, size, *month) for month in months(begin, end)),
        all=_class(accounts, 1, None),
        classes=tuple(_class(accounts, *bounds) for bounds in _bounds(accounts)),
        comparison=None if compared is None else _compared(accounts, size, compared),
        remarks=jobs.remarks,
    )


def _sized(jobs: Jobs, unit: Unit | None) -> tuple[Unit, Integers]:
    sizes: dict[Unit, Integers] = {"cores": jobs.cores, "nodes": jobs.nodes}
    for candidate in sizes if unit is None else (unit,):
        if (sizes[candidate][jobs.start >= 0] > 0).all():
            return candidate, np.maximum(sizes[candidate], 0)
    unknown = "nodes or of cores" if unit is None else unit
    raise InvalidCommand(f"the accounts lack the number of {unknown} for jobs that started")


def _whole(jobs: Jobs) -> Period:
    """Return the period from the first job to the last known time."""
    times = np.concatenate([jobs.since, jobs.start, jobs.finish])
    begin = int(times[times >= 0].min())
    return Period(begin, max(int(times.max()), begin + 1))


def _share(seconds: int, size: int | None, begin: int, end: int) -> float | None:
    return None if size is None else seconds / (size * (end - begin))


def _month(accounts: _Accounts, size: int | None, name: str, begin: int, end: int) -> UsedMonth:
    seconds = accounts.used(begin, end)
    return UsedMonth(
        month=name,
        days=(end - begin) / DAY,
        unit_hours=seconds / HOUR,
        use=_share(seconds, size, begin, end),
    )


def _most_at_once(accounts: _Accounts) -> int:
    jobs, period = accounts.jobs, accounts.period
    ran = (jobs.start >= 0) & (jobs.start < period.end) & (jobs.finish > period.begin)
    sizes = accounts.sizes[ran]
    times = np.concatenate([jobs.finish[ran], jobs.start[ran]])
    steps = np.concatenate([-sizes, sizes])
    # In the order of times; an end comes before a begin at the same time.
    return int(np.cumsum(steps[np.argsort(times, kind="stable")]).max(initial=0))


def _bounds(accounts: _Accounts) -> Iterator[tuple[int, int]]:
    """Yield smallest and largest size of each class of jobs, from one power of two to the next."""
    sizes = accounts.sizes[accounts.came & (accounts.sizes > 0)]
    for power in np.unique(np.log2(sizes).astype(int)).tolist():
        yield 1 << power, (2 << power) - 1


def _chosen(accounts: _Accounts, smallest: int, largest: int | None) -> Chosen:
    if largest is None:
        return accounts.came
    return accounts.came & (accounts.sizes >= smallest) & (accounts.sizes <= largest)


def _class(accounts: _Accounts, smallest: int, largest: int | None) -> JobClass:
    chosen = _chosen(accounts, smallest, largest)
    count = int(chosen.sum())
    waits = accounts.curve(chosen, 1, most_steps=max(1, count))
    median, high = (
        _known(float(quantile(waits.times, waits.ended, waits.censored, share)[0]))
        for share in (0.5, 0.9)
    )
    slowdowns = _slowdowns(accounts.jobs, chosen)
    return JobClass(
        smallest=smallest,
        largest=largest,
        jobs=count,
        not_started=int(waits.censored.sum()),
        median_wait_seconds=median,
        high_wait_seconds=high,
        median_slowdown=float(np.median(slowdowns)) if slowdowns.size else None,
        mean_slowdown=float(slowdowns.mean()) if slowdowns.size else None,
    )


def _slowdowns(jobs: Jobs, chosen: Chosen) -> NDArray[np.float64]:
    ended = chosen & (jobs.start >= 0) & (jobs.finish >= 0)
    waited, ran = (jobs.start - jobs.since)[ended], (jobs.finish - jobs.start)[ended]
    return np.asarray(np.maximum((waited + ran) / np.maximum(ran, SHORTEST_RUN), 1.0), float)


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _compared(accounts: _Accounts, size: int | None, names: tuple[str, str]) -> PeriodComparison:
    """Compare every class of both periods, and the use if it is a share, decided together."""
    first, second = (replace(accounts, period=period_of(name, "--compare")) for name in names)
    for side, name in zip((first, second), names, strict=True):
        if not side.came.any():
            raise InvalidCommand(f"--compare {name}: {NO_JOB}")
    weeks = (_weeks(first.period), _weeks(second.period))
    few = min(weeks) < SAMPLES_NEEDED
    changes = () if few else tuple(_changes(first, second, size, weeks))
    return PeriodComparison(
        first=names[0],
        second=names[1],
        weeks=weeks,
        changes=changes,
        refused=f"each period needs at least {SAMPLES_NEEDED} weeks" if few else "",
    )


def _weeks(period: Period) -> int:
    """Return the number of weeks; the last week includes the remaining days."""
    return (period.end - period.begin) // WEEK


def _changes(
    first: _Accounts, second: _Accounts, size: int | None, weeks: tuple[int, int]
) -> Iterator[PeriodChange]:
    both = set(_bounds(first)) & set(_bounds(second))
    bounds: list[tuple[int, int | None]] = [(1, None), *sorted(both)]
    level = LEVEL / (len(bounds) + (size is not None))  # Bonferroni
    sides = ((first, weeks[0]), (second, weeks[1]))
    if size is not None:
        before, after = (mean_of(_weekly_use(side, size, count)) for side, count in sides)
        yield _change("use", 1, None, change(before, after, weeks, level))
    for smallest, largest in bounds:
        before, after = (
            quantile_of(side.curve(_chosen(side, smallest, largest), count), 0.5)
            for side, count in sides
        )
        yield _change("median wait", smallest, largest, change(before, after, weeks, level))


def _weekly_use(accounts: _Accounts, size: int, weeks: int) -> NDArray[np.float64]:
    begin, end = accounts.period.begin, accounts.period.end
    edges = [*(begin + week * WEEK for week in range(weeks)), end]
    shares = (accounts.used(low, high) / (size * (high - low)) for low, high in pairwise(edges))
    return np.fromiter(shares, float, weeks)


def _change(metric: str, smallest: int, largest: int | None, difference: Change) -> PeriodChange:
    return PeriodChange.model_validate(
        {
            "metric": metric,
            "smallest": smallest,
            "largest": largest,
            "first": _known(difference.first),
            "second": _known(difference.second),
            "low": _known(difference.low),
            "high": _known(difference.high),
            "decided": difference.decided,
        }
    )
