"""Recordings of ww-rupture's receivers, against exact waves and the law of friction."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.rupture_runs import (
    LAMBDA,
    MU,
    SMALL_FAULT,
    STATIONS,
    Floats,
    named,
    points_file,
    run,
    table,
)
from tests.support import MpiLibrary, cases


def wave(u: Floats, d: Floats, c: float, f: Floats) -> Floats:
    """Velocity and stress (xx, yy, zz, xy, yz, xz) of a wave in direction u, polarised along d."""
    pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]
    stress = [
        -((LAMBDA * (u @ d) if i == j else 0) + MU * (u[i] * d[j] + u[j] * d[i])) * f / c
        for i, j in pairs
    ]
    return np.array([*(component * f for component in d), *stress])


def plane_waves(x: Floats, t: Floats) -> Floats:
    """Fields of case planewave, shape (9, n), at points x, shape (n, 3), and times, shape (n)."""
    k = 2 * np.pi
    p = np.array([1, 0, 1]) / np.sqrt(2)
    s = np.array([0, 1, 1]) / np.sqrt(2)
    polarised = np.array([1, 1, -1]) / np.sqrt(3)
    pressing = np.sin(k * (x[:, 0] + x[:, 2] - np.sqrt(2) * 2 * t))
    shearing = np.cos(k * (x[:, 1] + x[:, 2] - np.sqrt(2) * 1 * t))
    return wave(p, p, 2, pressing) + wave(s, polarised, 1, shearing)


PLANE = ["--case=planewave", "--order=5", "--end=0.02"]
PLACES = [(0.31, 0.47, 0.72), (0.5, 0.5, 0.5), (0.0, 0.999, 0.25), (0.9, 0.1, 0.05)]
"""Receivers inside of a cell, at a vertex, and on the box's side."""


def seen_waves(
    mpi: MpiLibrary, directory: Path, cells: int = 6, **how: Any
) -> tuple[Floats, Floats]:
    """Recorded and expected values of receivers, both of shape (values, 9)."""
    points = points_file(directory / "points.csv", PLACES)
    files = [f"--receivers={points}", f"--traces={directory}/traces.csv", "--sample-every=0.0007"]
    run(mpi, directory, *PLANE, f"--cells={cells}", *files, **how)
    rows = table(directory / "traces.csv")
    return rows[:, 5:], plane_waves(rows[:, 2:5], rows[:, 0]).T


