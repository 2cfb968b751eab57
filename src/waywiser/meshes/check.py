"""Requirements of a mesh for a solver: it is complete, correctly oriented and tagged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waywiser.errors import InvalidMesh
from waywiser.meshes.tetrahedra import (
    ABSORBING,
    FREE_SURFACE,
    NAMES,
    REGULAR,
    RUPTURE,
    Integers,
    Mesh,
    Neighbours,
    neighbours_of,
)

FLATTEST = 1e-6
"""Radius of the insphere over the longest edge; 0.204 is the regular tetrahedron's. A cell below
it has no volume to the precision of its coordinates."""

TAGS = ", ".join(f"{tag} ({name})" for tag, name in NAMES.items())


def checked(mesh: Mesh, file: Path | None = None) -> Neighbours:
    """Return the faces that meet in a mesh, after all checks have passed.

    Args:
        file: of the mesh, for messages; None if it was not read from one.

    Raises:
        InvalidMesh: a check failed; the message has every fault, each with its first cell.
    """
    try:
        return _checked(mesh)
    except InvalidMesh as error:
        raise InvalidMesh(f"{file}: {error}" if file else str(error)) from None


def _checked(mesh: Mesh) -> Neighbours:
    # Cells that share a node twice or have no volume make no faces that could be compared.
    if complaints := [*_shapes(mesh)]:
        raise InvalidMesh("; ".join(complaints))
    neighbours = neighbours_of(mesh.cells)
    if complaints := [*_tags(mesh.tags, neighbours)]:
        raise InvalidMesh("; ".join(complaints))
    return neighbours


def _shapes(mesh: Mesh) -> Iterator[str]:
    # A volume that overflows, as with huge coordinates, is not valid either.
    with np.errstate(all="ignore"):
        corners = mesh.corners()
        edges = [corners[:, i] - corners[:, j] for i in range(4) for j in range(i)]
        longest = np.sqrt(np.max([np.einsum("ij,ij->i", edge, edge) for edge in edges], axis=0))
        flat = ~(np.abs(mesh.insphere_radii()) > FLATTEST * longest)
        inside_out = (mesh.volumes() < 0) & ~flat
    if text := _cells(flat):
        yield f"{text} no volume"
    if text := _cells(inside_out):
        yield f"{text} a negative volume: swap two nodes of each"


def _tags(tags: Integers, neighbours: Neighbours) -> Iterator[str]:
    missing = neighbours.missing
    behind = np.where(missing, REGULAR, tags[neighbours.cell, neighbours.face])
    for wrong, says in (
        (~np.isin(tags, list(NAMES)), f"a face with a tag that is none of {TAGS}"),
        (
            missing & ~np.isin(tags, (FREE_SURFACE, ABSORBING)),
            f"a face without neighbour that is tagged neither {FREE_SURFACE} nor {ABSORBING}",
        ),
        (
            ~missing & np.isin(tags, (FREE_SURFACE, ABSORBING)),
            f"a face tagged {FREE_SURFACE} or {ABSORBING} with a neighbour behind it",
        ),
        (
            ~missing & (tags == RUPTURE) & (behind != RUPTURE),
            f"a face tagged {RUPTURE} that its neighbour does not tag so",
        ),
    ):
        if text := _cells(np.asarray(wrong.any(axis=1))):
            yield f"{text} {says}"


def _cells(wrong: NDArray[np.bool_]) -> str:
    """ "cell 3 has", "cells 3 and 8 more have", or "" if none is wrong."""
    cells = np.flatnonzero(wrong)
    if not len(cells):
        return ""
    if len(cells) == 1:
        return f"cell {cells[0]} has"
    return f"cell {cells[0]} and {len(cells) - 1:,} more have"


def fault_area(mesh: Mesh) -> float:
    """Return the area of the faces tagged as fault [m²], each counted once."""
    return float(mesh.areas()[mesh.tags == RUPTURE].sum() / 2)


def volumes_of_groups(mesh: Mesh) -> dict[int, float]:
    """Return group -> volume [m³]."""
    groups, index = np.unique(mesh.groups, return_inverse=True)
    volumes: NDArray[Any] = np.bincount(index, weights=mesh.volumes())
    return {int(group): float(volume) for group, volume in zip(groups, volumes, strict=True)}
