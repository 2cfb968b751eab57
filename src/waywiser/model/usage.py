"""The use and waiting of a machine: the JSON document of `waywiser machine usage`."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model

Unit = Literal["nodes", "cores"]


class UsedMonth(Model):
    """A calendar month, or the part of it that lies in the period."""

    month: str
    """Month, such as 2020-06."""

    days: float
    unit_hours: float
    """Node-hours or core-hours of jobs, as `unit` says."""

    use: float | None
    """Share of the machine's capacity that jobs used; None where the size was not given."""


class JobClass(Model):
    """The jobs of a size, with their waiting."""

    smallest: int
    largest: int | None
    """Largest number of nodes or cores; None: any size."""

    jobs: int
    not_started: int
    """Number of `jobs` that had not started when the period ended, or were cancelled before their
    start."""

    median_wait_seconds: float | None
    """Median waiting time by the Kaplan-Meier estimate; None where it exceeds every observed
    wait."""

    high_wait_seconds: float | None
    """Waiting time that 90 % of the jobs do not exceed; None where it exceeds every observed
    wait."""

    median_slowdown: float | None
    """Bounded slowdown: (waiting + run) / max(run, 10 min), at least 1; None where no job ended."""

    mean_slowdown: float | None


class PeriodChange(Model):
    """A metric in two periods."""

    metric: Literal["use", "median wait"]
    smallest: int
    largest: int | None
    """Largest size of the jobs, as in `JobClass`."""

    first: float | None
    second: float | None
    """Value in each period, a share or seconds; None where it exceeds every observed wait."""

    low: float | None
    high: float | None
    """Bounds of second minus first; None where there is no bound."""

    decided: bool
    """True if the interval excludes 0, so that the metric differs."""


class PeriodComparison(Model):
    first: str
    second: str
    """The periods, as the user gave them."""

    weeks: tuple[int, int]
    changes: tuple[PeriodChange, ...]
    """Changes between the periods, whose intervals hold together at 95 %."""

    refused: str
    """Reason why there are no changes, or ""."""


class Usage(Model):
    """`waywiser machine usage --json`."""

    waywiser: str
    unit: Unit
    size: int | None
    """Size of the machine in nodes or cores; None if it was not given."""

    begin: str
    end: str
    """Start and end of the period, as 2020-01-31T12:00:00."""

    use: float | None
    unit_hours: float
    most_at_once: int
    """Nodes or cores of jobs at the busiest moment."""

    months: tuple[UsedMonth, ...]
    all: JobClass
    classes: tuple[JobClass, ...]
    comparison: PeriodComparison | None
    remarks: tuple[str, ...]