@pytest.mark.parametrize("ranks", cases([3], long=[1]))
def test_receivers_see_the_exact_waves_inside_of_steps(
    openmpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    seen, exact = seen_waves(openmpi, tmp_path, ranks=ranks)

    header = (tmp_path / "traces.csv").read_text(encoding="utf-8").splitlines()[0]
    rows = table(tmp_path / "traces.csv")
    assert header.startswith("time_s,receiver,x_m,y_m,z_m,velocity_x_mps,velocity_y_mps")
    assert rows[:, 1].tolist() == [0, 1, 2, 3] * 29
    assert rows[::4, 0] == pytest.approx(0.0007 * np.arange(29))
    assert rows[:4, 2:5] == pytest.approx(np.array(PLACES))
    coarse = np.abs(seen - exact).max()
    assert coarse < COARSE_ERROR
    assert receivers_error(openmpi, tmp_path, 12, ranks=ranks) < coarse * 2**-4.65


COARSE_ERROR = 5e-3
"""Error of the projection on 6 cubes at a vertex, at time 0."""


def receivers_error(mpi: MpiLibrary, directory: Path, cells: int, **how: Any) -> float:
    """The largest."""
    seen, exact = seen_waves(mpi, directory, cells, **how)
    return float(np.abs(seen - exact).max())


def fault_triangles() -> Floats:
    """Triangles of SMALL_FAULT, shape (80, 3, 3): squares are cut along the diagonal x = z."""
    corners = []
    for x in range(-12000, 4000, 2000):
        for z in range(-10000, 0, 2000):
            low, high = (x, 0, z), (x + 2000, 0, z + 2000)
            corners += [(low, high, (x + 2000, 0, z)), (low, high, (x, 0, z + 2000))]
    return np.array(corners, np.float64)


def works(mpi: MpiLibrary, directory: Path, **how: Any) -> tuple[float, float]:
    """The predicted work, and the same of what receivers see on both sides of the fault."""
    triangles = fault_triangles()
    # Exact for polynomials of degree 2, as products of what is linear in a cell are.
    shares = np.array([[4, 1, 1], [1, 4, 1], [1, 1, 4]]) / 6
    middle = np.einsum("pj,tjd->tpd", shares, triangles).reshape(-1, 3)
    both = np.concatenate([middle + np.array([0, side, 0]) for side in (-1e-3, 1e-3)])
    points = points_file(directory / "points.csv", both)
    files = [f"--receivers={points}", f"--traces={directory}/traces.csv"]
    steps = run(mpi, directory, *SMALL_FAULT, **how)["details"]

    # Twice in a step, of which the second is its middle.
    every = f"--sample-every={steps['dt_s'] / 2:.17g}"
    sample = run(mpi, directory, *SMALL_FAULT, *files, every, **how)

    rows = table(directory / "traces.csv").reshape(-1, 2, len(middle), 14)
    minus, plus = rows[1::2, 0], rows[1::2, 1]
    assert len(minus) == steps["steps"]
    jump = plus[..., 5:8] - minus[..., 5:8]
    traction = (plus[..., [11, 9, 12]] + minus[..., [11, 9, 12]]) / 2  # xy, yy, yz: n = (0, 1, 0)
    power = jump[..., 0] * traction[..., 0] + jump[..., 2] * traction[..., 2]
    seen = -power.sum() * 2000**2 / 2 / 3 * steps["dt_s"]
    last = sample["details"]["energies"][-1]
    assert last["predicted_work_J"] != pytest.approx(last["work_J"], rel=0.01)
    return last["predicted_work_J"], seen


def test_predicted_work_is_that_of_what_receivers_see_on_both_sides(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    predicted, seen = works(openmpi, tmp_path)
    assert predicted == pytest.approx(seen, rel=2e-3)


FINE_FAULT = [*SMALL_FAULT, "--order=3", "--spacing=1000", "--growth=3", "--end=1", "--cfl=0.2"]
"""Short steps: within one, friction follows the way slipped with a delay, receivers without."""


def seen_on_fault(mpi: MpiLibrary, directory: Path, **how: Any) -> tuple[dict[str, Floats], Floats]:
    """Recordings of receivers on the fault, with the final slip and rupture time at each."""
    points = points_file(directory / "stations.csv", STATIONS)
    files = [f"--fault-receivers={points}", f"--fault-traces={directory}/stations-seen.csv"]
    run(
        mpi,
        directory,
        *FINE_FAULT,
        *files,
        "--sample-every=0.001",
        f"--fault={directory}/f.csv",
        **how,
    )
    fault = table(directory / "f.csv")
    nearest = [
        np.linalg.norm(fault[:, :3] - station, axis=1).argmin() for station in np.array(STATIONS)
    ]
    return named(directory / "stations-seen.csv"), fault[nearest]


def disagreement(seen: dict[str, Floats], fault: Floats) -> float:
    """Largest relative disagreement of receivers on the fault with the fault's points in the end
    and with the law of friction, and of slip with its rate."""
    each = {name: values.reshape(-1, len(STATIONS)) for name, values in seen.items()}
    rate = np.stack([each[f"slip_rate_{d}_mps"] for d in "xyz"])
    slip = np.stack([each[f"slip_{d}_m"] for d in "xyz"])
    traction = np.stack([each[f"traction_{d}_Pa"] for d in "xyz"])
    end = np.linalg.norm(slip[:, -1], axis=0)
    integral = np.linalg.norm(rate.sum(axis=1) * 0.001, axis=0)
    so_far = np.cumsum(rate[:, 1:] + rate[:, :-1], axis=1) * 0.0005
    speed = np.linalg.norm(rate, axis=0)
    sliding = speed > 1e-3
    ruptured = sliding.any(0)
    if (ruptured != np.isfinite(fault[:, 3])).any():
        return math.inf
    strength = -each["friction"] * traction[1]
    if (strength <= 0).any():  # the sides are pressed together from the beginning on
        return math.inf
    shear = np.hypot(traction[0], traction[2])
    law = np.abs(shear / strength - 1)[sliding].max()
    stuck = max(0.0, (shear / strength - 1)[~sliding].max())
    friction = 0.55 - 0.1 * np.minimum(each["path_m"] / 0.18, 1)
    arrived = each["time_s"][:, 0][sliding.argmax(0)]
    return float(
        max(
            np.abs(end - fault[:, 4]).max() / fault[:, 4].max(),
            np.abs(integral - fault[:, 4]).max() / fault[:, 4].max(),
            np.abs(slip[:, 1:] - so_far).max() / fault[:, 4].max(),
            np.abs(speed.max(0)[ruptured] / fault[ruptured, 5] - 1).max(),
            np.abs(arrived - fault[:, 3])[ruptured].max(),
            law,
            stuck,
            np.abs(friction - each["friction"]).max(),
        )
    )


def slips_to_the_right(seen: dict[str, Floats]) -> bool:
    """True if the side y > 0 moves to +x and pulls the other side there: SCEC's TPV33 is
    right-lateral."""
    slip, traction = seen["slip_x_m"], seen["traction_x_Pa"]
    return bool(slip.max() > 0.1 and slip.min() > -0.005 and (traction > 0).all())


@pytest.mark.parametrize("ranks", cases([2], long=[1]))
def test_receivers_on_the_fault_agree_with_its_points_and_its_law(
    openmpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    seen, fault = seen_on_fault(openmpi, tmp_path, ranks=ranks)

    assert seen["time_s"][-1] == pytest.approx(0.999)
    assert seen["slip_rate_x_mps"].max() > 0.5
    assert slips_to_the_right(seen)
    assert disagreement(seen, fault) < 0.02
