"""Shallow water on a spherical Voronoi mesh in NumPy, whole arrays at a time: what ww-shallow
integrates, on a mesh of its own.

Triangles come from faces of the icosahedron that are cut in four, cells from what touches them. All
operators are sparse sums over pairs of numbers, written as `np.add.at` or as gathers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Real = NDArray[np.float64]
Whole = NDArray[np.int64]

RADIUS = 6371220.0
ROTATION = 7.292e-5
GRAVITY = 9.80616
DAY = 86400.0


def unit(points: Real) -> Real:
    return np.asarray(points / np.linalg.norm(points, axis=-1, keepdims=True))


def dot(a: Real, b: Real) -> Real:
    return np.asarray((a * b).sum(axis=-1))


def arc(a: Real, b: Real) -> Real:
    return np.asarray(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), dot(a, b)))


def area(a: Real, b: Real, c: Real) -> Real:
    """Areas of spherical triangles, which are their excess."""
    volume = dot(a, np.cross(b, c))
    return np.asarray(2 * np.arctan2(np.abs(volume), 1 + dot(a, b) + dot(b, c) + dot(c, a)))


def icosahedron() -> tuple[Real, Whole]:
    """Corners at (0, +-1, +-phi) and what this is when axes change places; counter-clockwise
    faces."""
    phi = (1 + math.sqrt(5)) / 2
    signs = [(a, b) for a in (1, -1) for b in (phi, -phi)]
    corners = np.array([np.roll((0, a, b), turn) for turn in range(3) for a, b in signs])
    faces = []
    for i in range(12):
        for j in range(12):
            for k in range(12):
                sides = [
                    np.linalg.norm(corners[m] - corners[n]) for m, n in ((i, j), (j, k), (k, i))
                ]
                first = i < min(j, k)
                if first and np.allclose(sides, 2) and np.linalg.det(corners[[i, j, k]]) > 0:
                    faces.append((i, j, k))
    return unit(corners), np.array(faces)


def bisected(points: Real, faces: Whole) -> tuple[Real, Whole]:
    pairs = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]))
    edges, places = np.unique(pairs, axis=0, return_inverse=True)
    ab, bc, ca = (len(points) + places.reshape(3, -1)).astype(np.int64)
    a, b, c = faces.T
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    middles = unit(points[edges[:, 0]] + points[edges[:, 1]])
    return np.concatenate([points, middles]), np.concatenate([np.stack(p, axis=1) for p in parts])


@dataclass
class Mesh:
    """Cells have centres, triangles are the vertices of cells."""

    centres: Real
    faces: Whole

    @classmethod
    def relaxed(cls, grid: int, iterations: int = 100) -> Mesh:
        points, faces = icosahedron()
        for _ in range(grid):
            points, faces = bisected(points, faces)
        mesh = cls(points, faces)
        for _ in range(iterations):
            mesh = cls(mesh.centroids(), faces)
        return mesh

    @cached_property
    def corners(self) -> Real:
        a, b, c = (self.centres[self.faces[:, k]] for k in range(3))
        return unit(np.cross(b - a, c - a))

    @cached_property
    def edges(self) -> Whole:
        """Cells i and j, and the triangles at the right and at the left of the way from i to j."""
        left = {}
        for number, (a, b, c) in enumerate(self.faces.tolist()):
            left.update({(a, b): number, (b, c): number, (c, a): number})
        return np.array([(i, j, left[j, i], left[i, j]) for i, j in left if i < j])

    def centroids(self) -> Real:
        i, j, right, left = self.edges.T
        normal = np.cross(self.corners[right], self.corners[left])
        angle = arc(self.corners[right], self.corners[left])
        side = normal / np.linalg.norm(normal, axis=1)[:, None] * angle[:, None]
        total = np.zeros_like(self.centres)
        np.add.at(total, i, side)
        np.add.at(total, j, -side)
        return unit(total)

    @cached_property
    def distances(self) -> Real:
        return RADIUS * arc(self.centres[self.edges[:, 0]], self.centres[self.edges[:, 1]])

    @cached_property
    def lengths(self) -> Real:
        return RADIUS * arc(self.corners[self.edges[:, 2]], self.corners[self.edges[:, 3]])

    @cached_property
    def kites(self) -> Real:
        """Areas of each triangle's kites at its three cells [m^2]."""
        kites = np.zeros(self.faces.shape)
        for k in range(3):
            cell, next_, last = (self.centres[self.faces[:, (k + m) % 3]] for m in range(3))
            kites[:, k] = area(cell, unit(cell + next_), self.corners)
            kites[:, k] += area(cell, self.corners, unit(cell + last))
        return np.asarray(kites * RADIUS**2)

    @cached_property
    def cell_areas(self) -> Real:
        areas = np.zeros(len(self.centres))
        np.add.at(areas, self.faces, self.kites)
        return areas

    @cached_property
    def face_areas(self) -> Real:
        return np.asarray(self.kites.sum(axis=1))

    @cached_property
    def tangents(self) -> tuple[Whole, Whole, Real]:
        """Edges e and e', and what the flux across e', its length times velocity, gives to the flux
        along e.

        Walking around a cell counter-clockwise from e, the kites that were passed have a share of
        its area; what leaves the cell across e' counts 1/2 less that share.
        """
        number = {(i, j): n for n, (i, j, *_) in enumerate(self.edges.tolist())}
        kite_after: dict[tuple[int, int], tuple[int, float]] = {}
        for face, kites in zip(self.faces.tolist(), self.kites.tolist(), strict=True):
            for k in range(3):
                key = face[k], face[(k + 1) % 3]
                kite_after[key] = face[(k + 2) % 3], kites[k] / self.cell_areas[face[k]]
        of, by, weights = [], [], []
        for e, (i, j, *_) in enumerate(self.edges.tolist()):
            for cell, start, side in ((i, j, 1), (j, i, -1)):
                neighbour, share = kite_after[cell, start]
                while neighbour != start:
                    of.append(e)
                    by.append(number[min(cell, neighbour), max(cell, neighbour)])
                    weights.append(side * (1 if cell < neighbour else -1) * (0.5 - share))
                    neighbour, passed = kite_after[cell, neighbour]
                    share += passed
        return np.array(of), np.array(by), np.array(weights)


