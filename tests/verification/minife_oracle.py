"""The exact discrete solution of ww-minife's problem for any mesh, without assembling or iterating.

On a brick mesh the trilinear stiffness matrix is K x M x M + M x K x M + M x M x K, with K and M
of linear elements in one dimension, and sines diagonalise both. So three sine transforms, one
division and three transforms back solve it.

Source: R. E. Lynch, J. R. Rice, D. H. Thomas, "Direct solution of partial difference equations by
tensor product methods", Numerische Mathematik 6, 1964, pp. 185-199, doi:10.1007/BF01386067.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float64]


@dataclass(frozen=True)
class Axis:
    """Linear elements on one axis, restricted to its `elements - 1` inner nodes."""

    elements: int

    @property
    def h(self) -> float:
        return 1.0 / self.elements

    @property
    def _angles(self) -> Field:
        return np.arange(1, self.elements) * math.pi / self.elements

    @property
    def sines(self) -> Field:
        """Orthogonal and symmetric, shape (inner, inner): its own inverse."""
        inner = np.arange(1, self.elements)
        sines: Field = math.sqrt(2 / self.elements) * np.sin(np.outer(inner, self._angles))
        return sines

    @property
    def stiffness_eigenvalues(self) -> Field:
        return 2 / self.h * (1 - np.cos(self._angles))

    @property
    def mass_eigenvalues(self) -> Field:
        return self.h / 3 * (2 + np.cos(self._angles))

    def _row_sums(self, inner_row: float, next_to_end: float) -> Field:
        sums = np.full(self.elements - 1, inner_row)
        sums[0] -= next_to_end
        sums[-1] -= next_to_end
        return sums

    @property
    def stiffness_on_ones(self) -> Field:
        """K times the vector of ones, shape (inner,): nonzero only beside the ends."""
        return self._row_sums(0.0, -1 / self.h)

    @property
    def mass_on_ones(self) -> Field:
        return self._row_sums(self.h, self.h / 6)


@dataclass(frozen=True)
class Solution:
    """The solution to which miniFE would converge."""

    inner: Field
    """u at the free nodes, shape (nx-1, ny-1, nz-1)."""

    right_side_norm: float
    """2-norm of the right side, the rows of the prescribed nodes included."""

    def at(self, ix: int, iy: int, iz: int) -> float:
        """u at a free node, with the node's indices in the whole mesh."""
        return float(self.inner[ix - 1, iy - 1, iz - 1])

    @property
    def centre(self) -> float:
        nx, ny, nz = (length + 1 for length in self.inner.shape)
        return self.at(nx // 2, ny // 2, nz // 2)

    @property
    def free_sum(self) -> float:
        return float(self.inner.sum())

    @property
    def free_norm(self) -> float:
        return float(np.linalg.norm(self.inner))


def _outer(x: Field, y: Field, z: Field) -> Field:
    return x[:, None, None] * y[None, :, None] * z[None, None, :]


def _transform(field: Field, x: Axis, y: Axis, z: Axis) -> Field:
    transformed: Field = np.einsum("ai,ijk->ajk", x.sines, field, optimize=True)
    transformed = np.einsum("bj,ajk->abk", y.sines, transformed, optimize=True)
    transformed = np.einsum("ck,abk->abc", z.sines, transformed, optimize=True)
    return transformed


def _right_side(x: Axis, y: Axis, z: Axis) -> Field:
    """Source 1, and the columns of the face x = 1 moved over; the edges of that face count as 0."""
    b = np.full((x.elements - 1, y.elements - 1, z.elements - 1), x.h * y.h * z.h)
    faces_yz = np.outer(y.mass_on_ones, z.mass_on_ones)
    tilts = np.outer(y.stiffness_on_ones, z.mass_on_ones) + np.outer(
        y.mass_on_ones, z.stiffness_on_ones
    )
    b[-1] -= -1 / x.h * faces_yz + x.h / 6 * tilts
    return b


@cache
def solve(nx: int, ny: int, nz: int) -> Solution:
    """The discrete solution for nx x ny x nz elements, each at least 2.

    Cost: O(n^4) for n elements on every axis, with dense sine matrices: 0.2 s at 128.
    """
    x, y, z = Axis(nx), Axis(ny), Axis(nz)
    b = _right_side(x, y, z)
    eigenvalues = (
        _outer(x.stiffness_eigenvalues, y.mass_eigenvalues, z.mass_eigenvalues)
        + _outer(x.mass_eigenvalues, y.stiffness_eigenvalues, z.mass_eigenvalues)
        + _outer(x.mass_eigenvalues, y.mass_eigenvalues, z.stiffness_eigenvalues)
    )
    inner = _transform(_transform(b, x, y, z) / eigenvalues, x, y, z)
    nodes_of_the_1_face = (ny + 1) * (nz + 1)
    return Solution(inner, math.sqrt(float(np.square(b).sum()) + nodes_of_the_1_face))
