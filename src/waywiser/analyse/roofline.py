"""Kernels against the peak rates of memory and cores in the same run.

Source: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model
for multicore architectures", Communications of the ACM 52(4), 2009, doi:10.1145/1498765.1498785.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from waywiser.model.kernels import Kernel, Kernels
from waywiser.model.sample import Roofline, Sample

SWEEPS = ("read", "copy", "triad", "leapfrog")


def kernels_of(samples: Sequence[Sample]) -> Kernels | None:
    """Return the kernels of the samples that have a roofline, by label; None if none has."""
    by_label: dict[str, list[Roofline]] = {}
    for sample in samples:
        if sample.details.roofline is not None:
            by_label.setdefault(sample.label, []).append(sample.details.roofline)
    if not by_label:
        return None
    return Kernels(
        kernels=tuple(_kernel(label, rooflines) for label, rooflines in by_label.items()),
        measurements=len(
            {_limits(limits) for rooflines in by_label.values() for limits in rooflines}
        ),
    )


def _kernel(label: str, rooflines: Sequence[Roofline]) -> Kernel:
    limits = rooflines[0]
    points_per_s = statistics.median(roofline.points_per_s for roofline in rooflines)
    by_memory = bandwidth(limits, limits.like) / limits.bytes_per_point
    memory = math.isclose(by_memory, limits.bound_points_per_s, rel_tol=1e-6)
    return Kernel(
        label=label,
        samples=len(rooflines),
        roof=limits,
        points_per_s=points_per_s,
        flops_per_s=points_per_s * limits.flops_per_point,
        bound_by=limits.like if memory else "cores",
        fraction=statistics.median(roofline.fraction for roofline in rooflines),
    )


def _limits(limits: Roofline) -> tuple[float, ...]:
    """Return the peak rates of memory and cores."""
    return (*(bandwidth(limits, name) for name in SWEEPS), limits.flops_per_s)


def bandwidth(limits: Roofline, name: str) -> float:
    """Return the bandwidth of a sweep [B/s]."""
    value: float = getattr(limits, f"{name}_Bps")
    return value
