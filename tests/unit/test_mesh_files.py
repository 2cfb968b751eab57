"""Files of meshes: PUML there and back, and bad input."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import h5py
import numpy as np
import pytest

from tests.support import assert_refuses
from tests.synthetic_meshes import import_of, shuffled, small_mesh
from waywiser.cli.main import main
from waywiser.extras import install_command
from waywiser.meshes.puml import read_puml, write_puml
from waywiser.meshes.tetrahedra import RUPTURE, Mesh


@pytest.fixture
def mesh() -> Mesh:
    return shuffled(small_mesh(), 3)


@pytest.fixture
def file(mesh: Mesh, tmp_path: Path) -> Path:
    path, _ = write_puml(tmp_path / "mesh.h5", mesh, "tpv33")
    return path


def same(first: Mesh, second: Mesh) -> bool:
    return all(
        np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("nodes", "cells", "groups", "tags")
    )


def test_a_mesh_comes_back_as_it_went(mesh: Mesh, file: Path) -> None:
    read_back, case = read_puml(file)

    assert same(read_back, mesh)
    assert case == "tpv33"


def test_the_file_is_what_seissol_reads(mesh: Mesh, file: Path) -> None:
    with h5py.File(file) as puml:
        types = {name: (puml[name].shape, puml[name].dtype.str) for name in puml}
        boundary = puml["boundary"][...]
    cells = len(mesh.cells)

    assert types == {
        "geometry": ((len(mesh.nodes), 3), "<f8"),
        "connect": ((cells, 4), "<u8"),
        "group": ((cells,), "<i4"),
        "boundary": ((cells,), "<i4"),
    }
    assert [[value >> 8 * face & 255 for face in range(4)] for value in boundary.tolist()] == (
        mesh.tags.tolist()
    )


def test_the_description_beside_it_names_each_dataset(mesh: Mesh, file: Path) -> None:
    root = ElementTree.parse(file.with_suffix(".xdmf")).getroot()

    items = {item.text: item.get("Dimensions") for item in root.iter("DataItem")}
    cells = len(mesh.cells)
    assert items == {
        "mesh.h5:/geometry": f"{len(mesh.nodes)} 3",
        "mesh.h5:/connect": f"{cells} 4",
        "mesh.h5:/group": str(cells),
        "mesh.h5:/boundary": str(cells),
    }


@pytest.mark.parametrize("form", ["i64", "i32x4", "u32", "segments"])
def test_other_spellings_of_tags_are_read(mesh: Mesh, file: Path, form: str) -> None:
    tags = mesh.tags.astype(np.int64)
    written = {
        "i64": (tags << 16 * np.arange(4)).sum(axis=1),
        "i32x4": tags.astype(np.int32),
        "u32": (tags << 8 * np.arange(4)).sum(axis=1).astype(np.uint32),
        "segments": np.where(tags == RUPTURE, 65 + np.arange(4), tags).astype(np.int32),
    }[form]
    with h5py.File(file, "a") as puml:
        del puml["boundary"], puml.attrs["case"]
        puml["boundary"] = written

    read_back, case = read_puml(file)

    assert same(read_back, mesh)
    assert case is None


def replaced(name: str, value: object) -> Callable[[h5py.File], None]:
    def change(puml: h5py.File) -> None:
        del puml[name]
        if value is not None:
            puml[name] = value

    return change


BAD: Sequence[tuple[Callable[[h5py.File], None], str]] = (
    (replaced("boundary", None), "has no dataset boundary; a PUML mesh has geometry, connect"),
    (replaced("geometry", np.zeros((3, 2))), "/geometry is float64 of shape (3, 2), expected"),
    (replaced("geometry", np.zeros((9, 3))), "/connect names nodes 0 to"),
    (replaced("geometry", 1.0), "/geometry is float64 of shape ()"),
    (replaced("connect", np.zeros((0, 4), int)), "/group is int32 of shape"),
    (replaced("connect", np.zeros((5, 3), int)), "expected integers of shape (5, 4)"),
    (replaced("connect", np.full((5, 4), 0.5)), "/connect is float64"),
    (replaced("group", np.zeros(7, int)), "/group is int64 of shape (7,), expected integers"),
    (replaced("boundary", np.zeros((7, 4), int)), "/boundary is int64 of shape (7, 4), expected"),
    (replaced("boundary", b"text"), "/boundary is "),
)


@pytest.mark.parametrize(("change", "says"), BAD, ids=[says for _, says in BAD])
def test_a_file_that_is_no_mesh_is_refused(
    file: Path, change: Callable[[h5py.File], None], says: str
) -> None:
    with h5py.File(file, "a") as puml:
        change(puml)

    assert_refuses(import_of(file), str(file), says)


@pytest.mark.parametrize(
    ("dataset", "value", "says"),
    [
        ("geometry", [np.nan, 0, 0], "/geometry has coordinates that are not finite"),
        ("connect", [0, 0, 1, 2], "cell 5 has no volume"),
        ("boundary", 0x09000000, "cell 5 has a face with a tag that is none of 0 (regular)"),
    ],
)
def test_a_wrong_mesh_is_refused_by_name(
    file: Path, dataset: str, value: object, says: str
) -> None:
    with h5py.File(file, "a") as puml:
        puml[dataset][5] = value

    assert_refuses(import_of(file), f"{file}: {says}")


def test_what_is_no_file_of_hdf5_is_refused(tmp_path: Path, file: Path) -> None:
    text = tmp_path / "mesh.txt"
    text.write_text("$MeshFormat\n")
    cut_off = tmp_path / "cut.h5"
    cut_off.write_bytes(file.read_bytes()[:3000])

    for path in (text, cut_off):
        assert_refuses(import_of(path), f"{path}: is not a readable HDF5 file")
    for path in (tmp_path / "none.h5", tmp_path):
        assert_refuses(import_of(path), f"{path}: file not found")


def test_datasets_that_the_file_cannot_hold_are_refused(file: Path) -> None:
    with h5py.File(file, "a") as puml:
        del puml["connect"]
        puml.create_dataset("connect", (10**11, 4), np.int64, chunks=(1000, 4))

    assert_refuses(import_of(file), f"{file}: has not the 3.20 TB that its datasets claim")


def test_numbers_of_a_kind_that_numpy_lacks_are_refused(file: Path) -> None:
    """IEEE 754 doubles as HDF5 describes them, but with the exponents' bias of another format."""
    places, bias = struct.pack("<HHBBBB", 0, 64, 52, 11, 0, 52), struct.pack("<I", 1023)
    data = file.read_bytes()
    assert data.count(places + bias) == 1
    file.write_bytes(data.replace(places + bias, places + struct.pack("<I", 0x7FFFFFFF)))

    assert_refuses(import_of(file), f"{file}: is not a readable HDF5 file: ")


def test_a_mesh_of_unknown_material_is_refused(file: Path) -> None:
    for case in (None, b"landers", 7):
        with h5py.File(file, "a") as puml:
            del puml.attrs["case"]
            if case is not None:
                puml.attrs["case"] = case

        assert_refuses(import_of(file), f"{file} does not say", "--case tpv33|tpv5")
        with h5py.File(file, "a") as puml:
            puml.attrs["case"] = "tpv33"


@pytest.mark.parametrize("package", ["gmsh", "h5py", "pymetis"])
def test_a_missing_package_is_one_sentence(
    package: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)

    result = ["mesh", "tpv33", "--scale", "9", "-o", str(file.with_name("new"))]
    words = import_of(file) if package == "pymetis" else result
    assert_refuses(words, install_command("mesh"))


def test_output_that_cannot_be_written_is_named(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["mesh", "import", str(file), "--ranks", "1", "-o"]

    assert_refuses([*words, f"{file}/x.wwmesh"], "expected a file in a directory that")
    assert main([*words, "/dev/full"]) == 1
    assert "/dev/full: No space left on device" in capsys.readouterr().err
