"""Spherical harmonics in NumPy by series of Legendre polynomials and sums over all coefficients:
the fields that ww-spectral's round trips have on the grid, with the random numbers that
docs/spectral.md defines, and the vorticity equation in its advective form."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from tests.verification.lattice_oracle import GOLDEN, mixed

Real = NDArray[np.float64]
Complex = NDArray[np.complex128]

ROTATION = 7.292e-5


def harmonic(degree: int, order: int, mu: Real) -> Real:
    """P_n^m, orthonormal on [-1, 1], by the derivative of Legendre's polynomial."""
    factorials = math.prod(range(degree - order + 1, degree + order + 1))
    series = legendre.legder([0.0] * degree + [1.0], order)
    norm = math.sqrt((2 * degree + 1) / 2 / factorials)
    return np.asarray(norm * (1 - mu**2) ** (order / 2) * legendre.legval(mu, series))


def slope(degree: int, order: int, mu: Real) -> Real:
    """(1 - mu^2) d / d mu of P_n^m, which is a power of the cosine times a polynomial."""
    polynomial = legendre.legder([0.0] * degree + [1.0], order)
    norm = math.sqrt(
        (2 * degree + 1) / 2 / math.prod(range(degree - order + 1, degree + order + 1))
    )
    cosine = 1 - mu**2
    inner = cosine * legendre.legval(mu, legendre.legder(polynomial))
    outer = -order * mu * legendre.legval(mu, polynomial)
    return np.asarray(norm * cosine ** (order / 2) * (inner + outer))


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


@dataclass
class Harmonics:
    """Harmonics and their derivatives on all points of a full grid; coefficients have the shape
    (pair of degree and order,), fields (latitude, longitude)."""

    truncation: int
    mu: Real = field(init=False)

    def __post_init__(self) -> None:
        t = self.truncation
        nodes, self.weights = legendre.leggauss(2 * (t + 1))
        self.mu = -nodes
        self.pairs = [(n, m) for m in range(t + 1) for n in range(m, t + 1)]
        self.orders = np.array([m for _, m in self.pairs])
        self.laplacian = np.array([n * (n + 1.0) for n, _ in self.pairs])
        self.inverse = np.divide(
            -1, self.laplacian, where=self.laplacian > 0, out=0 * self.laplacian
        )
        self.functions = np.array([harmonic(n, m, self.mu) for n, m in self.pairs])
        self.slopes = np.array([slope(n, m, self.mu) for n, m in self.pairs])
        angle = 2 * np.pi * np.arange(4 * (t + 1)) / (4 * (t + 1))
        self.turns = np.exp(1j * np.outer(self.orders, angle))
        self.cosine = np.sqrt(1 - self.mu**2)[:, None]

    def grid(self, values: Complex, functions: Real) -> Real:
        twice = np.where(self.orders == 0, 1, 2) * values
        return np.asarray(np.einsum("k,kl,kp->lp", twice, functions, self.turns).real)

    def field(self, values: Complex) -> tuple[Real, Real, Real]:
        """A field and its derivatives to the east and to the north."""
        east = self.grid(1j * self.orders * values, self.functions) / self.cosine
        return self.grid(values, self.functions), east, self.grid(values, self.slopes) / self.cosine

    def coefficients(self, on_grid: Real) -> Complex:
        waves = np.einsum("lp,kp->kl", on_grid, self.turns.conj()) / on_grid.shape[1]
        return np.asarray(np.einsum("kl,kl,l->k", waves, self.functions, self.weights))

    def average(self, on_grid: Real) -> float:
        return float(self.weights @ on_grid.mean(axis=1)) / 2

    def at_probes(self, kinds: tuple[Real, ...]) -> list[list[float]]:
        """Values of each kind at eight latitudes, a third of the way round."""
        rings = self.truncation + 1
        return [
            [float(kind[k * 2 * rings // 8, 4 * rings // 3]) for kind in kinds] for k in range(8)
        ]


TRIAD = {(3, 1): 4e-5, (6, 2): 4e-5, (4, 3): -4e-5j}
"""Vorticity of each degree and order at the start [1/s]."""


@dataclass
class Vorticity(Harmonics):
    """The barotropic vorticity equation on one level: a triad on solid rotation."""

    omega: float
    dt: float

    def start(self) -> Complex:
        values = np.array([TRIAD.get(pair, 0) for pair in self.pairs], dtype=complex)
        flat = np.ones((1, 4 * (self.truncation + 1)))
        return values + self.coefficients(2 * self.omega * self.mu[:, None] * flat)

    def winds(self, values: Complex) -> tuple[Real, Real]:
        _, east, north = self.field(self.inverse * values)
        return -north, east

    def tendency(self, values: Complex) -> Complex:
        u, v = self.winds(values)
        _, east, north = self.field(values)
        return self.coefficients(-u * east - v * (north + 2 * ROTATION * self.cosine))

    def states(self, steps: int) -> tuple[Complex, Complex]:
        """The last stage of the classical Runge-Kutta method, and the state after it."""
        state = self.start()
        for _ in range(steps):
            slopes = [self.tendency(state)]
            for ahead in (0.5, 0.5, 1):
                stage = state + ahead * self.dt * slopes[-1]
                slopes.append(self.tendency(stage))
            state = state + self.dt / 6 * (slopes[0] + 2 * slopes[1] + 2 * slopes[2] + slopes[3])
        return stage, state

    def invariants(self, values: Complex) -> Real:
        """Means of kinetic energy and of enstrophy, by sums over the grid."""
        u, v = self.winds(values)
        vorticity = self.field(values)[0]
        return np.array([self.average(u**2 + v**2), self.average(vorticity**2)]) / 2

    def drift(self, steps: int) -> list[float]:
        """Relative changes of energy and enstrophy."""
        after = self.invariants(self.states(steps)[1])
        return [float(change) for change in after / self.invariants(self.start()) - 1]

    def probes(self, steps: int) -> list[list[float]]:
        """Vorticity and the wind's components times the cosine in the last stage, by latitude."""
        values = self.states(steps)[0]
        u, v = (self.cosine * of for of in self.winds(values))
        return self.at_probes((self.field(values)[0], u, v))
