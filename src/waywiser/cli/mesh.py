"""`waywiser mesh NAME`, `waywiser mesh import FILE`: meshes that workloads need."""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path

import numpy as np

from waywiser import __version__
from waywiser.cli.arguments import JSON, REQUIRED, add_action, declare, named
from waywiser.errors import InvalidCommand
from waywiser.extras import install_command
from waywiser.meshes.cases import CASES, Case
from waywiser.meshes.check import checked
from waywiser.meshes.clusters import clusters_of, histogram, speed_up, time_steps
from waywiser.meshes.generate import TOLERANCE, gmsh_module, make_mesh, make_mesh_of
from waywiser.meshes.labels import check_case
from waywiser.meshes.partition import load_balances, partition, work_at_ticks
from waywiser.meshes.parts import write_parts
from waywiser.meshes.puml import h5py_module, read_puml, write_puml
from waywiser.meshes.tetrahedra import RUPTURE, Floats, Mesh
from waywiser.model.base import Model
from waywiser.model.mesh import CutMesh, GeneratedMesh
from waywiser.progress import progress
from waywiser.report.mesh import cut_text, generated_text
from waywiser.store.durable import sync_file

ORDERS = range(2, 7)
FEWEST, MOST = 1_000, 1_000_000_000
"""Smallest and largest number of tetrahedra of a mesh."""

SCALES = (0.01, 100)
MULTIPLES = {"": 1, "k": 1e3, "M": 1e6}
ENDING = ".h5"
OUTPUT = f"-o, --output FILE  mesh to write\n{JSON}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Make tetrahedral meshes for ww-rupture: those of SCEC's benchmarks TPV33 and TPV5, or "
        "parts of a mesh from the HDF5 files of SeisSol (PUML). Further packages are required: "
        f"{install_command('mesh')}"
    )
    parser.epilog = "docs/meshes.md shows both, and what the files contain."
    actions = parser.add_subparsers(required=True, metavar="NAME", dest="mesh_action")
    for name, case in CASES.items():
        coarse = " or ".join(f"{count:,} at {scale:g}" for scale, count in case.counts)
        making = add_action(
            actions,
            name,
            _make,
            f"make the mesh of SCEC's benchmark {name.upper()}",
            "",
            description=f"Mesh half the domain of {name.upper()} by Gmsh, with the fault and the "
            "patches of other initial stress in its boundary, and mirror it. SeisSol reads "
            "FILE.h5, and ParaView shows FILE.xdmf.",
            epilog=f"Approximate number of tetrahedra by scale: {coarse}.",
        )
        making.set_defaults(case=case)
        declare(
            making.add_mutually_exclusive_group(),
            f"""
            --elements N  number of tetrahedra on both sides of the fault, 580000 or 580k or 0.58M;
                met within {100 * TOLERANCE:.0f} %%
            --scale S  multiply the benchmark's element sizes by S (default: %(default)g)
            """,
            {_elements: "elements", _scale: "scale"},
            {"scale": 1.0},
        )
        declare(making, OUTPUT, {named: "output"}, {"output": REQUIRED})
    cutting = add_action(
        actions,
        "import",
        _import,
        "cut a mesh of SeisSol's format into parts",
        """
        file FILE.h5  PUML mesh to cut
        --ranks N  number of parts
        """,
        {Path: "file", int: "ranks"},
        {"ranks": REQUIRED},
        description="Read and check a PUML mesh, find the clusters of local time stepping and "
        "write one part a rank. Parts are balanced by their updates and their faces on the "
        "fault. Both sides of the fault stay together.",
    )
    declare(
        cutting.add_mutually_exclusive_group(),
        """
        --case  benchmark whose P-wave speeds apply (default: as `waywiser mesh NAME` wrote it in
            the file)
        --p-speed M_PER_S  use one P-wave speed for all cells
        """,
        {_positive: "p-speed"},
        {"case": {"choices": CASES}},
    )
    declare(
        cutting,
        """
        --order  print the time steps for this order; clusters are the same for all orders (default:
            %(default)s)
        --cfl C  print the time steps for this CFL number (default: %(default)s)
        """,
        {int: "order", _positive: "cfl"},
        {"order": {"choices": ORDERS, "default": 4}, "cfl": 0.5},
    )
    about = OUTPUT.replace("FILE", "FILE.wwmesh")
    declare(cutting, about, {named: "output"}, {"output": REQUIRED})


