"""`waywiser mesh` with Gmsh itself: what the meshes are, and that they can be cut."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.schemas import assert_fits
from tests.support import BIN, MpiLibrary, Waywiser, wait_for
from tests.system.test_tutorial import check_page
from waywiser.errors import ToolMissing
from waywiser.meshes.generate import gmsh_module

Floats = NDArray[np.float64]

try:
    gmsh_module()
except ToolMissing as missing:
    # Its wheel wants libraries of a desktop; tests/debian-packages.txt has them.
    pytest.skip(str(missing), allow_module_level=True)

SCALES = {"tpv33": 5.0, "tpv5": 9.0}
"""Coarse, to be made in seconds; SeisSol's own mesh for TPV33 is of this scale, too."""


LOCAL_FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
"""SeisSol's: seen from outside, their nodes go round against the clock."""


class Found:
    """A mesh as it is in its file, read and measured by other means than Waywiser's."""

    def __init__(self, path: Path) -> None:
        with h5py.File(path) as file:
            self.nodes: Floats = file["geometry"][...]
            self.cells: NDArray[Any] = file["connect"][...].astype(int)
            self.groups: NDArray[Any] = file["group"][...]
            boundary: NDArray[Any] = file["boundary"][...]
        self.tags = np.stack([boundary >> 8 * face & 255 for face in range(4)], axis=1)

    def meetings(self) -> dict[tuple[int, ...], list[int]]:
        """Nodes of each face -> its tags in the cells that have it."""
        tags_of_face: dict[tuple[int, ...], list[int]] = {}
        for cell, tags in zip(self.cells.tolist(), self.tags.tolist(), strict=True):
            for local, tag in zip(LOCAL_FACES, tags, strict=True):
                tags_of_face.setdefault(tuple(sorted(cell[i] for i in local)), []).append(tag)
        return tags_of_face

    def faces(self, tag: int) -> NDArray[Any]:
        """Nodes of the faces with a tag, each once, shape (faces, 3)."""
        local = np.array(LOCAL_FACES)
        cell, face = np.nonzero(self.tags == tag)
        faces = self.cells[cell[:, None], local[face]]
        return np.unique(np.sort(faces, axis=1), axis=0)

    def edges(self, tag: int) -> Floats:
        """Ends of the edges of faces with a tag, each once, shape (edges, 2, 3)."""
        faces = self.faces(tag)
        pairs = np.vstack([faces[:, pair] for pair in ([0, 1], [0, 2], [1, 2])])
        ends: Floats = self.nodes[np.unique(pairs, axis=0)]
        return ends


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Each case's coarse mesh, and the document that was printed of it."""
    waywiser = Waywiser(tmp_path_factory.mktemp("meshes"))
    meshes = {}
    for case, scale in SCALES.items():
        done = waywiser.succeeds("mesh", case, "--scale", str(scale), "-o", case, "--json")
        meshes[case] = waywiser.directory / f"{case}.h5", json.loads(done.stdout)
    return meshes


Generated = dict[str, tuple[Path, dict[str, Any]]]


@pytest.mark.parametrize("case", SCALES)
def test_the_document_says_what_is_in_the_mesh(generated: Generated, case: str) -> None:
    path, document = generated[case]
    mesh = Found(path)

    assert_fits(document, "mesh")
    assert (document["case"], document["scale"]) == (case, SCALES[case])
    assert document["elements"] == len(mesh.cells)
    assert document["fault_faces"] == len(mesh.faces(3))
    assert [Path(name).name for name in document["files"]] == [f"{case}.h5", f"{case}.xdmf"]
    assert path.with_suffix(".xdmf").exists()


@pytest.mark.parametrize("case", SCALES)
def test_sides_have_the_tags_of_the_benchmark(generated: Generated, case: str) -> None:
    mesh = Found(generated[case][0])
    half, fault = {
        "tpv33": (50_000, ((-12_000, 4_000), (-10_000, 0))),
        "tpv5": (60_000, ((-15_000, 15_000), (-15_000, 0))),
    }[case]

    x, y, z = mesh.nodes[mesh.faces(3)].reshape(-1, 3).T
    assert (x.min(), x.max(), z.min(), z.max()) == (*fault[0], *fault[1])
    assert np.abs(y).max() == 0
    x, y, z = mesh.nodes[mesh.faces(1)].reshape(-1, 3).T
    assert (x.min(), x.max(), y.min(), y.max()) == (-half, half, -half, half)
    assert np.abs(z).max() == 0
    outer = mesh.nodes[mesh.faces(5)]
    on_wall = (np.abs(outer[:, :, :2]) == half).all(axis=1).any(axis=1)
    assert (on_wall | (outer[:, :, 2] == -half).all(axis=1)).all()


