"""A half of a mesh, y ≥ 0, and its image in the plane y = 0 as one mesh."""

from __future__ import annotations

import numpy as np

from waywiser.meshes.tetrahedra import Mesh

SWAPPED = (0, 1, 3, 2)
"""Order of an image's nodes: a mirror turns a cell inside out, and the swap turns it back."""

SWAPPED_FACES = (1, 0, 2, 3)
"""Faces of an image with these nodes, by their place in the mirrored cell."""


def mirrored(half: Mesh) -> Mesh:
    """Return the half, then its image cell by cell; nodes with y = 0 are shared.

    Faces in the plane y = 0 keep their tags on both sides.
    """
    shared = half.nodes[:, 1] == 0
    count = len(half.nodes)
    image = np.arange(count)
    image[~shared] = count + np.arange(count - shared.sum())
    return Mesh(
        nodes=np.vstack([half.nodes, half.nodes[~shared] * [1, -1, 1]]),
        cells=np.vstack([half.cells, image[half.cells][:, SWAPPED]]),
        groups=np.concatenate([half.groups, half.groups]),
        tags=np.vstack([half.tags, half.tags[:, SWAPPED_FACES]]),
    )
