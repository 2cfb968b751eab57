"""ww-lattice against Wilson fermions in NumPy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary, cases
from tests.verification.lattice_oracle import Lattice, correlations

EXTENTS = (4, 4, 4, 8)
SIZE = [f"--{axis}={extent}" for axis, extent in zip("xyzt", EXTENTS, strict=True)]


SYSTEMS: dict[str, tuple[list[str], int, Lattice]] = {
    "random": (["--kappa=0.12"], 1, Lattice(EXTENTS, kappa=0.12)),
    "another seed": (["--kappa=0.11", "--seed=5", "--pt=4"], 4, Lattice(EXTENTS, 0.11, seed=5)),
    "antiperiodic": (
        ["--kappa=0.12", "--antiperiodic-t", "--px=2", "--pt=2"],
        4,
        Lattice(EXTENTS, kappa=0.12, antiperiodic=True),
    ),
    "unit": (["--gauge=unit", "--kappa=0.1"], 2, Lattice(EXTENTS, kappa=0.1, unit=True)),
}


@pytest.mark.parametrize("name", cases(["random", "another seed"], long=SYSTEMS))
@pytest.mark.parametrize("source", ["random", "point"])
def test_solutions_are_those_of_the_oracle(
    openmpi: MpiLibrary, tmp_path: Path, name: str, source: str
) -> None:
    options, ranks, lattice = SYSTEMS[name]
    b = lattice.random_source() if source == "random" else lattice.point_source()
    expected = correlations(lattice.solve(b))
    words = [*SIZE, *options, f"--source={source}", "--tolerance=1e-13", "--tries=1"]

    solution, _ = samples(openmpi.program("ww-lattice"), openmpi, tmp_path, *words, ranks=ranks)

    truths = solution["details"]["truths"]
    assert truths["correlations"] == pytest.approx(expected, rel=1e-11)
    assert truths["plaquette"] == pytest.approx(lattice.mean_plaquette(), rel=0, abs=1e-15)