@pytest.mark.parametrize("case", SCALES)
def test_cells_are_turned_right_and_faces_tagged_on_both_sides(
    generated: Generated, case: str
) -> None:
    mesh = Found(generated[case][0])
    corners = mesh.nodes[mesh.cells]

    assert np.linalg.det(corners[:, 1:] - corners[:, :1]).min() > 0
    for local in LOCAL_FACES:
        a, b, c = (corners[:, i] for i in local)
        outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - corners.mean(axis=1))
        assert outward.min() > 0
    meetings = mesh.meetings().values()
    assert {tuple(tags) for tags in meetings} == {(1,), (5,), (0, 0), (3, 3)}


@pytest.mark.parametrize("case", SCALES)
def test_both_sides_of_the_fault_are_mirror_images(generated: Generated, case: str) -> None:
    mesh = Found(generated[case][0])

    corners = mesh.nodes[mesh.cells]

    def cells_on(side: int) -> set[frozenset[tuple[float, ...]]]:
        """Each by its nodes, as if it were on the side of y > 0."""
        chosen = corners[side * corners.mean(axis=1)[:, 1] > 0] * [1, side, 1]
        return {frozenset(map(tuple, cell)) for cell in chosen.tolist()}

    assert len(cells_on(1)) == len(mesh.cells) / 2
    assert cells_on(1) == cells_on(-1)


def test_the_low_velocity_zone_is_a_group_of_its_own(generated: Generated) -> None:
    mesh = Found(generated["tpv33"][0])
    y = np.abs(mesh.nodes[mesh.cells][:, :, 1])

    assert set(mesh.groups.tolist()) == {2, 3}
    assert y[mesh.groups == 2].max() == 800 == y[mesh.groups == 3].min(axis=1).min()
    assert set(Found(generated["tpv5"][0]).groups.tolist()) == {3}


def test_the_rim_of_the_nucleation_consists_of_edges(generated: Generated) -> None:
    """The edges between nodes on each circle add up to its polygon."""
    ends = Found(generated["tpv33"][0]).edges(3)
    radii = np.hypot(ends[:, :, 0] + 6_000, ends[:, :, 2] + 6_000)

    for radius in (550, 800):
        on_rim = ends[(np.abs(radii - radius) < 1e-3).all(axis=1)]
        lengths = np.linalg.norm(on_rim[:, 0] - on_rim[:, 1], axis=1)
        count = len(lengths)
        assert count >= 5
        assert lengths.sum() == pytest.approx(2 * np.pi * radius, rel=0.15)
        assert lengths.sum() == pytest.approx(2 * radius * count * np.sin(np.pi / count), rel=0.01)


def test_patches_of_tpv5_are_outlined_by_edges(generated: Generated) -> None:
    """Edges along the four sides of each square add up to its outline."""
    ends = Found(generated["tpv5"][0]).edges(3)

    for middle in (-7_500, 0, 7_500):
        away = np.maximum(np.abs(ends[:, :, 0] - middle), np.abs(ends[:, :, 2] + 7_500))
        on_rim = (np.abs(away - 1_500) < 1e-6).all(axis=1)
        halfway = ends.mean(axis=1)
        away = np.maximum(np.abs(halfway[:, 0] - middle), np.abs(halfway[:, 2] + 7_500))
        along = ends[on_rim & (np.abs(away - 1_500) < 1e-6)]
        assert np.linalg.norm(along[:, 0] - along[:, 1], axis=1).sum() == pytest.approx(12_000)


@pytest.mark.parametrize(
    ("case", "at_fault", "slope", "reach", "half", "depth", "middle"),
    [
        ("tpv33", 100, 0.1, 5_000, 8_000, 10_000, -4_000),
        ("tpv5", 200, 0.05, 2_500, 15_000, 15_000, 0),
    ],
)
def test_edges_are_as_long_as_the_benchmark_says(
    generated: Generated,
    case: str,
    at_fault: float,
    slope: float,
    reach: float,
    half: float,
    depth: float,
    middle: float,
) -> None:
    """Edges at distance d from the fault are a + slope d + (d / reach)² long, at most 5 km, times
    the scale."""
    mesh = Found(generated[case][0])
    pairs = np.vstack([mesh.cells[:, pair] for pair in combinations(range(4), 2)])
    ends = mesh.nodes[np.unique(np.sort(pairs, axis=1), axis=0)]
    lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    x, y, z = ends.mean(axis=1).T
    outside = np.maximum(np.abs(x - middle) - half, 0), y, np.maximum(-depth - z, 0)
    distance = np.sqrt(sum(part**2 for part in outside))
    expected = SCALES[case] * np.minimum(
        at_fault + slope * distance + (distance / reach) ** 2, 5_000
    )

    for near, far in ((0, 500), (2_000, 5_000), (8_000, 16_000)):
        ratio = (lengths / expected)[(near <= distance) & (distance < far)]
        assert np.median(ratio) == pytest.approx(1.0, abs=0.25), (near, far)


