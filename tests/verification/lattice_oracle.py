"""Wilson fermions in NumPy, whole arrays at a time: what ww-lattice solves, with the random numbers
that docs/lattice.md defines.

Spinors have the shape (t, z, y, x, spin, colour), links (axis, t, z, y, x, row, column).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Complex = NDArray[np.complex128]
Unsigned = NDArray[np.uint64]
Extents = tuple[int, int, int, int]

SIGMA = np.array([[[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]])
ZERO = np.zeros((2, 2))
GAMMA = np.array(
    [np.block([[ZERO, 1j * sigma], [-1j * sigma, ZERO]]) for sigma in SIGMA]
    + [np.block([[ZERO, np.eye(2)], [np.eye(2), ZERO]])]
)
GAMMA_5 = np.diag([1.0, 1.0, -1.0, -1.0])
"""gamma_5 in the chiral basis of `GAMMA`."""

OF_SOURCE = 5
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed(z: Unsigned) -> Unsigned:
    """The last step of splitmix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def normals(seed: int, purpose: int, sites: Unsigned, count: int) -> Complex:
    """The first complex normal numbers of every site, on a new last axis."""
    with np.errstate(over="ignore"):
        state = mixed(np.array([seed], dtype=np.uint64) + GOLDEN)
        state = mixed(mixed(state + np.uint64(purpose)) + sites)[..., None]
        steps = np.arange(1, 2 * count + 1, dtype=np.uint64)
        bits = mixed(state + steps * GOLDEN) >> np.uint64(11)
    radius = np.sqrt(-2 * np.log((bits[..., 0::2] + np.uint64(1)) * 2.0**-53))
    angle = 2 * math.pi * (bits[..., 1::2] * 2.0**-53)
    return np.asarray(radius * np.exp(1j * angle))


def special_unitary(a: Complex) -> Complex:
    """Rows made orthonormal one after the other, and then the determinant 1."""
    q, r = np.linalg.qr(np.swapaxes(a, -1, -2))
    diagonal = np.diagonal(r, axis1=-2, axis2=-1)
    q = np.swapaxes(q * (diagonal / np.abs(diagonal))[..., None, :], -1, -2)
    return np.asarray(q / (np.linalg.det(q) ** (1 / 3))[..., None, None])


@dataclass
class Lattice:
    """extents are x, y, z, t."""

    extents: Extents
    kappa: float
    seed: int = 1
    unit: bool = False
    antiperiodic: bool = False

    def __post_init__(self) -> None:
        shape = self.extents[::-1]
        sites = np.arange(math.prod(shape), dtype=np.uint64).reshape(shape)
        self.sites = sites
        if self.unit:
            self.links = np.broadcast_to(np.eye(3, dtype=complex), (4, *shape, 3, 3)).copy()
        else:
            random = [normals(self.seed, axis, sites, 9) for axis in range(4)]
            self.links = special_unitary(np.stack(random).reshape(4, *shape, 3, 3))
        if self.antiperiodic:
            self.links[3, -1] *= -1

    def random_source(self) -> Complex:
        shape = (*self.sites.shape, 4, 3)
        return normals(self.seed, OF_SOURCE, self.sites, 12).reshape(shape)

    def point_source(self) -> Complex:
        source = np.zeros((*self.sites.shape, 4, 3), dtype=complex)
        source[0, 0, 0, 0, 0, 0] = 1
        return source

    def mean_plaquette(self) -> float:
        """Mean of Re tr / 3 of the products of links around all unit squares, link by link."""
        total = 0.0
        for mu, nu in itertools.combinations(range(4), 2):
            along, across = self.links[mu], self.links[nu]
            around = along @ np.roll(across, -1, 3 - mu)
            around = around @ np.swapaxes(np.roll(along, -1, 3 - nu), -1, -2).conj()
            around = around @ np.swapaxes(across, -1, -2).conj()
            total += float(np.trace(around, axis1=-2, axis2=-1).real.mean()) / 3
        return total / 6

    def dirac(self, psi: Complex) -> Complex:
        result = psi.copy()
        for mu in range(4):
            axis, u = 3 - mu, self.links[mu]
            ahead = np.einsum("...ab,...sb->...sa", u, np.roll(psi, -1, axis))
            behind = np.roll(np.einsum("...ba,...sb->...sa", u.conj(), psi), 1, axis)
            for sign, there in ((-1, ahead), (1, behind)):
                projector = np.eye(4) + sign * GAMMA[mu]
                result -= self.kappa * np.einsum("rs,...sa->...ra", projector, there)
        return result

    def adjoint(self, psi: Complex) -> Complex:
        reflected = np.einsum("rs,...sa->...ra", GAMMA_5, psi)
        return np.asarray(np.einsum("rs,...sa->...ra", GAMMA_5, self.dirac(reflected)))

    def solve(self, b: Complex, tolerance: float = 1e-13) -> Complex:
        """Conjugate gradients for D^+ D x = D^+ b, on all sites."""
        x = np.zeros_like(b)
        r = self.adjoint(b)
        p = r
        square = first = float(np.vdot(r, r).real)
        while square > tolerance**2 * first:
            image = self.adjoint(self.dirac(p))
            step = square / np.vdot(p, image).real
            x = x + step * p
            r = r - step * image
            last, square = square, float(np.vdot(r, r).real)
            p = r + square / last * p
        return x


def correlations(x: Complex) -> NDArray[np.float64]:
    """Sums of squares for each t."""
    return np.asarray((np.abs(x) ** 2).sum(axis=(1, 2, 3, 4, 5)))
