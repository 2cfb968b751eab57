"""The results of ww-rupture that the report draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SurfaceSnapshot:
    """The velocity along x on the free surface."""

    time_s: float
    corners_m: Floats
    """Coordinates x and y of each corner, shape (triangles, 3, 2)."""

    velocity_mps: Floats
    """Velocity along x at each corner, shape (triangles, 3)."""


@dataclass(frozen=True)
class RuptureField:
    """The fault at the end of a run, and the free surface in between."""

    points_m: Floats
    """Coordinates of the points of the fault, shape (points, 3)."""

    rupture_time_s: Floats
    """Rupture time of each point, shape (points,); NaN where the fault has not ruptured."""

    slip_m: Floats
    snapshots: tuple[SurfaceSnapshot, ...]
