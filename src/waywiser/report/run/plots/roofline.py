"""The plot of kernels under the roofline of their machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from waywiser.analyse.roofline import SWEEPS, bandwidth
from waywiser.model.kernels import Kernel, Kernels
from waywiser.report.drawing.bars import BAR_PX
from waywiser.report.drawing.plot import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    WIDTH_PX,
    YELLOW,
    Drawn,
    inline,
    table,
)

COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, YELLOW)
ROOFLINE_PX = 320
DECADES = (0.01, 100.0)
"""Smallest range of arithmetic intensity for the roofline [flop/B]."""


def drawn_roofline(run_kernels: Kernels | None) -> Drawn | None:
    """The plot of a run's kernels; None without kernels."""
    if run_kernels is None:
        return None
    kernels = run_kernels.kernels
    with_flops = [kernel for kernel in kernels if kernel.roof.flops_per_point > 0]
    columns = (
        *("Kernel", "Samples", "B/point", "Flop/point", "Flop/B", "GPoint/s", "GFLOP/s"),
        *("Bound by", "Bound (GPoint/s)", "Share"),
    )
    rows = (
        (
            *(kernel.label, kernel.samples, f"{kernel.roof.bytes_per_point:.4g}"),
            *(f"{kernel.roof.flops_per_point:.4g}", f"{kernel.roof.flops_per_byte:.3g}"),
            *(f"{kernel.points_per_s * 1e-9:.4g}", f"{kernel.flops_per_s * 1e-9:.4g}"),
            *(
                kernel.bound_by,
                f"{kernel.roof.bound_points_per_s * 1e-9:.4g}",
                f"{kernel.fraction:.3f}",
            ),
        )
        for kernel in kernels
    )
    return Drawn(
        "roofline",
        "Roofline",
        _caption(kernels, len(with_flops), run_kernels.measurements),
        lambda: _chart(kernels, with_flops),
        table("Kernels and the bounds measured in the same run", columns, rows),
        topic="rest",
    )


def _caption(kernels: Sequence[Kernel], with_flops: int, measured: int) -> str:
    limits = kernels[0].roof
    widths = ", ".join(f"{name} {bandwidth(limits, name) * 1e-9:.1f}" for name in SWEEPS)
    sentences = [
        "Performance of kernels beside the bandwidths and the flop rate measured in the same run, "
        f"all ranks and threads together: {widths} GB/s with write-allocates, and "
        f"{limits.flops_per_s * 1e-9:.0f} GFLOP/s of multiply-adds ({limits.instructions}).",
        "The bound of a kernel is the sweep whose accesses are most similar.",
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
    if 0 < with_flops < len(kernels):
        sentences.append("Those without arithmetic are in the lower part alone.")
    return " ".join(sentences)


def _chart(kernels: Sequence[Kernel], with_flops: Sequence[Kernel]) -> alt.VConcatChart:
    parts = [_roofline_chart(with_flops)] if with_flops else []
    return alt.vconcat(*parts, _shares(kernels), spacing=28)


def _roofline_chart(kernels: Sequence[Kernel]) -> alt.LayerChart | alt.FacetChart:
    """GFLOP/s over flop/B on logarithmic axes, with lines of each sweep's bandwidth and of the
    cores' peak."""
    limits = kernels[0].roof
    low = min(DECADES[0], *(kernel.roof.flops_per_byte for kernel in kernels))
    high = max(DECADES[1], *(kernel.roof.flops_per_byte for kernel in kernels))
    steps = [low * (high / low) ** (step / 60) for step in range(61)]
    lines = [
        {"bound": name, "x": x, "y": min(x * bandwidth(limits, name), limits.flops_per_s) * 1e-9}
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
    x = alt.X("x:Q", title="Arithmetic intensity (flop/B)").scale(type="log")
    y = alt.Y("y:Q", title="GFLOP/s").scale(type="log")
    dash = alt.StrokeDash("bound:N", title="Bound", sort=list(SWEEPS))
    workload = alt.Color("workload:N", title="Workload").scale(range=[*COLOURS])
    bounds = alt.Chart(inline(lines)).mark_line(color=GREY).encode(x=x, y=y, strokeDash=dash)
    marks = alt.Chart(inline(points)).mark_point(filled=True, size=64)
    marks = marks.encode(
        x=x, y=y, color=workload, tooltip=[*map(alt.Tooltip, ("kernel:N", "x:Q", "y:Q"))]
    )
    return alt.layer(bounds, marks).properties(width=WIDTH_PX - 190, height=ROOFLINE_PX)


def _shares(kernels: Sequence[Kernel]) -> alt.LayerChart | alt.FacetChart:
    rows: list[dict[str, Any]] = [
        {"kernel": kernel.label, "share": kernel.fraction, "text": f"{kernel.fraction:.2f}"}
        for kernel in kernels
    ]
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y("kernel:N", sort=None, title=None),
        x=alt.X("share:Q", title="Reached, as a share of the bound"),
    )
    bound = alt.Chart(inline([{"share": 1.0}])).mark_rule(color=ORANGE).encode(x=alt.X("share:Q"))
    bars = base.mark_bar(color=BLUE, size=BAR_PX * 0.6)
    texts = base.mark_text(align="left", dx=4).encode(text=alt.Text("text:N"))
    return alt.layer(bars, texts, bound).properties(width=WIDTH_PX - 260, height=alt.Step(BAR_PX))
