"""Small meshes of boxes, cut into tetrahedra by hand: no mesher is needed for what they show."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waywiser.meshes.cases import Case, Circle, Rectangle, Sizes
from waywiser.meshes.labels import labelled
from waywiser.meshes.mirror import mirrored
from waywiser.meshes.tetrahedra import Floats, Mesh

SMALL = Case(
    name="small",
    half_width=4,
    depth=4,
    fault=Rectangle(x=(-2, 1), z=(-2, 0)),
    patches=(Circle(0, -1, 0.5),),
    sizes=Sizes(at_fault=1, slope=0, reach=10, largest=1),
    layer=1,
    p_speeds=((-np.inf, 5), (-1, 3), (1, 6)),
    counts=((1, 1000),),
)
"""A benchmark in small, of whole metres."""


def grid(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> tuple[Floats, NDArray[np.int64]]:
    """Nodes and cells of a box that planes at these coordinates cut into bricks, and each brick
    into six tetrahedra along its main diagonal (H. Freudenthal, Annals of Mathematics 43, 1942)."""
    bricks = np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).astype(float)
    shape, nodes = bricks.shape[:3], bricks.reshape(-1, 3)
    corner = np.stack(np.meshgrid(*(np.arange(n - 1) for n in shape), indexing="ij"), axis=-1)
    cells = []
    for path in permutations(range(3)):
        steps = np.zeros((4, 3), int)
        for i, axis in enumerate(path):
            steps[i + 1 :, axis] = 1
        places = (corner.reshape(-1, 1, 3) + steps).transpose(2, 0, 1)
        numbers = np.ravel_multi_index(tuple(places), shape)
        odd = np.linalg.det(np.eye(3)[list(path)]) < 0
        cells.append(numbers[:, [0, 1, 3, 2]] if odd else numbers)
    return nodes, np.vstack(cells)


def small_half(spacing: float = 1) -> Mesh:
    count = round(4 / spacing)
    sides = np.linspace(-4, 4, 2 * count + 1)
    return labelled(SMALL, *grid(sides, sides[count:], sides[: count + 1]))


def small_mesh(spacing: float = 1) -> Mesh:
    """The whole of `SMALL`, with bricks of `spacing` m."""
    return mirrored(small_half(spacing))


def shuffled(mesh: Mesh, seed: int) -> Mesh:
    """The same mesh with other numbers of nodes and cells, and cells turned in themselves."""
    random = np.random.default_rng(seed)
    node = random.permutation(len(mesh.nodes))
    nodes = np.empty_like(mesh.nodes)
    nodes[node] = mesh.nodes
    # The twelve rotations of a tetrahedron, of which three stand for all: each keeps the volume.
    turns: list[list[int]] = [[0, 1, 2, 3], [1, 2, 0, 3], [1, 0, 3, 2]]
    cells, tags = node[mesh.cells], mesh.tags.copy()
    opposite: dict[frozenset[int], int] = {
        frozenset({0, 1, 2}): 0,
        frozenset({0, 1, 3}): 1,
        frozenset({1, 2, 3}): 2,
        frozenset({0, 2, 3}): 3,
    }
    chosen = random.integers(len(turns), size=len(cells))
    for number, turn in enumerate(turns):
        faces = [opposite[frozenset(turn[i] for i in face)] for face in opposite]
        of: NDArray[Any] = chosen == number
        cells[of], tags[of] = cells[of][:, turn], tags[of][:, faces]
    order = random.permutation(len(cells))
    return Mesh(nodes, cells[order], mesh.groups[order], tags[order])


def import_of(file: Path, *options: str) -> list[str]:
    """The words of `waywiser mesh import` of a file for two ranks, into FILE.wwmesh."""
    return ["mesh", "import", str(file), "--ranks", "2", "-o", str(file) + ".wwmesh", *options]
