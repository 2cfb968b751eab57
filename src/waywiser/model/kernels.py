"""Kernels under the roof of their machine, as the samples of a run measured both."""

from __future__ import annotations

from waywiser.model.base import Model
from waywiser.model.sample import Roofline


class Kernel(Model):
    """A kernel in one variant; of several samples the median."""

    label: str
    samples: int
    roof: Roofline
    """Roofline of the first sample."""

    points_per_s: float
    flops_per_s: float
    bound_by: str
    """The sweep that its accesses are like, or "cores"."""

    fraction: float
    """Fraction of the bound that was measured with each sample."""


class Kernels(Model):
    kernels: tuple[Kernel, ...]
    measurements: int
    """Number of different measurements of what memory and cores give at most."""
