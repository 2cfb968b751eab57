"""Wrong copies of ww-shallow, of which each must fail its own checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mutants import mutant
from tests.support import MpiLibrary, cases

FEW = ["--steps=6", "--levels=1"]
STEADY = ["--levels=1"]
MOUNTAIN = ["--test=5", "--levels=1", "--days=2"]

FAULTS = {
    "tangents lead to the right": (
        *(FEW, 1, "domain.cpp"),
        *("% sides] = 0.5 - share;", "% sides] = share - 0.5;"),
        "the symmetric part of tangential weights is",
    ),
    "a kite too many is passed": (
        *(FEW, 1, "domain.cpp"),
        *("(from + step - 1) % sides) / area", "(from + step) % sides) / area"),
        "",
    ),
    "triangles are plane": (
        *(FEW, 1, "vector3.hpp"),
        *(
            "return 2 * std::atan2(dot(a, cross(b, c)), 1 + dot(a, b) + dot(b, c) + dot(c, a));",
            "return dot(cross(b - a, c - a), a) / 2;",
        ),
        "the error of the sum of areas is",
    ),
    "curls run clockwise": (
        *(STEADY, 1, "domain.cpp"),
        *(
            "outward(mesh_.topology().edge(edge), vertex.cells[i]) * mesh_",
            "-outward(mesh_.topology().edge(edge), vertex.cells[i]) * mesh_",
        ),
        "",
    ),
    "divergence has the length of another edge": (
        *(FEW, 1, "domain.cpp"),
        *("number) * mesh_.length(edge) * earth", "number) * mesh_.length(cell.edges[0]) * earth"),
        "the divergence of a stream function's flow is",
    ),
    "kinetic energy is halved": (
        *(MOUNTAIN, 1, "domain.cpp"),
        *("/ (4 * area)", "/ (8 * area)"),
        "energy changes by",
    ),
    "a flux has the thickness of one cell": (
        *(MOUNTAIN, 1, "kernels.cpp"),
        *("(own + at(beyond[i] + k)) * speed", "(own + own) * speed"),
        "mass changes by",
    ),
    "vorticity has the thickness of one cell": (
        *([*MOUNTAIN, "--form=enstrophy"], 1, "kernels.cpp"),
        *("(row.coriolis + curl) / mean;", "(row.coriolis + curl) / at(h[0] + k);"),
        "potential enstrophy changes by",
    ),
    "the third stage goes half of the way": (
        *(MOUNTAIN, 1, "integrator.cpp"),
        *("state, third_, seconds, false}", "state, third_, seconds / 2, false}"),
        "energy changes by",
    ),
    "both forms are the same": (
        *([*MOUNTAIN, "--form=enstrophy"], 1, "integrator.cpp"),
        *('settings_.form == "energy"', 'settings_.form != ""'),
        "potential enstrophy changes by",
    ),
    "a mean of the potential vorticity has the wrong weight": (
        *(STEADY, 1, "kernels.cpp"),
        *("+ at(corner[i] + k);", "+ 0.9 * at(corner[i] + k);"),
        "",
    ),
    "a walk around a cell passes the kite of another corner": (
        *(MOUNTAIN, 1, "kernels.cpp"),
        *("row.kites[i - 1] * outflow", "row.kites[i] * outflow"),
        "energy changes by",
    ),
    "halos are exchanged three times a step": (
        *(MOUNTAIN, 2, "integrator.cpp"),
        *("    halo_.exchange(second_);\n", ""),
        "mass changes by",
    ),
}


@pytest.mark.parametrize("name", cases(["a flux has the thickness of one cell"], long=FAULTS))
def test_a_wrong_copy_is_not_verified(openmpi: MpiLibrary, tmp_path: Path, name: str) -> None:
    options, ranks, file, right, wrong, reason = FAULTS[name]
    program = mutant(openmpi, "shallow", (f"shallow/{file}", right, wrong), tmp_path)

    done = openmpi.run(ranks, program, *options, check=False)

    assert done.returncode == 1, done.stdout
    last = done.stdout.splitlines()[-1]
    assert re.match(rf"NOT VERIFIED: integration, [a-z]+: {reason}", last), last
