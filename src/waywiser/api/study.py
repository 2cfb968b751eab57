"""A study, with its runs as frames."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from waywiser.analyse.sets import with_profile_metrics
from waywiser.api.frame import Frame, frame_of_rows
from waywiser.api.run import Run
from waywiser.model.result import Result, Scalar
from waywiser.store.study import Place
from waywiser.study.campaign import open_campaign
from waywiser.study.standing import standing_of
from waywiser.study.status import finished, status_lines, status_of

RUNS = {
    "configuration": ("VARCHAR", "name of the configuration"),
    "block": ("BIGINT", "number of the block; the warm-up is in block 0"),
    "directory": ("VARCHAR", "directory of the run"),
    "valid": ("BOOLEAN", "the run counts: it did not fail and is not a warm-up"),
    "unreliable": ("BOOLEAN", "something else had the machine as well"),
    "failures": ("VARCHAR", "why the run does not count; null where it did not fail"),
    "headline": ("VARCHAR", "name of the metric that the study is about"),
    "value": ("DOUBLE", "that metric; null where it was not found"),
    "unit": ("VARCHAR", "its unit"),
}
"""Columns of `Study.runs` before those of the configuration's values."""

METRICS = {
    "configuration": RUNS["configuration"],
    "block": RUNS["block"],
    "name": ("VARCHAR", "name of the metric"),
    "value": ("DOUBLE", "its value"),
    "unit": ("VARCHAR", "its unit"),
}


class Study:
    """The runs of a study file, or of the directory of a started study.

    Runs are read on first access; nothing is written.
    """

    def __init__(self, path: Path) -> None:
        """
        Raises:
            InvalidCommand: there is no study, or its file is not valid.
        """
        self._campaign = open_campaign(path)
        self.directory = self._campaign.directory.path

    def __fspath__(self) -> str:
        """The study's directory, so that functions and commands accept the study in its place."""
        return str(self.directory)

    def __repr__(self) -> str:
        return f"Study({str(self.directory)!r})"

    def __str__(self) -> str:
        """The text of `waywiser study status`."""
        return "\n".join(status_lines(status_of(self._campaign, standing_of(self._campaign))))

    @cached_property
    def _results(self) -> dict[Place, Result]:
        done = sorted(finished(self._campaign).items(), key=_order)
        runs = [(place, with_profile_metrics(run)) for place, run in done]
        return {place: run.result for place, run in runs if run.result}

    def __iter__(self) -> Iterator[Run]:
        """The runs that have ended, by configuration and block."""
        for place in self._results:
            yield Run(self._campaign.directory.run(place))

    @property
    def runs(self) -> Frame:
        """A row for each run that has ended, with a column for each value of its configuration."""
        results = self._results.values()
        axes = {}
        for name in dict.fromkeys(name for result in results for name in result.values):
            axes[name] = _type_of([result.values.get(name) for result in results])
        columns = {name: kind for name, (kind, _) in RUNS.items()}
        columns |= {_column(name): kind for name, kind in axes.items()}
        rows = [
            (
                *self._row(place, result),
                *(_as(result.values.get(name), kind) for name, kind in axes.items()),
            )
            for place, result in self._results.items()
        ]
        return frame_of_rows(columns, rows)

    def _row(self, place: Place, result: Result) -> tuple[Any, ...]:
        metric = result.metric()
        return (
            *(place.configuration, place.block, str(self._campaign.directory.run(place))),
            *(result.counts, bool(result.unreliable), "; ".join(result.failures) or None),
            result.headline,
            *((None, None) if metric is None else (metric.value, metric.unit)),
        )

    @property
    def metrics(self) -> Frame:
        """A row for each metric of each run that has ended: the application's own, `run_time`, and
        `mpi_time` and `mpi_share` of the profile."""
        rows = [
            (place.configuration, place.block, metric.name, metric.value, metric.unit)
            for place, result in self._results.items()
            for metric in result.reading.metrics
        ]
        return frame_of_rows({name: kind for name, (kind, _) in METRICS.items()}, rows)


def _order(item: tuple[Place, object]) -> tuple[str, int]:
    return item[0].configuration, item[0].block


def _column(name: str) -> str:
    """The column of an axis. A name that another column has gets the prefix `axis_`."""
    return f"axis_{name}" if name in RUNS else name


def _type_of(values: list[Scalar | None]) -> str:
    """The SQL type for all values."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool}:
        return "BOOLEAN"
    if kinds <= {int}:
        return "BIGINT"
    return "DOUBLE" if kinds <= {int, float} else "VARCHAR"


def _as(value: Scalar | None, kind: str) -> Scalar | None:
    return str(value) if kind == "VARCHAR" and value is not None else value
