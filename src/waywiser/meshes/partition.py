"""Which part each cell belongs to: METIS on the graph of cells, weighted by their work.

Source: G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular
graphs", SIAM Journal on Scientific Computing 20(1), 1998, doi 10.1137/S1064827595287997.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.meshes.tetrahedra import NONE, RUPTURE, Integers, Mesh, Neighbours

CELL, FAULT_FACE = 2, 1
"""Weight of a cell's update and of each of its faces on the fault: the friction on a face costs as
much as the update of a cell (152.6 and 154.8 thousand operations at order 4), and has two sides."""


def pymetis_module() -> ModuleType:
    """Raises ToolMissing where METIS is not installed."""
    try:
        import pymetis
    except ImportError:
        raise ToolMissing(
            "meshes are partitioned by METIS, and pymetis is not here: pip install 'waywiser[mesh]'"
        ) from None
    module: ModuleType = pymetis
    return module


def work(clusters: Integers, tags: Integers) -> Integers:
    """Of each cell in a step of the slowest cluster: its updates, with its faces on the fault."""
    updates = 1 << (clusters.max() - clusters)
    return np.asarray(updates * (CELL + FAULT_FACE * (tags == RUPTURE).sum(axis=1)))


def partition(mesh: Mesh, neighbours: Neighbours, clusters: Integers, parts: int) -> Integers:
    """The part of each cell, shape (cells,); both cells of a face on the fault are in one part.

    Balances `work`, and cuts as few exchanges between cells as it can.

    Raises:
        InvalidCommand: there are more parts than can be filled.
    """
    groups = _kept_together(mesh.tags, neighbours)
    pymetis = pymetis_module()
    starts, ends, exchanges = _graph(groups, neighbours, clusters)
    weights = np.bincount(groups, work(clusters, mesh.tags)).astype(np.int64)
    if parts > len(weights):
        raise InvalidCommand(f"--ranks {parts}: the mesh has no more than {len(weights):,} parts")
    _, of_group = pymetis.part_graph(
        parts, pymetis.CSRAdjacency(starts, ends), vweights=weights, eweights=exchanges
    )
    found = np.asarray(of_group)[groups]
    if len(np.unique(found)) < parts:
        raise InvalidCommand(
            f"--ranks {parts}: too many for {len(clusters):,} cells, METIS left a part empty"
        )
    return found


def _kept_together(tags: Integers, neighbours: Neighbours) -> Integers:
    """A number for each cell, the same for cells that faces of the fault join."""
    behind = np.where(tags == RUPTURE, neighbours.cell, np.arange(len(tags))[:, None])
    least = np.arange(len(tags))
    while True:
        lower = np.minimum(least, least[behind].min(axis=1))
        if (lower == least).all():
            return np.unique(least, return_inverse=True)[1]
        least = lower


def _graph(
    groups: Integers, neighbours: Neighbours, clusters: Integers
) -> tuple[Integers, Integers, Integers]:
    """Which groups are neighbours, in compressed rows: starts, ends, exchanges.

    Cells exchange in each step of the slower one.
    """
    cell, face = np.nonzero(neighbours.cell != NONE)
    other = neighbours.cell[cell, face]
    exchanges = 1 << (clusters.max() - np.maximum(clusters[cell], clusters[other]))
    between = groups[cell] != groups[other]
    count = groups.max() + 1
    edges, index = np.unique((groups[cell] * count + groups[other])[between], return_inverse=True)
    weights = np.bincount(index, exchanges[between]).astype(np.int64)
    starts = np.searchsorted(edges // count, np.arange(count + 1))
    return starts, edges % count, weights
