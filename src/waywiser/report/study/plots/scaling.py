"""A metric over nodes, ranks or threads: its value, speed-up, efficiency, throughput."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from waywiser.model.configuration_findings import ConfigurationFindings, Estimate, MetricSummary
from waywiser.model.curves import Scaling, ScalingPoint
from waywiser.model.findings import Findings
from waywiser.report.drawing.plot import Drawn, table
from waywiser.report.study.numbers import (
    axis_title,
    capital,
    estimate_text,
    listed,
    name_text,
    percent_estimate,
)
from waywiser.report.study.plots.curve_panels import Panel, by_panel, names, series, width
from waywiser.report.study.plots.marks import (
    MOST_CURVES,
    MOST_RUNS,
    Curve,
    Drawing,
    Scales,
    curves,
    dots_of,
    panels,
)
from waywiser.units import counted

Pick = Callable[[ConfigurationFindings], Estimate | None]

MOST_SENTENCES = 3
"""Largest number of curves that a caption describes."""


def prefix(scaling: Scaling) -> str:
    """The label before a sentence on one of several curves."""
    return f"{scaling.label}: " if scaling.label else ""


def on(scaling: Scaling, count: int) -> str:
    """ "4 ranks"."""
    return counted(count, scaling.axis.removesuffix("s"))


def _over_counts(
    shown: list[Panel],
    curve: Callable[[Panel, Scaling], Curve],
    scales: Callable[[Panel], Scales],
) -> Drawing:
    """Panels with their curves and a common legend."""
    return panels(
        [
            curves(
                [curve(panel, scaling) for scaling in panel.curves],
                scales(panel),
                names(shown),
                width=width(shown),
            )
            for panel in shown
        ]
    )


def scaling(findings: Findings) -> Drawn | None:
    """The metric over the count, with every run, the ideal line and the fitted law. The caption has
    the first and last count of each curve, and the forecast of the law."""
    if not findings.scaling:
        return None
    shown, first = by_panel(findings), findings.scaling[0]
    parts = [
        f"{prefix(s)}{estimate_text(s.base.metric, s.unit)} on {on(s, s.base.count)}, "
        f"{estimate_text(s.points[-1].metric, s.unit)} on {on(s, s.points[-1].count)}."
        for s in findings.scaling[:MOST_SENTENCES]
    ]
    if first.fit and first.fit.forecast and not first.reason:
        ahead = first.fit.forecast[0]
        parts.append(
            f"The dotted law{' of ' + first.label if first.label else ''}, {first.fit.formula}, "
            f"predicts {estimate_text(ahead.metric, first.unit)} on {on(first, ahead.count)} "
            "(hollow mark)."
        )
    columns = ("Curve", "Count", "Metric", "Median", "Speed-up", "Efficiency")
    rows = (
        (
            *(series(s), on(s, point.count), name_text(s.metric)),
            *(estimate_text(point.metric, s.unit), estimate_text(point.speedup)),
            percent_estimate(point.efficiency),
        )
        for s in findings.scaling
        for point in s.points
    )

    def scales(panel: Panel) -> Scales:
        title = axis_title(panel.first.metric, panel.first.unit)
        return Scales(panel.first.axis, title, panel.application)

    return Drawn(
        "scaling",
        "Scaling",
        f"{capital(name_text(first.metric))} over {first.axis}. {' '.join(parts)} "
        f"{_marks(findings)}{not_drawn(findings)}",
        lambda: _over_counts(shown, partial(_metric_curve, findings), scales),
        table("Scaling, with 95 % intervals where there are at least 6 runs", columns, rows),
    )


def _metric_curve(findings: Findings, panel: Panel, scaling: Scaling) -> Curve:
    summaries = [_summary(findings, scaling, point) for point in scaling.points]
    fit = None if scaling.reason else scaling.fit
    ahead = [(float(f.count), f.metric) for f in fit.forecast[:1]] if fit else []
    end = ahead[0][0] if ahead else scaling.points[-1].count
    return Curve(
        panel.name(scaling),
        [(point.count, point.metric) for point in scaling.points],
        [
            dot
            for point, summary in zip(scaling.points, summaries, strict=True)
            if summary
            for dot in dots_of(point.count, summary)
        ],
        [(point.count, _ideal(scaling, point)) for point in scaling.points],
        [(x, y) for x, y in fit.curve if x <= 1.001 * end] if fit else (),
        ahead,
    )


def _summary(findings: Findings, scaling: Scaling, point: ScalingPoint) -> MetricSummary | None:
    return findings.configuration(point.configuration).metric(scaling.metric)


def _ideal(scaling: Scaling, point: ScalingPoint) -> float:
    growth = point.count / scaling.base.count
    if scaling.kind == "weak":
        return scaling.base.metric.value
    base = scaling.base.metric.value
    return base / growth if scaling.better == "lower" else base * growth


def _marks(findings: Findings) -> str:
    """Sentences on the marks of the plot."""
    shown = by_panel(findings)
    known = any(p.metric.low is not None for panel in shown for s in panel.curves for p in s.points)
    dots = [
        [
            dot
            for s in panel.curves[:MOST_CURVES]
            for p in s.points
            if (summary := _summary(findings, s, p))
            for dot in dots_of(p.count, summary)
        ]
        for panel in shown
    ]
    intervals = " with their intervals" * known
    outliers = ", hollow ones outliers" * any(dot.outlier for panel in dots for dot in panel)
    some = "; not every run is drawn" * any(len(panel) > MOST_RUNS for panel in dots)
    return (
        f"Large marks are medians{intervals}, small dots single runs{outliers}{some}. The dashed "
        "line is ideal scaling of the base case."
    )


def not_drawn(findings: Findings) -> str:
    """Sentence on curves that panels leave out; "" if they have every curve."""
    drawn = sum(min(len(panel.curves), MOST_CURVES) for panel in by_panel(findings))
    if drawn == len(findings.scaling):
        return ""
    return f" {drawn} of {len(findings.scaling)} curves are drawn; the scaling table has all."


def efficiency(findings: Findings) -> Drawn | None:
    """Speed-up beside efficiency. The caption has the efficiency at the largest count, and the base
    case with its absolute value."""
    if not findings.scaling:
        return None
    parts = [
        f"{prefix(s)}no verdict ({s.reason})"
        if s.reason
        else f"{prefix(s)}{percent_estimate(s.points[-1].efficiency)} efficiency"
        f"{_of(findings, s)} on {on(s, s.points[-1].count)}, against {on(s, s.base.count)} at "
        f"{estimate_text(s.base.metric, s.unit)}"
        for s in findings.scaling[:MOST_SENTENCES]
    ]
    kinds = listed(sorted({s.kind for s in findings.scaling}))
    caption = (
        f"Against the base case. {'; '.join(parts)}. Scaling is {kinds}; "
        "each curve has its own base case, the smallest count with valid runs, and the intervals "
        "are of ratios of runs in the same blocks." + not_drawn(findings)
    )
    return Drawn("efficiency", "Speed-up and efficiency", caption, lambda: _efficiency(findings))


def _efficiency(findings: Findings) -> Drawing:
    charts: list[Drawing] = []
    shown = by_panel(findings)
    for panel in shown:
        axis, of_metric, title = panel.first.axis, _of(findings, panel.first), panel.application
        speedup = [
            Curve(
                panel.name(s),
                [(p.count, p.speedup) for p in s.points],
                ideal=[(p.count, p.count / s.base.count) for p in s.points],
            )
            for s in panel.curves
        ]
        efficiency = [
            Curve(panel.name(s), [(p.count, p.efficiency) for p in s.points]) for s in panel.curves
        ]
        scales = (
            Scales(axis, f"speed-up{of_metric}", title),
            Scales(axis, f"efficiency{of_metric}", title, from_zero=True, rule=1.0, percent=True),
        )
        for panel_curves, panel_scales in zip((speedup, efficiency), scales, strict=True):
            charts.append(curves(panel_curves, panel_scales, names(shown), width=300))
    return panels(charts)


def _of(findings: Findings, scaling: Scaling) -> str:
    metrics = {panel.first.metric for panel in by_panel(findings)}
    return f" of {name_text(scaling.metric)}" if len(metrics) > 1 else ""


def throughput(findings: Findings) -> Drawn | None:
    """Jobs a day over the count, with the ideal line."""
    shown = _long_jobs(findings)
    if not shown:
        return None
    parts = _at_ends(findings, shown, _jobs_per_day, lambda _: "", "jobs a day")
    times = listed(sorted({name_text(p.job_time) for p in findings.configurations if p.job_time}))
    caption = (
        f"Jobs a day{': ' if parts else ''}{parts}. A job takes the "
        f"{times}; jobs run one after the other, and those of less than a minute are left out. "
        "The dashed line is the first configuration drawn, scaled ideally."
    )
    curve = partial(_of_points, findings, _jobs_per_day, grows=True)

    def scales(panel: Panel) -> Scales:
        return Scales(panel.first.axis, "jobs a day", panel.application)

    return Drawn(
        "throughput", "Job throughput", caption, lambda: _over_counts(shown, curve, scales)
    )


def _jobs_per_day(configuration: ConfigurationFindings) -> Estimate | None:
    return configuration.jobs_per_day


def _at_ends(
    findings: Findings,
    shown: list[Panel],
    pick: Pick,
    unit: Callable[[Scaling], str],
    words: str,
) -> str:
    """Text with an estimate at the first and last count of the first curves."""
    parts = []
    for curve in [s for panel in shown for s in panel.curves][:MOST_SENTENCES]:
        first, last = (pick(findings.configuration(curve.points[i].configuration)) for i in (0, -1))
        if curve.reason:
            parts.append(f"{prefix(curve)}no verdict ({curve.reason})")
        elif first and last:
            parts.append(
                f"{prefix(curve)}{estimate_text(first, unit(curve))} {words} on "
                f"{on(curve, curve.base.count)}, {estimate_text(last, unit(curve))} on "
                f"{on(curve, curve.points[-1].count)}"
            )
    return "; ".join(parts)


def _long_jobs(findings: Findings) -> list[Panel]:
    """Panels of curves with a throughput, one for each application and axis, as the throughput is
    the same for every metric."""
    by_axis: dict[tuple[str, str], Panel] = {}
    for panel in by_panel(findings):
        long = [
            s
            for s in panel.curves
            if any(findings.configuration(p.configuration).jobs_per_day for p in s.points)
        ]
        if long:
            key = (panel.application, panel.first.axis)
            by_axis.setdefault(key, Panel(panel.application, tuple(long)))
    return list(by_axis.values())


def _of_points(
    findings: Findings,
    pick: Pick,
    panel: Panel,
    scaling: Scaling,
    *,
    grows: bool,
) -> Curve:
    estimates = [(p.count, pick(findings.configuration(p.configuration))) for p in scaling.points]
    known = [(count, estimate) for count, estimate in estimates if estimate is not None]
    base = known[0] if known else None
    ideal = [
        (count, base[1].value * (count / base[0] if grows and scaling.kind == "strong" else 1))
        for count, _ in known
        if base
    ]
    return Curve(panel.name(scaling), known, ideal=ideal)


def per_node(findings: Findings) -> Drawn | None:
    """The headline's rate over nodes, divided by nodes."""
    shown = _with_rates(findings)
    if not shown:
        return None
    parts = _at_ends(findings, shown, _rate_of_a_node, lambda scaling: scaling.unit, "a node")
    curve = partial(_of_points, findings, _rate_of_a_node, grows=False)

    def scales(panel: Panel) -> Scales:
        title = f"{axis_title(panel.first.metric, panel.first.unit)} per node"
        return Scales("nodes", title, panel.application, from_zero=True)

    return Drawn(
        "per-node",
        "Rate of a node",
        f"{parts}. The dashed line is the base case.",
        lambda: _over_counts(shown, curve, scales),
    )


def _rate_of_a_node(configuration: ConfigurationFindings) -> Estimate | None:
    return configuration.per_node


def _with_rates(findings: Findings) -> list[Panel]:
    rate_panels = [
        Panel(panel.application, tuple(s for s in panel.curves if _has_rate(findings, s)))
        for panel in by_panel(findings)
    ]
    return [panel for panel in rate_panels if panel.curves]


def _has_rate(findings: Findings, scaling: Scaling) -> bool:
    base = findings.configuration(scaling.base.configuration)
    headline = findings.headline(base)
    return bool(
        scaling.axis == "nodes" and base.per_node and headline and headline.name == scaling.metric
    )
