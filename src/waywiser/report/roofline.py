"""The figure of kernels under the roof of their machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from waywiser.analyse.roofline import SWEEPS, bandwidth
from waywiser.model.kernels import Kernel, Kernels
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
    inline,
)
from waywiser.report.plots.bars import BAR_PX

COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, YELLOW)
ROOF_PX = 320
DECADES = (0.01, 100.0)
"""Arithmetic intensity that the roof is drawn over at least [flop/B]."""


def drawn_roofline(found: Kernels | None) -> Drawn | None:
    """The figure of a run's kernels; None where it has none."""
    if found is None:
        return None
    kernels = found.kernels
    computing = [kernel for kernel in kernels if kernel.roof.flops_per_point > 0]
    return Drawn(
        name="roofline",
        title="Roofline",
        caption=_caption(kernels, len(computing), found.measurements),
        chart=lambda: _chart(kernels, computing),
        table=_table(kernels),
    )


def _caption(kernels: Sequence[Kernel], computing: int, measured: int) -> str:
    roof = kernels[0].roof
    widths = ", ".join(f"{name} {bandwidth(roof, name) * 1e-9:.1f}" for name in SWEEPS)
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


def _chart(kernels: Sequence[Kernel], computing: Sequence[Kernel]) -> alt.VConcatChart:
    parts = [_roof(computing)] if computing else []
    return alt.vconcat(*parts, _shares(kernels), spacing=28)


def _roof(kernels: Sequence[Kernel]) -> alt.LayerChart | alt.FacetChart:
    """Log-log: GFLOP/s over flop/B, below the lines of each sweep's bandwidth and of the cores."""
    roof = kernels[0].roof
    low = min(DECADES[0], *(kernel.roof.flops_per_byte for kernel in kernels))
    high = max(DECADES[1], *(kernel.roof.flops_per_byte for kernel in kernels))
    steps = [low * (high / low) ** (step / 60) for step in range(61)]
    lines = [
        {"bound": name, "x": x, "y": min(x * bandwidth(roof, name), roof.flops_per_s) * 1e-9}
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


def _shares(kernels: Sequence[Kernel]) -> alt.LayerChart | alt.FacetChart:
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


def _table(kernels: Sequence[Kernel]) -> Table:
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


def _row(kernel: Kernel) -> tuple[Cell, ...]:
    roof = kernel.roof
    return (
        kernel.label,
        kernel.samples,
        f"{roof.bytes_per_point:.4g}",
        f"{roof.flops_per_point:.4g}",
        f"{roof.flops_per_byte:.3g}",
        f"{kernel.points_per_s * 1e-9:.4g}",
        f"{kernel.flops_per_s * 1e-9:.4g}",
        kernel.bound_by,
        f"{roof.bound_points_per_s * 1e-9:.4g}",
        f"{kernel.fraction:.3f}",
    )
