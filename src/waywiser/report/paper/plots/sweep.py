"""Two axes of settings as a heat map, with the best cell."""

from __future__ import annotations

import altair as alt

from waywiser.model.curves import SettingsSweep
from waywiser.model.findings import Findings
from waywiser.report.heat_map import HeatCell, badness, heat_map
from waywiser.report.paper.figure import axis_title, capital, estimate_text, value_text
from waywiser.report.paper.plots.marks import Drawing

MOST_PANELS = 4


def supported(findings: Findings) -> bool:
    return bool(findings.sweeps)


def chart(findings: Findings) -> Drawing:
    """A cell for each combination, darker where it is better; the best has a frame."""
    found = findings.sweeps[:MOST_PANELS]
    charts = [_panel(sweep, 640 if len(found) == 1 else 290) for sweep in found]
    if len(charts) == 1:
        return charts[0]
    return alt.concat(*charts, columns=2, spacing=30).resolve_scale(color="independent")


def _panel(sweep: SettingsSweep, width: int) -> Drawing:
    values = [cell.figure.value for cell in sweep.cells]
    best, worst = sweep.best.figure.value, (max if sweep.better == "lower" else min)(values)
    cells = [
        HeatCell(
            x=str(cell.x),
            y=str(cell.y),
            badness=badness(cell.figure.value, best, worst),
            text=value_text(cell.figure.value, sweep.unit),
            told=estimate_text(cell.figure, sweep.unit),
        )
        for cell in sweep.cells
    ]
    made = heat_map(cells, sweep.x_axis, sweep.y_axis, axis_title(sweep.figure, ""), width)
    title = alt.Title(sweep.label, fontSize=12, fontWeight="normal")
    return made.properties(title=title) if sweep.label else made


def caption(findings: Findings) -> str:
    """Caption with the best cell, and whether it differs from its neighbours."""
    said = [
        (f"{sweep.label}: {sweep.statement}" if sweep.label else capital(sweep.statement))
        + f" ({estimate_text(sweep.best.figure, sweep.unit)})."
        for sweep in findings.sweeps[:MOST_PANELS]
    ]
    rest = len(findings.sweeps) - MOST_PANELS
    more = f" {rest} further combinations of the other axes are not drawn." if rest > 0 else ""
    return (
        f"{' '.join(said)} Medians; darker is better, the frame marks the best. Neighbours are "
        f"compared by block, all of the grid together (Holm).{more}"
    )
