"""The fault of ww-rupture: where it holds it is none, and what is wrong in it changes which way it
slips, or what is held against SeisSol."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests import kuhn_mesh
from tests.rupture_runs import SMALL_FAULT, run
from tests.support import MpiLibrary
from tests.system.test_rupture import SEISSOL_ORDER_4, fault_lines, fault_tag

ZONE = 800.0
"""|y| at which the material changes [m]: waves are 1.6 times as fast beyond."""


def mesh_file(path: Path, *, patch: bool) -> Path:
    """Writes the mesh of SMALL_FAULT with layers up to the side of the zone. A patch of fault there
    is deeper than any rupture; its shear stress is at most 0.73 of the strength."""
    x, y, z = fault_lines()
    lines = [x, sorted({*y, -ZONE, ZONE}), z]

    def tag(nodes: list[kuhn_mesh.Node]) -> int:
        points = [[lines[d][node[d]] for d in range(3)] for node in nodes]
        if patch and all(p[1] == ZONE and p[2] <= -10000 for p in points):
            return 3
        return fault_tag(lines, nodes)

    mesh = kuhn_mesh.box(lines, tag)
    kuhn_mesh.write(mesh, np.zeros(len(mesh.vertices), np.int64), path)
    return path


def change_by_patch(mpi: MpiLibrary, directory: Path, program: Path | None = None) -> float:
    """The largest of energies, work and moment, relative, that a patch that holds makes."""
    options = [*SMALL_FAULT, "--lts=off", "--end=2", "--every=1"]
    [without, with_one] = (
        run(
            mpi,
            directory,
            *options,
            f"--mesh={mesh_file(directory / name, patch=patch)}",
            program=program,
        )
        for name, patch in (("without", False), ("with", True))
    )
    assert with_one["details"]["fault_faces"] > without["details"]["fault_faces"]
    names = ("elastic_J", "kinetic_J", "work_J", "moment_Nm")
    [plain, patched] = (
        np.array([[energies[name] for name in names] for energies in each["details"]["energies"]])
        for each in (without, with_one)
    )
    assert plain.min() > 0
    return float(np.abs(patched / plain - 1).max())


def test_a_fault_that_holds_is_none(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Locked traction and flux are the same thing, by two programs."""
    assert change_by_patch(openmpi, tmp_path) < 1e-9


COARSE = [*SMALL_FAULT, "--order=3", "--spacing=1000", "--growth=3", "--end=1.5"]


def held_metrics(mpi: MpiLibrary, directory: Path, program: Path | None = None) -> dict[str, float]:
    """Metrics that must be within 10 % of SeisSol's."""
    sample = run(mpi, directory, *COARSE, program=program, threads=2, timeout=600)
    last = sample["details"]["energies"][-1]
    return {name: last[name] for name in SEISSOL_ORDER_4 if name != "kinetic_J"}
