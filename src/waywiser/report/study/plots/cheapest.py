"""Performance of configurations against their cost, with the limits of the study file."""

from __future__ import annotations

from typing import Any

import altair as alt

from waywiser.model.curves import Candidate, Cheapest
from waywiser.model.findings import Findings
from waywiser.report.drawing.plot import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    VERMILION,
    Drawn,
    Table,
    inline,
    table,
    tips,
)
from waywiser.report.study.numbers import axis_title, capital, value_text
from waywiser.report.study.plots.marks import Drawing
from waywiser.units import counted

KINDS = {"cheapest": VERMILION, "good enough": BLUE, "not good enough": GREY}


def cheapest(findings: Findings) -> Drawn | None:
    """A dot for each configuration, with the limits as lines; the caption names the cheapest
    configuration within them."""
    if not findings.cheapest:
        return None
    text = " ".join(f"{capital(choice.statement)}." for choice in findings.cheapest)
    lines = any(limit.worst > 0 for choice in findings.cheapest for limit in choice.limits)
    return Drawn(
        "cheapest",
        "Cheapest configuration within the limits",
        f"{text} Medians{'; the line is the limit' if lines else ''}.{_not_drawn(findings)}",
        lambda: _chart(findings),
        _table(findings),
    )


def _chart(findings: Findings) -> Drawing:
    panels = [
        _panel(choice, at) for choice in findings.cheapest for at in range(len(choice.limits))
    ]  # fmt: skip
    return panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=24)


def _panel(choice: Cheapest, at: int) -> Drawing:
    limit = choice.limits[at]
    drawable = [
        candidate
        for candidate in choice.candidates
        if candidate.reached[at] > 0 and candidate.metric.value > 0
    ]
    rows = [_row(choice, candidate, at) for candidate in drawable]
    titles = axis_title(limit.metric, limit.unit), axis_title(choice.metric, choice.unit)
    x = alt.X("x:Q", title=titles[0]).scale(type="log", padding=16)
    y = alt.Y("y:Q", title=titles[1]).scale(type="log", padding=16)
    base = alt.Chart(inline(rows)).encode(x=x, y=y)
    dots = base.mark_point(filled=True, size=50, opacity=1).encode(
        color=alt.Color("kind:N", title=None).scale(domain=list(KINDS), range=list(KINDS.values())),
        tooltip=tips(configuration="Configuration", x=(titles[0], ".4~g"), y=(titles[1], ".4~g")),
    )
    rule = alt.Chart(inline([{"x": limit.worst}])).mark_rule(color=ORANGE).encode(x=x)
    name = (
        base.transform_filter("datum.kind == 'cheapest'")
        .mark_text(align="left", dx=8, dy=10, color=INK, fontSize=11)
        .encode(text=alt.Text("configuration:N"))
    )
    layers = [rule, dots, name] if limit.worst > 0 else [dots, name]
    return alt.layer(*layers).properties(width=520, height=280)


def _row(choice: Cheapest, candidate: Candidate, at: int) -> dict[str, Any]:
    kind = "good enough" if candidate.within else "not good enough"
    return {
        "x": candidate.reached[at],
        "y": candidate.metric.value,
        "configuration": candidate.label,
        "kind": "cheapest" if candidate.configuration == choice.best else kind,
    }


def _not_drawn(findings: Findings) -> str:
    """Sentence on configurations that cannot be drawn on a logarithmic axis."""
    left = sum(
        not all(candidate.metric.value > 0 and value > 0 for value in candidate.reached)
        for choice in findings.cheapest
        for candidate in choice.candidates
    )
    return (
        f" Not drawn: {counted(left, 'configuration')} with a value of 0 or less." if left else ""
    )


def _table(findings: Findings) -> Table:
    """A table of all configurations, those within the limits first."""
    first = findings.cheapest[0]
    limits = tuple(axis_title(limit.metric, limit.unit) for limit in first.limits)
    costs = dict.fromkeys(axis_title(choice.metric, choice.unit) for choice in findings.cheapest)
    columns = ("Configuration", " or ".join(costs), *limits, "Good enough")
    rows = []
    for choice in findings.cheapest:
        sign = 1 if choice.better == "lower" else -1
        for candidate in sorted(
            choice.candidates,
            key=lambda candidate: (not candidate.within, sign * candidate.metric.value),
        ):
            reached = (value_text(value, "") for value in candidate.reached)
            cost = value_text(candidate.metric.value, choice.unit)
            rows.append((candidate.label, cost, *reached, "yes" if candidate.within else "no"))
    return table("What is good enough, and what it costs", columns, rows)
