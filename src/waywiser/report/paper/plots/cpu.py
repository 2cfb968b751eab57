"""Whether the ranks had their cores."""

from __future__ import annotations

from typing import Any

import altair as alt

from waywiser.model.findings import Findings
from waywiser.model.point_findings import PointFindings
from waywiser.report.figure import BLUE, INK, VERMILION, inline, tips
from waywiser.report.paper.plots.marks import Drawing
from waywiser.units import counted, percent_text

MOST_ROWS = 36


def supported(findings: Findings) -> bool:
    return bool(_known(findings))


def _known(findings: Findings) -> list[tuple[PointFindings, float]]:
    return [(point, point.cpu_use) for point in findings.points if point.cpu_use is not None]


def chart(findings: Findings) -> Drawing:
    """A bar for each point, with the line at one core for each thread."""
    rows: list[dict[str, Any]] = [
        {"point": point.label, "use": use, "contended": point.contended > 0}
        for point, use in _known(findings)[:MOST_ROWS]
    ]
    top = max(1.05, *(row["use"] for row in rows)) if rows else 1.05
    bars = (
        alt.Chart(inline(rows))
        .mark_bar(height=13)
        .encode(
            y=alt.Y(
                "point:N",
                sort=None,
                title=None,
                axis=alt.Axis(ticks=False, domain=False, labelPadding=8, labelLimit=230),
            ),
            x=alt.X(
                "use:Q",
                title="CPU time over wall time and cores",
                scale=alt.Scale(domain=[0, top], nice=False),
                axis=alt.Axis(format=".0%", tickCount=6),
            ),
            color=alt.ColorValue(
                **alt.condition("datum.contended", alt.value(VERMILION), alt.value(BLUE))
            ),
            tooltip=tips(point="Configuration", use=("CPU use", ".1%")),
        )
    )
    line = (
        alt.Chart(inline([{"full": 1.0}]))
        .mark_rule(color=INK, strokeDash=[4, 3])
        .encode(x=alt.X("full:Q"))
    )
    return alt.layer(bars, line).properties(width=540, height=alt.Step(19))


def caption(findings: Findings) -> str:
    """The least use, and what contended runs mean."""
    point, use = min(_known(findings), key=lambda one: one[1])
    said = (
        "CPU time of the ranks over wall time times ranks times threads, medians over runs; 100 % "
        f"is a busy core for each thread. The least is {percent_text(use)} ({point.label})."
    )
    contended = sum(p.contended for p in findings.points)
    if contended:
        said += (
            " Red: configurations with runs on a contended machine "
            f"({counted(contended, 'run')} in all)."
        )
    if len(_known(findings)) > MOST_ROWS:
        said += f" The first {MOST_ROWS} of {len(_known(findings))} configurations are drawn."
    return said
