"""The XDMF files that ww-rupture writes: fields on triangles over time, values in a raw file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from waywiser.errors import InvalidCommand
from waywiser.inputs import read_text, xml_of

TYPES = {("Float", 4): "<f4", ("Float", 8): "<f8", ("Int", 4): "<i4", ("Int", 8): "<i8"}

Values = NDArray[np.float32] | NDArray[np.float64] | NDArray[np.int32] | NDArray[np.int64]


@dataclass(frozen=True)
class Grid:
    """The fields at one time."""

    time_s: float
    corners_m: NDArray[np.float64]
    """Coordinates of the corners, shape (triangles, 3, 3)."""

    fields: dict[str, Values]
    """Values by field, shape (triangles, components), or (triangles, 3, components) at corners."""


def read_xdmf(path: Path) -> Iterator[Grid]:
    """Read the grids of all times, in their order.

    Raises:
        InvalidCommand: the file, or the file of its values, does not exist or is not valid.
    """
    try:
        for grid in xml_of(read_text(path, "valid XDMF"), str(path)).iterfind("Domain/Grid/Grid"):
            yield _grid(path, grid)
    except (
        InvalidCommand,
        OSError,
        AttributeError,
        IndexError,
        KeyError,
        TypeError,
        ValueError,
    ) as error:
        raise InvalidCommand(
            f"{path} cannot be read ({error}); expected what ww-rupture wrote"
        ) from error


def _grid(path: Path, grid: ElementTree.Element) -> Grid:
    def values(element: ElementTree.Element | None) -> Values:
        return _values(path, element)

    numbers = values(grid.find("Topology/DataItem")).astype(np.int64)
    corners = values(grid.find("Geometry/DataItem")).astype(np.float64)
    fields = {}
    for attribute in grid.iterfind("Attribute"):
        field = values(attribute.find("DataItem"))
        at_corners = attribute.attrib["Center"] == "Node"
        if not at_corners and len(field) != len(numbers):
            raise ValueError(f"{len(field)} values of a field for {len(numbers)} triangles")
        fields[attribute.attrib["Name"]] = field[numbers] if at_corners else field
    time = grid.find("Time")
    if time is None:
        raise ValueError("a Grid has no Time")
    return Grid(float(time.attrib["Value"]), corners[numbers], fields)


def _values(path: Path, element: ElementTree.Element | None) -> Values:
    if element is None or element.text is None:
        raise ValueError("a DataItem is missing")
    says = element.attrib
    kind = np.dtype(TYPES[says["NumberType"], int(says["Precision"])])
    shape = tuple(map(int, says["Dimensions"].split()))
    file = path.parent / element.text
    count, offset = math.prod(shape), int(says["Seek"])
    if min(shape, default=0) < 0 or not 0 <= offset + count * kind.itemsize <= file.stat().st_size:
        raise ValueError(f"{file.name} lacks values that the XDMF file describes")
    array = np.fromfile(file, kind, count=count, offset=offset)
    return array.reshape(shape)
