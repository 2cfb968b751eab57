"""Half of a benchmark's mesh by Gmsh, at any scale, and the whole mesh, of about a given size.

Gmsh: C. Geuzaine and J.-F. Remacle, "Gmsh: a three-dimensional finite element mesh generator with
built-in pre- and post-processing facilities", International Journal for Numerical Methods in
Engineering 79(11), 2009, doi 10.1002/nme.2579.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from types import ModuleType

import numpy as np

from waywiser.errors import InvalidCommand, InvalidMesh, ToolMissing
from waywiser.extras import install_command
from waywiser.meshes.cases import Case, Circle, Rectangle
from waywiser.meshes.labels import labelled
from waywiser.meshes.mirror import mirrored
from waywiser.meshes.tetrahedra import Floats, Integers, Mesh

TOLERANCE = 0.1
"""Largest difference between requested and actual number of tetrahedra, as a share."""

MOST_TRIES = 5
TETRAHEDRON = 4
"""Gmsh's number of that type of element."""

FAR = 1e3
"""Scales beyond the counted ones, where counts fall with the cube of the scale."""


def gmsh_module() -> ModuleType:
    """Import Gmsh; raise ToolMissing if it, or a library that its wheel needs, is missing."""
    try:
        import gmsh
    except ImportError:
        raise ToolMissing(
            f"Gmsh, which makes meshes, is not installed; install it with {install_command('mesh')}"
        ) from None
    except OSError as error:
        raise ToolMissing(
            f"Gmsh cannot be loaded ({error}): its wheel needs libraries of the system, on Debian "
            "apt-get install libgl1 libglu1-mesa libxcursor1 libxft2 libxinerama1"
        ) from None
    module: ModuleType = gmsh
    return module


def make_mesh(case: Case, scale: float) -> Mesh:
    """Make the whole mesh of a case, with all sizes of elements times `scale`."""
    nodes, cells = _half(case, scale)
    return mirrored(labelled(case, nodes, cells))


def make_mesh_of(
    case: Case, elements: float, make: Callable[[Case, float], Mesh]
) -> tuple[float, Mesh]:
    """Find the scale at which a case has about `elements` tetrahedra; return scale and mesh.

    Args:
        elements: met within `TOLERANCE`.
        make: `make_mesh`, or a wrapper.

    Raises:
        InvalidCommand: no scale fits, as too few elements cannot follow the geometry.
    """
    scales, counts = np.log(case.counts).T
    scales = np.array([scales[0] - np.log(FAR), *scales, scales[-1] + np.log(FAR)])
    counts = np.array([counts[0] + 3 * np.log(FAR), *counts, counts[-1] - 3 * np.log(FAR)])
    error = 0.0  # of the logarithm of what is counted on
    tried = []
    for _ in range(MOST_TRIES):
        target = np.log(elements) - error
        scale = float(np.exp(np.interp(-target, -counts, scales)))
        mesh = make(case, scale)
        count = len(mesh.cells)
        if abs(count / elements - 1) <= TOLERANCE:
            return scale, mesh
        tried.append(f"{count:,} at --scale {scale:.3g}")
        error += np.log(count / elements)
    raise InvalidCommand(
        f"--elements {elements:,.0f}: no mesh of {case.name} within {100 * TOLERANCE:.0f} % of it "
        f"was found: {', '.join(tried)}"
    )


@contextmanager
def _session(gmsh: ModuleType) -> Iterator[None]:
    # The user's own configuration of Gmsh would change the mesh. Interruptible: until Gmsh
    # returns, minutes later, Python would not act on Ctrl-C.
    gmsh.initialize(readConfigFiles=False, interruptible=True)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        yield
    finally:
        gmsh.finalize()


def _half(case: Case, scale: float) -> tuple[Floats, Integers]:
    gmsh = gmsh_module()
    with _session(gmsh):
        try:
            _build(gmsh, case)
            _set_sizes(gmsh, case, scale)
            gmsh.model.mesh.generate(3)
        except Exception as error:  # Gmsh raises plain Exceptions
            raise InvalidMesh(
                f"Gmsh could not mesh {case.name} at scale {scale:.3g}: {error}"
            ) from error
        numbers, coordinates, _ = gmsh.model.mesh.getNodes()
        _, corners = gmsh.model.mesh.getElementsByType(TETRAHEDRON)
    order = np.argsort(numbers)
    places = order[np.searchsorted(numbers, corners, sorter=order)]
    # Points of the geometry that no cell uses are left behind.
    used, cells = np.unique(places, return_inverse=True)
    return coordinates.reshape(-1, 3)[used], cells.reshape(-1, 4)


def _build(gmsh: ModuleType, case: Case) -> None:
    """Build boxes on both sides of the layer's plane, with the fault and its patches in y = 0."""
    occ = gmsh.model.occ
    planes = [0.0, *([] if case.layer is None else [case.layer]), case.half_width]
    boxes = [
        occ.addBox(-case.half_width, near, -case.depth, 2 * case.half_width, far - near, case.depth)
        for near, far in pairwise(planes)
    ]
    surfaces = [_surface(occ, shape) for shape in (case.fault, *case.patches)]
    occ.fragment([(3, box) for box in boxes], [(2, surface) for surface in surfaces])
    occ.synchronize()


def _surface(occ: ModuleType, shape: Circle | Rectangle) -> int:
    if isinstance(shape, Circle):
        disk: int = occ.addDisk(shape.x, 0, shape.z, shape.radius, shape.radius, zAxis=[0, 1, 0])
        return disk
    (left, right), (bottom, top) = shape.x, shape.z
    corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    points = [occ.addPoint(x, 0, z) for x, z in corners]
    lines = [occ.addLine(points[i - 1], points[i]) for i in range(4)]
    surface: int = occ.addPlaneSurface([occ.addCurveLoop(lines)])
    return surface


def _set_sizes(gmsh: ModuleType, case: Case, scale: float) -> None:
    """Set sizes by the distance to the fault in closed form; Gmsh's field samples points."""

    def beyond(axis: str, ends: tuple[float, float]) -> str:
        middle, half = sum(ends) / 2, (ends[1] - ends[0]) / 2
        out = f"(abs({axis}-({middle}))-{half})"
        return f"(({out}+abs({out}))/2)"

    sizes, fault = case.sizes, case.fault
    distance = f"sqrt({beyond('x', fault.x)}^2+y^2+{beyond('z', fault.z)}^2)"
    formula = f"{sizes.at_fault}+{sizes.slope}*{distance}+({distance}/{sizes.reach})^2"
    field = gmsh.model.mesh.field
    number = field.add("MathEval")
    field.setString(number, "F", f"{scale}*({formula})")
    field.setAsBackgroundMesh(number)
    for option, value in {
        "MeshSizeFromPoints": 0,
        "MeshSizeExtendFromBoundary": 0,
        "MeshSizeMax": scale * sizes.largest,
    }.items():
        gmsh.option.setNumber(f"Mesh.{option}", value)
