"""A figure of merit along nodes, ranks or threads: itself, speed-up, efficiency, throughput."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from waywiser.model.curves import Scaling, ScalingPoint
from waywiser.model.findings import Findings
from waywiser.model.point_findings import Estimate, FigureSummary
from waywiser.report.figure import Cell, Table
from waywiser.report.paper.figure import (
    axis_title,
    capital,
    estimate_text,
    listed,
    name_text,
    percent_estimate,
)
from waywiser.report.paper.plots.marks import (
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

SAID = 3
"""Curves that a caption puts into words."""

MOST_PANELS = 4
MOST_RATIOS = 2
"""Panels of speed-ups, each beside one of efficiencies."""


def supported(findings: Findings) -> bool:
    """Whether a count has several values."""
    return bool(findings.scaling)


def by_panel(findings: Findings) -> list[list[Scaling]]:
    """Curves that share their axes, in one panel."""
    found: dict[tuple[str, str, str], list[Scaling]] = {}
    for scaling in findings.scaling:
        found.setdefault((scaling.figure, scaling.axis, scaling.kind), []).append(scaling)
    return list(found.values())[:MOST_PANELS]


def series(scaling: Scaling) -> str:
    return scaling.label or name_text(scaling.figure)


def prefix(scaling: Scaling) -> str:
    """What stands before a sentence on one of several curves."""
    return f"{scaling.label}: " if scaling.label else ""


def on(scaling: Scaling, count: int) -> str:
    """ "4 ranks"."""
    return counted(count, scaling.axis.removesuffix("s"))


def figure_chart(findings: Findings) -> Drawing:
    """The figure over the count, with every run, the ideal line and the fitted law."""
    groups = by_panel(findings)
    return panels(
        [
            curves(
                [_figure_curve(findings, scaling) for scaling in group],
                Scales(group[0].axis, axis_title(group[0].figure, group[0].unit)),
                width=_width(groups),
            )
            for group in groups
        ]
    )


def _figure_curve(findings: Findings, scaling: Scaling) -> Curve:
    summaries = [_summary(findings, scaling, point) for point in scaling.points]
    fit = None if scaling.reason else scaling.fit
    ahead = [(float(f.count), f.figure) for f in fit.forecast[:1]] if fit else []
    end = ahead[0][0] if ahead else scaling.points[-1].count
    return Curve(
        series(scaling),
        [(point.count, point.figure) for point in scaling.points],
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


def _summary(findings: Findings, scaling: Scaling, point: ScalingPoint) -> FigureSummary | None:
    return findings.point(point.point).figure(scaling.figure)


def _ideal(scaling: Scaling, point: ScalingPoint) -> float:
    growth = point.count / scaling.base.count
    if scaling.kind == "weak":
        return scaling.base.figure.value
    base = scaling.base.figure.value
    return base / growth if scaling.better == "lower" else base * growth


def _width(groups: Sequence[Sequence[Scaling]]) -> int:
    return 670 if len(groups) == 1 else 300


def figure_caption(findings: Findings) -> str:
    """First and last count of each curve, and what the law foretells."""
    said = [
        f"{prefix(s)}{estimate_text(s.base.figure, s.unit)} on {on(s, s.base.count)}, "
        f"{estimate_text(s.points[-1].figure, s.unit)} on {on(s, s.points[-1].count)}."
        for s in findings.scaling[:SAID]
    ]
    laws = [
        f" The dotted law{' of ' + s.label if s.label else ''}, {s.fit.formula}, foretells "
        f"{estimate_text(s.fit.forecast[0].figure, s.unit)} on {on(s, s.fit.forecast[0].count)} "
        "(hollow mark)."
        for s in findings.scaling[:1]
        if s.fit and s.fit.forecast and not s.reason
    ]
    first = findings.scaling[0]
    return (
        f"{capital(name_text(first.figure))} over {first.axis}. "
        + " ".join(said)
        + "".join(laws)
        + f" {_marks(findings)}"
        + not_drawn(findings, by_panel(findings))
    )


def _marks(findings: Findings) -> str:
    """What is drawn of the points."""
    groups = by_panel(findings)
    known = any(p.figure.low is not None for group in groups for s in group for p in s.points)
    dots = [
        [
            dot
            for s in group[:MOST_CURVES]
            for p in s.points
            if (found := _summary(findings, s, p))
            for dot in dots_of(p.count, found)
        ]
        for group in groups
    ]
    intervals = " with their intervals" * known
    outliers = ", hollow ones outliers" * any(dot.outlier for panel in dots for dot in panel)
    some = "; not every run is drawn" * any(len(panel) > MOST_RUNS for panel in dots)
    return (
        f"Large marks are medians{intervals}, small dots single runs{outliers}{some}. The dashed "
        "line is ideal scaling of the base case."
    )


def not_drawn(findings: Findings, groups: Sequence[Sequence[Scaling]]) -> str:
    """What panels leave out; "" where they have every curve."""
    drawn = sum(min(len(group), MOST_CURVES) for group in groups)
    if drawn == len(findings.scaling):
        return ""
    return f" {drawn} of {len(findings.scaling)} curves are drawn; the scaling table has all."


def figure_table(findings: Findings) -> Table:
    """Every point of every curve."""
    columns = ("Curve", "Count", "Figure", "Median", "Interval", "Speed-up", "Efficiency")
    rows: list[tuple[Cell, ...]] = [
        (
            series(s),
            on(s, point.count),
            axis_title(s.figure, s.unit),
            float(f"{point.figure.value:.6g}"),
            _bounds(point.figure),
            estimate_text(point.speedup),
            percent_estimate(point.efficiency),
        )
        for s in findings.scaling
        for point in s.points
    ]
    return Table(
        "Scaling, with 95 % intervals where there are at least 6 runs", columns, tuple(rows)
    )


def _bounds(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "too few runs"
    return f"{estimate.low:.4g} to {estimate.high:.4g}"


def efficiency_chart(findings: Findings) -> Drawing:
    """Speed-up beside efficiency."""
    charts: list[Drawing] = []
    for group in by_panel(findings)[:MOST_RATIOS]:
        axis, what = group[0].axis, _of(findings, group[0])
        speedup = [
            Curve(
                series(s),
                [(p.count, p.speedup) for p in s.points],
                ideal=[(p.count, p.count / s.base.count) for p in s.points],
            )
            for s in group
        ]
        efficiency = [Curve(series(s), [(p.count, p.efficiency) for p in s.points]) for s in group]
        charts.append(curves(speedup, Scales(axis, f"speed-up{what}"), width=300))
        charts.append(
            curves(
                efficiency,
                Scales(axis, f"efficiency{what}", from_zero=True, rule=1.0, percent=True),
                width=300,
            )
        )
    return panels(charts)


def _of(findings: Findings, scaling: Scaling) -> str:
    return f" of {name_text(scaling.figure)}" if len(by_panel(findings)) > 1 else ""


def efficiency_caption(findings: Findings) -> str:
    """Efficiency at the largest count, and the base case with its absolute value."""
    said = [
        f"{prefix(s)}no verdict ({s.reason})"
        if s.reason
        else f"{prefix(s)}{percent_estimate(s.points[-1].efficiency)} efficiency"
        f"{_of(findings, s)} on {on(s, s.points[-1].count)}, against {on(s, s.base.count)} at "
        f"{estimate_text(s.base.figure, s.unit)}"
        for s in findings.scaling[:SAID]
    ]
    kinds = listed(sorted({s.kind for s in findings.scaling}))
    return (
        f"Against the base case. {'; '.join(said)}. Scaling is {kinds}; "
        "each curve has its own base case, the smallest count with valid runs, and the intervals "
        "are of ratios of runs in the same blocks."
        + not_drawn(findings, by_panel(findings)[:MOST_RATIOS])
    )


def throughput_supported(findings: Findings) -> bool:
    return bool(_long_jobs(findings))


def throughput_chart(findings: Findings) -> Drawing:
    """Jobs a day over the count, with the ideal line."""
    groups = _long_jobs(findings)
    return panels(
        [
            curves(
                [_of_points(findings, s, lambda p: p.jobs_per_day, grows=True) for s in group],
                Scales(group[0].axis, "jobs a day"),
                width=_width(groups),
            )
            for group in groups
        ]
    )


def _long_jobs(findings: Findings) -> list[list[Scaling]]:
    """Throughput is the same in each figure: drawn once for an axis, of curves that have it."""
    found: dict[str, list[Scaling]] = {}
    for group in by_panel(findings):
        found.setdefault(
            group[0].axis,
            [s for s in group if any(findings.point(p.point).jobs_per_day for p in s.points)],
        )
    return [group for group in found.values() if group]


def _of_points(
    findings: Findings,
    scaling: Scaling,
    pick: Callable[..., Estimate | None],
    *,
    grows: bool,
) -> Curve:
    found = [(p.count, pick(findings.point(p.point))) for p in scaling.points]
    known = [(count, estimate) for count, estimate in found if estimate is not None]
    base = known[0] if known else None
    ideal = [
        (count, base[1].value * (count / base[0] if grows and scaling.kind == "strong" else 1))
        for count, _ in known
        if base
    ]
    return Curve(series(scaling), known, ideal=ideal)


def throughput_caption(findings: Findings) -> str:
    """Jobs a day at the ends of each curve."""
    said = []
    for scaling in [scaling for group in _long_jobs(findings) for scaling in group][:SAID]:
        first, last = (findings.point(scaling.points[i].point) for i in (0, -1))
        if scaling.reason:
            said.append(f"{prefix(scaling)}no verdict ({scaling.reason})")
        elif first.jobs_per_day and last.jobs_per_day:
            said.append(
                f"{prefix(scaling)}{estimate_text(first.jobs_per_day)} jobs a day on "
                f"{on(scaling, scaling.base.count)}, {estimate_text(last.jobs_per_day)} on "
                f"{on(scaling, scaling.points[-1].count)}"
            )
    times = listed(sorted({name_text(p.job_time) for p in findings.points if p.job_time}))
    return (
        f"Jobs that a day has time for{': ' if said else ''}{'; '.join(said)}. A job takes the "
        f"{times}; jobs run one after the other, and those of less than a minute are left out. "
        "The dashed line is what the first point drawn would come to if it scaled ideally."
    )


def per_node_supported(findings: Findings) -> bool:
    return bool(_with_rates(findings))


def per_node_chart(findings: Findings) -> Drawing:
    """The headline's rate over nodes, divided by nodes."""
    group = _with_rates(findings)
    title = f"{axis_title(group[0].figure, group[0].unit)} per node"
    return curves(
        [_of_points(findings, s, lambda p: p.per_node, grows=False) for s in group],
        Scales("nodes", title, from_zero=True),
        width=670,
    )


def _with_rates(findings: Findings) -> list[Scaling]:
    return [
        s
        for s in findings.scaling
        if s.axis == "nodes"
        and (base := findings.point(s.base.point)).per_node
        and (headline := findings.headline(base))
        and headline.name == s.figure
    ]


def per_node_caption(findings: Findings) -> str:
    """The rate of a node at the ends of each curve."""
    said = []
    for scaling in _with_rates(findings)[:SAID]:
        first, last = (findings.point(scaling.points[i].point).per_node for i in (0, -1))
        if scaling.reason:
            said.append(f"{prefix(scaling)}no verdict ({scaling.reason})")
        elif first and last:
            said.append(
                f"{prefix(scaling)}{estimate_text(first, scaling.unit)} a node on "
                f"{on(scaling, scaling.base.count)}, {estimate_text(last, scaling.unit)} on "
                f"{on(scaling, scaling.points[-1].count)}"
            )
    return f"{'; '.join(said)}. The dashed line is the base case."
