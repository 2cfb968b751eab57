"""Two axes of settings as a heat map, with the best cell."""

from __future__ import annotations

from typing import Any

import altair as alt

from waywiser.model.curves import Sweep
from waywiser.model.findings import Findings
from waywiser.report.figure import INK, inline
from waywiser.report.paper.figure import axis_title, estimate_text, value_text
from waywiser.report.paper.plots.marks import Drawing

MOST_PANELS = 4
MOST_LABELLED = 64


def supported(findings: Findings) -> bool:
    return bool(findings.sweeps)


def chart(findings: Findings) -> Drawing:
    """A cell for each combination, darker where it is better; the best has a frame."""
    found = findings.sweeps[:MOST_PANELS]
    charts = [_panel(sweep, 640 if len(found) == 1 else 290) for sweep in found]
    if len(charts) == 1:
        return charts[0]
    return alt.concat(*charts, columns=2, spacing=30).resolve_scale(color="independent")


def _panel(sweep: Sweep, width: int) -> Drawing:
    values = [cell.figure.value for cell in sweep.cells]
    best, worst = sweep.best.figure.value, (max if sweep.better == "lower" else min)(values)
    span = worst - best
    rows: list[dict[str, Any]] = [
        {
            "x": str(cell.x),
            "y": str(cell.y),
            "badness": (cell.figure.value - best) / span if span else 0.0,
            "text": value_text(cell.figure.value, sweep.unit),
            "interval": estimate_text(cell.figure, sweep.unit),
        }
        for cell in sweep.cells
    ]
    x = alt.X(
        "x:N", sort=None, title=sweep.x_axis, axis=alt.Axis(labelAngle=0, ticks=False, domain=False)
    )
    y = alt.Y("y:N", sort=None, title=sweep.y_axis, axis=alt.Axis(ticks=False, domain=False))
    base = alt.Chart(inline(rows)).encode(x=x, y=y)
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=alt.Color(
            "badness:Q",
            scale=alt.Scale(domain=[0, 1], range=["#2b8cbe", "#f3f6f9"]),
            legend=None,
        ),
        tooltip=[
            alt.Tooltip("x:N", title=sweep.x_axis),
            alt.Tooltip("y:N", title=sweep.y_axis),
            alt.Tooltip("interval:N", title=axis_title(sweep.figure, "")),
        ],
    )
    chosen = [{"x": str(sweep.best.x), "y": str(sweep.best.y)}]
    frame = (
        alt.Chart(inline(chosen)).mark_rect(fill=None, stroke=INK, strokeWidth=2.5).encode(x=x, y=y)
    )
    layers: list[alt.Chart] = [cells, frame]
    if len(rows) <= MOST_LABELLED:
        layers.append(base.mark_text(fontSize=11, color=INK).encode(text="text:N"))
    title = alt.Title(sweep.label, fontSize=12, fontWeight="normal")
    made = alt.layer(*layers).properties(width=width, height=alt.Step(34))
    return made.properties(title=title) if sweep.label else made


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def caption(findings: Findings) -> str:
    """Which cell is best, and whether it differs from its neighbours."""
    said = [
        (f"{sweep.label}: {sweep.statement}" if sweep.label else _capital(sweep.statement))
        + f" ({estimate_text(sweep.best.figure, sweep.unit)})."
        for sweep in findings.sweeps[:MOST_PANELS]
    ]
    rest = len(findings.sweeps) - MOST_PANELS
    more = f" {rest} further combinations of the other axes are not drawn." if rest > 0 else ""
    return (
        f"{' '.join(said)} Medians; darker is better, the frame marks the best. Neighbours are "
        f"compared by block, all of the grid together (Holm).{more}"
    )
