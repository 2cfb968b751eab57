"""Time steps of cells, and their clusters for local time stepping of rate 2.

Sources: A. Breuer, A. Heinecke, M. Bader, "Petascale local time stepping for the ADER-DG finite
element method", IPDPS 2016, doi 10.1109/IPDPS.2016.109; C. Uphoff et al., "Extreme scale multi-
physics simulations of the tsunamigenic 2004 Sumatra megathrust earthquake", SC17,
doi 10.1145/3126908.3126948, for the two sides of a fault.
"""

from __future__ import annotations

import numpy as np

from waywiser.meshes.tetrahedra import RUPTURE, Floats, Integers, Mesh, Neighbours


def time_steps(mesh: Mesh, p_speeds: Floats, order: int, cfl: float) -> Floats:
    """CFL · 2 r / (vp (2 order - 1)) of each cell [s], r the insphere's radius.

    Args:
        p_speeds: of P waves in each cell [m/s], shape (cells,).
    """
    return np.asarray(cfl * 2 * mesh.insphere_radii() / (p_speeds * (2 * order - 1)))


def clusters_of(steps: Floats, neighbours: Neighbours, tags: Integers) -> Integers:
    """Return the cluster of each cell, shape (cells,): cells of cluster l step 2^l shortest steps.

    A cell is in the largest cluster whose step is no longer than the cell's own. Its l is at most
    one more than any neighbour's, and no more than that of the cell on the other side of a fault.
    """
    # frexp instead of log2: a step of exactly 2^l shortest ones must not be rounded below l.
    clusters = np.frexp(steps / steps.min())[1] - 1
    room = np.where(tags == RUPTURE, 0, 1)
    own = np.arange(len(clusters))[:, None]
    behind = np.where(neighbours.missing, own, neighbours.cell)
    while True:
        limited = np.minimum(clusters, (clusters[behind] + room).min(axis=1))
        if (limited == clusters).all():
            return np.asarray(clusters)
        clusters = limited


def histogram(clusters: Integers) -> tuple[int, ...]:
    """Count the cells in each cluster, from the shortest step on."""
    return tuple(int(count) for count in np.bincount(clusters))


def speed_up(counts: tuple[int, ...]) -> float:
    """Return the updates of cells with equal steps for all, over those with clusters."""
    updates = sum(count * 0.5**cluster for cluster, count in enumerate(counts))
    return sum(counts) / updates
