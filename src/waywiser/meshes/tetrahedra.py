"""Tetrahedra in groups, with tags on their faces, and the neighbours behind the faces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waywiser.errors import InvalidMesh

Floats = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]

FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
"""Local vertices of a cell's faces, anticlockwise from outside: the order of SeisSol and PUML."""

REGULAR, FREE_SURFACE, RUPTURE, ABSORBING = 0, 1, 3, 5
"""Tags of faces. A face within the mesh is regular or of a fault, one at its end neither."""

NAMES = {
    REGULAR: "regular",
    FREE_SURFACE: "free surface",
    RUPTURE: "dynamic rupture",
    ABSORBING: "absorbing",
}
NONE = -1


@dataclass(frozen=True)
class Mesh:
    """Tetrahedra of positive volume."""

    nodes: Floats
    """Coordinates [m], shape (nodes, 3)."""

    cells: Integers
    """Nodes of each cell, shape (cells, 4); the determinant of its edges from the first is > 0."""

    groups: Integers
    """Group of each cell, e.g. a layer; shape (cells,)."""

    tags: Integers
    """Tag of each face, shape (cells, 4), in the order of `FACES`."""

    def corners(self) -> Floats:
        """Coordinates [m] of each cell's nodes, shape (cells, 4, 3)."""
        return self.nodes[self.cells]

    def volumes(self) -> Floats:
        """The volume of each cell [m³]; below 0 where the order of its nodes is wrong."""
        corners = self.corners()
        a, b, c = (corners[:, i] - corners[:, 0] for i in (1, 2, 3))
        return np.asarray(np.einsum("ij,ij->i", a, np.cross(b, c)) / 6)

    def areas(self) -> Floats:
        """The area of each cell's faces [m²], shape (cells, 4)."""
        corners = self.corners()
        areas = np.empty(self.cells.shape)
        for face, (a, b, c) in enumerate(FACES):
            across = np.cross(corners[:, b] - corners[:, a], corners[:, c] - corners[:, a])
            areas[:, face] = np.linalg.norm(across, axis=1) / 2
        return areas

    def insphere_radii(self) -> Floats:
        """The insphere radius of each cell [m]: three volumes over the area."""
        return np.asarray(3 * self.volumes() / self.areas().sum(axis=1))

    def centres(self) -> Floats:
        """Barycentres of the cells [m], shape (cells, 3)."""
        return np.asarray(self.corners().mean(axis=1))


@dataclass(frozen=True)
class Neighbours:
    """The neighbour behind each face of each cell; all arrays are of shape (cells, 4)."""

    cell: Integers
    """Number of the neighbouring cell; `NONE` at the end of the mesh."""

    face: Integers
    """Number of the neighbour's face, 0 to 3; 0 where there is no neighbour."""

    turn: Integers
    """Position of this face's first vertex in the neighbour's face, 0 to 2. The other two follow
    against that face's order, because each face is seen from its own cell."""

    @property
    def missing(self) -> NDArray[np.bool_]:
        return np.asarray(self.cell == NONE)


def neighbours_of(cells: Integers) -> Neighbours:
    """Match the faces that two cells share.

    Args:
        cells: nodes of each cell, shape (cells, 4).

    Raises:
        InvalidMesh: more than two cells share a face, or two share it from the same side.
    """
    faces = cells[:, FACES].reshape(-1, 3)
    nodes = np.sort(faces, axis=1)
    order = np.lexsort(nodes.T)
    same = (nodes[order[1:]] == nodes[order[:-1]]).all(axis=1)
    if (same[1:] & same[:-1]).any():
        third = order[1:-1][same[1:] & same[:-1]][0]
        raise InvalidMesh(f"more than two cells share face {third % 4} of cell {third // 4}")
    first, second = order[:-1][same], order[1:][same]

    behind = np.full(len(faces), NONE, dtype=np.int64)
    behind[first], behind[second] = second, first
    turn = np.zeros(len(faces), dtype=np.int8)
    for mine, its in ((first, second), (second, first)):
        turn[mine] = (faces[its] == faces[mine][:, :1]).argmax(axis=1)
    _refuse_same_side(faces, first, second, turn)
    return Neighbours(
        cell=np.where(behind == NONE, NONE, behind // 4).reshape(-1, 4),
        face=np.where(behind == NONE, 0, behind % 4).astype(np.int8).reshape(-1, 4),
        turn=turn.reshape(-1, 4),
    )


def _refuse_same_side(faces: Integers, first: Integers, second: Integers, turn: Integers) -> None:
    """Refuse faces that two cells share from the same side: the vertex order must be opposite."""
    before = np.take_along_axis(faces[second], (turn[first].astype(int)[:, None] - 1) % 3, axis=1)
    wrong = before[:, 0] != faces[first, 1]
    if wrong.any():
        cell, its = first[wrong][0] // 4, second[wrong][0] // 4
        raise InvalidMesh(f"cells {cell} and {its} are on the same side of the face they share")
