"""Tetrahedra: shapes in closed form, neighbours by brute force, mirrors, tags, and their checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.synthetic_meshes import SMALL, grid, shuffled, small_half, small_mesh
from waywiser.errors import InvalidCommand, InvalidMesh
from waywiser.meshes.cases import CASES, Case
from waywiser.meshes.check import checked, fault_area, volumes_of_groups
from waywiser.meshes.generate import make_mesh_of
from waywiser.meshes.labels import check_case, labelled
from waywiser.meshes.mirror import mirrored
from waywiser.meshes.tetrahedra import NONE, Mesh, neighbours_of

# Vertices of the local faces as the format of PUML gives them, written down once more.
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))


def tetrahedron(*nodes: tuple[float, float, float]) -> Mesh:
    """A single cell in absorbing walls."""
    cells = np.arange(4)[None, :]
    return Mesh(np.array(nodes, float), cells, np.array([3]), np.full((1, 4), 5))


REGULAR = tetrahedron((1, 1, 1), (-1, 1, -1), (1, -1, -1), (-1, -1, 1))
"""A regular tetrahedron with edges of √8."""


def outward(mesh: Mesh, cell: int, face: int) -> bool:
    a, b, c = (mesh.nodes[mesh.cells[cell, i]] for i in FACES[face])
    rest = mesh.nodes[mesh.cells[cell]].mean(axis=0)
    return float(np.cross(b - a, c - a) @ (a - rest)) > 0


def test_a_regular_tetrahedron_has_the_measures_of_the_textbook() -> None:
    edge = np.sqrt(8)

    assert REGULAR.volumes() == pytest.approx(edge**3 / (6 * np.sqrt(2)))
    assert REGULAR.areas() == pytest.approx(np.full((1, 4), np.sqrt(3) / 4 * edge**2))
    assert REGULAR.insphere_radii() == pytest.approx(edge / np.sqrt(24))
    assert REGULAR.centres() == pytest.approx(np.zeros((1, 3)))


def test_areas_are_those_of_the_faces_they_stand_for() -> None:
    mesh = tetrahedron((0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3))

    assert mesh.areas()[0] == pytest.approx([1, 1.5, 3.5, 3])


@pytest.mark.parametrize("seed", range(3))
def test_neighbours_are_those_that_a_comparison_of_all_faces_finds(seed: int) -> None:
    mesh = shuffled(small_mesh(2), seed)
    sharing = defaultdict(list)
    for cell, nodes in enumerate(mesh.cells.tolist()):
        for face, local in enumerate(FACES):
            sharing[frozenset(nodes[i] for i in local)].append((cell, face))

    neighbours = neighbours_of(mesh.cells)

    for entries in sharing.values():
        for cell, face in entries:
            (behind,) = [entry for entry in entries if entry != (cell, face)] or [(NONE, 0)]
            assert (neighbours.cell[cell, face], neighbours.face[cell, face]) == behind
            if behind[0] == NONE:
                assert neighbours.turn[cell, face] == 0
                continue
            mine = [mesh.cells[cell, i] for i in FACES[face]]
            its = [mesh.cells[behind[0], i] for i in FACES[behind[1]]]
            turn = neighbours.turn[cell, face]
            assert [its[(turn - j) % 3] for j in range(3)] == mine


def test_faces_are_seen_from_outside() -> None:
    mesh = small_half(2)

    assert all(outward(mesh, cell, face) for cell in range(len(mesh.cells)) for face in range(4))


def test_three_cells_at_a_face_are_refused() -> None:
    cells = np.array([[0, 1, 2, 3], [0, 2, 1, 4], [0, 2, 1, 5]])

    with pytest.raises(InvalidMesh, match="more than two cells share face 0 of cell 1"):
        neighbours_of(cells)


def test_cells_in_each_other_are_refused() -> None:
    cells = np.array([[0, 1, 2, 3], [0, 1, 2, 4]])

    with pytest.raises(InvalidMesh, match="cells 0 and 1 are on the same side"):
        neighbours_of(cells)


def test_a_mirrored_half_is_whole() -> None:
    half = small_half()
    mesh = mirrored(half)

    neighbours = checked(mesh)
    check_case(SMALL, mesh)

    assert mesh.volumes().min() > 0
    assert mesh.volumes().sum() == pytest.approx(8 * 8 * 4)
    # Nodes in the plane of the fault are there once.
    assert len(mesh.nodes) == 2 * len(half.nodes) - 9 * 5
    assert len(np.unique(mesh.nodes, axis=0)) == len(mesh.nodes)
    across = neighbours.cell[np.nonzero(mesh.tags == 3)]
    assert (np.abs(across - np.nonzero(mesh.tags == 3)[0]) == len(half.cells)).all()


def test_each_face_of_the_image_has_its_original_s_tag_and_group() -> None:
    mesh = small_mesh()
    tag_at = {}
    group_at = {}
    for cell, nodes in enumerate(mesh.cells):
        group_at[tuple(mesh.nodes[nodes].mean(axis=0))] = mesh.groups[cell]
        for face, local in enumerate(FACES):
            centre = tuple(np.round(mesh.nodes[nodes[list(local)]].mean(axis=0), 9))
            tag_at[centre] = mesh.tags[cell, face]

    assert {3, 5, 1, 0} == set(tag_at.values())
    assert all(tag == tag_at[x, 0.0 - y, z] for (x, y, z), tag in tag_at.items())
    assert all(group == group_at[x, -y, z] for (x, y, z), group in group_at.items())
    for (x, y, z), tag in tag_at.items():
        at_fault = y == 0 and -2 < x < 1 and z > -2
        assert (tag == 3) == at_fault
        assert (tag == 1) == (z == 0)
        assert (tag == 5) == (max(abs(x), abs(y), -z) == 4)


def test_nodes_near_the_planes_are_put_into_them() -> None:
    half = small_half()
    noise = np.random.default_rng(1).uniform(-1e-9, 1e-9, half.nodes.shape)

    mesh = labelled(SMALL, half.nodes + noise, half.cells)

    assert np.array_equal(mesh.tags, half.tags)
    for axis, planes in enumerate(((-4, 4), (0, 1, 4), (-4, 0))):
        there = np.isin(half.nodes[:, axis], planes)
        assert np.array_equal(mesh.nodes[there, axis], half.nodes[there, axis])
    check_case(SMALL, mirrored(mesh))


def test_areas_and_volumes_of_a_case_are_those_of_its_boxes() -> None:
    mesh = small_mesh()

    assert fault_area(mesh) == pytest.approx(3 * 2)
    assert volumes_of_groups(mesh) == pytest.approx({2: 8 * 2 * 4, 3: 8 * 6 * 4})


def test_what_reaches_over_an_edge_of_the_fault_or_the_layer_is_seen() -> None:
    mesh = small_mesh(4)  # too coarse for either

    with pytest.raises(InvalidMesh, match=r"area of the fault is .*, not 6; the volume of group 2"):
        check_case(SMALL, mesh)


def broken(mesh: Mesh, tag: int, new: int, ends: bool) -> Mesh:
    """The mesh with tag `new` at the first face of `tag`, at the mesh's end or within it."""
    missing = neighbours_of(mesh.cells).missing
    cell, face = np.argwhere((mesh.tags == tag) & (missing == ends))[0]
    tags = mesh.tags.copy()
    tags[cell, face] = new
    return replace(mesh, tags=tags)


