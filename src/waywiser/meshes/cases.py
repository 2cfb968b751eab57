"""The earthquake benchmarks that meshes are made for: SCEC's TPV33 and TPV5.

Sources: R. A. Harris et al., "A suite of exercises for verifying dynamic earthquake rupture codes",
Seismological Research Letters 89(3), 2018, doi 10.1785/0220170222, and the suite's descriptions of
TPV5 and TPV33. Sizes of elements are as in SeisSol's examples. Coordinates [m]: x along strike, y
across the fault, which is in the plane y = 0, z upwards from the free surface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from waywiser.meshes.tetrahedra import Floats

LAYER, HOST = 2, 3
"""Groups of cells: the low-velocity zone and the rock beside it."""


@dataclass(frozen=True)
class Circle:
    """A circle in the plane of the fault [m]."""

    x: float
    z: float
    radius: float


@dataclass(frozen=True)
class Rectangle:
    """A rectangle in the plane of the fault [m], low < high."""

    x: tuple[float, float]
    z: tuple[float, float]

    @property
    def area(self) -> float:
        return (self.x[1] - self.x[0]) * (self.z[1] - self.z[0])


@dataclass(frozen=True)
class Sizes:
    """Edges of elements [m] at distance d from the fault: a + slope·d + (d / reach)²."""

    at_fault: float
    slope: float
    reach: float
    largest: float


@dataclass(frozen=True)
class Case:
    """A benchmark's domain, |x|, |y| ≤ `half_width`, -`depth` ≤ z ≤ 0 [m], and its fault."""

    name: str
    half_width: float
    depth: float
    fault: Rectangle
    patches: tuple[Circle | Rectangle, ...]
    """Patches with another initial stress; their outlines are edges of faces."""

    sizes: Sizes
    layer: float | None
    """Half the width of the low-velocity zone [m]: |y| below it is of group `LAYER`."""

    p_speeds: tuple[tuple[float, float], ...]
    """(y, vp): the speed of P waves [m/s] above this y, from the lowest one on."""

    counts: tuple[tuple[float, int], ...]
    """(scale of all sizes, number of tetrahedra), by rising scale; from runs of Gmsh 4.15."""

    def p_speeds_at(self, points: Floats) -> Floats:
        """Return the speed of P waves [m/s] at each point: points [m] of shape (n, 3), speeds of
        shape (n,)."""
        above, speeds = np.array(self.p_speeds).T
        return np.asarray(speeds[np.searchsorted(above, points[:, 1]) - 1])


CASES = {
    case.name: case
    for case in (
        Case(
            name="tpv33",
            half_width=50_000,
            depth=50_000,
            fault=Rectangle(x=(-12_000, 4_000), z=(-10_000, 0)),
            patches=(Circle(-6_000, -6_000, 550), Circle(-6_000, -6_000, 800)),
            sizes=Sizes(at_fault=100, slope=0.1, reach=5_000, largest=5_000),
            layer=800,
            p_speeds=((-np.inf, 5_626), (-800, 3_750), (800, 6_000)),
            counts=((1, 1_142_166), (2.5, 92_042), (5, 14_932), (9, 4_482)),
        ),
        Case(
            name="tpv5",
            half_width=60_000,
            depth=60_000,
            fault=Rectangle(x=(-15_000, 15_000), z=(-15_000, 0)),
            patches=tuple(
                Rectangle(x=(x - 1_500, x + 1_500), z=(-9_000, -6_000)) for x in (-7_500, 0, 7_500)
            ),
            sizes=Sizes(at_fault=200, slope=0.05, reach=2_500, largest=5_000),
            layer=None,
            p_speeds=((-np.inf, 6_000),),
            counts=((1, 1_954_588), (2.5, 136_292), (5, 19_848), (9, 4_582)),
        ),
    )
}
