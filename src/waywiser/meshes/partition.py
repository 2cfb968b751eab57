"""Assign cells to parts: METIS partitions the graph of cells, weighted by their work.

A tick is a step of cluster 0. At each tick, clusters 0 to l step, and ranks wait for their
neighbours' values: the work of every such set of clusters is balanced.

Source: G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular
graphs", SIAM Journal on Scientific Computing 20(1), 1998, doi 10.1137/S1064827595287997.
"""

from __future__ import annotations

import numpy as np

from waywiser.errors import InvalidCommand
from waywiser.meshes.metis import part_graph
from waywiser.meshes.tetrahedra import NONE, RUPTURE, Integers, Mesh, Neighbours

CELL, FAULT_FACE = 2, 1
"""Weight of a cell's update and of each of its faces on the fault. The friction on a face costs as
much as the update of a cell (152.6 and 154.8 thousand operations at order 4). A face has two sides.
"""


def work(tags: Integers) -> Integers:
    """Return the work of each cell in one step: its update, and those of its faces on the fault."""
    return np.asarray(CELL + FAULT_FACE * (tags == RUPTURE).sum(axis=1))


def work_at_ticks(owners: Integers, clusters: Integers, tags: Integers) -> Integers:
    """Return the work of each owner of cells at a tick at which clusters 0 to l step, shape
    (owners, clusters)."""
    sums = np.zeros((owners.max() + 1, clusters.max() + 1), np.int64)
    np.add.at(sums, (owners, clusters), work(tags))
    return sums.cumsum(axis=1)


def ticks_of(clusters: int) -> Integers:
    """Count the ticks in a step of the last cluster at which exactly clusters 0 to l step, for each
    l."""
    return np.array([*(1 << np.arange(clusters - 1)[::-1]), 1])


def load_balances(at_ticks: Integers) -> tuple[float, float]:
    """Return the mean work of the parts over that of the busiest one, overall and when parts wait
    for the busiest one at each tick.

    Args:
        at_ticks: work of the parts, from `work_at_ticks`.
    """
    works = at_ticks * ticks_of(at_ticks.shape[1])
    mean = works.sum() / len(works)
    return float(mean / works.sum(axis=1).max()), float(mean / works.max(axis=0).sum())


def partition(mesh: Mesh, neighbours: Neighbours, clusters: Integers, parts: int) -> Integers:
    """The part of each cell, shape (cells,); both cells of a face on the fault are in one part.

    The `work` of every tick is balanced, since ranks meet at each, and thus all work. As few
    exchanges between cells as possible are cut.

    Raises:
        InvalidCommand: there are more parts than can be filled.
    """
    groups = _kept_together(mesh.tags, neighbours)
    weights = work_at_ticks(groups, clusters, mesh.tags)
    if parts > len(weights):
        raise InvalidCommand(f"--ranks {parts}: the mesh has no more than {len(weights):,} parts")
    starts, ends, exchanges = _graph(groups, neighbours, clusters)
    part_of_cell = part_graph(parts, starts, ends, weights, exchanges)[groups]
    if len(np.unique(part_of_cell)) < parts:
        raise InvalidCommand(
            f"--ranks {parts}: too many for {len(clusters):,} cells, METIS left a part empty"
        )
    return part_of_cell


def _kept_together(tags: Integers, neighbours: Neighbours) -> Integers:
    """Number the groups of cells: cells that faces of the fault join have the same number."""
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
    """Return the graph of neighbouring groups in compressed rows: starts, ends, exchanges.

    Cells exchange in each step of the slower one.
    """
    cell, face = np.nonzero(neighbours.cell != NONE)
    neighbour = neighbours.cell[cell, face]
    exchanges = 1 << (clusters.max() - np.maximum(clusters[cell], clusters[neighbour]))
    between = groups[cell] != groups[neighbour]
    count = groups.max() + 1
    edges, index = np.unique(
        (groups[cell] * count + groups[neighbour])[between], return_inverse=True
    )
    weights = np.bincount(index, exchanges[between]).astype(np.int64)
    starts = np.searchsorted(edges // count, np.arange(count + 1))
    return starts, edges % count, weights
