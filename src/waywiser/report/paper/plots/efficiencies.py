"""Why a curve scales no better: POP's parallel efficiency beside the scaling of the computation."""

from __future__ import annotations

from collections.abc import Iterator

from waywiser.model.curves import Scaling, ScalingEfficiencies, ScalingPoint
from waywiser.model.findings import Findings
from waywiser.report.figure import Cell, Table
from waywiser.report.paper.figure import percent_estimate
from waywiser.report.paper.plots.curve_panels import Panel, by_panel, names
from waywiser.report.paper.plots.marks import Curve, Drawing, Scales, curves, panels
from waywiser.report.paper.plots.scaling import SAID, on, prefix
from waywiser.units import percent_text

PARALLEL, COMPUTATION = "parallel efficiency", "computation scaling"

Found = tuple[ScalingPoint, ScalingEfficiencies]


def supported(findings: Findings) -> bool:
    """Whether every count of a curve was profiled."""
    return bool(_curves(findings))


def chart(findings: Findings) -> Drawing:
    """Parallel efficiency beside computation scaling."""
    charts: list[Drawing] = []
    shown = _panels(findings)
    for panel in shown:
        parallel, computation = (
            [
                Curve(panel.name(s), [(p.count, getattr(pop, part)) for p, pop in _points(s)])
                for s in panel.curves
            ]
            for part in ("parallel", "computation")
        )
        axis, title = panel.first.axis, panel.application
        for found, what in ((parallel, PARALLEL), (computation, COMPUTATION)):
            scales = Scales(axis, what, title, from_zero=True, rule=1.0, percent=True)
            charts.append(curves(found, scales, names(shown), width=300))
    return panels(charts)


def caption(findings: Findings) -> str:
    """The three at the largest count, and which of them is smaller."""
    said = [
        f"{prefix(s)}no verdict ({s.reason})"
        if s.reason
        else f"{prefix(s)}{percent_text(pop.global_efficiency)} global efficiency on "
        f"{on(s, p.count)}, the product of {percent_text(pop.parallel.value)} parallel efficiency "
        f"and {percent_text(pop.computation.value)} computation scaling"
        for s in _curves(findings)[:SAID]
        for p, pop in list(_points(s))[-1:]
    ]
    return (
        f"POP's efficiencies. {'; '.join(said)}. Computation scaling is useful time at the base "
        "case over useful time here, of weak scaling per count: below 100 %, the ranks compute "
        "more, or slower."
    )


def table(findings: Findings) -> Table:
    """Every count with all that is known of it."""
    columns = (
        *("Curve", "Count", "Global", "Parallel", "Load balance", "Communication"),
        *("OpenMP", "I/O", "Computation scaling"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            s.label or s.axis,
            on(s, p.count),
            percent_text(pop.global_efficiency),
            percent_estimate(pop.parallel),
            percent_text(pop.load_balance),
            percent_text(pop.communication),
            _known(pop.openmp),
            _known(pop.io),
            percent_estimate(pop.computation),
        )
        for s in _curves(findings)
        for p, pop in _points(s)
    ]
    return Table("POP's efficiencies, medians over runs", columns, tuple(rows))


def _known(share: float | None) -> str:
    return "–" if share is None else percent_text(share)


def _points(scaling: Scaling) -> Iterator[Found]:
    return ((point, point.pop) for point in scaling.points if point.pop is not None)


def _curves(findings: Findings) -> list[Scaling]:
    """Efficiencies are the same for each figure of merit: those of the first one."""
    found: dict[tuple[str, str], Scaling] = {}
    for scaling in findings.scaling:
        if scaling.base.pop is not None:
            found.setdefault((scaling.axis, scaling.label), scaling)
    return list(found.values())


def _panels(findings: Findings) -> list[Panel]:
    return by_panel(findings.replace(scaling=tuple(_curves(findings))))