def test_the_mesh_of_tpv33_is_like_seissol_s(generated: Generated) -> None:
    """SeisSol's mesh was made by Gmsh from another geometry, in which the distance to the fault is
    sampled. It has 16,532 tetrahedra, 1,548 faces on the fault, and known clusters of both."""
    path, document = generated["tpv33"]
    words = ("mesh", "import", path, "--ranks", "1", "-o", "mesh.wwmesh", "--json")
    cut = json.loads(Waywiser(path.parent)(*words).stdout)

    assert document["elements"] == pytest.approx(16_532, rel=0.15)
    assert document["fault_faces"] == pytest.approx(1_548, rel=0.05)
    assert cut["shortest_step_s"] == pytest.approx(1.6635e-3, rel=0.35)
    assert cut["speed_up"] == pytest.approx(2.48, rel=0.2)
    theirs = np.array([804, 9378, 3743, 1475, 622, 452, 58]) / 16_532
    ours = np.array(cut["clusters"]) / document["elements"]
    assert len(ours) == len(theirs)
    assert np.abs(np.cumsum(ours) - np.cumsum(theirs)).max() < 0.12


@pytest.mark.parametrize("case", SCALES)
def test_a_mesh_is_cut_for_ranks(generated: Generated, case: str) -> None:
    path, document = generated[case]
    output = path.with_suffix(".wwmesh")

    done = Waywiser(path.parent).succeeds(
        "mesh", "import", path, "--ranks", "3", "-o", output, "--json"
    )

    cut = json.loads(done.stdout)
    assert sum(cut["clusters"]) == document["elements"]
    assert cut["case"] == case
    assert cut["load_balance"] > 1 / 1.1
    assert cut["imbalance"] == pytest.approx(1 / cut["load_balance"])
    parts = cut["parts"]
    shared = sum(part["neighbours"] + part["ghosts"] for part in parts)
    assert output.stat().st_size == 64 + 3 * 32 + 176 * document["elements"] + 8 * shared


def test_the_solver_gets_the_same_of_any_number_of_parts(
    generated: Generated, openmpi: MpiLibrary
) -> None:
    """Were faces exchanged in an order that both sides do not have, the energies would differ."""
    solver = openmpi.program("ww-rupture")
    if not solver.exists():
        pytest.skip("ww-rupture is not built")
    path, document = generated["tpv33"]
    energies = []
    for ranks in (1, 3):
        mesh, output = (path.with_name(f"{ranks}.{ending}") for ending in ("wwmesh", "json"))
        words = ("mesh", "import", path, "--ranks", str(ranks), "-o", mesh)
        assert Waywiser(path.parent)(*words).returncode == 0
        options = f"--case tpv33 --order 2 --end 0.1 --mesh {mesh} --json {output}".split()
        openmpi.run(ranks, solver, *options)
        sample = json.loads(output.read_text())
        assert sample["details"]["cells"] == document["elements"]
        energies.append([list(at.values()) for at in sample["details"]["energies"]])

    assert np.min(energies) > 0
    assert energies[0] == pytest.approx(np.array(energies[1]), rel=1e-9)


def test_a_mesh_of_so_many_elements_is_generated(waywiser: Waywiser) -> None:
    done = waywiser.succeeds("mesh", "tpv33", "--elements", "9k", "-o", "mesh.h5", "--json")

    document = json.loads(done.stdout)
    assert document["elements"] == pytest.approx(9_000, rel=0.1)
    assert document["files"] == ["mesh.h5", "mesh.xdmf"]


def test_ctrl_c_ends_it_at_once(tmp_path: Path) -> None:
    words = [str(BIN / "waywiser"), "mesh", "tpv33", "--scale", "0.5", "-o", "mesh"]
    with subprocess.Popen(words, cwd=tmp_path) as process:
        loaded = Path(f"/proc/{process.pid}/maps")
        wait_for(lambda: "libgmsh" in loaded.read_text(encoding="utf-8"))
        time.sleep(3)  # until Gmsh is at work, whose meshing takes minutes
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=200)

    assert code in (-signal.SIGINT, 130)
    assert not any(tmp_path.iterdir())


def test_every_command_on_meshes_works_and_prints_what_the_page_shows() -> None:
    check_page("meshes.md", at_least=3)
