"""The content of an application's own output: metrics, sections of its time, tables."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, FiniteFloat

from waywiser.model.base import Model

Better = Literal["higher", "lower", "neither"]


class Metric(Model):
    """A metric."""

    name: str
    """Name in snake_case, without the unit: "loop_time", "performance"."""

    value: FiniteFloat
    unit: str
    """"s", "ns/day", "GFLOP/s", …; "" for a pure number."""

    better: Better


SIZED = re.compile(r"(.+)_(\d+)_b")
COLLECTIVES = re.compile(
    r"i?(?:(?:all)?(?:gather|reduce)|alltoall|barrier|bcast|exscan|reduce_scatter(?:_block)?|scan|scatter)"
    r"[vw]?"
)


def sized(metric: str) -> tuple[str, int] | None:
    """Benchmark and message size [B] of a metric of a micro-benchmark: "allreduce_8_b"."""
    match = SIZED.fullmatch(metric)
    return (match[1], int(match[2])) if match else None


def mpi_name(benchmark: str) -> str:
    """The call that a benchmark measures: "allreduce" is MPI_Allreduce; others keep their names."""
    if COLLECTIVES.fullmatch(benchmark):
        return f"MPI_{benchmark.capitalize()}"
    return benchmark.replace("_", " ")


class Section(Model):
    """A part of the application's own time, as it reports it."""

    name: str
    seconds: FiniteFloat
    """Mean over the ranks, or the time of the one rank that the application reports."""

    minimum: FiniteFloat | None = None
    """Minimum over the ranks [s]; None if the application does not report it."""

    maximum: FiniteFloat | None = None
    parent: str | None = None
    """The section that contains this one, or the heading that this one is printed under."""

    calls: int | None = None


class Series(Model):
    """A column of a table against another one, e.g. latency against message size."""

    name: str
    unit: str
    better: Better
    x_name: str
    x: tuple[FiniteFloat, ...]
    y: tuple[FiniteFloat, ...]
    """Values, as many as there are in `x`."""

    ranks: int | None = None
    """Number of ranks that took part, where an output has tables for several numbers; else None."""


class Reading(Model):
    """An application's output as it was read. A run with a `failure` does not count."""

    metrics: tuple[Metric, ...] = ()
    sections: tuple[Section, ...] = ()
    series: tuple[Series, ...] = ()
    failure: str = ""
    """Reason why the run did not succeed, as a sentence; "" if it did."""

    remarks: tuple[str, ...] = ()
    """Sentences on doubts about the metrics, or on the choice between several values."""

    version: str = ""
    """Version that the program prints; "" if it prints none."""

    transport: str = ""
    """Transport of the messages, if the program reports it: "shared memory", "TCP", …"""

    def metric(self, name: str) -> Metric | None:
        return next((metric for metric in self.metrics if metric.name == name), None)


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error
    return pattern


def _has_one_group(pattern: str) -> str:
    groups = re.compile(pattern).groups
    if groups != 1:
        raise ValueError(
            f"{pattern!r} has {groups or 'no'} groups: put the number, and nothing else, in "
            "parentheses, as in 'time = ([0-9.]+)'; '(?:…)' does not count"
        )
    return pattern


Pattern = Annotated[str, Field(max_length=4096), AfterValidator(_compiles)]
"""A regular expression; ^ and $ are those of a line."""


class MetricPattern(Model):
    """A metric that a regular expression finds in the program's output."""

    pattern: Annotated[Pattern, AfterValidator(_has_one_group)]
    """Regular expression with one group, which is the number."""

    unit: str = ""
    better: Better
    which: Literal["last", "first", "sum", "mean", "minimum", "maximum"] = "last"
    """Value that counts where the pattern matches several times."""

    file: str = "stdout"
    """File that is searched: "stdout", "stderr", or a file in the run's working directory."""


class Expected(Model):
    """The value that a metric must have in a correct run, e.g. a total energy."""

    value: FiniteFloat
    relative: FiniteFloat = Field(default=0.0, ge=0)
    """Tolerance as a share of `value`."""

    absolute: FiniteFloat = Field(default=0.0, ge=0)
    """Tolerance in the metric's unit; the wider of the two holds."""
