"""The file of a mesh cut into parts that `ww-rupture` reads; `mesh_file.hpp` there describes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from waywiser.errors import NotSaved
from waywiser.meshes.partition import CELL, ticks_of, work_at_ticks
from waywiser.meshes.tetrahedra import NONE, Integers, Mesh, Neighbours
from waywiser.model.mesh import MeshPart
from waywiser.progress import steps

MAGIC = b"WWMESH\0\0"
VERSION = 1


@dataclass(frozen=True)
class Part:
    """The arrays of a part's block, in the order of the file."""

    vertices: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
    """Coordinates [m], shape (cells, 4, 3)."""

    ids: Integers
    """Numbers of the cells in the whole mesh, shape (cells,), ascending."""

    groups: Integers
    clusters: Integers
    faces: Integers
    """Tag, neighbour, the neighbour's face and rotation of each face, shape (cells, 4, 4)."""

    neighbours: Integers
    """Part and ghosts shared with it, shape (neighbours, 2)."""

    ghosts: Integers
    """Cell and face, shape (ghosts, 2)."""

    def arrays(self) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.generic]], ...]:
        return (
            self.vertices.astype("<f8"),
            self.ids.astype("<i8"),
            *(
                array.astype("<i4")
                for array in (self.groups, self.clusters, self.faces, self.neighbours, self.ghosts)
            ),
        )


def part_of(
    mesh: Mesh, neighbours: Neighbours, clusters: Integers, parts: Integers, part: int
) -> Part:
    """Extract one part of a mesh.

    Args:
        clusters: of each cell, shape (cells,).
        parts: the part of each cell, shape (cells,).
    """
    ids = np.flatnonzero(parts == part)
    behind, its_face = neighbours.cell[ids], neighbours.face[ids]
    inside = (behind != NONE) & (parts[behind] == part)
    # Entries of cells in other parts are wrong here and replaced below.
    places = np.where(inside, np.searchsorted(ids, behind), NONE)
    cell, face = np.nonzero((behind != NONE) & ~inside)
    beyond, beyond_face = behind[cell, face], its_face[cell, face]
    lower = ids[cell] < beyond
    order = np.lexsort(
        (np.where(lower, face, beyond_face), np.where(lower, ids[cell], beyond), parts[beyond])
    )
    cell, face = cell[order], face[order]
    places[cell, face] = len(ids) + np.arange(len(cell))
    tags = mesh.tags[ids]
    return Part(
        vertices=mesh.nodes[mesh.cells[ids]],
        ids=ids,
        groups=mesh.groups[ids],
        clusters=clusters[ids],
        faces=np.stack([tags, places, its_face, neighbours.turn[ids]], axis=2),
        neighbours=np.stack(np.unique(parts[beyond], return_counts=True), axis=1),
        ghosts=np.stack([cell, face], axis=1),
    )


def write_parts(
    path: Path, mesh: Mesh, neighbours: Neighbours, clusters: Integers, parts: Integers
) -> tuple[MeshPart, ...]:
    """Write the parts 0, 1, … of a mesh, and describe each.

    Raises:
        NotSaved: the file cannot be written.
    """
    count = int(parts.max()) + 1
    at_ticks = work_at_ticks(parts, clusters, mesh.tags)
    works = at_ticks @ ticks_of(at_ticks.shape[1]) / CELL
    header = np.array([VERSION, count, len(parts), clusters.max() + 1, 0, 0, 0], "<i8")
    index = np.zeros((count, 4), "<i8")
    written = []
    try:
        with path.open("wb") as file:
            file.write(MAGIC + header.tobytes() + index.tobytes())
            for number in steps("writing parts", range(count), count):
                part = part_of(mesh, neighbours, clusters, parts, number)
                sizes = {
                    "cells": len(part.ids),
                    "neighbours": len(part.neighbours),
                    "ghosts": len(part.ghosts),
                }
                index[number] = (file.tell(), *sizes.values())
                for array in part.arrays():
                    array.tofile(file)
                written.append(MeshPart(work=works[number], **sizes))
            # Last, so that a file that was cut short has parts without cells and is refused.
            file.seek(len(MAGIC) + header.nbytes)
            index.tofile(file)
    except OSError as error:
        raise NotSaved(f"{path}: {error.strerror or 'cannot be written'}") from error
    return tuple(written)
