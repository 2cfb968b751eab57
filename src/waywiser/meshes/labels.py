"""Groups and tags of a benchmark's mesh by the places of cells and faces, with their measures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from waywiser.errors import InvalidMesh
from waywiser.meshes.cases import HOST, LAYER, Case
from waywiser.meshes.check import fault_area, volumes_of_groups
from waywiser.meshes.tetrahedra import (
    ABSORBING,
    FACES,
    FREE_SURFACE,
    REGULAR,
    RUPTURE,
    Floats,
    Integers,
    Mesh,
    neighbours_of,
)

SNAP_M = 1e-6
"""Largest distance of a plane's nodes from the plane; the smallest edges are metres long."""

EXACT = 1e-9
"""Largest relative error of areas and volumes that rounding explains."""


def labelled(case: Case, nodes: Floats, cells: Integers) -> Mesh:
    """Label the half y ≥ 0 of a case's mesh.

    Faces in the plane y = 0 outside the fault are regular: the other half is behind them.

    Args:
        nodes: shape (nodes, 3) [m]; those of the planes are put exactly into them.
        cells: shape (cells, 4).
    """
    nodes = _snapped(case, nodes)
    groups = np.full(len(cells), HOST)
    if case.layer is not None:
        groups[nodes[cells, 1].mean(axis=1) < case.layer] = LAYER
    outer = neighbours_of(cells).missing
    corners = nodes[cells[:, FACES][outer]]
    (left, right), (bottom, top) = case.fault.x, case.fault.z
    x, _, z = corners.mean(axis=1).T
    in_plane = (corners[:, :, 1] == 0).all(axis=1)
    in_fault = in_plane & (left < x) & (x < right) & (bottom < z) & (z < top)
    on_surface = (corners[:, :, 2] == 0).all(axis=1)
    tags = np.full(cells.shape, REGULAR)
    tags[outer] = np.select(
        [in_fault, in_plane, on_surface], [RUPTURE, REGULAR, FREE_SURFACE], ABSORBING
    )
    return Mesh(nodes, cells, groups, tags)


def _snapped(case: Case, nodes: Floats) -> Floats:
    snapped = nodes.copy()
    planes = (
        (-case.half_width, case.half_width),
        (0.0, case.half_width, *([] if case.layer is None else [case.layer])),
        (-case.depth, 0.0),
    )
    for axis, places in enumerate(planes):
        for place in places:
            snapped[np.abs(nodes[:, axis] - place) < SNAP_M, axis] = place
    return snapped


def check_case(case: Case, mesh: Mesh) -> None:
    """Compare areas and volumes of a case's whole mesh with those of its rectangles and boxes.

    Raises:
        InvalidMesh: a face or cell reaches over an edge of the fault or of the layer.
    """
    if wrong := [*_deviations(case, mesh)]:
        raise InvalidMesh(f"the mesh of {case.name} is wrong: {'; '.join(wrong)}")


def _deviations(case: Case, mesh: Mesh) -> Iterator[str]:
    volume = 4 * case.half_width**2 * case.depth
    layer = 0.0 if case.layer is None else 4 * case.half_width * case.layer * case.depth
    of_groups = volumes_of_groups(mesh)
    surface = mesh.areas()[mesh.tags == FREE_SURFACE].sum()
    for name, actual, expected in (
        ("area of the fault", fault_area(mesh), case.fault.area),
        ("area of the free surface", surface, 4 * case.half_width**2),
        (f"volume of group {LAYER}", of_groups.get(LAYER, 0.0), layer),
        (f"volume of group {HOST}", of_groups.get(HOST, 0.0), volume - layer),
    ):
        if abs(actual - expected) > EXACT * expected:
            yield f"the {name} is {actual:.10g}, not {expected:.10g}"