@dataclass
class Flow:
    """A test of Williamson's on a mesh."""

    mesh: Mesh
    test: int = 2
    angle: float = 0.0
    energy: bool = True
    level: int = 0

    def __post_init__(self) -> None:
        mesh = self.mesh
        axis = np.array([-math.sin(self.angle), 0, math.cos(self.angle)])
        speed = 2 * math.pi * RADIUS / (12 * DAY) if self.test == 2 else 20.0
        depth = 2.94e4 / GRAVITY if self.test == 2 else 5960.0
        self.bottom = self.mountain() if self.test == 5 else np.zeros(len(mesh.centres))
        fall = (RADIUS * ROTATION * speed + speed**2 / 2) / GRAVITY
        surface = depth * (1 + self.level / 1000) - fall * (mesh.centres @ axis) ** 2
        self.h = surface - self.bottom
        stream = -RADIUS * speed * (mesh.corners @ axis)
        self.u = -(stream[mesh.edges[:, 3]] - stream[mesh.edges[:, 2]]) / mesh.lengths
        self.coriolis = 2 * ROTATION * (mesh.corners @ axis)

    def mountain(self) -> Real:
        x, y, z = self.mesh.centres.T
        longitude = np.arctan2(y, x) % (2 * math.pi)
        away = np.hypot(longitude - 1.5 * math.pi, np.arcsin(z) - math.pi / 6)
        return np.asarray(2000 * (1 - np.minimum(away, math.pi / 9) / (math.pi / 9)))

    def vorticity(self, h: Real, u: Real) -> tuple[Real, Real]:
        """Absolute, and thickness, at triangles."""
        mesh = self.mesh
        curl = np.zeros(len(mesh.faces))
        np.add.at(curl, mesh.edges[:, 3], u * mesh.distances)
        np.add.at(curl, mesh.edges[:, 2], -u * mesh.distances)
        thickness = (mesh.kites * h[mesh.faces]).sum(axis=1) / mesh.face_areas
        return self.coriolis + curl / mesh.face_areas, thickness

    def rates(self, h: Real, u: Real) -> tuple[Real, Real]:
        mesh = self.mesh
        i, j, right, left = mesh.edges.T
        flux = (h[i] + h[j]) / 2 * u
        out = np.zeros_like(h)
        np.add.at(out, i, flux * mesh.lengths)
        np.add.at(out, j, -flux * mesh.lengths)
        kinetic = np.zeros_like(h)
        share = mesh.lengths * mesh.distances * u**2 / 4
        np.add.at(kinetic, i, share)
        np.add.at(kinetic, j, share)
        head = GRAVITY * (h + self.bottom) + kinetic / mesh.cell_areas
        absolute, thickness = self.vorticity(h, u)
        q = absolute / thickness
        q = (q[right] + q[left]) / 2
        of, by, weights = mesh.tangents
        mean = (q[of] + q[by]) / 2 if self.energy else q[of]
        turned = np.bincount(of, weights * mesh.lengths[by] * flux[by] * mean, minlength=len(u))
        return -out / mesh.cell_areas, (turned - (head[j] - head[i])) / mesh.distances

    def integrate(self, step: float, steps: int) -> tuple[Real, Real]:
        h, u = self.h, self.u
        for _ in range(steps):
            rates = [self.rates(h, u)]
            for reach in (step / 2, step / 2, step):
                rates.append(self.rates(h + reach * rates[-1][0], u + reach * rates[-1][1]))
            both = zip(*rates, strict=True)
            dh, du = ((a + 2 * b + 2 * c + d) / 6 for a, b, c, d in both)
            h, u = h + step * dh, u + step * du
        return h, u

    def invariants(self, h: Real, u: Real) -> dict[str, float]:
        mesh = self.mesh
        i, j = mesh.edges[:, 0], mesh.edges[:, 1]
        potential = mesh.cell_areas * GRAVITY * h * (h / 2 + self.bottom)
        kinetic = mesh.lengths * mesh.distances * (h[i] + h[j]) * u**2 / 4
        absolute, thickness = self.vorticity(h, u)
        return {
            "mass": float((mesh.cell_areas * h).sum()),
            "energy": float(potential.sum() + kinetic.sum()),
            "enstrophy": float((mesh.face_areas * absolute**2 / thickness).sum() / 2),
        }

    def errors(self, h: Real, u: Real) -> dict[str, float]:
        mesh = self.mesh
        away, areas = np.abs(h - self.h), mesh.cell_areas
        across = mesh.lengths * mesh.distances
        return {
            "h_l1": float((areas * away).sum() / (areas * self.h).sum()),
            "h_l2": float(np.sqrt((areas * away**2).sum() / (areas * self.h**2).sum())),
            "h_greatest": float(away.max() / self.h.max()),
            "u_l2": float(np.sqrt((across * (u - self.u) ** 2).sum() / (across * self.u**2).sum())),
        }
