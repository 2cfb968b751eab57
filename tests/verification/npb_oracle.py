"""BT, SP and LU of the NAS Parallel Benchmarks by dense matrices, for small cubes.

The equations in space are written once, as the fluxes F and viscous terms W of u; their Jacobians
are complex steps of these. All three schemes are the same linear operator 1 - dt L, where L is the
derivative of convection and diffusion: BT inverts it one axis after the other, LU relaxes it,
and SP inverts it after each Jacobian has been diagonalised, and with the dissipation.

Sources: D. Bailey et al., NAS Technical Report RNR-94-007, 1994, the chapter on the simulated CFD
applications; eigenvectors of SP: T. H. Pulliam, D. S. Chaussee, "A diagonal form of an implicit
approximate-factorization algorithm", Journal of Computational Physics 39, 1981, pp. 347-363;
derivatives: W. Squire, G. Trapp, "Using complex variables to estimate derivatives of real
functions", SIAM Review 40, 1998, pp. 110-112.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Number = TypeVar("Number", np.float64, np.complex128)

GAMMA = 1.4
VISCOSITY = 0.1
"""c3 c4"""
CONDUCTION = 1.4 * 1.4
"""c1 c5, times the viscosity"""
DIFFUSION = [0.75, 0.75, 1.0]
DISSIPATION = 0.25
OMEGA = 1.2

COEFFICIENTS = np.array(
    [
        [2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3],
        [1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5],
        [2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4],
        [2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3],
        [5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2],
    ]
)
"""Coefficients of the exact solution: the constant, x, y and z, then their squares, and so on."""

INNER = slice(1, -1)


def exact(x: Array, y: Array, z: Array) -> Array:
    value = COEFFICIENTS[:, 0].reshape(5, 1, 1, 1)
    for axis, place in enumerate(np.broadcast_arrays(x, y, z)):
        for power in range(4):
            factors = COEFFICIENTS[:, 1 + 3 * power + axis].reshape(5, 1, 1, 1)
            value = value + factors * place ** (power + 1)
    return value


def pressure(u: NDArray[Number]) -> NDArray[Number]:
    result: NDArray[Number] = (GAMMA - 1) * (u[4] - 0.5 * (u[1:4] ** 2).sum(axis=0) / u[0])
    return result


def flux(u: NDArray[Number], axis: int) -> NDArray[Number]:
    velocity = u[1 + axis] / u[0]
    result: NDArray[Number] = u * velocity
    result[1 + axis] += pressure(u)
    result[4] += pressure(u) * velocity
    return result


def viscous(u: NDArray[Number], axis: int) -> NDArray[Number]:
    """Terms whose second difference is friction and conduction of heat."""
    velocities = u[1:4] / u[0]
    result = np.zeros_like(u)
    result[1:4] = VISCOSITY * velocities
    result[1 + axis] *= 4 / 3
    kinetic = 0.5 * (velocities**2).sum(axis=0)
    heat = (1 - CONDUCTION) * kinetic + velocities[axis] ** 2 / 6 + CONDUCTION * u[4] / u[0]
    result[4] = VISCOSITY * heat
    return result


def along(matrix: Array, values: Array, axis: int) -> Array:
    """The matrix applied to each line of an axis, of values of shape (5, n, n, n)."""
    return np.moveaxis(np.tensordot(matrix, values, axes=(1, 1 + axis)), 0, 1 + axis)


@dataclass(frozen=True)
class Cube:
    n: int
    dt: float

    @cached_property
    def first(self) -> Array:
        """Central differences on inner points; likewise below."""
        inner = np.arange(1, self.n - 1)
        matrix = np.zeros((self.n, self.n))
        matrix[inner, inner + 1] = 0.5 * (self.n - 1)
        matrix[inner, inner - 1] = -0.5 * (self.n - 1)
        return matrix

    @cached_property
    def second(self) -> Array:
        inner = np.arange(1, self.n - 1)
        matrix = np.zeros((self.n, self.n))
        for offset, factor in [(-1, 1), (0, -2), (1, 1)]:
            matrix[inner, inner + offset] = factor * (self.n - 1.0) ** 2
        return matrix

    @cached_property
    def fourth(self) -> Array:
        """One-sided next to the faces."""
        matrix = np.zeros((self.n, self.n))
        for row in range(3, self.n - 3):
            matrix[row, row - 2 : row + 3] = [1, -4, 6, -4, 1]
        matrix[1, 1:4] = [5, -4, 1]
        matrix[2, 1:5] = [-4, 6, -4, 1]
        matrix[-2, -4:-1] = [1, -4, 5]
        matrix[-3, -5:-1] = [1, -4, 6, -4]
        return matrix

    @cached_property
    def exact(self) -> Array:
        at = np.linspace(0, 1, self.n)
        return exact(at[:, None, None], at[None, :, None], at[None, None, :])

    @cached_property
    def start(self) -> Array:
        """Interpolated between the faces, which are exact."""
        place = list(np.meshgrid(*[np.linspace(0, 1, self.n)] * 3, indexing="ij"))
        parts = []
        for axis in range(3):
            low, high = place.copy(), place.copy()
            low[axis] = np.zeros_like(place[axis])
            high[axis] = np.ones_like(place[axis])
            parts.append((1 - place[axis]) * exact(*low) + place[axis] * exact(*high))
        x, y, z = parts
        inner = (slice(None), INNER, INNER, INNER)
        u = self.exact.copy()
        u[inner] = (x + y + z - x * y - x * z - y * z + x * y * z)[inner]
        return u

    def operator(self, u: Array) -> Array:
        total = np.zeros_like(u)
        for axis in range(3):
            part = along(self.second, DIFFUSION[axis] * u + viscous(u, axis), axis)
            part -= along(self.first, flux(u, axis), axis)
            total += part - DISSIPATION * along(self.fourth, u, axis)
        return self.inside(total)

    def inside(self, values: Array) -> Array:
        result = np.zeros_like(values)
        result[:, INNER, INNER, INNER] = values[:, INNER, INNER, INNER]
        return result

    @cached_property
    def forcing(self) -> Array:
        return -self.operator(self.exact)

    def residual(self, u: Array) -> Array:
        return self.operator(u) + self.forcing

    def norm(self, values: Array) -> Array:
        norms: Array = np.sqrt((values[:, INNER, INNER, INNER] ** 2).mean(axis=(1, 2, 3)))
        return norms


def jacobians(u: Array, axis: int) -> tuple[Array, Array]:
    """Jacobians of flux and viscous terms, with diffusion; shape (n, n, n, row, column)."""
    step = 1e-200
    results = []
    for function in (flux, viscous):
        columns = []
        for m in range(5):
            moved = u.astype(np.complex128)
            moved[m] += 1j * step
            columns.append(function(moved, axis).imag / step)
        results.append(np.moveaxis(np.array(columns), (1, 0), (-2, -1)))
    return results[0], results[1] + DIFFUSION[axis] * np.eye(5)


def lines(values: Array, axis: int) -> Array:
    """Lines along an axis that lie on no face: n x n x n x ... values as (line, point, ...)."""
    inner = np.moveaxis(values, axis, 2)[INNER, INNER]
    return inner.reshape(-1, *inner.shape[2:])


def solve_lines(matrices: Array, right: Array, axis: int) -> Array:
    """Solves each inner line for the right-hand side's inner points.

    Args:
        matrices: Shape (line, point, row, point, column), ends included.
        right: Shape (5, n, n, n).
    """
    moved = np.moveaxis(right, (0, 1 + axis), (3, 2)).copy()
    inner = moved[INNER, INNER, INNER]
    size = inner.shape[2] * 5
    dense = matrices[:, INNER, :, INNER].reshape(-1, size, size)
    inner[...] = np.linalg.solve(dense, inner.reshape(-1, size, 1)).reshape(inner.shape)
    return np.moveaxis(moved, (3, 2), (0, 1 + axis))


def solve_points(matrices: Array, right: Array) -> Array:
    """5 x 5 each."""
    return np.asarray(np.linalg.solve(matrices, right[..., None])[..., 0], dtype=np.float64)


def bt(cube: Cube, u: Array, right: Array) -> Array:
    """The change of u."""
    for axis in range(3):
        convected, diffused = (lines(jacobian, axis) for jacobian in jacobians(u, axis))
        linear = np.einsum("ij,ljmn->limjn", cube.second, diffused)
        linear -= np.einsum("ij,ljmn->limjn", cube.first, convected)
        matrices = np.einsum("ij,mn->imjn", np.eye(cube.n), np.eye(5)) - cube.dt * linear
        right = solve_lines(matrices, right, axis)
    return right


def eigenvectors(u: Array, axis: int) -> Array:
    """Eigenvectors of the flux, for v, v, v, v + c and v - c; shape (n, n, n, row, column)."""
    density = u[0]
    velocity = u[1:4] / density
    kinetic = 0.5 * (velocity**2).sum(axis=0)
    sound = np.sqrt(GAMMA * pressure(u) / density)
    columns = np.zeros((5, *u.shape))
    for direction in range(3):
        # The unit vector of the axis times a vortex, or entropy.
        weight = 1.0 if direction == axis else 0.0
        columns[direction, 0] = weight
        columns[direction, 1:4] = weight * velocity
        columns[direction, 4] = weight * kinetic
    for direction, across, sign in [
        ((axis + 1) % 3, (axis + 2) % 3, 1.0),
        ((axis + 2) % 3, (axis + 1) % 3, -1.0),
    ]:
        columns[direction, 1 + across] = sign * density
        columns[direction, 4] = sign * density * velocity[across]
    alpha = density / (math.sqrt(2) * sound)
    for wave, sign in [(3, 1.0), (4, -1.0)]:
        columns[wave, 0] = alpha
        columns[wave, 1:4] = alpha * velocity
        columns[wave, 1 + axis] += alpha * sign * sound
        enthalpy = kinetic + sound**2 / (GAMMA - 1)
        columns[wave, 4] = alpha * (enthalpy + sign * sound * velocity[axis])
    return np.moveaxis(columns, (1, 0), (-2, -1))


def sp(cube: Cube, u: Array, right: Array) -> Array:
    thinness = VISCOSITY / u[0]
    sound = np.sqrt(GAMMA * pressure(u) / u[0])
    for axis in range(3):
        vectors = eigenvectors(u, axis)
        velocity = u[1 + axis] / u[0]
        speeds = np.stack([velocity] * 3 + [velocity + sound, velocity - sound], axis=-1)
        diffused = DIFFUSION[axis] + max(4 / 3, CONDUCTION) * thinness
        linear = np.einsum("ij,lj->lij", cube.second, lines(diffused, axis))[..., None]
        linear = linear - np.einsum("ij,ljm->lijm", cube.first, lines(speeds, axis))
        linear = linear - DISSIPATION * cube.fourth[None, :, :, None]
        scalar = np.eye(cube.n)[None, :, :, None] - cube.dt * linear
        matrices = np.einsum("lijm,mn->limjn", scalar, np.eye(5))
        waves = np.moveaxis(solve_points(vectors, np.moveaxis(right, 0, -1)), -1, 0)
        waves = solve_lines(matrices, waves, axis)
        right = np.einsum("xyzmn,nxyz->mxyz", vectors, waves)
    return right


def lu(cube: Cube, u: Array, right: Array) -> Array:
    """Points with the same i + j + k take nothing from each other."""
    n = cube.n
    diagonal = np.zeros((n, n, n, 5, 5)) + np.eye(5)
    couplings: list[dict[int, Array]] = []  # of a point, to the row behind it and to that before
    for axis in range(3):
        convected, diffused = jacobians(u, axis)
        first, second = cube.dt * cube.first[1, 2], cube.dt * cube.second[1, 2]
        diagonal += 2 * second * diffused
        couplings.append({side: side * first * convected - second * diffused for side in (-1, 1)})
    number: NDArray[np.intp] = np.indices((n, n, n)).sum(axis=0)
    inner = cube.inside(np.ones((1, n, n, n)))[0] > 0
    planes = [np.nonzero(inner & (number == sum_)) for sum_ in range(3, 3 * n - 5)]
    change = np.zeros((n, n, n, 5))
    right_sides = np.moveaxis(right, 0, -1)

    def taken(points: tuple[NDArray[np.intp], ...], side: int) -> Array:
        total = np.zeros((len(points[0]), 5))
        for axis in range(3):
            neighbour = list(points)
            neighbour[axis] = neighbour[axis] + side
            block = couplings[axis][side][tuple(neighbour)]
            total += np.einsum("pmn,pn->pm", block, change[tuple(neighbour)])
        return total

    for points in planes:
        change[points] = solve_points(
            diagonal[points], right_sides[points] - OMEGA * taken(points, -1)
        )
    for points in reversed(planes):
        change[points] -= OMEGA * solve_points(diagonal[points], taken(points, 1))
    return np.moveaxis(change, -1, 0) / (OMEGA * (2 - OMEGA))


SCHEMES = {"bt": bt, "sp": sp, "lu": lu}


def march(benchmark: str, cube: Cube, steps: int) -> Array:
    """u after so many steps from the start."""
    u = cube.start
    for _ in range(steps):
        u = u + SCHEMES[benchmark](cube, u, cube.dt * cube.residual(u))
    return u


def surface_integral(cube: Cube, u: Array) -> float:
    """LU's integral of the pressure over the faces of a box that is not symmetric."""
    box = pressure(u)[1:-1, 1:-2, 2:-1]
    total = 0.0
    for axis in range(3):
        for at in (0, -1):
            face: Array = np.take(box, at, axis)
            rows = face[:-1] + face[1:]
            total += float((rows[:, :-1] + rows[:, 1:]).sum())
    return 0.25 * total / (cube.n - 1) ** 2
