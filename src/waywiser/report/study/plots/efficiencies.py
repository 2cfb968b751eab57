"""Limits of a curve's scaling: POP's parallel efficiency, and the scaling of the computation."""

from __future__ import annotations

from collections.abc import Iterator

from waywiser.model.curves import Scaling, ScalingEfficiencies, ScalingPoint
from waywiser.model.findings import Findings
from waywiser.report.drawing.plot import Drawn, table
from waywiser.report.study.numbers import percent_estimate
from waywiser.report.study.plots.curve_panels import Panel, by_panel, names
from waywiser.report.study.plots.marks import Curve, Drawing, Scales, curves, panels
from waywiser.report.study.plots.scaling import MOST_SENTENCES, on, prefix
from waywiser.units import percent_text

PARALLEL, COMPUTATION = "parallel efficiency", "computation scaling"

PointEfficiencies = tuple[ScalingPoint, ScalingEfficiencies]


def global_efficiency(findings: Findings) -> Drawn | None:
    """Parallel efficiency and computation scaling, of curves with a profile of every count; the
    caption has both at the largest count, and the table every count."""
    scalings = _curves(findings)
    if not scalings:
        return None
    parts = [
        f"{prefix(s)}no verdict ({s.reason})"
        if s.reason
        else f"{prefix(s)}{percent_text(pop.global_efficiency)} global efficiency on "
        f"{on(s, p.count)}, the product of {percent_text(pop.parallel.value)} parallel efficiency "
        f"and {percent_text(pop.computation.value)} computation scaling"
        for s in scalings[:MOST_SENTENCES]
        for p, pop in list(_points(s))[-1:]
    ]
    caption = (
        f"POP's efficiencies. {'; '.join(parts)}. Computation scaling is useful time at the base "
        "case over useful time here, of weak scaling per count: below 100 %, the ranks compute "
        "more, or slower."
    )
    columns = (
        *("Curve", "Count", "Global", "Parallel", "Load balance", "Communication"),
        *("OpenMP", "I/O", "Computation scaling"),
    )
    rows = (
        (
            *(s.label or s.axis, on(s, p.count), percent_text(pop.global_efficiency)),
            *(percent_estimate(pop.parallel), percent_text(pop.load_balance)),
            *(percent_text(pop.communication), _known(pop.openmp), _known(pop.io)),
            percent_estimate(pop.computation),
        )
        for s in scalings
        for p, pop in _points(s)
    )
    return Drawn(
        "global-efficiency",
        "Parallel efficiency and computation scaling",
        caption,
        lambda: _chart(by_panel(findings.replace(scaling=tuple(scalings)))),
        table("POP's efficiencies, medians over runs", columns, rows),
    )


def _chart(shown: list[Panel]) -> Drawing:
    charts: list[Drawing] = []
    for panel in shown:
        parallel, computation = (
            [
                Curve(panel.name(s), [(p.count, getattr(pop, part)) for p, pop in _points(s)])
                for s in panel.curves
            ]
            for part in ("parallel", "computation")
        )
        axis, title = panel.first.axis, panel.application
        for panel_curves, quantity in ((parallel, PARALLEL), (computation, COMPUTATION)):
            scales = Scales(axis, quantity, title, from_zero=True, rule=1.0, percent=True)
            charts.append(curves(panel_curves, scales, names(shown), width=300))
    return panels(charts)


def _known(share: float | None) -> str:
    return "–" if share is None else percent_text(share)


def _points(scaling: Scaling) -> Iterator[PointEfficiencies]:
    return ((point, point.pop) for point in scaling.points if point.pop is not None)


def _curves(findings: Findings) -> list[Scaling]:
    """Curves of the first metric, as efficiencies are the same for every metric."""
    by_label: dict[tuple[str, str], Scaling] = {}
    for scaling in findings.scaling:
        if scaling.base.pop is not None:
            by_label.setdefault((scaling.axis, scaling.label), scaling)
    return list(by_label.values())