@pytest.mark.parametrize(
    ("tag", "new", "ends", "says"),
    [
        (3, 0, False, "a face tagged 3 that its neighbour does not tag so"),
        (0, 3, False, "a face tagged 3 that its neighbour does not tag so"),
        (0, 1, False, "a face tagged 1 or 5 with a neighbour behind it"),
        (3, 5, False, "a face tagged 1 or 5 with a neighbour behind it"),
        (5, 0, True, "a face without neighbour that is tagged neither 1 nor 5"),
        (1, 3, True, "a face without neighbour that is tagged neither 1 nor 5"),
        (0, 6, False, r"a tag that is none of 0 \(regular\), 1 \(free surface\)"),
    ],
)
def test_a_wrong_tag_is_named(tag: int, new: int, ends: bool, says: str) -> None:
    mesh = small_mesh(2)

    with pytest.raises(InvalidMesh, match=rf"cell \d+ has .*{says}"):
        checked(broken(mesh, tag, new, ends))


def test_a_cell_inside_out_is_named() -> None:
    mesh = small_mesh(2)
    cells = mesh.cells.copy()
    cells[[7, 9]] = cells[[7, 9]][:, [1, 0, 2, 3]]

    with pytest.raises(InvalidMesh, match=r"^cell 7 and 1 more have a negative volume"):
        checked(replace(mesh, cells=cells))


