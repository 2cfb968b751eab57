"""Kernels against what memory and cores gave at most in the same run.

Source: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model
for multicore architectures", Communications of the ACM 52(4), 2009, doi:10.1145/1498765.1498785.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from waywiser.model.sample import Roofline, Sample

SWEEPS = ("read", "copy", "triad", "leapfrog")


@dataclass(frozen=True)
class Kernel:
    """A kernel in one variant; of several samples the median."""

    label: str
    samples: int
    roof: Roofline
    """Roofline of the first sample."""

    points_per_s: float
    fraction: float
    """Fraction of the bound that was measured with each sample."""

    @property
    def flops_per_s(self) -> float:
        return self.points_per_s * self.roof.flops_per_point

    @property
    def bound_by(self) -> str:
        """The sweep that its accesses are like, or the cores."""
        by_memory = bandwidth(self.roof, self.roof.like) / self.roof.bytes_per_point
        memory = math.isclose(by_memory, self.roof.bound_points_per_s, rel_tol=1e-6)
        return self.roof.like if memory else "cores"


def kernels_of(samples: Sequence[Sample]) -> list[Kernel]:
    """Kernels of the samples that have a roofline, by their labels."""
    by_label: dict[str, list[Roofline]] = {}
    for sample in samples:
        if sample.details.roofline is not None:
            by_label.setdefault(sample.label, []).append(sample.details.roofline)
    return [
        Kernel(
            label,
            len(found),
            found[0],
            statistics.median(roof.points_per_s for roof in found),
            statistics.median(roof.fraction for roof in found),
        )
        for label, found in by_label.items()
    ]


def limits(roof: Roofline) -> tuple[float, ...]:
    """What memory and cores gave at most."""
    return (*(bandwidth(roof, name) for name in SWEEPS), roof.flops_per_s)


def bandwidth(roof: Roofline, name: str) -> float:
    """Bandwidth of a sweep [B/s]."""
    value: float = getattr(roof, f"{name}_Bps")
    return value
