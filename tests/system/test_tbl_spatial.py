"""ww-tbl's turbulent layer that grows along a plate, and its recycled inflow."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary, Waywiser, cases
from tests.system.test_tbl import SIZE, Cut, Field, N, part, run

LENGTH, HEIGHT, WIDTH, STRETCHING = 20, 3, math.pi, 2
RECYCLED_AFTER = 9
CELLS = (24, 20, 8)
OPTIONS = ["--case=spatial", *(f"--n{axis}={n}" for axis, n in enumerate(CELLS, 1))]


def faces(cells: int) -> Field:
    even = np.arange(cells + 1) / cells
    edges: Field = HEIGHT * (1 + np.tanh(STRETCHING * (even - 1)) / math.tanh(STRETCHING))
    return edges


def centres_of(cells: int) -> Field:
    return (faces(cells)[1:] + faces(cells)[:-1]) / 2


def entered(field: Field) -> Field:
    """u at the inflow, by axis 3 and 2: what the first cells have no divergence with."""
    u, v, w, _ = field[..., 0]
    below = np.concatenate([np.zeros((len(v), 1)), v[:, :-1]], axis=1)
    across = np.diff(faces(u.shape[1]))[None, :]
    n1, _, n3 = CELLS
    change = (v - below) / across + (w - np.roll(w, 1, axis=0)) * n3 / WIDTH
    inflow: Field = u + LENGTH / n1 * change
    return inflow


def outer(y: Field) -> Field:
    """The weight of Lund, Wu and Squires, with their constants."""
    at = 4 * (y - 0.2) / ((1 - 2 * 0.2) * y + 0.2)
    weight: Field = np.minimum(1, (1 + np.tanh(at) / math.tanh(4)) / 2)
    return weight


def rescaled(line: Field, by: dict[str, float]) -> Field:
    """Values of rows, 0 on the wall, between the plane's inner and outer part."""
    y = centres_of(len(line))
    known, values = np.concatenate([[0], y]), np.concatenate([[0], line])
    inner = np.interp(by["friction_ratio"] * y, known, values)
    weight = outer(y)
    blended: Field = np.interp(by["thickness_ratio"] * y, known, values)
    blended = (1 - weight) * inner + weight * blended
    return blended


def after(mpi: MpiLibrary, directory: Path, steps: int, *options: str) -> tuple[Any, Field]:
    return run(mpi, directory, *OPTIONS, f"--steps={steps}", *options)


def test_what_fluctuates_at_the_inflow_is_the_rescaled_plane(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    """Half a span on, and without the mean across."""
    _, before = after(openmpi, tmp_path, 4)
    sample, now = after(openmpi, tmp_path, 5)

    by = sample["details"]["inflow"]
    plane = before[0][:, :, int(RECYCLED_AFTER / LENGTH * CELLS[0])]
    fluctuation = np.roll(plane - plane.mean(axis=0), -(CELLS[2] // 2), axis=0)
    expected = by["friction_ratio"] * np.array([rescaled(line, by) for line in fluctuation])
    inflow = entered(now)
    assert np.abs(expected).max() > 0.02
    assert inflow - inflow.mean(axis=0) == pytest.approx(expected, abs=1e-13)


def thickness(u: Field) -> float:
    return float(np.interp(0.99 * u[-1], np.concatenate([[0], u]), [0, *centres_of(len(u))]))


def momentum(u: Field) -> float:
    return float((np.diff(faces(len(u))) * u / u[-1] * (1 - u / u[-1])).sum())


def test_the_mean_at_the_inflow_is_rescaled_by_thicknesses(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    """An undisturbed layer is at first the same everywhere; two steps take next to no time."""
    sample, field = after(openmpi, tmp_path, 2, "--perturbation=0", "--dt=1e-6")

    by = sample["details"]["inflow"]
    mean = field[0].mean(axis=0)[:, int(RECYCLED_AFTER / LENGTH * CELLS[0])]
    at_first = rescaled(mean, {"friction_ratio": 1.0, "thickness_ratio": thickness(mean)})
    friction = (momentum(mean) / momentum(at_first)) ** (1 / 8)
    assert by["thickness_ratio"] == pytest.approx(thickness(mean), abs=1e-6)
    assert abs(friction - 1) > 1e-4
    assert by["friction_ratio"] == pytest.approx(friction, abs=1e-6)
    lacking = outer(centres_of(len(mean))) * (1 - friction * mean[-1])
    expected = friction * rescaled(mean, by) + lacking
    assert entered(field).mean(axis=0) == pytest.approx(expected, abs=1e-4)
    assert by["thickness"] == pytest.approx(thickness(expected), abs=1e-4)
    assert by["edge_velocity"] == pytest.approx(expected[-1], abs=1e-4)


@pytest.mark.parametrize("scheme", cases(["cn-ab"], long=["rk3"]))
def test_a_layer_stays_turbulent_and_grows(
    openmpi: MpiLibrary, tmp_path: Path, scheme: str
) -> None:
    """The grid has few cells, on which friction is right to a fifth."""
    size = ["--n1=64", "--n2=32", "--n3=16", "--steps=1500", f"--time={scheme}"]
    sample, field = run(openmpi, tmp_path, "--case=spatial", *size)

    details = sample["details"]
    layer = {name: np.array(values) for name, values in details["layer"].items()}
    thicknesses = layer["momentum_thickness"]
    friction = 0.024 * (3000 * thicknesses) ** -0.25
    assert sample["verified"] is True
    assert details["divergence"] <= 1e-13
    assert 0.1 < field[0].std(axis=0).max() < 0.4
    assert thicknesses[-8:].mean() > 1.05 * thicknesses[:8].mean()
    assert layer["friction_coefficient"].mean() == pytest.approx(friction.mean(), rel=0.2)


@pytest.mark.in_turn
@pytest.mark.parametrize("cut", cases([(2, 3)], long=[(1, 2), (2, 2)]))
def test_messages_are_those_of_the_closed_form(
    waywiser: Waywiser, mpi: MpiLibrary, tmp_path: Path, cut: Cut
) -> None:
    """Three velocities of a rank's planes and of one more, in one message and as whole lines."""
    p1, p2 = cut
    options = ["--case=spatial", *SIZE, "--n2=16", "--steps=3", f"--p1={p1}", f"--p2={p2}"]
    program = mpi.program("ww-tbl")
    [sample] = samples(program, mpi, tmp_path, *options, ranks=p1 * p2)
    [plate] = samples(program, mpi, tmp_path, *options, "--case=blasius", ranks=p1 * p2)

    waywiser.profiles(mpi.command(p1 * p2, program, *options))

    transposed = gathered = 0
    for rank, profile in enumerate(waywiser.show("run", "--per-rank")["per_rank"]):
        planes = part(N[2], p2, rank // p1) + 1
        rows = part(16, p1, rank % p1)
        assert profile["functions"]["MPI_Allgatherv"]["bytes"] == 3 * 24 * rows * planes
        gathered += profile["functions"]["MPI_Allgatherv"]["bytes"]
        transposed += profile["functions"]["MPI_Alltoallv"]["bytes"]
    details = sample["details"]
    assert details["transposed_bytes"] == plate["details"]["transposed_bytes"]
    assert 2 * gathered == 3 * details["inflow_bytes"]
    # The start takes the divergence out of its field, which is a quarter of a step.
    assert 4 * (transposed - gathered) == (4 * 3 + 1) * details["transposed_bytes"]
