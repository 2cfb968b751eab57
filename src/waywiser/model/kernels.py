"""Kernels under the roofline of their machine; the samples of a run measured both."""

from __future__ import annotations

from waywiser.model.base import Model
from waywiser.model.sample import Roofline


class Kernel(Model):
    """One variant of a kernel; the median of several samples."""

    label: str
    samples: int
    roof: Roofline
    """Roofline of the first sample."""

    points_per_s: float
    flops_per_s: float
    bound_by: str
    """Resource that bounds the kernel: the sweep with the same accesses, or "cores"."""

    fraction: float
    """Speed of the kernel as a fraction of its bound; each sample measured both."""


class Kernels(Model):
    kernels: tuple[Kernel, ...]
    measurements: int
    """Number of different measurements of the peak rates of memory and cores."""
