"""The use of cores by the ranks."""

from __future__ import annotations

from typing import Any

import altair as alt

from waywiser.model.findings import Findings
from waywiser.report.drawing.channels import names_of_rows
from waywiser.report.drawing.plot import BLUE, INK, VERMILION, Drawn, inline, tips
from waywiser.report.study.plots.marks import Drawing
from waywiser.units import counted, percent_text

MOST_ROWS = 36


def cpu_use(findings: Findings) -> Drawn | None:
    """A bar for each configuration, with the line at one core for each thread; the caption has the
    least use, and the consequence of unreliable runs."""
    known = [
        (configuration, configuration.cpu_use)
        for configuration in findings.configurations
        if configuration.cpu_use is not None
    ]
    if not known:
        return None
    configuration, use = min(known, key=lambda pair: pair[1])
    caption = (
        "CPU time of the ranks over wall time times ranks times threads, medians over runs; 100 % "
        f"is a busy core for each thread. The least is {percent_text(use)} ({configuration.label})."
    )
    unreliable = sum(p.unreliable for p in findings.configurations)
    if unreliable:
        caption += (
            " Red: configurations with runs that failed the validity gate "
            f"({counted(unreliable, 'run')} in all)."
        )
    if len(known) > MOST_ROWS:
        caption += f" The first {MOST_ROWS} of {len(known)} configurations are drawn."
    rows = [
        {
            "configuration": configuration.label,
            "use": use,
            "unreliable": configuration.unreliable > 0,
        }
        for configuration, use in known[:MOST_ROWS]
    ]
    return Drawn("cpu-use", "CPU use", caption, lambda: _chart(rows))


def _chart(rows: list[dict[str, Any]]) -> Drawing:
    bars = alt.Chart(inline(rows)).mark_bar(height=13)
    bars = bars.encode(
        y=names_of_rows("configuration", labelLimit=230),
        x=alt.X("use:Q", title="CPU time over wall time and cores")
        .scale(domain=[0, max(1.05, *(row["use"] for row in rows))], nice=False)
        .axis(format=".0%", tickCount=6),
        color=alt.condition("datum.unreliable", alt.value(VERMILION), alt.value(BLUE)),
        tooltip=tips(configuration="Configuration", use=("CPU use", ".1%")),
    )
    line = alt.Chart(inline([{"full": 1.0}])).mark_rule(color=INK, strokeDash=[4, 3])
    return alt.layer(bars, line.encode(x=alt.X("full:Q"))).properties(
        width=540, height=alt.Step(19)
    )
