"""The figure of kernels under the roof of their machine.

Source: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model
for multicore architectures", Communications of the ACM 52(4), 2009, doi:10.1145/1498765.1498785.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from waywiser.model.sample import Roofline, Sample
from waywiser.report.figure import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    WIDTH_PX,
    YELLOW,
    Cell,
    Drawn,
    Table,
    described,
    inline,
)
from waywiser.report.plots.bars import BAR_PX

SWEEPS = ("read", "copy", "triad", "leapfrog")
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, YELLOW)
ROOF_PX = 320
DECADES = (0.01, 100.0)
"""Arithmetic intensity that the roof is drawn over at least [flop/B]."""


@dataclass(frozen=True)
class _Kernel:
    """A kernel in one variant; of several samples the median."""

    label: str
    samples: int
    roof: Roofline
    """Of the first sample."""

    points_per_s: float
    fraction: float
    """Of the bound that was measured with each sample."""

    @property
    def flops_per_s(self) -> float:
        return self.points_per_s * self.roof.flops_per_point


def drawn_roofline(samples: Sequence[Sample]) -> Drawn | None:
    """The figure of all samples that tell their roofline; None where none does."""
    kernels = _kernels(samples)
    if not kernels:
        return None
    computing = [kernel for kernel in kernels if kernel.roof.flops_per_point > 0]
    measured = {_limits(one.details.roofline) for one in samples if one.details.roofline}
    parts = [_roof(computing)] if computing else []
    chart = alt.vconcat(*parts, _shares(kernels), spacing=28)
    return Drawn(
        name="roofline",
        title="Roofline",
        caption=_caption(kernels, len(computing), len(measured)),
        specification=json.dumps(described(chart)),
        table=_table(kernels),
    )


def _kernels(samples: Sequence[Sample]) -> list[_Kernel]:
    by_label: dict[str, list[Roofline]] = {}
    for sample in samples:
        if sample.details.roofline is not None:
            by_label.setdefault(sample.label, []).append(sample.details.roofline)
    return [
        _Kernel(
            label,
            len(found),
            found[0],
            statistics.median(roof.points_per_s for roof in found),
            statistics.median(roof.fraction for roof in found),
        )
        for label, found in by_label.items()
    ]


def _limits(roof: Roofline) -> tuple[float, ...]:
    return (*(_bandwidth(roof, name) for name in SWEEPS), roof.flops_per_s)


def _caption(kernels: Sequence[_Kernel], computing: int, measured: int) -> str:
    roof = kernels[0].roof
    widths = ", ".join(f"{name} {_bandwidth(roof, name) * 1e-9:.1f}" for name in SWEEPS)
    sentences = [
        "What kernels reach of what memory and cores gave at most in the same run, all ranks and "
        f"threads together: {widths} GB/s with write-allocates, and {roof.flops_per_s * 1e-9:.0f} "
        f"GFLOP/s of multiply-adds ({roof.instructions}).",
        "A kernel is bound by the sweep that its accesses are like.",
    ]
    if measured > 1:
        sentences.append(
            f"These are the first of {measured} measurements; each share is of its own kernel's."
        )
    if any(kernel.fraction > 1 for kernel in kernels):
        sentences.append(
            "More than 1 is what caches keep from one sweep to the next, or a machine that was "
            "slower while that sweep ran."
        )
    if 0 < computing < len(kernels):
        sentences.append("Those without arithmetic are in the lower part alone.")
    return " ".join(sentences)


def _bandwidth(roof: Roofline, name: str) -> float:
    value: float = getattr(roof, f"{name}_Bps")
    return value


def _roof(kernels: Sequence[_Kernel]) -> alt.LayerChart | alt.FacetChart:
    """Log-log: GFLOP/s over flop/B, below the lines of each sweep's bandwidth and of the cores."""
    roof = kernels[0].roof
    low = min(DECADES[0], *(kernel.roof.flops_per_byte for kernel in kernels))
    high = max(DECADES[1], *(kernel.roof.flops_per_byte for kernel in kernels))
    steps = [low * (high / low) ** (step / 60) for step in range(61)]
    lines = [
        {"bound": name, "x": x, "y": min(x * _bandwidth(roof, name), roof.flops_per_s) * 1e-9}
        for name in SWEEPS
        for x in steps
    ]
    points = [
        {
            "kernel": kernel.label,
            "workload": kernel.label.split()[0],
            "x": kernel.roof.flops_per_byte,
            "y": kernel.flops_per_s * 1e-9,
        }
        for kernel in kernels
    ]
    x = alt.X("x:Q", scale=alt.Scale(type="log"), title="Arithmetic intensity (flop/B)")
    y = alt.Y("y:Q", scale=alt.Scale(type="log"), title="GFLOP/s")
    bounds = (
        alt.Chart(inline(lines))
        .mark_line(color=GREY)
        .encode(x=x, y=y, strokeDash=alt.StrokeDash("bound:N", title="Bound", sort=list(SWEEPS)))
    )
    marks = (
        alt.Chart(inline(points))
        .mark_point(filled=True, size=64)
        .encode(
            x=x,
            y=y,
            color=alt.Color("workload:N", title="Workload", scale=alt.Scale(range=[*COLOURS])),
            tooltip=["kernel:N", "x:Q", "y:Q"],
        )
    )
    layered = alt.layer(bounds, marks)
    return layered.properties(width=WIDTH_PX - 190, height=ROOF_PX)


def _shares(kernels: Sequence[_Kernel]) -> alt.LayerChart | alt.FacetChart:
    rows: list[dict[str, Any]] = [
        {"kernel": kernel.label, "share": kernel.fraction, "text": f"{kernel.fraction:.2f}"}
        for kernel in kernels
    ]
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y("kernel:N", sort=None, title=None),
        x=alt.X("share:Q", title="Reached, as a share of the bound"),
    )
    one = alt.Chart(inline([{"share": 1.0}])).mark_rule(color=ORANGE).encode(x=alt.X("share:Q"))
    bars = base.mark_bar(color=BLUE, size=BAR_PX * 0.6)
    texts = base.mark_text(align="left", dx=4).encode(text=alt.Text("text:N"))
    return alt.layer(bars, texts, one).properties(width=WIDTH_PX - 260, height=alt.Step(BAR_PX))


def _table(kernels: Sequence[_Kernel]) -> Table:
    columns = (
        "Kernel",
        "Samples",
        "B/point",
        "Flop/point",
        "Flop/B",
        "GPoint/s",
        "GFLOP/s",
        "Bound by",
        "Bound (GPoint/s)",
        "Share",
    )
    rows = tuple(_row(kernel) for kernel in kernels)
    return Table("Kernels and the bounds measured in the same run", columns, rows)


def _row(kernel: _Kernel) -> tuple[Cell, ...]:
    roof = kernel.roof
    by_memory = _bandwidth(roof, roof.like) / roof.bytes_per_point
    memory = math.isclose(by_memory, roof.bound_points_per_s, rel_tol=1e-6)
    return (
        kernel.label,
        kernel.samples,
        f"{roof.bytes_per_point:.4g}",
        f"{roof.flops_per_point:.4g}",
        f"{roof.flops_per_byte:.3g}",
        f"{kernel.points_per_s * 1e-9:.4g}",
        f"{kernel.flops_per_s * 1e-9:.4g}",
        roof.like if memory else "cores",
        f"{roof.bound_points_per_s * 1e-9:.4g}",
        f"{kernel.fraction:.3f}",
    )
