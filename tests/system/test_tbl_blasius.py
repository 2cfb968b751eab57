"""ww-tbl's layer that grows along a plate, against the similarity solution; and with open ends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary
from tests.system.test_tbl import SIZE, UNEVEN, Field, N, order_between, run

REYNOLDS, LENGTH, HEIGHT = 544, 40, 12
"""Reynolds number of the displacement thickness at the inflow, which is the unit of lengths."""

FURTHEST = LENGTH - 2 * HEIGHT
"""The outflow's pressure reaches two heights upstream."""

WALL_SLOPE, DISPLACEMENT, MOMENTUM = 0.33205733621513, 1.72078766, 0.66411467
"""f''(0) of Blasius' equation; thicknesses over sqrt(nu x). Source: H. Schlichting and K. Gersten,
"Boundary-Layer Theory" (9th edition), table 6.1."""


def scale(x: Field) -> Field:
    """sqrt(nu x), where x begins at the plate's edge and not at the inflow."""
    return np.sqrt((x + REYNOLDS / DISPLACEMENT**2) / REYNOLDS)


def velocity(eta: Field) -> Field:
    """f' of f''' + f f'' / 2 = 0, by Runge-Kutta."""
    h = 0.005
    state = np.array([0, 0, WALL_SLOPE])
    velocities = [0.0]

    def slope(s: Field) -> Field:
        return np.array([s[1], s[2], -s[0] * s[2] / 2])

    for _ in range(int(float(eta.max()) / h) + 1):
        a = slope(state)
        b = slope(state + h / 2 * a)
        c = slope(state + h / 2 * b)
        state = state + h / 6 * (a + 2 * b + 2 * c + slope(state + h * c))
        velocities.append(float(state[1]))
    table: Field = np.interp(eta, h * np.arange(len(velocities)), velocities)
    return table


def settled(mpi: MpiLibrary, directory: Path, cells: int) -> tuple[Sample, Field]:
    size = [f"--n1={cells}", f"--n2={cells}", "--n3=4", f"--dt={6.4 / cells}"]
    return run(mpi, directory, "--case=blasius", *size, f"--steps={25 * cells}")


def test_a_layer_grows_as_blasius_says(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """The profile, both thicknesses and the friction converge with the order of the scheme."""
    errors = []
    for cells in (32, 64):
        sample, field = settled(openmpi, tmp_path, cells)
        layer = {name: np.array(values) for name, values in sample["details"]["layer"].items()}
        y = (np.arange(cells) + 0.5) * HEIGHT / cells
        near = layer["x"] < FURTHEST
        x = layer["x"][near]
        blasius = velocity(y[:, None] / scale(x)[None, :])
        friction = 2 * WALL_SLOPE / (REYNOLDS * scale(x))
        compared = (
            np.abs(field[0][:, :, near] - blasius),
            layer["displacement_thickness"][near] / (DISPLACEMENT * scale(x)) - 1,
            layer["momentum_thickness"][near] / (MOMENTUM * scale(x)) - 1,
            layer["friction_coefficient"][near] / friction - 1,
        )
        errors.append([float(np.abs(difference).max()) for difference in compared])
        assert sample["details"]["laminar_error"] == pytest.approx(errors[-1][0], rel=0.01)
        shape = layer["displacement_thickness"][near] / layer["momentum_thickness"][near]
        assert shape == pytest.approx(2.5911, rel=0.5 / cells)

    assert errors[0] < [0.001, 0.005, 0.01, 0.01]
    for coarse, fine in zip(*errors, strict=True):
        assert order_between(coarse, fine) == pytest.approx(2, abs=0.35)


def test_as_much_leaves_as_enters(openmpi: MpiLibrary, tmp_path: Path) -> None:
    sample, field = run(openmpi, tmp_path, "--case=blasius", *SIZE, "--steps=20")

    n1, n2, _ = N
    u, v, w, _ = field
    along = u.sum(axis=1) * HEIGHT / n2
    through_top = v[:, -1, :] * LENGTH / n1
    assert np.diff(along, axis=1) + through_top[:, 1:] == pytest.approx(0, abs=1e-13)
    assert through_top.sum() == pytest.approx(
        len(u) * (DISPLACEMENT * float(np.diff(scale(np.array([0, LENGTH])))[0])), rel=1e-3
    )
    assert np.abs(w).max() <= 1e-15
    energy = sample["details"]["energy"]
    assert energy["end_power"] != 0
    for residual in ("convection", "pressure", "viscosity"):
        assert energy[f"{residual}_residual"] <= 1e-13
    assert sample["details"]["momentum_residual"] <= 1e-13


NOISY = ["--case=blasius", "--perturbation=0.05", *UNEVEN, "--n2=12", "--steps=10"]


def test_noise_leaves_nothing_to_compare_with_blasius(openmpi: MpiLibrary, tmp_path: Path) -> None:
    [sample] = samples(openmpi.program("ww-tbl"), openmpi, tmp_path, *NOISY)
    assert sample["details"]["laminar_error"] is None
