"""Meshes in the HDF5 files that SeisSol reads (PUML), with an XDMF file for viewers beside them.

Datasets: `/geometry` (nodes, 3) [m], `/connect` (cells, 4), `/group` (cells,), and `/boundary`. The
last holds the tags of a cell's faces in one integer, the first face's in its lowest bits. Each tag
has 8 bits in a 32-bit integer, 16 in a 64-bit one. An attribute of the file, `case`, names the
mesh's benchmark.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from waywiser.errors import InvalidMesh, NotSaved, ToolMissing, not_found
from waywiser.extras import install_command
from waywiser.meshes.tetrahedra import RUPTURE, Integers, Mesh
from waywiser.units import bytes_text

DATASETS = ("geometry", "connect", "group", "boundary")
BITS = 8 * np.arange(4)
CASE = "case"
FIRST_SEGMENT = 65
"""SeisSol's tags from here on distinguish segments of a fault; all are dynamic rupture."""

MOST_COMPRESSED = 32
UNCOMPRESSED_FREE_BYTES = 1 << 20
"""Beyond this size, datasets may have `MOST_COMPRESSED` times the bytes of the file; for meshes,
deflate reaches 5 to 10. Shapes could otherwise ask for any amount of memory."""

UNREADABLE = (OSError, MemoryError, KeyError, RuntimeError, TypeError, ValueError)
"""Exceptions of h5py for a damaged file."""


def h5py_module() -> ModuleType:
    """Import h5py; raise ToolMissing if it is not installed."""
    try:
        import h5py
    except ImportError:
        raise ToolMissing(
            f"h5py, which reads and writes meshes, is not installed; install it with "
            f"{install_command('mesh')}"
        ) from None
    module: ModuleType = h5py
    return module


def write_puml(path: Path, mesh: Mesh, case: str) -> tuple[Path, Path]:
    """Write PATH (whose name ends in .h5) and the XDMF file beside it.

    Raises:
        NotSaved: they cannot be written.
    """
    h5py = h5py_module()
    description = path.with_suffix(".xdmf")
    try:
        with h5py.File(path, "w") as file:
            file.attrs[CASE] = np.bytes_(case)
            file["geometry"] = mesh.nodes
            file["connect"] = mesh.cells.astype(np.uint64)
            file["group"] = mesh.groups.astype(np.int32)
            file["boundary"] = (mesh.tags << BITS).sum(axis=1).astype(np.int32)
        description.write_text(_xdmf(path.name, mesh), encoding="utf-8")
    except OSError as error:
        raise NotSaved(f"{path}: {error.strerror or 'cannot be written'}") from error
    return path, description


def read_puml(path: Path) -> tuple[Mesh, str | None]:
    """Read a mesh, and the name of its case, if the file has one.

    Raises:
        InvalidMesh: the file is not a PUML file, or its datasets do not fit together.
    """
    h5py = h5py_module()
    if not path.is_file():
        raise InvalidMesh(not_found(path, "file"))
    try:
        with h5py.File(path, "r") as file:
            missing = [name for name in DATASETS if not isinstance(file.get(name), h5py.Dataset)]
            if missing:
                raise InvalidMesh(
                    f"{path}: has no dataset {', '.join(missing)}; a PUML mesh has "
                    f"{', '.join(DATASETS)}"
                )
            size = sum(file[name].nbytes for name in DATASETS)
            most = UNCOMPRESSED_FREE_BYTES + MOST_COMPRESSED * path.stat().st_size
            if size > most:
                raise InvalidMesh(
                    f"{path}: has not the {bytes_text(size)} that its datasets claim; at most "
                    f"{bytes_text(most)} are accepted of a file of its size"
                )
            arrays = {name: np.asarray(file[name][...]) for name in DATASETS}
            case = file.attrs.get(CASE)
    except UNREADABLE as error:
        raise InvalidMesh(f"{path}: is not a readable HDF5 file: {error}") from error
    try:
        return _mesh(**arrays), case.decode(errors="replace") if isinstance(case, bytes) else None
    except InvalidMesh as error:
        raise InvalidMesh(f"{path}: {error}") from None


def _mesh(
    geometry: np.ndarray[Any, Any],
    connect: Integers,
    group: Integers,
    boundary: Integers,
) -> Mesh:
    count = len(connect) if connect.ndim else 0
    for name, array, shape, kinds in (
        ("geometry", geometry, (len(geometry) if geometry.ndim else 0, 3), "f"),
        ("connect", connect, (count, 4), "iu"),
        ("group", group, (count,), "iu"),
        ("boundary", boundary, (count, 4) if boundary.ndim == 2 else (count,), "iu"),
    ):
        if array.shape != shape or array.dtype.kind not in kinds:
            numbers = "floating-point numbers" if kinds == "f" else "integers"
            raise InvalidMesh(
                f"/{name} is {array.dtype} of shape {array.shape}, expected {numbers} of shape "
                f"{shape}"
            )
    if not count:
        raise InvalidMesh("/connect has no cells")
    nodes = geometry.astype(np.float64)
    if not np.isfinite(nodes).all():
        raise InvalidMesh("/geometry has coordinates that are not finite")
    if connect.min() < 0 or connect.max() >= len(nodes):
        raise InvalidMesh(
            f"/connect names nodes {connect.min()} to {connect.max()}, expected 0 to "
            f"{len(nodes) - 1}"
        )
    return Mesh(nodes, connect.astype(np.int64), group.astype(np.int32), _tags(boundary))


def _tags(boundary: Integers) -> Integers:
    if boundary.ndim == 2:
        tags = boundary.astype(np.int32)
    else:
        bits = boundary.dtype.itemsize * 2
        places = np.arange(4) * bits
        shifted = boundary.astype(np.uint64)[:, None] >> places.astype(np.uint64)
        tags = (shifted & np.uint64((1 << bits) - 1)).astype(np.int32)
    return np.where(tags >= FIRST_SEGMENT, RUPTURE, tags)


def _xdmf(name: str, mesh: Mesh) -> str:
    cells, nodes = len(mesh.cells), len(mesh.nodes)

    def item(dataset: str, shape: str, kind: str, size: int) -> str:
        return (
            f'<DataItem NumberType="{kind}" Precision="{size}" Format="HDF" Dimensions="{shape}">'
            f"{escape(name)}:/{dataset}</DataItem>"
        )

    def attribute(dataset: str) -> str:
        return (
            f'    <Attribute Name="{dataset}" Center="Cell">'
            f"{item(dataset, str(cells), 'Int', 4)}</Attribute>"
        )

    return "\n".join(
        [
            '<?xml version="1.0" ?>',
            '<Xdmf Version="2.0">',
            " <Domain>",
            '  <Grid Name="mesh" GridType="Uniform">',
            f'    <Topology TopologyType="Tetrahedron" NumberOfElements="{cells}">'
            f"{item('connect', f'{cells} 4', 'UInt', 8)}</Topology>",
            f'    <Geometry GeometryType="XYZ" NumberOfElements="{nodes}">'
            f"{item('geometry', f'{nodes} 3', 'Float', 8)}</Geometry>",
            attribute("group"),
            attribute("boundary"),
            "  </Grid>",
            " </Domain>",
            "</Xdmf>",
            "",
        ]
    )
