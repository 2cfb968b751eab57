"""Plot the spread of runs of the same configuration."""

from __future__ import annotations

from functools import partial
from typing import Any

import altair as alt
import numpy as np

from waywiser.model.configuration_findings import ConfigurationFindings, Estimate, MetricSummary
from waywiser.model.findings import Findings
from waywiser.report.drawing.channels import names_of_rows
from waywiser.report.drawing.plot import BLUE, GREY, INK, VERMILION, Drawn, inline, table, tips
from waywiser.report.study.numbers import axis_title, estimate_text, listed, name_text, value_text
from waywiser.report.study.plots.curve_panels import by_panel, names, width
from waywiser.report.study.plots.marks import (
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
"""Usual limit of the field: above it, a machine is not steady enough to tune on."""

MOST_ROWS = 40
MOST_RUNS = 4000

FAR = 6.0
"""Multiple of the usual difference from which a linear axis would show nothing else."""

SIGNED = "datum.value == 0 ? '0%' : format(datum.value, '+.2~%')"
"""Vega expression that labels an axis of differences."""

LOOKS: dict[str, dict[str, Any]] = {
    "run": {"filled": True, "color": BLUE, "opacity": 0.85, "size": 28},
    "outlier": {"filled": False, "color": VERMILION, "size": 40, "strokeWidth": 1.6},
    "warm-up": {"filled": True, "color": GREY, "shape": "cross", "size": 40},
}


Rows = list[tuple[ConfigurationFindings, MetricSummary]]


def measured(findings: Findings) -> Rows:
    headlines = (
        (configuration, findings.headline(configuration))
        for configuration in findings.configurations
    )
    return [(configuration, metric) for configuration, metric in headlines if metric is not None]


def rows_drawn(findings: Findings) -> Rows:
    """The configurations that fit in the plot: all, or those with the largest spread, in the
    study's order."""
    rows = measured(findings)
    if len(rows) <= MOST_ROWS:
        return rows
    widest = sorted(rows, key=lambda row: -(row[1].rsd or 0.0))[:MOST_ROWS]
    chosen = {configuration.name for configuration, _ in widest}
    return [row for row in rows if row[0].name in chosen]


def runs(findings: Findings) -> Drawn | None:
    """Each run against the median of its configuration; outliers are hollow, warm-ups are crosses.
    The caption has the configuration whose runs differ most, and the number of outliers."""
    every, drawn = measured(findings), rows_drawn(findings)
    with_rsd = [(p, f) for p, f in every if f.rsd is not None]
    if not with_rsd:
        return None
    configuration, metric = max(with_rsd, key=lambda row: row[1].rsd or 0.0)
    values = [value for _, f in with_rsd for value in f.values]
    outliers = sum(value.outlier for value in values)
    names = listed(list(dict.fromkeys(name_text(f.name) for _, f in with_rsd)))
    marks = [
        f"{counted(outliers, 'outlier')} (hollow) {'is' if outliers == 1 else 'are'} flagged and "
        "counted all the same"
        if outliers
        else "No run is an outlier"
    ]
    if any(f.low is not None for _, f in with_rsd):
        marks.append("grey bars are the intervals of the medians")
    if any(value.warm_up for value in values):
        marks.append("crosses are warm-up runs, not counted")
    caption = (
        f"Differences of {names} from the median of each configuration. Runs differ most at "
        f"{configuration.label}: "
        f"RSD {percent_text(metric.rsd or 0)}, robust RSD {percent_text(metric.robust_rsd or 0)} "
        f"over {counted(metric.n, 'run')}. "
    )
    caption += f"{'; '.join(marks)}."
    if len(drawn) < len(every):
        caption += (
            f" The {len(drawn)} of {len(every)} configurations with the largest spread are drawn."
        )
    if sum(len(f.values) for _, f in drawn) > MOST_RUNS:
        caption += " Not every run is drawn, but every outlier and warm-up run."
    columns = (
        *("Configuration", "Metric", "Runs", "Median"),
        *("Minimum", "Maximum", "RSD", "Robust RSD"),
    )
    rows = (
        (
            *(configuration.label, axis_title(f.name, f.unit), f.n),
            estimate_text(Estimate(value=f.median, low=f.low, high=f.high)),
            *(value_text(f.minimum, ""), value_text(f.maximum, "")),
            "–" if f.rsd is None else percent_text(f.rsd),
            "–" if f.robust_rsd is None else percent_text(f.robust_rsd),
        )
        for configuration, f in every
    )
    return Drawn(
        "runs",
        "Every run",
        caption,
        lambda: _runs(drawn),
        table("Median with its interval, extremes and spread", columns, rows),
    )


def _runs(drawn: Rows) -> Drawing:
    rows: list[dict[str, Any]] = []
    bars: list[dict[str, Any]] = []
    for configuration, metric in drawn:
        if metric.median == 0:
            continue
        for value in metric.values:
            kind = "warm-up" if value.warm_up else "outlier" if value.outlier else "run"
            difference = value.value / metric.median - 1
            rows.append(
                {
                    "configuration": configuration.label,
                    "x": difference,
                    "kind": kind,
                    "run": value.run,
                }
            )
        if metric.low is not None and metric.high is not None:
            low, high = (bound / metric.median - 1 for bound in (metric.low, metric.high))
            bars.append({"configuration": configuration.label, "low": low, "high": high})
    kept = thinned([(row["kind"] != "run", row) for row in rows], MOST_RUNS)
    y = names_of_rows("configuration", labelLimit=230, grid=True)
    x = _differences([row["x"] for row in rows])
    layers: list[alt.Chart] = []
    if bars:
        intervals = alt.Chart(inline(bars)).mark_bar(height=13, color=GREY, opacity=0.35)
        layers.append(intervals.encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q")))
    tooltip = tips(run="Run", x=("From the median", "+.2%"), kind="Is")
    for kind, look in LOOKS.items():
        of_kind = [row for row in kept if row["kind"] == kind]
        if of_kind:
            marks = alt.Chart(inline(of_kind)).mark_point(**look)
            layers.append(marks.encode(y=y, x=x, tooltip=tooltip))
    return alt.layer(*layers).properties(width=540, height=alt.Step(20))


def _differences(values: list[float]) -> alt.X:
    """The axis of differences, logarithmic on both sides of zero if a few runs are far from the
    others."""
    usual = float(np.quantile(np.abs(values), 0.9))
    reach = max(map(abs, values))
    title = "difference from the median of the configuration"
    if usual == 0 or reach <= FAR * usual:
        x = alt.X("x:Q", title=title)
        return x.axis(labelExpr=SIGNED, tickCount=6).scale(zero=False)
    ticks = [sign * tick for tick in log_ticks(usual, 2 * reach) for sign in (-1, 1)]
    inside = [tick for tick in ticks if 1.5 * min(values) <= tick <= 1.5 * max(values)]
    return (
        alt.X("x:Q", title=f"{title} (logarithmic beyond {percent_text(usual)})")
        .scale(type="symlog", constant=usual, nice=False)
        .axis(values=[0.0, *inside], labelExpr=SIGNED)
    )


def rsd(findings: Findings) -> Drawn | None:
    """RSD over nodes, ranks or threads; a dot for each configuration without such an axis. The
    caption has the highest RSD: single runs cannot show a smaller gain."""
    every, drawn = measured(findings), rows_drawn(findings)
    if not any(metric.n >= 5 and metric.rsd for _, metric in every):
        return None
    spreads = [(p, f.rsd) for p, f in every if f.rsd is not None]
    above = sum(spread > STEADY_RSD for _, spread in spreads)
    configuration, most = max(spreads, key=lambda pair: pair[1])
    caption = f"RSD (standard deviation over mean) of {counted(len(spreads), 'configuration')}. "
    if above:
        caption += (
            f"{above} of {len(spreads)} {'lies' if above == 1 else 'lie'} above 5 %, the "
            f"highest at {percent_text(most)} ({configuration.label}): a single run there "
            "cannot show a smaller gain."
        )
    else:
        caption += (
            f"None lies above the line at 5 %; the highest is {percent_text(most)} "
            f"({configuration.label}): single runs cannot show a gain below that."
        )
    on_curves = _on_curves(findings)
    if not on_curves and len(drawn) < len(every):
        caption += f" The {MOST_ROWS} configurations with the largest spread are drawn."
    chart = partial(_rsd, findings) if on_curves else partial(_rsd_dots, drawn)
    return Drawn("rsd", "Run-to-run variation", caption, chart)


def _rsd(findings: Findings) -> Drawing:
    shown = by_panel(findings)
    charts = []
    for panel in shown:
        panel_curves = []
        for scaling in panel.curves:
            summaries = [
                (point.count, findings.configuration(point.configuration).metric(scaling.metric))
                for point in scaling.points
            ]
            known = [(c, Estimate(value=f.rsd)) for c, f in summaries if f and f.rsd is not None]
            if known:
                panel_curves.append(Curve(panel.name(scaling), known))
        if panel_curves:
            scales = Scales(
                panel.first.axis,
                f"RSD of {name_text(panel.first.metric)}",
                panel.application,
                log_y=False,
                from_zero=True,
                rule=STEADY_RSD,
                percent=True,
            )
            charts.append(curves(panel_curves, scales, names(shown), width=width(shown)))
    return panels(charts)


def _on_curves(findings: Findings) -> bool:
    """True if every configuration with a spread is on a drawn curve."""
    drawn = {
        point.configuration
        for panel in by_panel(findings)
        for scaling in panel.curves[:MOST_CURVES]
        for point in scaling.points
    }
    return {
        configuration.name for configuration, f in measured(findings) if f.rsd is not None
    } <= drawn


def _rsd_dots(drawn: Rows) -> Drawing:
    rows = [
        {"configuration": configuration.label, "rsd": metric.rsd, "robust": metric.robust_rsd}
        for configuration, metric in drawn
        if metric.rsd is not None
    ]
    y = alt.Y("configuration:N", sort=None, title=None).axis(labelLimit=230, grid=True)
    x = alt.X("rsd:Q", title="RSD").axis(format=".1%", tickCount=6)
    dots = alt.Chart(inline(rows)).mark_point(filled=True, color=BLUE, size=50, opacity=1)
    steady = alt.Chart(inline([{"rsd": STEADY_RSD}])).mark_rule(strokeDash=[4, 3], color=INK)
    both = dots.encode(y=y, x=x) + steady.encode(x=alt.X("rsd:Q"))
    return both.properties(width=540, height=alt.Step(19))
