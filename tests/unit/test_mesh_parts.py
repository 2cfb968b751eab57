"""The parts of a mesh as their format says, and what is printed of them."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.schemas import assert_fits
from tests.support import document, printed
from tests.synthetic_meshes import import_of, shuffled, small_mesh
from waywiser.cli.main import main
from waywiser.meshes.cases import CASES
from waywiser.meshes.puml import write_puml
from waywiser.meshes.tetrahedra import Mesh, neighbours_of

FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))


@pytest.fixture
def mesh() -> Mesh:
    return shuffled(small_mesh(), 3)


@pytest.fixture
def file(mesh: Mesh, tmp_path: Path) -> Path:
    path, _ = write_puml(tmp_path / "mesh.h5", mesh, "tpv33")
    return path


@dataclass
class Block:
    """A part as a reader finds it that knows nothing but the format's description."""

    vertices: list[Any]
    ids: list[int]
    groups: list[int]
    clusters: list[int]
    faces: list[list[list[int]]]
    neighbours: list[list[int]]
    ghosts: list[list[int]]


def read_blocks(path: Path) -> tuple[tuple[int, ...], list[Block]]:
    data = path.read_bytes()
    header = struct.unpack_from("<8q", data)
    blocks = []
    end = 64 + 32 * header[2]
    for part in range(header[2]):
        at, cells, neighbours, ghosts = struct.unpack_from("<4q", data, 64 + 32 * part)
        assert at == end
        assert at % 8 == 0

        def take(form: str, *shape: int) -> Any:
            nonlocal end
            count = int(np.prod(shape))
            values = struct.unpack_from(f"<{count}{form}", data, end)
            end += struct.calcsize(f"<{count}{form}")
            return np.array(values).reshape(shape).tolist()

        blocks.append(
            Block(
                vertices=take("d", cells, 4, 3),
                ids=take("q", cells),
                groups=take("i", cells),
                clusters=take("i", cells),
                faces=take("i", cells, 4, 4),
                neighbours=take("i", neighbours, 2),
                ghosts=take("i", ghosts, 2),
            )
        )
    assert end == len(data)
    return header, blocks


@pytest.fixture(params=[1, 2, 5])
def cut(
    file: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> tuple[tuple[int, ...], list[Block], dict[str, Any]]:
    path = file.with_name("mesh.wwmesh")
    code = main(
        ["mesh", "import", str(file), "--ranks", str(request.param), "-o", str(path), "--json"]
    )
    assert code == 0
    return *read_blocks(path), json.loads(capsys.readouterr().out)


Cut = tuple[tuple[int, ...], list[Block], dict[str, Any]]


def test_parts_hold_each_cell_once_as_the_mesh_has_it(mesh: Mesh, cut: Cut) -> None:
    header, blocks, document = cut

    magic, version, parts, cells, clusters, *rest = header
    assert struct.pack("<q", magic) == b"WWMESH\0\0"
    assert (version, parts, cells, rest) == (1, len(blocks), len(mesh.cells), [0, 0, 0])
    assert sorted(cell for block in blocks for cell in block.ids) == list(range(cells))
    assert clusters == 1 + max(max(block.clusters) for block in blocks)
    for block in blocks:
        assert np.array_equal(block.vertices, mesh.corners()[block.ids])
        assert block.groups == mesh.groups[block.ids].tolist()
        assert np.array_equal(np.array(block.faces)[:, :, 0], mesh.tags[block.ids])
    histogram = np.bincount(np.concatenate([block.clusters for block in blocks]))
    assert document["clusters"] == histogram.tolist()
    assert [part["cells"] for part in document["parts"]] == [len(block.ids) for block in blocks]


def test_faces_lead_to_the_cell_behind_them(mesh: Mesh, cut: Cut) -> None:
    """Followed through the ghosts, each face's vertices are those that the other cell has there,
    in the order that the rotation says."""
    _, blocks, _ = cut

    ends = 0
    for number, block in enumerate(blocks):
        places = [(part, k) for part, count in block.neighbours for k in range(count)]
        for cell, faces in enumerate(block.faces):
            for face, (tag, neighbour, its_face, turn) in enumerate(faces):
                mine = [block.vertices[cell][i] for i in FACES[face]]
                if neighbour == -1:
                    ends += 1
                    assert tag in (1, 5)
                    assert (its_face, turn) == (0, 0)
                    continue
                if neighbour < len(block.ids):
                    owner, there = block, neighbour
                else:
                    ghost = neighbour - len(block.ids)
                    assert block.ghosts[ghost] == [cell, face]
                    assert tag != 3
                    part, k = places[ghost]
                    assert part != number
                    owner = blocks[part]
                    there, that_face = sent(owner, number)[k]
                    assert that_face == its_face
                its = [owner.vertices[there][i] for i in FACES[its_face]]
                assert [its[(turn - j) % 3] for j in range(3)] == mine
                assert owner.faces[there][its_face][3] == turn
    assert ends == neighbours_of(mesh.cells).missing.sum()


def sent(block: Block, part: int) -> list[list[int]]:
    """Cell and face of the ghosts that a block shares with a part."""
    first = 0
    for neighbour, count in block.neighbours:
        if neighbour == part:
            return block.ghosts[first : first + count]
        first += count
    raise AssertionError(f"the part has no ghosts of part {part}")


def test_parts_agree_on_the_order_of_what_they_share(cut: Cut) -> None:
    _, blocks, document = cut

    shared = 0
    for number, block in enumerate(blocks):
        others = [part for part, _ in block.neighbours]
        assert others == sorted(set(others) - {number})
        assert sum(count for _, count in block.neighbours) == len(block.ghosts)
        shared += len(block.ghosts)
        for part in others:
            here, there = sent(block, part), sent(blocks[part], number)
            keys = []
            for (cell, face), (its, its_face) in zip(here, there, strict=True):
                mine, theirs = block.ids[cell], blocks[part].ids[its]
                keys.append((mine, face) if mine < theirs else (theirs, its_face))
            assert keys == sorted(keys)
    assert document["cut_faces"] * 2 == shared


def test_what_is_printed_is_what_its_schema_says(cut: Cut) -> None:
    _, _, document = cut

    assert_fits(document, "mesh-import")


def test_the_speed_of_waves_is_the_case_s_or_that_which_is_given(mesh: Mesh, file: Path) -> None:
    def shortest(*options: str) -> float:
        return float(document(*import_of(file, *options))["shortest_step_s"])

    radii, speeds = mesh.insphere_radii(), CASES["tpv33"].p_speeds_at(mesh.centres())
    assert shortest() == pytest.approx((radii / (speeds * 7)).min())
    assert shortest("--case", "tpv5") == pytest.approx((radii / (6000 * 7)).min())
    assert shortest("--p-speed", "5") == pytest.approx((radii / (5 * 7)).min())
    assert shortest("--p-speed", "5", "--order", "6", "--cfl", "0.25") == pytest.approx(
        (radii / (5 * 22)).min()
    )


def test_the_text_has_clusters_and_parts(file: Path) -> None:
    output = printed(*import_of(file))

    assert "shortest step" in output
    assert "2 parts: " in output
    assert f"wrote {file}.wwmesh" in output
