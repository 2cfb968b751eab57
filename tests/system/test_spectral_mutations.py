"""Wrong copies of ww-spectral, of which each must fail its own checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mutants import mutant
from tests.support import MpiLibrary, cases

SMALL = ["--truncation=21", "--levels=5", "--steps=4", "--tries=1"]
IN_ROWS = [*SMALL, "--pv=2"]
IN_COLUMNS = [*SMALL, "--pw=2"]
WATER = [*SMALL, "--equations=shallow-water"]

FAULTS = {
    "a factor of the recurrence has the wrong degree": (
        *(SMALL, 1, "legendre.cpp"),
        *("factors[k] * last) / factors[k + 1]", "factors[k + 1] * last) / factors[k + 1]"),
        "Legendre functions are off being orthonormal by",
    ),
    "the weights of half of the latitudes are forgotten": (
        *(SMALL, 1, "grid.cpp"),
        *("static_cast<double>(2 / (square", "static_cast<double>(1 / (square"),
        "Legendre functions are off being orthonormal by",
    ),
    "southern latitudes are northern ones": (
        *(SMALL, 1, "products.cpp"),
        *("difference[c] = sums[0].of[r][c] -", "difference[c] = sums[0].of[r][c] +"),
        "a round trip changes coefficients by",
    ),
    "all fields of a message are its first one": (
        *(IN_ROWS, 2, "transform.cpp"),
        *("                from += levels.size() * length;\n", ""),
        "a round trip changes coefficients by",
    ),
    "coefficients of a column's other rank are lost": (
        *(IN_COLUMNS, 2, "transform.cpp"),
        *(
            "double* const to = rows + 2 * waves[",
            "double* const to = rows + (w == 1) * 2 * waves[",
        ),
        "a round trip changes coefficients by",
    ),
    "the earth turns the other way": (
        *(SMALL, 1, "vorticity.cpp"),
        *("+ 2 * earth_rotation * circle.mu", "- 2 * earth_rotation * circle.mu"),
        "the wave is off its exact solution by",
    ),
    "waves turn the other way": (
        *(SMALL, 1, "vorticity.cpp"),
        *("= stream.eastward(c)", "= -stream.eastward(c)"),
        "the wave is off its exact solution by",
    ),
    "a stage of a step is taken at the wrong time": (
        *(SMALL, 1, "vorticity.cpp"),
        *("{0.5, 0.5, 1, 0}", "{0.5, 1, 1, 0}"),
        "the wave is off its exact solution by",
    ),
    "the wind lacks its part of one degree more": (
        *([*SMALL, "--wave-number=21", "--wave-degree=21"], 1, "vorticity.cpp"),
        *("winds_(m_, wind_kinds, 1)", "winds_(m_, wind_kinds, 0)"),
        "the wave is off its exact solution by",
    ),
    "pressure pulls": (
        *(WATER, 1, "shallow_water.cpp"),
        *("half * k * old[2 * count + c];", "-half * k * old[2 * count + c];"),
        "the steady flow is off its exact solution by",
    ),
    "gravity waves are a little more than half implicit": (
        *(WATER, 1, "shallow_water.cpp"),
        *("/ (1 + half * half * k * mean)", "/ (1 + 1.01 * half * half * k * mean)"),
        "the gravity wave is off its exact solution by",
    ),
    "gravity waves are explicit": (
        *(WATER, 1, "shallow_water.cpp"),
        *("(d + half * k * p) / (1 + half * half * k * mean)", "d + half * k * p"),
        "the gravity wave is off its exact solution by",
    ),
    "kinetic energy is twice what it is": (
        *(WATER, 1, "shallow_water.cpp"),
        *("(u[i] * u[i] + v[i] * v[i]) / 2", "(u[i] * u[i] + v[i] * v[i])"),
        "the steady flow is off its exact solution by",
    ),
    "all levels have the depth of the first one": (
        *([*WATER, "--pv=2"], 2, "shallow_water.cpp"),
        *("level(first + c / 2).mean", "level(c / 2).mean"),
        "the gravity wave is off its exact solution by",
    ),
    "fields of the grid come in the order of another rank": (
        *([*WATER, "--pv=2"], 2, "transform.cpp"),
        *(
            "to =\n" + 20 * " " + "points + points_.begin(number) + (kind * m_.layout->levels()",
            "to = points + points_.begin(number) + (kind * levels.size() + (kinds_ - 1) * "
            "levels.begin",
        ),
        "the steady flow is off its exact solution by",
    ),
    "mass grows": (
        *(WATER, 1, "shallow_water.cpp"),
        *(
            "of_geopotential.eastward(c) + of_geopotential.northward(c)",
            "of_geopotential.eastward(c) + of_geopotential.northward(c) + 1e-30",
        ),
        "mass changes by",
    ),
}


@pytest.mark.parametrize("name", cases(["the earth turns the other way"], long=FAULTS))
def test_a_wrong_copy_is_not_verified(openmpi: MpiLibrary, tmp_path: Path, name: str) -> None:
    options, ranks, file, right, wrong, reason = FAULTS[name]
    program = mutant(openmpi, "spectral", (f"spectral/{file}", right, wrong), tmp_path)

    done = openmpi.run(ranks, program, *options, check=False)

    assert done.returncode == 1, done.stdout
    last = done.stdout.splitlines()[-1]
    assert re.match(rf"NOT VERIFIED: [a-z-]+, alltoallv: {reason}", last), last
