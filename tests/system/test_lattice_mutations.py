"""Wrong copies of ww-lattice, of which each must fail its own checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mutants import mutant
from tests.support import MpiLibrary, cases

SMALL = ["--x=4", "--y=4", "--z=4", "--t=8", "--tries=1"]
UNIT = [*SMALL, "--gauge=unit"]
IN_TWO = [*SMALL, "--pt=2"]

FAULTS = {
    "the parity of a site leaves t out": (
        *(SMALL, 1, "sites.cpp"),
        *(
            "(site[1] + site[2] + site[3] + place.parity) % 2",
            "(site[1] + site[2] + place.parity) % 2",
        ),
        "",
    ),
    "what goes forwards is not multiplied before it is sent": (
        *(IN_TWO, 2, "hop_kernels.cpp"),
        *("if (to_forward) spin = multiply", "if (!to_forward && to_forward) spin = multiply"),
        "",
    ),
    "a spin of the projection along y has the wrong sign": (
        *(SMALL, 1, "hop_kernels.cpp"),
        *(
            "if constexpr (axis == 1) return plus<row == 0 ? sign : -sign>(u, l);",
            "if constexpr (axis == 1) return plus<sign>(u, l);",
        ),
        "",
    ),
    "gamma_1 of the plain loops has the wrong sign": (
        *([*SMALL, "--variant=baseline"], 1, "plain_kernels.cpp"),
        *(
            "{{{0, 0, 0, i}, {0, 0, i, 0}, {0, -i, 0, 0}, {-i, 0, 0, 0}}}",
            "{{{0, 0, 0, -i}, {0, 0, -i, 0}, {0, i, 0, 0}, {i, 0, 0, 0}}}",
        ),
        "plane waves differ from eigenvectors by",
    ),
    "a face is sent to the other side": (
        *([*SMALL, "--pt=4"], 4, "halo.cpp"),
        *(
            "(sites_.torus().neighbour(direction)), opposite(direction), communicator_",
            "(sites_.torus().neighbour(opposite(direction))), direction, communicator_",
        ),
        "",
    ),
    "a face is left out": (
        *(IN_TWO, 2, "sites.cpp"),
        *(
            "+ direction] = static_cast<std::int32_t>(i);",
            "+ direction] = direction == 7 ? -1 : static_cast<std::int32_t>(i);",
        ),
        "",
    ),
    "both messages between two ranks have one tag": (
        *(IN_TWO, 2, "halo.cpp"),
        *(
            "int opposite(int direction) { return direction ^ 1; }",
            "int opposite(int direction) { return direction; }",
        ),
        "",
    ),
    "lanes do not trade places": (
        *(SMALL, 1, "hop_kernels.cpp"),
        *("neighbours[number] % 2 != 0 ?", "neighbours[number] % 4 == 1 ?"),
        "",
    ),
    "links around t keep their sign": (
        *([*SMALL, "--antiperiodic-t"], 1, "fields.cpp"),
        *("site[3] == torus.extents()[3] - 1", "site[3] == torus.extents()[3]"),
        "plane waves differ from eigenvectors by",
    ),
    "the third row is not conjugated": (
        *([*SMALL, "--variant=two-row"], 1, "hop_kernels.cpp"),
        *(
            "c.re * d.im + c.im * d.re - a.re * b.im - a.im * b.re}",
            "a.re * b.im + a.im * b.re - c.re * d.im - c.im * d.re}",
        ),
        "",
    ),
    "odd sites get the wrong sign": (
        *(SMALL, 1, "solver.cpp"),
        *(
            "dirac_.hop(odd, false, x[even], kappa, &b[odd], x[odd]);",
            "dirac_.hop(odd, false, x[even], -kappa, &b[odd], x[odd]);",
        ),
        "the residual of the solution is",
    ),
    "the adjoint is D itself": (
        *(SMALL, 1, "hop_kernels.cpp"),
        *("term.is_backward != work.dagger", "term.is_backward"),
        "",
    ),
}


@pytest.mark.parametrize(
    "name", cases(["both messages between two ranks have one tag"], long=FAULTS)
)
def test_a_wrong_copy_is_not_verified(openmpi: MpiLibrary, tmp_path: Path, name: str) -> None:
    options, ranks, file, right, wrong, reason = FAULTS[name]
    program = mutant(openmpi, "lattice", (f"lattice/{file}", right, wrong), tmp_path)

    done = openmpi.run(ranks, program, *options, check=False)

    assert done.returncode == 1, done.stdout
    last = done.stdout.splitlines()[-1]
    assert re.match(rf"NOT VERIFIED: cg, [a-z-]+: {reason}", last), last
