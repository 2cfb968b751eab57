"""Wrong copies of ww-tbl, of which each must fail its own checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mutants import mutant
from tests.support import MpiLibrary, cases
from tests.system.test_tbl import THIN

CHANNEL = ["--n1=12", "--n2=10", "--n3=8", "--steps=4"]
LAYER = ["--case=temporal", "--perturbation=0", "--stretching=0", *THIN, "--n2=8", "--steps=4"]
VORTICES = ["--case=taylor-green", "--n1=8", "--n2=4", "--n3=8", "--steps=4"]
PLATE = ["--case=blasius", "--n1=32", "--n2=32", "--n3=4", "--steps=400"]
TURBULENT = ["--case=spatial", "--n1=48", "--n2=32", "--n3=12", "--dt=0.03", "--steps=1500"]
WAVE = ["--case=orr-sommerfeld", "--n1=16", "--n2=64", "--n3=4", "--dt=0.04", "--steps=300"]

FAULTS = {
    "the convection of a step ago has the wrong sign": (
        *(WAVE, 1, "passes.hpp"),
        *("{{1, 1.5, -0.5}}", "{{1, 1.5, 0.5}}"),
        "the wave grows at a rate of",
    ),
    "wavenumbers are those of the continuum": (
        *(CHANNEL, 1, "pressure.cpp"),
        *("-(2 - 2 * std::cos(angle))", "-(angle * angle)"),
        "the divergence is",
    ),
    "the flux between rows of unlike size is that of one": (
        *(CHANNEL, 1, "equation.cpp"),
        *(
            "terms.behind[axis] *= grid.size(row + 1) / gap;",
            "terms.behind[axis] *= grid.size(row) / gap;",
        ),
        "the budget of energy is open",
    ),
    "a viscous flux has the other side's distance": (
        *(CHANNEL, 1, "equation.cpp"),
        *(
            "terms.high[1] = nu / (size * grid.gap(row));",
            "terms.high[1] = nu / (size * grid.gap(row - 1));",
        ),
        "the budget of momentum is open",
    ),
    "a cyclic line's correction has the wrong sign": (
        *(VORTICES, 1, "tridiagonal.cpp"),
        *("last_weight_ = corner_low / gamma;", "last_weight_ = -corner_low / gamma;"),
        "velocities differ from the exact solution",
    ),
    "a moving wall moves at half its speed": (
        *(LAYER, 1, "flow.hpp"),
        *("(component == 0 ? 2 * velocity : 0) - next", "(component == 0 ? velocity : 0) - next"),
        "the budget of momentum is open",
    ),
    "the step of viscosity is a whole one": (
        *(LAYER, 1, "momentum.cpp"),
        *(
            "const double low = interval / 2 * terms.low[1];",
            "const double low = interval * terms.low[1];",
        ),
        "the budget of momentum is open",
    ),
    "a halo has the wrong plane": (
        *([*CHANNEL, "--p1=1"], 2, "flow.cpp"),
        *(
            "side == Side::low ? owned_[axis] - 1 : 0, at)",
            "side == Side::low ? owned_[axis] - 1 : 1, at)",
        ),
        "the divergence is",
    ),
    "a transposition mixes up its parts": (
        *([*CHANNEL, "--p1=2"], 2, "pencils.cpp"),
        *("received, to.extents, to.parts[r].lo);", "received, to.extents, to.parts[own].lo);"),
        "the divergence is",
    ),
    "an equation that is left of a shared line has a wrong sign": (
        *([*CHANNEL, "--p1=2", "--solver=partitioned"], 2, "partitioned.cpp"),
        *("-first.upper * of_last[1]}", "first.upper * of_last[1]}"),
        "the divergence is",
    ),
    "the convection of a pass ago has the wrong sign": (
        *([*WAVE, "--time=rk3"], 1, "passes.hpp"),
        *("3. / 4, -5. / 12", "3. / 4, 5. / 12"),
        "the wave grows at a rate of",
    ),
    "the passes leave out viscosity along the walls": (
        *([*VORTICES, "--time=rk3"], 1, "equation.cpp"),
        *("viscous ? out - along : out;", "out;"),
        "velocities differ from the exact solution",
    ),
    "the lines of a pass are those of a whole step": (
        *([*LAYER, "--time=rk3"], 1, "momentum.cpp"),
        *("wall_lines(pass.interval * domain.dt,", "wall_lines(domain.dt,"),
        "the budget of momentum is open",
    ),
    "the waves between open ends are those of a periodic axis": (
        *(PLATE, 1, "pressure.cpp"),
        *("domain_.open ? wave / 2 : wave,", "wave,"),
        "the divergence is",
    ),
    "what leaves is not what enters": (
        *(PLATE, 1, "ends.cpp"),
        *("const double factor = fluxes[0] / fluxes[1];", "const double factor = 1.001;"),
        "the divergence is",
    ),
    "the pressure has a gradient at the outflow": (
        *(PLATE, 1, "flow.cpp"),
        *("row[n] = row[n - 1]; });", "row[n] = 0; });"),
        "the divergence is",
    ),
    "the viscous flux at the inflow has the other sign": (
        *(PLATE, 1, "flow.cpp"),
        *("2 * entering - row[0]", "2 * entering + row[0]"),
        "the layer differs from that of Blasius",
    ),
    "a thicker layer enters": (
        *(PLATE, 1, "start.cpp"),
        *("return layer.along(0, y);", "return layer.along(4, y);"),
        "the layer differs from that of Blasius",
    ),
    "a plane enters as thick as it is": (
        *(TURBULENT, 1, "recycling.cpp"),
        *("outer * of(by.thickness * y)", "outer * of(y)"),
        "the layer that enters is",
    ),
    "a plane enters with its velocity far from the wall": (
        *(TURBULENT, 1, "recycling.cpp"),
        *("(1 - by.friction * by.edge)", "(1 - by.friction)"),
        "the flow enters at a velocity of",
    ),
    "a flow with open ends is twice as viscous": (
        *(PLATE, 1, "main.cpp"),
        *(".viscosity = s.viscosity(),", ".viscosity = 2 * s.viscosity(),"),
        "the layer differs from that of Blasius",
    ),
}


@pytest.mark.parametrize("name", cases(["wavenumbers are those of the continuum"], long=FAULTS))
def test_a_wrong_copy_is_not_verified(openmpi: MpiLibrary, tmp_path: Path, name: str) -> None:
    options, ranks, file, right, wrong, reason = FAULTS[name]
    program = mutant(openmpi, "tbl", (f"tbl/{file}", right, wrong), tmp_path)

    done = openmpi.run(ranks, program, *options, check=False)

    assert done.returncode == 1, done.stdout
    last = done.stdout.splitlines()[-1]
    assert re.match(rf"NOT VERIFIED: [a-z-]+, [a-z]+: {reason}", last), last
