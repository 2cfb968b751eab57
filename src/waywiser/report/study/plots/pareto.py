"""The trade-off between two metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from waywiser.model.configuration_findings import ConfigurationFindings, MetricSummary
from waywiser.model.findings import Findings
from waywiser.report.drawing.plot import BLUE, GREY, INK, VERMILION, Drawn, inline, tips
from waywiser.report.study.numbers import axis_title, capital, name_text, value_text
from waywiser.report.study.plots.marks import Drawing

FEWEST_CONFIGURATIONS = 4
SAME_ORDER = 0.98
"""Rank correlation from which two metrics are equivalent, such as a time and its rate."""

MOST_DOTS = 500
MOST_LABELS = 8

Row = tuple[ConfigurationFindings, float, float]


class _Pair:
    """Two metrics of the configurations of one application; for both, `sign` * value is a cost."""

    def __init__(self, rows: Sequence[Row], x: MetricSummary, y: MetricSummary) -> None:
        self.rows, self.x, self.y = list(rows), x, y
        self.signs = tuple(1 if metric.better == "lower" else -1 for metric in (x, y))

    @property
    def titles(self) -> tuple[str, str]:
        return axis_title(self.x.name, self.x.unit), axis_title(self.y.name, self.y.unit)

    @property
    def front(self) -> list[Row]:
        """Configurations that no other beats in both metrics, from the best x on."""
        costs = [(self.signs[0] * x, self.signs[1] * y) for _, x, y in self.rows]
        order = sorted(range(len(costs)), key=lambda i: costs[i])
        kept, best = [], float("inf")
        for i in order:
            if costs[i][1] < best:
                kept.append(self.rows[i])
                best = costs[i][1]
        return kept


def _pair(findings: Findings) -> _Pair | None:
    """The headline and the first other metric that is not equivalent to it."""
    for application in findings.headlines:
        configurations = [
            p for p in findings.configurations
            if p.metrics and str(p.values.get("application")) == application
        ]  # fmt: skip
        if len(configurations) < FEWEST_CONFIGURATIONS:
            continue
        first = configurations[0].metrics[0]
        for second in configurations[0].metrics[1:]:
            rows = [
                (p, a.median, b.median)
                for p in configurations
                if (a := p.metric(first.name)) and (b := p.metric(second.name))
            ]
            if "neither" in (first.better, second.better) or not _say_different_things(rows):
                continue
            pair = _Pair(rows, first, second)
            if len(pair.front) > 1:  # else one configuration is best in both
                return pair
    return None


def _say_different_things(rows: Sequence[Row]) -> bool:
    if len(rows) < FEWEST_CONFIGURATIONS:
        return False
    values = np.array([[x, y] for _, x, y in rows])
    if (np.ptp(values, axis=0) == 0).any():
        return False
    x, y = np.argsort(np.argsort(values, axis=0), axis=0).T
    return bool(abs(np.corrcoef(x, y)[0, 1]) < SAME_ORDER)


def pareto(findings: Findings) -> Drawn | None:
    """A dot for each configuration; those of the Pareto front are coloured and joined. The caption
    has the ends of the front."""
    pair = _pair(findings)
    if pair is None:
        return None
    front, count = pair.front, len(pair.rows)
    first, last = (
        f"{configuration.label} ({value_text(x, pair.x.unit)}, {value_text(y, pair.y.unit)})"
        for configuration, x, y in (front[0], front[-1])
    )
    rest = f" {MOST_DOTS} of them are drawn." if count > MOST_DOTS else ""
    caption = (
        f"{capital(name_text(pair.y.name))} against {name_text(pair.x.name)}, medians. "
        f"No other configuration beats {len(front)} of {count} (red) in both: from {first} to "
        f"{last}.{rest}"
    )
    return Drawn("pareto", "Trade-off", caption, lambda: _chart(pair))


def _chart(pair: _Pair) -> Drawing:
    front = {row[0].name for row in pair.front}
    shown = sorted(pair.rows, key=lambda row: row[0].name not in front)[:MOST_DOTS]
    rows: list[dict[str, Any]] = [
        {"x": x, "y": y, "configuration": p.label, "front": p.name in front} for p, x, y in shown
    ]
    titles = pair.titles
    look: dict[str, Any] = {
        "scale": alt.Scale(zero=False, padding=16, nice=False),
        "axis": alt.Axis(tickCount=7, format=",~f", labelOverlap=True),
    }
    base = alt.Chart(inline(rows)).encode(
        x=alt.X("x:Q", title=titles[0], **look), y=alt.Y("y:Q", title=titles[1], **look)
    )
    on_front = base.transform_filter("datum.front")
    layers = [
        on_front.mark_line(interpolate="step-after", color=GREY, strokeDash=[4, 3]),
        base.mark_point(filled=True, size=55, opacity=1).encode(
            color=alt.condition("datum.front", alt.value(VERMILION), alt.value(BLUE)),
            tooltip=tips(
                configuration="Configuration", x=(titles[0], ".4~g"), y=(titles[1], ".4~g")
            ),
        ),
    ]
    if len(front) <= MOST_LABELS:
        names = on_front.mark_text(align="left", dx=8, dy=-8, color=INK, fontSize=11)
        layers.append(names.encode(text=alt.Text("configuration:N")))
    return alt.layer(*layers).properties(width=640, height=280)