def test_a_flat_cell_is_named() -> None:
    flat = tetrahedron((0, 0, 0), (1, 0, 0), (0, 1, 0), (0.3, 0.3, 1e-8))
    double = replace(REGULAR, cells=np.array([[0, 1, 2, 2]]))

    for mesh in (flat, double):
        with pytest.raises(InvalidMesh, match=r"^cell 0 has no volume$"):
            checked(mesh)


def test_a_hanging_face_is_named() -> None:
    """Two bricks that touch with differently cut sides have no neighbours there."""
    nodes, cells = grid([0, 1], [0, 1], [0, 1])
    more, others = grid([1, 2], [0, 0.5, 1], [0, 1])
    both = np.vstack([nodes, more])
    places, index = np.unique(both, axis=0, return_inverse=True)
    whole = index[np.vstack([cells, others + len(nodes)])]
    missing = neighbours_of(whole).missing
    ends = (places[whole[:, FACES]].mean(axis=2)[:, :, 0] != 1) & missing
    mesh = Mesh(places, whole, np.full(len(whole), 3), np.where(ends, 5, 0))

    with pytest.raises(InvalidMesh, match="a face without neighbour"):
        checked(mesh)


def test_speeds_are_those_of_the_benchmark_s_layers() -> None:
    """Speeds follow from the layers' densities and Lamé's parameters, to the last digit."""
    lame = {  # y -> mu, lambda [Pa]
        900: (3.203812032e10, 3.204375936e10),
        100: (1.251489075e10, 1.251709350e10),
        -799: (1.251489075e10, 1.251709350e10),
        -801: (2.816717568e10, 2.817615756e10),
    }
    points = np.array([(0, y, -1) for y in lame], float)
    expected = [np.sqrt((lam + 2 * mu) / 2670) for mu, lam in lame.values()]

    assert CASES["tpv33"].p_speeds_at(points) == pytest.approx(expected, rel=1e-12)


def counted_as(law: float, exponent: float) -> tuple[list[float], Callable[[Case, float], Mesh]]:
    """A mesher whose meshes have law · scale^-exponent cells."""
    scales: list[float] = []

    def make(case: Case, scale: float) -> Mesh:
        scales.append(scale)
        cells = np.zeros((round(law * scale**-exponent), 4), int)
        return Mesh(np.zeros((1, 3)), cells, cells[:, 0], cells)

    return scales, make


@pytest.mark.parametrize("exponent", [2, 2.6, 3])
@pytest.mark.parametrize("elements", [20_000, 580_000, 3_000_000])
def test_a_scale_for_so_many_elements_is_found(elements: int, exponent: float) -> None:
    scales, make = counted_as(1.4e6, exponent)

    scale, mesh = make_mesh_of(CASES["tpv33"], elements, make)

    assert len(mesh.cells) == pytest.approx(elements, rel=0.1)
    assert scale == scales[-1]
    assert len(scales) <= 4


def test_a_number_of_elements_that_no_scale_has_is_refused() -> None:
    def at_least(case: Case, scale: float) -> Mesh:
        return Mesh(*(np.zeros((5000, 4), int),) * 4)

    with pytest.raises(
        InvalidCommand, match="--elements 2,000: no mesh of tpv33 within 10 % of it"
    ):
        make_mesh_of(CASES["tpv33"], 2000, at_least)
