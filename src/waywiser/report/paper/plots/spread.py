"""Plot how much runs of the same point differ."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from waywiser.model.findings import Findings
from waywiser.model.point_findings import Estimate, FigureSummary, PointFindings
from waywiser.report.figure import BLUE, GREY, INK, VERMILION, Cell, Table, inline, tips
from waywiser.report.paper.figure import axis_title, estimate_text, listed, name_text, value_text
from waywiser.report.paper.plots.curve_panels import by_panel, names, width
from waywiser.report.paper.plots.marks import (
    MOST_CURVES,
    Curve,
    Drawing,
    Scales,
    curves,
    log_ticks,
    panels,
    thinned,
)
from waywiser.units import counted, percent_text

STEADY_RSD = 0.05
"""The line that the field draws: above it, a machine is not steady enough to tune on."""

MOST_ROWS = 40
MOST_RUNS = 4000

FAR = 6.0
"""Times the usual difference: from there on a linear axis would show nothing else."""

SIGNED = "datum.value == 0 ? '0%' : format(datum.value, '+.2~%')"
"""Vega expression that labels an axis of differences."""

LOOKS: dict[str, dict[str, Any]] = {
    "run": {"filled": True, "color": BLUE, "opacity": 0.85, "size": 28},
    "outlier": {"filled": False, "color": VERMILION, "size": 40, "strokeWidth": 1.6},
    "warm-up": {"filled": True, "color": GREY, "shape": "cross", "size": 40},
}


def measured(findings: Findings) -> list[tuple[PointFindings, FigureSummary]]:
    found = ((point, findings.headline(point)) for point in findings.points)
    return [(point, figure) for point, figure in found if figure is not None]


def rows_drawn(findings: Findings) -> list[tuple[PointFindings, FigureSummary]]:
    """The points that fit: all, or those with the largest spread, in the study's order."""
    found = measured(findings)
    if len(found) <= MOST_ROWS:
        return found
    widest = sorted(found, key=lambda one: -(one[1].rsd or 0.0))[:MOST_ROWS]
    chosen = {point.name for point, _ in widest}
    return [one for one in found if one[0].name in chosen]


def runs_supported(findings: Findings) -> bool:
    return any(figure.rsd is not None for _, figure in measured(findings))


def runs_chart(findings: Findings) -> Drawing:
    """Plot each run against the median of its point; outliers are hollow, warm-ups crossed."""
    rows: list[dict[str, Any]] = []
    bars: list[dict[str, Any]] = []
    for point, figure in rows_drawn(findings):
        if figure.median == 0:
            continue
        for value in figure.values:
            kind = "warm-up" if value.warm_up else "outlier" if value.outlier else "run"
            difference = value.value / figure.median - 1
            rows.append({"point": point.label, "x": difference, "kind": kind, "run": value.run})
        if figure.low is not None and figure.high is not None:
            low, high = (bound / figure.median - 1 for bound in (figure.low, figure.high))
            bars.append({"point": point.label, "low": low, "high": high})
    kept = thinned([(row["kind"] != "run", row) for row in rows], MOST_RUNS)
    y = alt.Y(
        "point:N",
        sort=None,
        title=None,
        axis=alt.Axis(ticks=False, domain=False, labelPadding=8, labelLimit=230, grid=True),
    )
    x = _differences([row["x"] for row in rows])
    layers: list[alt.Chart] = []
    if bars:
        layers.append(
            alt.Chart(inline(bars))
            .mark_bar(height=13, color=GREY, opacity=0.35)
            .encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"))
        )
    for kind, look in LOOKS.items():
        of_kind = [row for row in kept if row["kind"] == kind]
        if of_kind:
            layers.append(
                alt.Chart(inline(of_kind))
                .mark_point(**look)
                .encode(
                    y=y,
                    x=x,
                    tooltip=tips(run="Run", x=("From the median", "+.2%"), kind="Is"),
                )
            )
    return alt.layer(*layers).properties(width=540, height=alt.Step(20))


def _differences(values: list[float]) -> alt.X:
    """Logarithmic on both sides of zero where a few runs are far from all others."""
    usual = float(np.quantile(np.abs(values), 0.9))
    reach = max(map(abs, values))
    title = "difference from the median of the configuration"
    if usual == 0 or reach <= FAR * usual:
        axis = alt.Axis(labelExpr=SIGNED, tickCount=6)
        return alt.X("x:Q", title=title, axis=axis, scale=alt.Scale(zero=False))
    ticks = [sign * tick for tick in log_ticks(usual, 2 * reach) for sign in (-1, 1)]
    inside = [tick for tick in ticks if 1.5 * min(values) <= tick <= 1.5 * max(values)]
    return alt.X(
        "x:Q",
        title=f"{title} (logarithmic beyond {percent_text(usual)})",
        scale=alt.Scale(type="symlog", constant=usual, nice=False),
        axis=alt.Axis(values=[0.0, *inside], labelExpr=SIGNED),
    )


