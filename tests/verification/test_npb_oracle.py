"""ww-npb against dense matrices, and these against the published values of NPB."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import samples
from tests.npb_published import SURFACE_S, published
from tests.support import MpiLibrary, cases
from tests.verification.npb_oracle import SCHEMES, Cube, march, surface_integral

CLASS_S = {"bt": (0.010, 60), "sp": (0.015, 100), "lu": (0.5, 50)}
"""Time step and iterations, of 12 points an axis."""


@pytest.mark.long
@pytest.mark.parametrize("benchmark", SCHEMES)
def test_the_oracle_gives_the_published_values_of_class_s(benchmark: str) -> None:
    dt, iterations = CLASS_S[benchmark]
    cube = Cube(12, dt)

    u = march(benchmark, cube, iterations)

    # BT and SP publish the norm of what is a step's right-hand side, without the factor dt.
    assert cube.norm(cube.residual(u)) == pytest.approx(published(benchmark, "residual"), rel=1e-8)
    assert cube.norm(u - cube.exact) == pytest.approx(published(benchmark, "error"), rel=1e-8)
    if benchmark == "lu":
        assert surface_integral(cube, u) == pytest.approx(SURFACE_S, rel=1e-8)


@pytest.mark.in_turn
@pytest.mark.parametrize("benchmark", SCHEMES)
@pytest.mark.parametrize("variant", ["baseline", "vector"])
@pytest.mark.parametrize("points", cases([9], long=[12]))
def test_fields_after_3_steps_equal_the_oracles(
    mpi: MpiLibrary, tmp_path: Path, benchmark: str, variant: str, points: int
) -> None:
    file = tmp_path / "u.npy"
    dt, _ = CLASS_S[benchmark]
    options = [f"--benchmark={benchmark}", f"--n1={points}", "--iterations=3", f"--dt={dt}"]

    samples(
        mpi.program("ww-npb"), mpi, tmp_path, *options, f"--variant={variant}", f"--field={file}"
    )

    expected = march(benchmark, Cube(points, dt), 3)
    fields = np.load(file).transpose(0, 3, 2, 1)
    # Relative to the greatest unknown of a point: a momentum may be close to zero.
    assert np.all(np.abs(fields - expected) <= 1e-12 * np.abs(expected).max(axis=0))
