"""Spherical harmonics in NumPy by series of Legendre polynomials and sums over all coefficients:
the fields that ww-spectral's round trips have on the grid, with the random numbers that
docs/spectral.md defines."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from tests.verification.lattice_oracle import GOLDEN, mixed

Real = NDArray[np.float64]


def harmonic(degree: int, order: int, mu: Real) -> Real:
    """P_n^m, orthonormal on [-1, 1], by the derivative of Legendre's polynomial."""
    factorials = math.prod(range(degree - order + 1, degree + order + 1))
    series = legendre.legder([0.0] * degree + [1.0], order)
    norm = math.sqrt((2 * degree + 1) / 2 / factorials)
    return np.asarray(norm * (1 - mu**2) ** (order / 2) * legendre.legval(mu, series))


def random_coefficient(seed: int, level: int, degree: int, order: int) -> complex:
    number = degree * (degree + 1) // 2 + order
    with np.errstate(over="ignore"):
        state = mixed(np.array([seed], dtype=np.uint64) + GOLDEN)
        state = mixed(mixed(state + np.uint64(level)) + np.uint64(number))
        bits = mixed(state + np.arange(1, 3, dtype=np.uint64) * GOLDEN) >> np.uint64(11)
    real, imaginary = bits * 2.0**-52 - 1
    return complex(real, imaginary if order > 0 else 0.0)


@dataclass(frozen=True)
class Sphere:
    truncation: int
    octahedral: bool

    @property
    def rings(self) -> int:
        return self.truncation + 1

    def longitudes(self, latitude: int) -> int:
        ring = min(latitude, 2 * self.rings - 1 - latitude) + 1
        return 16 + 4 * ring if self.octahedral else 4 * self.rings

    def value(self, latitude: int, longitude: int, seed: int, level: int) -> float:
        """Value of a random field, with the waves that the latitude carries."""
        mu = -legendre.leggauss(2 * self.rings)[0][latitude]
        points = self.longitudes(latitude)
        angle = 2 * math.pi * longitude / points
        total = 0.0
        for order in range(min(self.truncation, (points - 1) // 2) + 1):
            wave = sum(
                random_coefficient(seed, level, degree, order)
                * harmonic(degree, order, np.array(mu))
                for degree in range(order, self.truncation + 1)
            )
            turned = (wave * np.exp(1j * order * angle)).real
            total += turned if order == 0 else 2 * turned
        return float(total)

    def probes(self, seed: int, levels: int) -> list[float]:
        """Values of the first and the last level at eight latitudes, a third of the way round."""
        latitudes = [k * 2 * self.rings // 8 for k in range(8)]
        return [
            self.value(latitude, self.longitudes(latitude) // 3, seed, level)
            for latitude in latitudes
            for level in (0, levels - 1)
        ]
