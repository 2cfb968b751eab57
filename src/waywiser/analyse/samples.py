"""The runs of a study, sorted by configuration and block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from waywiser.model.reading import Metric
from waywiser.model.result import Result, Scalar
from waywiser.model.run import Run
from waywiser.model.study import COUNTS, LIBRARIES, Level, Study

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """A run of a configuration."""

    run: Run
    result: Result

    @property
    def name(self) -> str:
        return f"{self.result.configuration}/b{self.result.block:03}"


@dataclass
class Group:
    """All runs of one configuration."""

    name: str
    values: dict[str, Scalar]
    samples: list[Sample] = field(default_factory=list)

    @cached_property
    def counted(self) -> list[Sample]:
        return [sample for sample in self.samples if sample.result.counts]

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """Return the metrics of the runs that count, with unit and direction of the first run."""
        by_name: dict[str, Metric] = {}
        for sample in self.counted:
            for metric in sample.result.reading.metrics:
                by_name.setdefault(metric.name, metric)
        return by_name

    def count(self, axis: str) -> int:
        """Return the number of nodes, ranks or threads."""
        return int(self.values.get(axis, 1))


class Samples:
    """The configurations of a study with their runs, in the order of the study file."""

    def __init__(self, study: Study, runs: Sequence[Run]) -> None:
        self.study = study
        self.unread = [run for run in runs if run.result is None]
        groups: dict[str, Group] = {}
        for run in runs:
            if run.result is not None:
                result = run.result
                group = groups.setdefault(
                    result.configuration, Group(result.configuration, result.values)
                )
                group.samples.append(Sample(run, result))
        for group in groups.values():
            group.samples.sort(key=lambda sample: (sample.result.block, sample.run.started))
        levels = _levels(study)
        self.groups = sorted(
            groups.values(),
            key=lambda group: tuple(
                _place(levels[axis], group.values.get(axis)) for axis in self.free
            ),
        )
        blocks = {s.result.block for group in self.groups for s in group.counted}
        self.blocks = sorted(blocks)
        self._column = {block: column for column, block in enumerate(self.blocks)}
        self._tables: dict[tuple[str, str], Floats] = {}

    @cached_property
    def free(self) -> tuple[str, ...]:
        """Return the axes that the study file sets, without `ranks` if they follow from `nodes`."""
        return tuple(dict.fromkeys(("application", "mpi", *self.study.axes)))

    @cached_property
    def varying(self) -> dict[str, tuple[Scalar, ...]]:
        """Return axes with several values among the runs, in the order of the file."""
        values_by_axis = {
            axis: tuple(dict.fromkeys(group.values.get(axis, "") for group in self.groups))
            for axis in self.free
        }
        levels = _levels(self.study)
        return {
            axis: tuple(sorted(values, key=lambda value: _place(levels[axis], value)))
            for axis, values in values_by_axis.items()
            if len(values) > 1
        }

    def together(self, axis: str) -> set[str]:
        """Return the axes that change with this one, including itself."""
        return {axis}.union(*(group for group in self.study.zip if axis in group))

    def others(self, group: Group, *axes: str) -> dict[str, Scalar]:
        """Return the varying values that remain when `axes` are free."""
        moving = set().union(*map(self.together, axes))
        return {axis: group.values.get(axis, "") for axis in self.varying if axis not in moving}

    def alike(self, *axes: str) -> list[list[Group]]:
        """Group the configurations that differ in nothing but `axes`."""
        by_others: dict[tuple[tuple[str, Scalar], ...], list[Group]] = {}
        for group in self.groups:
            by_others.setdefault(tuple(self.others(group, *axes).items()), []).append(group)
        return list(by_others.values())

    def headline(self, group: Group) -> Metric | None:
        """Return the configuration's main metric; None if no run has it."""
        for sample in group.counted:
            if metric := sample.result.metric():
                return metric
        return None

    def by_block(self, group: Group, metric: str) -> Floats:
        """Return a metric, shape (blocks,); NaN where no run counts."""
        key = (group.name, metric)
        if key not in self._tables:
            table = np.full(len(self.blocks), np.nan)
            for sample in group.counted:
                if read := sample.result.metric(metric):
                    table[self._column[sample.result.block]] = read.value
            self._tables[key] = table
        return self._tables[key]

    def sections_by_block(self, group: Group) -> dict[str, Floats]:
        """Return the application's own sections in s, each of shape (blocks,)."""
        by_section: dict[str, Floats] = {}
        for sample in group.counted:
            column = self._column[sample.result.block]
            for section in sample.result.reading.sections:
                table = by_section.setdefault(section.name, np.full(len(self.blocks), np.nan))
                table[column] = section.seconds
        return by_section

    def name(self, group: Group) -> str:
        """Return the name of a configuration in sentences."""
        return self.label(self.others(group)) or group.name

    def label(self, values: dict[str, Scalar]) -> str:
        """Return values of axes, for people: "MPICH, 4 ranks, ndiag 2"."""
        return ", ".join(axis_text(axis, value) for axis, value in values.items())


def axis_text(axis: str, value: Scalar) -> str:
    """Return a value of an axis that is clear on its own: "4 ranks", "ndiag 2", "Intel MPI"."""
    if axis in COUNTS:
        return f"{value} {axis if value != 1 else axis[:-1]}"
    if axis == "mpi":
        return LIBRARIES.get(str(value), str(value))
    return value if isinstance(value, str) else f"{axis.replace('_', ' ')} {value}"


def _levels(study: Study) -> dict[str, list[Scalar]]:
    named: dict[str, list[Scalar]] = {
        axis: [value.name if isinstance(value, Level) else value for value in values]
        for axis, values in study.axes.items()
    }
    named["application"], named["mpi"] = list(study.application), list(study.mpi)
    return named


def _place(levels: list[Scalar], value: Scalar | None) -> tuple[int, str]:
    """Return the sort key of a value: its place on the axis; values no longer in the file come
    last."""
    return (levels.index(value), "") if value in levels else (len(levels), str(value))
