"""The timeline as a plot on paper: the activity of ranks in cells of time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import altair as alt
import numpy as np

from waywiser.model.timeline import KINDS, Grid, Timeline
from waywiser.report.drawing.channels import above, coloured
from waywiser.report.drawing.plot import WIDTH_PX, inline
from waywiser.report.run.timeline_data import COLOURS, COMPUTATION

MOST_ROWS, MOST_BINS = 64, 240
"""Largest number of cells of a plot; a print in a column of 90 mm shows no finer cells."""

COMPUTATION_ON_PAPER = "#cfe2ef"
"""The colour of computing in report.css."""

NS_PER_S = 1e9


def chart(timeline: Timeline) -> alt.TopLevelMixin:
    """A chart of ranks, from top to bottom, over time; the height of a colour is its share of a
    cell."""
    grid = coarser(timeline.grids[0])
    occurring = [kind for i, kind in enumerate(KINDS) if grid.ns[:, :, i].any()]
    colours = {**COLOURS, KINDS[0]: COMPUTATION_ON_PAPER}
    assert COLOURS[KINDS[0]] == COMPUTATION
    several = any(thread for _, thread in timeline.threads)
    shown = {kind: colours[kind] for kind in occurring}
    plot: alt.TopLevelMixin = (
        alt.Chart(inline(_shares(timeline, grid)))
        .mark_rect()
        .encode(
            x=alt.X("begin:Q", title="Time since the first call (s)").scale(nice=False),
            x2=alt.X2("end:Q"),
            y=alt.Y("top:Q", title="Thread, in the order of the ranks" if several else "Rank")
            .scale(domain=[0, len(timeline.threads)], reverse=True, nice=False)
            .axis(tickMinStep=1, format="d"),
            y2=alt.Y2("bottom:Q"),
            color=coloured("kind", shown, above(symbolType="square")),
        )
        .properties(width=WIDTH_PX - 80, height=min(480, max(120, 12 * len(timeline.threads))))
    )
    return plot


def coarser(grid: Grid) -> Grid:
    """The grid with no more cells than a plot has."""
    rows, bins, _ = grid.ns.shape
    by_row, by_bin = math.ceil(rows / MOST_ROWS), math.ceil(bins / MOST_BINS)
    ns = np.add.reduceat(grid.ns, np.arange(0, rows, by_row), axis=0)
    ns = np.add.reduceat(ns, np.arange(0, bins, by_bin), axis=1)
    return Grid(together=grid.together * by_row, bin_ns=grid.bin_ns * by_bin, ns=ns)


def _shares(timeline: Timeline, grid: Grid) -> Iterator[dict[str, Any]]:
    """A rectangle for each kind in each cell."""
    first = timeline.begin_ns - timeline.trace_begin_ns
    last = timeline.end_ns - timeline.trace_begin_ns
    for row, bin_number in np.argwhere(grid.ns.any(axis=2)).tolist():
        ns = grid.ns[row, bin_number].astype(float)
        top = row * grid.together
        height = min(grid.together, len(timeline.threads) - top)
        ends = top + height * np.concatenate(([0.0], np.cumsum(ns))) / ns.sum()
        begin = first + bin_number * grid.bin_ns
        for kind in np.flatnonzero(ns).tolist():
            yield {
                "begin": begin / NS_PER_S,
                "end": min(begin + grid.bin_ns, last) / NS_PER_S,
                "top": round(float(ends[kind]), 6),
                "bottom": round(float(ends[kind + 1]), 6),
                "kind": KINDS[kind],
            }
