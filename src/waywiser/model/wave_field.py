"""The results of ww-propa that the report draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Snapshot:
    """The pressure in the plane of axes 1 and 2 through the source."""

    time_s: float
    values: Floats
    """Values of shape (points of axis 1, points of axis 2), thinned out where there are many."""


@dataclass(frozen=True)
class WaveField:
    """The snapshots of one shot, and the traces of its receivers."""

    width_m: float
    """Width of the plane along axis 2."""

    depth_m: float
    """Depth of the plane along axis 1."""

    source_m: tuple[float, float, float]
    receivers_m: Floats
    """Coordinates of the receivers, shape (receivers, 3)."""

    snapshots: tuple[Snapshot, ...]
    times_s: Floats
    traces: Floats
    """Velocities at the receivers, shape (receivers, times); empty if no traces were written."""