def runs_caption(findings: Findings) -> str:
    """Caption with the point whose runs differ most, and the number of outliers."""
    found = [(p, f) for p, f in measured(findings) if f.rsd is not None]
    point, figure = max(found, key=lambda one: one[1].rsd or 0.0)
    values = [value for _, f in found for value in f.values]
    outliers = sum(value.outlier for value in values)
    drawn = rows_drawn(findings)
    names = listed(list(dict.fromkeys(name_text(f.name) for _, f in found)))
    said = (
        f"Differences of {names} from the median of each configuration. Runs differ most at "
        f"{point.label}: "
        f"RSD {percent_text(figure.rsd or 0)}, robust RSD {percent_text(figure.robust_rsd or 0)} "
        f"over {counted(figure.n, 'run')}. "
    )
    marks = [
        f"{counted(outliers, 'outlier')} (hollow) {'is' if outliers == 1 else 'are'} flagged and "
        "counted all the same"
        if outliers
        else "No run is an outlier"
    ]
    if any(f.low is not None for _, f in found):
        marks.append("grey bars are the intervals of the medians")
    if any(value.warm_up for value in values):
        marks.append("crosses are warm-up runs, not counted")
    said += f"{'; '.join(marks)}."
    if len(drawn) < len(measured(findings)):
        said += (
            f" The {len(drawn)} of {len(measured(findings))} configurations with the largest "
            "spread are drawn."
        )
    if sum(len(f.values) for _, f in drawn) > MOST_RUNS:
        said += " Not every run is drawn, but every outlier and warm-up run."
    return said


def runs_table(findings: Findings) -> Table:
    columns = (
        "Configuration", "Figure", "Runs", "Median", "Minimum", "Maximum", "RSD", "Robust RSD",
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = [
        (
            point.label,
            axis_title(f.name, f.unit),
            f.n,
            estimate_text(Estimate(value=f.median, low=f.low, high=f.high)),
            *(value_text(value, "") for value in (f.minimum, f.maximum)),
            "–" if f.rsd is None else percent_text(f.rsd),
            "–" if f.robust_rsd is None else percent_text(f.robust_rsd),
        )
        for point, f in measured(findings)
    ]
    return Table("Median with its interval, extremes and spread", columns, tuple(rows))


def rsd_supported(findings: Findings) -> bool:
    return any(figure.n >= 5 and figure.rsd for _, figure in measured(findings))


def rsd_chart(findings: Findings) -> Drawing:
    """RSD over nodes, ranks or threads; of points without such an axis, a dot each."""
    if not _on_curves(findings):
        return _rsd_dots(findings)
    shown = by_panel(findings)
    charts = []
    for panel in shown:
        found = []
        for scaling in panel.curves:
            summaries = [
                (point.count, findings.point(point.point).figure(scaling.figure))
                for point in scaling.points
            ]
            known = [(c, Estimate(value=f.rsd)) for c, f in summaries if f and f.rsd is not None]
            if known:
                found.append(Curve(panel.name(scaling), known))
        if found:
            scales = Scales(
                panel.first.axis,
                f"RSD of {name_text(panel.first.figure)}",
                panel.application,
                log_y=False,
                from_zero=True,
                rule=STEADY_RSD,
                percent=True,
            )
            charts.append(curves(found, scales, names(shown), width=width(shown)))
    return panels(charts)


def _on_curves(findings: Findings) -> bool:
    """Whether every point with a spread lies on a curve that is drawn."""
    drawn = {
        point.point
        for panel in by_panel(findings)
        for scaling in panel.curves[:MOST_CURVES]
        for point in scaling.points
    }
    return {point.name for point, f in measured(findings) if f.rsd is not None} <= drawn


def _rsd_dots(findings: Findings) -> Drawing:
    rows = [
        {"point": point.label, "rsd": figure.rsd, "robust": figure.robust_rsd}
        for point, figure in rows_drawn(findings)
        if figure.rsd is not None
    ]
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y("point:N", sort=None, title=None, axis=alt.Axis(labelLimit=230, grid=True))
    )
    x = alt.X("rsd:Q", title="RSD", axis=alt.Axis(format=".1%", tickCount=6))
    return (
        base.mark_point(filled=True, color=BLUE, size=50, opacity=1).encode(x=x)
        + alt.Chart(inline([{"rsd": STEADY_RSD}]))
        .mark_rule(strokeDash=[4, 3], color=INK)
        .encode(x=alt.X("rsd:Q"))
    ).properties(width=540, height=alt.Step(19))


def rsd_caption(findings: Findings) -> str:
    """Caption that says which differences this machine's noise hides."""
    found = [(p, f) for p, f in measured(findings) if f.rsd is not None]
    above = [(p, f) for p, f in found if (f.rsd or 0) > STEADY_RSD]
    point, figure = max(found, key=lambda one: one[1].rsd or 0)
    said = f"RSD (standard deviation over mean) of {counted(len(found), 'configuration')}. "
    if above:
        said += (
            f"{len(above)} of {len(found)} {'lies' if len(above) == 1 else 'lie'} above 5 %, the "
            f"highest at {percent_text(figure.rsd or 0)} ({point.label}): a single run there "
            "cannot show a smaller gain."
        )
    else:
        said += (
            f"None lies above the line at 5 %; the highest is {percent_text(figure.rsd or 0)} "
            f"({point.label}): single runs cannot show a gain below that."
        )
    if not _on_curves(findings) and len(rows_drawn(findings)) < len(measured(findings)):
        said += f" The {MOST_ROWS} configurations with the largest spread are drawn."
    return said
