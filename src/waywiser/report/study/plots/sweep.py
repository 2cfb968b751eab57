"""Two axes of settings as a heat map, with the best cell."""

from __future__ import annotations

from collections.abc import Sequence

from waywiser.model.curves import SettingsSweep
from waywiser.model.findings import Findings
from waywiser.report.drawing.channels import small_title
from waywiser.report.drawing.heat_map import HeatCell, badness, heat_map
from waywiser.report.drawing.plot import Drawn
from waywiser.report.study.numbers import axis_title, capital, estimate_text, value_text
from waywiser.report.study.plots.marks import Drawing, panels

MOST_PANELS = 4


def sweep(findings: Findings) -> Drawn | None:
    """A cell for each combination, darker where it is better; the best cell has a frame. The
    caption compares it with its neighbours."""
    if not findings.sweeps:
        return None
    shown, rest = findings.sweeps[:MOST_PANELS], len(findings.sweeps) - MOST_PANELS
    parts = [
        (f"{grid.label}: {grid.statement}" if grid.label else capital(grid.statement))
        + f" ({estimate_text(grid.best.metric, grid.unit)})."
        for grid in shown
    ]
    more = f" {rest} further combinations of the other axes are not drawn." if rest > 0 else ""
    caption = (
        f"{' '.join(parts)} Medians; darker is better, the frame marks the best. Neighbours are "
        f"compared by block, all of the grid together (Holm).{more}"
    )
    return Drawn("sweep", "Best settings", caption, lambda: _chart(shown))


def _chart(shown: Sequence[SettingsSweep]) -> Drawing:
    if len(shown) == 1:
        return _panel(shown[0], 640)
    charts = [_panel(sweep, 290) for sweep in shown]
    return panels(charts, spacing=30).resolve_scale(color="independent")


def _panel(sweep: SettingsSweep, width: int) -> Drawing:
    values = [cell.metric.value for cell in sweep.cells]
    best, worst = sweep.best.metric.value, (max if sweep.better == "lower" else min)(values)
    cells = [
        HeatCell(
            x=str(cell.x),
            y=str(cell.y),
            badness=badness(cell.metric.value, best, worst),
            text=value_text(cell.metric.value, sweep.unit),
            tooltip=estimate_text(cell.metric, sweep.unit),
        )
        for cell in sweep.cells
    ]
    chart = heat_map(cells, sweep.x_axis, sweep.y_axis, axis_title(sweep.metric, ""), width)
    return chart.properties(title=small_title(sweep.label)) if sweep.label else chart
