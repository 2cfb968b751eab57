"""Sweeps over two axes of settings: the best combination, and the verdicts on its neighbours.

The computed problem does not count as a setting: each problem has its own grid and its own best
settings. A setting whose result breaks a limit of the study file is never the best.
"""

from __future__ import annotations

from collections.abc import Sequence

from waywiser.analyse.cheapest import good_enough, limited
from waywiser.analyse.compare import Pair, verdicts
from waywiser.analyse.judged import WORDS, is_speed
from waywiser.analyse.samples import Group, Samples, axis_text
from waywiser.model.configuration_findings import Estimate
from waywiser.model.curves import Cell, SettingsSweep
from waywiser.model.reading import Metric
from waywiser.model.result import Scalar
from waywiser.model.study import COUNTS, OWN_AXES
from waywiser.stats.compare import Verdict
from waywiser.stats.summary import summarise
from waywiser.units import counted

Grid = dict[tuple[int, int], Group]


def sweeps(samples: Samples) -> tuple[SettingsSweep, ...]:
    """Return heat maps of two axes of settings, one for each value of all other axes."""
    axes = _axes(samples)
    if axes is None:
        return ()
    heat_maps = (_sweep(samples, *axes, groups) for groups in samples.alike(*axes))
    return tuple(sweep for sweep in heat_maps if sweep is not None)


def _axes(samples: Samples) -> tuple[str, str] | None:
    """Return two settings, a setting and a count, a setting and the library, or two counts."""
    problem = samples.study.problem
    free = [axis for axis in samples.varying if not samples.together(axis) & problem]
    settings = [axis for axis in free if axis not in OWN_AXES]
    counts = [axis for axis in free if axis in COUNTS]
    others = [axis for axis in free if axis == "mpi" and settings]
    candidates = [*settings, *counts, *others]
    for axis in candidates[1:]:
        if axis not in samples.together(candidates[0]):
            return candidates[0], axis
    return None


def _sweep(samples: Samples, x: str, y: str, groups: Sequence[Group]) -> SettingsSweep | None:
    headline = samples.headline(groups[0])
    if headline is None or headline.better == "neither":
        return None
    if len({s.result.work for group in groups for s in group.counted}) > 1:
        return None  # less work is not a better setting
    limits = limited(samples, groups)
    columns, rows = samples.varying[x], samples.varying[y]
    grid: Grid = {
        (columns.index(group.values[x]), rows.index(group.values[y])): group
        for group in groups
        if headline.name in group.metrics and good_enough(samples, group, limits)
    }
    if len({i for i, _ in grid}) < 2 or len({j for _, j in grid}) < 2:
        return None
    cells = {place: _cell(group, headline, x, y) for place, group in grid.items()}
    sign = 1 if headline.better == "lower" else -1
    best = min(cells, key=lambda place: sign * cells[place].metric.value)
    around = _against_neighbours(samples, grid, headline, best)
    at = samples.others(groups[0], x, y)
    return SettingsSweep(
        metric=headline.name,
        unit=headline.unit,
        better=headline.better,
        x_axis=x,
        y_axis=y,
        at=at,
        label=samples.label(at),
        cells=tuple(cells.values()),
        best=cells[best],
        neighbours=len(around),
        better_than=sum(verdict.kind == "faster" for verdict in around),
        statement=_statement(x, y, cells[best], headline, around, limited=bool(limits)),
    )


def _cell(group: Group, metric: Metric, x: str, y: str) -> Cell:
    summary = summarise(
        [read.value for s in group.counted if (read := s.result.metric(metric.name)) is not None]
    )
    return Cell(
        x=group.values[x],
        y=group.values[y],
        configuration=group.name,
        metric=Estimate(value=summary.median, low=summary.low, high=summary.high),
    )


def _against_neighbours(
    samples: Samples, grid: Grid, metric: Metric, best: tuple[int, int]
) -> list[Verdict]:
    """Compare the best cell with each of its neighbours.

    The best cell was chosen by looking at the data. So that this does not make the cell look better
    than it is, all neighbours of the grid are decided together, whichever cell is best.
    """
    edges = [
        (place, neighbour)
        for place in grid
        for neighbour in ((place[0] + 1, place[1]), (place[0], place[1] + 1))
        if neighbour in grid
    ]
    edges = [(b, a) if a == best else (a, b) for a, b in edges]
    decided = verdicts(samples, [Pair(grid[a], grid[b], metric) for a, b in edges])
    return [
        verdict for (_, neighbour), verdict in zip(edges, decided, strict=True) if neighbour == best
    ]


def _statement(
    x: str, y: str, best: Cell, metric: Metric, around: Sequence[Verdict], *, limited: bool
) -> str:
    where = f"{_named(x, best.x)} with {_named(y, best.y)}"
    where += " among those within the limits" if limited else ""
    sentence = f"the best median is that of {where}"
    if not around:
        lacking = "is within the limits" if limited else "has a valid run"
        return f"{sentence}; no neighbouring setting {lacking}"
    faster = sum(verdict.kind == "faster" for verdict in around)
    amount = {0: "none", len(around): "each"}.get(faster, str(faster))
    word = "faster" if is_speed(metric) else WORDS["faster"]
    all_of = counted(len(around), "neighbouring setting")
    sentence = f"{sentence}; it is significantly {word} than {amount} of {all_of}"
    refused = [verdict.reason for verdict in around if verdict.kind == "refused"]
    return f"{sentence} (no verdict on {len(refused)}: {refused[0]})" if refused else sentence


def _named(axis: str, value: Scalar) -> str:
    """Return the value with its axis, since a sweep's values mean nothing without the axis."""
    text = axis_text(axis, value)
    return text if axis in text or axis in COUNTS or axis == "mpi" else f"{axis} {text}"
