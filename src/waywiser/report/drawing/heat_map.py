"""A heat map of two axes: a cell for each combination, darker where it is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import altair as alt

from waywiser.report.drawing.plot import INK, inline, tips

MOST_LABELLED = 64
"""Largest number of cells whose values fit in them."""


@dataclass(frozen=True)
class HeatCell:
    x: str
    y: str
    badness: float
    """0 for the best cell to 1 for the worst."""

    text: str
    """Text in the cell."""

    tooltip: str
    """Text of the tooltip."""


def badness(value: float, best: float, worst: float) -> float:
    """The position of a value between the best (0) and the worst (1)."""
    return (value - best) / (worst - best) if worst != best else 0.0


def heat_map(
    cells: Sequence[HeatCell],
    x_title: str,
    y_title: str,
    tooltip_title: str,
    width: int,
    *,
    by_row: bool = False,
) -> alt.LayerChart:
    """A heat map with columns and rows in the order of the cells; the best cell has a frame unless
    all are equal.

    Args:
        by_row: True if rows cannot be compared: the best cell of each row has a frame.
    """
    x = alt.X("x:N", sort=None, title=x_title)
    x = x.axis(labelAngle=0, labelOverlap=True, ticks=False, domain=False)
    y = alt.Y("y:N", sort=None, title=y_title, axis=alt.Axis(ticks=False, domain=False))
    base = alt.Chart(inline(map(asdict, cells))).encode(x=x, y=y)
    squares = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=alt.Color("badness:Q", legend=None).scale(
            domain=[0, 1], range=["#2b8cbe", "#f3f6f9"]
        ),
        tooltip=tips(x=x_title, y=y_title, tooltip=tooltip_title),
    )
    rows: dict[str, list[HeatCell]] = {}
    for cell in cells:
        rows.setdefault(cell.y if by_row else "", []).append(cell)
    best = [
        min(row, key=lambda cell: cell.badness)
        for row in rows.values()
        if len({cell.badness for cell in row}) > 1
    ]
    frame = alt.Chart(inline(map(asdict, best))).encode(x=x, y=y)
    frame = frame.mark_rect(fill=None, stroke=INK, strokeWidth=2.5)
    layers: list[alt.Chart] = [squares, frame]
    if len(cells) <= MOST_LABELLED:
        texts = base.mark_text(fontSize=11, color=INK).encode(text=alt.Text("text:N"))
        layers.append(texts.properties(name="amounts"))  # they stay dark on a dark page
    return alt.LayerChart(layer=layers, width=width, height=alt.Step(34))
