"""The boxes of ww-rupture made here once more, and written as files of partitioned meshes.

Faces are matched by their vertices, and nothing is taken from the program but the order in which it
numbers cells and their vertices, without which results could not be compared to rounding.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
Node = tuple[int, int, int]
Tag = Callable[[list[Node]], int]


def _is_even(order: Sequence[int]) -> bool:
    return sum(a > b for a, b in itertools.combinations(order, 2)) % 2 == 0


TURNS = [order for order in itertools.permutations(range(4)) if _is_even(order)]


def _tetrahedra() -> list[list[Node]]:
    """The six of a cube, each on a way from one corner to the opposite one."""
    tetrahedra = []
    for permutation in itertools.permutations(range(3)):
        nodes = [(0, 0, 0)]
        for axis in permutation:
            at = list(nodes[-1])
            at[axis] += 1
            nodes.append((at[0], at[1], at[2]))
        if not _is_even(permutation):
            nodes[1], nodes[2] = nodes[2], nodes[1]
        tetrahedra.append(nodes)
    return tetrahedra


@dataclass(frozen=True)
class Mesh:
    vertices: npt.NDArray[np.float64]
    """(cells, 4, 3)"""
    faces: npt.NDArray[np.int64]
    """(cells, 4, 4): tag, neighbour's cell or -1, its face, rotation"""


def box(lines: Sequence[Sequence[float]], tag: Tag) -> Mesh:
    """Cubes between lines of x, y and z.

    Args:
        tag: of the three nodes of a face, given by their numbers of lines; 0 inside.
    """
    counts = [len(coordinates) - 1 for coordinates in lines]
    cells: list[list[Node]] = []
    for cube, corner in enumerate(itertools.product(*map(range, counts))):
        for t, nodes in enumerate(_tetrahedra()):
            turn = TURNS[(7 * cube + 5 * t) % 12]
            placed = [tuple(a + b for a, b in zip(corner, nodes[v], strict=True)) for v in turn]
            cells.append([(at[0], at[1], at[2]) for at in placed])

    where: dict[frozenset[Node], list[tuple[int, int]]] = {}
    for cell, nodes in enumerate(cells):
        for face, corners in enumerate(FACES):
            where.setdefault(frozenset(nodes[v] for v in corners), []).append((cell, face))
    faces = np.zeros((len(cells), 4, 4), np.int64)
    for sides in where.values():
        for (cell, face), *others in itertools.permutations(sides):
            mine = [cells[cell][v] for v in FACES[face]]
            faces[cell, face] = (tag(mine), -1, 0, 0)
            for neighbour, neighbour_face in others:
                theirs = [cells[neighbour][v] for v in FACES[neighbour_face]]
                faces[cell, face, 1:] = (neighbour, neighbour_face, theirs.index(mine[0]))
    points = [[[lines[d][node[d]] for d in range(3)] for node in nodes] for nodes in cells]
    return Mesh(np.array(points, np.float64), faces)


def write(mesh: Mesh, part_of: npt.NDArray[np.int64], path: Path) -> None:
    """Writes a mesh cut into parts: part_of is (cells,)."""
    parts = int(part_of.max()) + 1
    blocks = [_block(mesh, part_of, part) for part in range(parts)]
    begin = 64 + 32 * parts
    index = b""
    for counts, data in blocks:
        index += struct.pack("<4q", begin, *counts)
        begin += len(data)
    header = struct.pack("<8s7q", b"WWMESH\0\0", 1, parts, len(part_of), 1, 0, 0, 0)
    path.write_bytes(header + index + b"".join(data for _, data in blocks))


def _block(mesh: Mesh, part_of: npt.NDArray[np.int64], part: int) -> tuple[list[int], bytes]:
    own = np.flatnonzero(part_of == part)
    local = {int(cell): i for i, cell in enumerate(own)}
    ghosts = []
    for cell in own:
        for face in range(4):
            _, neighbour, neighbour_face, _ = map(int, mesh.faces[cell, face])
            if neighbour >= 0 and part_of[neighbour] != part:
                lower = min((int(cell), face), (neighbour, neighbour_face))
                ghosts.append((int(part_of[neighbour]), *lower, int(cell), face))
    ghosts.sort()
    faces = mesh.faces[own].astype("<i4")
    for i, cell in enumerate(own):
        for face in range(4):
            faces[i, face, 1] = local.get(int(mesh.faces[cell, face, 1]), -1)
    for k, ghost in enumerate(ghosts):
        faces[local[ghost[3]], ghost[4], 1] = len(own) + k
    shared = sorted({ghost[0] for ghost in ghosts})
    neighbours = [(owner, sum(ghost[0] == owner for ghost in ghosts)) for owner in shared]
    data = mesh.vertices[own].astype("<f8").tobytes() + own.astype("<i8").tobytes()
    data += np.zeros(2 * len(own), "<i4").tobytes() + faces.tobytes()
    data += np.array(neighbours, "<i4").tobytes()
    data += np.array([(local[cell], face) for *_, cell, face in ghosts], "<i4").tobytes()
    data += b"\0" * (-len(data) % 8)
    return [len(own), len(neighbours), len(ghosts)], data