def _make(arguments: argparse.Namespace) -> int:
    case: Case = arguments.case
    h5py_module(), gmsh_module()  # before minutes are spent
    output: Path = arguments.output
    path = output if output.suffix == ENDING else output.with_name(output.name + ENDING)
    if not path.parent.is_dir():
        raise InvalidCommand(f"-o {output}: directory {path.parent} not found")
    if arguments.elements is None:
        scale, mesh = arguments.scale, _meshed(case, arguments.scale)
    else:
        scale, mesh = make_mesh_of(case, arguments.elements, _meshed)
    with progress("checking the mesh"):
        checked(mesh)
        check_case(case, mesh)
    with progress("writing the mesh"):
        files = write_puml(path, mesh, case.name)
        for file in files:
            sync_file(file)
    groups, counts = np.unique(mesh.groups, return_counts=True)
    generated = GeneratedMesh(
        waywiser=__version__,
        case=case.name,
        files=tuple(map(str, files)),
        scale=scale,
        elements=len(mesh.cells),
        nodes=len(mesh.nodes),
        fault_faces=_fault_faces(mesh),
        elements_of_group=dict(zip(groups.tolist(), counts.tolist(), strict=True)),
        smallest_insphere_m=float(mesh.insphere_radii().min()),
    )
    _print(arguments, generated, generated_text(generated))
    return 0


def _meshed(case: Case, scale: float) -> Mesh:
    """Make a mesh and show the time spent; Gmsh does not tell how much is left."""
    with progress(f"meshing {case.name} at scale {scale:.3g}"):
        return make_mesh(case, scale)


def _import(arguments: argparse.Namespace) -> int:
    if arguments.ranks < 1:
        raise InvalidCommand(f"--ranks {arguments.ranks}: expected at least 1")
    output: Path = arguments.output
    if output.is_dir() or not output.parent.is_dir():  # before minutes are spent
        raise InvalidCommand(f"-o {output}: expected a file in a directory that exists")
    cut = _cut(arguments)
    _print(arguments, cut, cut_text(cut))
    return 0


@progress("cutting the mesh")
def _cut(arguments: argparse.Namespace) -> CutMesh:
    path, output = arguments.file, arguments.output
    mesh, of_file = read_puml(path)
    neighbours = checked(mesh, path)
    case = None if arguments.p_speed else arguments.case or of_file
    steps = time_steps(mesh, _p_speeds(arguments, mesh, case), arguments.order, arguments.cfl)
    clusters = clusters_of(steps, neighbours, mesh.tags)
    parts = partition(mesh, neighbours, clusters, arguments.ranks)
    written = write_parts(output, mesh, neighbours, clusters, parts)
    sync_file(output)
    counts = histogram(clusters)
    balance, at_ticks = load_balances(work_at_ticks(parts, clusters, mesh.tags))
    return CutMesh(
        waywiser=__version__,
        mesh=str(path),
        file=str(output),
        case=case,
        order=arguments.order,
        cfl=arguments.cfl,
        elements=len(mesh.cells),
        fault_faces=_fault_faces(mesh),
        shortest_step_s=float(steps.min()),
        clusters=counts,
        speed_up=speed_up(counts),
        cut_faces=sum(part.ghosts for part in written) // 2,
        load_balance=balance,
        load_balance_at_ticks=at_ticks,
        parts=written,
    )


def _p_speeds(arguments: argparse.Namespace, mesh: Mesh, case: str | None) -> Floats:
    """The speed of P waves in each cell [m/s]."""
    if arguments.p_speed:
        return np.full(len(mesh.cells), arguments.p_speed)
    if case not in CASES:
        raise InvalidCommand(
            f"{arguments.file} does not say whose material it has: give --case {'|'.join(CASES)} "
            "or --p-speed M_PER_S"
        )
    return CASES[case].p_speeds_at(mesh.centres())


def _fault_faces(mesh: Mesh) -> int:
    return int((mesh.tags == RUPTURE).sum()) // 2


def _print(arguments: argparse.Namespace, document: Model, text: str) -> None:
    print(document.model_dump_json(indent=1) if arguments.json else text)


def _elements(text: str) -> float:
    match = re.fullmatch(r"([0-9.]+)([kM]?)", text)
    try:
        number = float(match[1]) * MULTIPLES[match[2]] if match else math.nan
    except ValueError:
        number = math.nan
    if not FEWEST <= number <= MOST:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of tetrahedra; expected {FEWEST:,} to {MOST:,}, as 580000, "
            "580k or 0.58M"
        )
    return number


def _scale(text: str) -> float:
    number = _number(text)
    if not SCALES[0] <= number <= SCALES[1]:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a scale; expected a number from {SCALES[0]} to {SCALES[1]}"
        )
    return number


def _positive(text: str) -> float:
    number = _number(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
