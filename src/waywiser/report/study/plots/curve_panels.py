"""Scaling curves, grouped into panels whose curves share their axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from waywiser.model.curves import Scaling
from waywiser.model.findings import Findings
from waywiser.report.study.numbers import name_text
from waywiser.report.study.plots.marks import MOST_CURVES

MOST_PANELS = 6


@dataclass(frozen=True)
class Panel:
    """Curves of one metric, unit and axis; of one application unless applications are compared."""

    application: str
    """The panel's title; "" if its curves are of several applications."""

    curves: tuple[Scaling, ...]

    @property
    def first(self) -> Scaling:
        return self.curves[0]

    def name(self, scaling: Scaling) -> str:
        """The name of a curve, without the panel's title."""
        return series(scaling).removeprefix(f"{self.application}, ")


def series(scaling: Scaling) -> str:
    return scaling.label or name_text(scaling.metric)


def by_panel(findings: Findings) -> list[Panel]:
    groups: dict[tuple[str, ...], list[Scaling]] = {}
    for scaling in findings.scaling:
        own = "" if findings.compare == "application" else str(scaling.at.get("application", ""))
        key = (own, scaling.metric, scaling.unit, scaling.axis, scaling.kind)
        groups.setdefault(key, []).append(scaling)
    several = len({key[0] for key in groups}) > 1
    panels = [Panel(key[0] if several else "", tuple(group)) for key, group in groups.items()]
    return panels[:MOST_PANELS]


def names(shown: Sequence[Panel]) -> tuple[str, ...]:
    """Names of all curves if each can have its own colour; else empty, and each panel chooses its
    colours."""
    curve_names = dict.fromkeys(panel.name(scaling) for panel in shown for scaling in panel.curves)
    return tuple(curve_names) if len(curve_names) <= MOST_CURVES else ()


def width(shown: Sequence[object]) -> int:
    """Width of each of these panels, in pixels."""
    return 670 if len(shown) == 1 else 300
