"""ww-lattice against Wilson fermions in NumPy, and those against what is known exactly."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary, cases
from tests.verification.lattice_oracle import GAMMA, GAMMA_5, Lattice, correlations

EXTENTS = (4, 4, 4, 8)
SIZE = [f"--{axis}={extent}" for axis, extent in zip("xyzt", EXTENTS, strict=True)]


def test_the_oracle_has_gammas_that_anticommute() -> None:
    for mu in range(4):
        for nu in range(4):
            both = GAMMA[mu] @ GAMMA[nu] + GAMMA[nu] @ GAMMA[mu]
            assert np.array_equal(both, 2 * (mu == nu) * np.eye(4))
        assert np.array_equal(GAMMA_5 @ GAMMA[mu] + GAMMA[mu] @ GAMMA_5, np.zeros((4, 4)))


def test_the_oracle_has_links_of_su_3_and_a_hermitian_product() -> None:
    lattice = Lattice(EXTENTS, kappa=0.12)
    products = np.einsum("...ab,...cb->...ac", lattice.links, lattice.links.conj())
    assert np.abs(products - np.eye(3)).max() <= 1e-14
    assert np.abs(np.linalg.det(lattice.links) - 1).max() <= 1e-14
    u = lattice.random_source()
    v = Lattice(EXTENTS, kappa=0.12, seed=2).random_source()
    left, right = np.vdot(lattice.adjoint(u), v), np.vdot(u, lattice.dirac(v))
    assert abs(left - right) <= 1e-14 * np.vdot(u, u).real


def test_the_oracle_has_plane_waves() -> None:
    lattice = Lattice(EXTENTS, kappa=0.12, unit=True)
    p = np.array([math.pi / 2, 0, math.pi / 2, 3 * math.pi / 4])
    t, z, y, x = np.indices(EXTENTS[::-1])
    wave = np.exp(1j * (p[0] * x + p[1] * y + p[2] * z + p[3] * t))
    slashed = np.einsum("m,mrs->rs", np.sin(p), GAMMA)
    chi = (slashed + math.sqrt(float((np.sin(p) ** 2).sum())) * np.eye(4))[:, :1] @ np.ones((1, 3))
    psi = wave[..., None, None] * chi
    eigenvalue = 0.9297056274847714 + 0.37947331922020555j
    assert np.abs(lattice.dirac(psi) - eigenvalue * psi).max() <= 1e-14


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

    found = solution["details"]["truths"]["correlations"]
    assert found == pytest.approx(expected, rel=1e-11)
