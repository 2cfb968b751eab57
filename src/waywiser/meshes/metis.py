"""METIS with several weights for each vertex; pymetis, which contains METIS, passes only one.

Sources: G. Karypis, "METIS, a software package for partitioning unstructured graphs", manual of
version 5.1, 2013; G. Karypis, V. Kumar, "Multilevel algorithms for multi-constraint graph
partitioning", SC98, doi 10.1109/SC.1998.10018.
"""

from __future__ import annotations

import ctypes
from types import ModuleType

import numpy as np

from waywiser.errors import ToolMissing
from waywiser.extras import install_command
from waywiser.meshes.tetrahedra import Integers

OK = 1
"""METIS_OK of METIS's header."""


def part_graph(
    parts: int, starts: Integers, ends: Integers, weights: Integers, cuts: Integers
) -> Integers:
    """Return the part of each vertex; each column of weights is balanced within 3 % where possible.

    Args:
        starts, ends: the graph in compressed rows; edge i leads to vertex ends[i].
        weights: of vertices, shape (vertices, constraints).
        cuts: cost of an edge between two parts, shape (edges,).

    Raises:
        ToolMissing: METIS is not installed, or its function is hidden.
        MemoryError: METIS ran out of memory.
    """
    pymetis = pymetis_module()
    if parts == 1:  # METIS divides by its logarithm
        return np.zeros(len(weights), np.int64)
    kind = pymetis.zero_copy_dtype()
    counts = [np.array([count], kind) for count in (*weights.shape, parts)]
    graph = [np.ascontiguousarray(array, kind) for array in (starts, ends, weights, cuts)]
    cost, part_of_vertex = np.zeros(1, kind), np.zeros(len(weights), kind)
    vertices, constraints, parts_address = map(_address, counts)
    row, column, weight, cut = map(_address, graph)
    default = None
    try:
        kway = ctypes.CDLL(pymetis._internal.__file__).METIS_PartGraphKway
    except AttributeError:
        raise ToolMissing(
            f"{pymetis._internal.__file__} hides METIS_PartGraphKway; that of PyPI shows it: "
            "pip install --force-reinstall pymetis"
        ) from None
    code = kway(
        *(vertices, constraints, row, column, weight, default, cut, parts_address),
        *(default, default, default, _address(cost), _address(part_of_vertex)),
    )
    if code != OK:
        raise MemoryError(f"METIS_PartGraphKway returned {code}")
    return part_of_vertex.astype(np.int64)


def pymetis_module() -> ModuleType:
    """Import pymetis; raise ToolMissing if it is not installed."""
    try:
        import pymetis
    except ImportError:
        raise ToolMissing(
            "pymetis, which cuts meshes, is not installed; install it with "
            f"{install_command('mesh')}"
        ) from None
    module: ModuleType = pymetis
    return module


def _address(array: Integers) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)
