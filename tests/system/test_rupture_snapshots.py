"""Snapshots and maps of ww-rupture, against exact waves and the points of the fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.rupture_runs import LAMBDA, MU, SMALL_FAULT, Floats, run, table
from tests.support import MpiLibrary
from waywiser.store.xdmf import Grid, read_xdmf


def standing_waves(x: Floats, t: float) -> tuple[Floats, Floats]:
    """Fields of case surface: velocity (3, ...), and stress (6, ...) as xx, xy, xz, yy, yz, zz."""
    k = 2 * np.pi
    lame, p, s = np.sqrt(2) * k, k * 2, k
    cx, sx = np.cos(k * x[..., 0]), np.sin(k * x[..., 0])
    cz, sz = np.cos(k * x[..., 2]), np.sin(k * x[..., 2])
    shear = 2 * MU * k * cx * sz * np.cos(lame * t)
    pressed = -k * sz * np.cos(p * t)
    zero = np.zeros_like(cx)
    velocity = [
        -lame * sx * sz * np.sin(lame * t),
        -s * cz * np.sin(s * t),
        -lame * cx * cz * np.sin(lame * t) - p * cz * np.sin(p * t),
    ]
    stress = [shear + LAMBDA * pressed, zero, zero, LAMBDA * pressed, -MU * k * sz * np.cos(s * t)]
    return np.array(velocity), np.array([*stress, -shear + (LAMBDA + 2 * MU) * pressed])


def snapshot_error(mpi: MpiLibrary, directory: Path, **how: Any) -> float:
    """Error of the surface's standing waves, relative to the greatest velocity."""
    file = directory / "surface.xdmf"
    case = ["--case=surface", "--order=5", "--cells=6", "--end=0.2"]
    run(mpi, directory, *case, f"--snapshots={file}", **how)
    [grid] = read_xdmf(file)
    assert grid.time_s == pytest.approx(0.2)
    assert set(grid.fields["tag"].ravel().tolist()) == {1}
    edges = grid.corners_m[:, 1:] - grid.corners_m[:, :1]
    normals = np.cross(edges[:, 0], edges[:, 1])
    assert np.linalg.norm(normals, axis=1).sum() / 2 == pytest.approx(2 * 0.5)
    velocity, stress = standing_waves(grid.corners_m, 0.2)
    off = [
        np.abs(np.moveaxis(grid.fields["velocity"], -1, 0) - velocity).max(),
        np.abs(np.moveaxis(grid.fields["stress"], -1, 0) - stress).max(),
    ]
    return float(max(off) / np.abs(velocity).max())


@pytest.mark.parametrize("ranks", [1, 2])
def test_snapshots_have_the_exact_waves_on_the_surface(
    openmpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    assert snapshot_error(openmpi, tmp_path, ranks=ranks) < 0.01


def test_the_fault_is_mapped_and_snapped(openmpi: MpiLibrary, tmp_path: Path) -> None:
    files = [f"--fault={tmp_path}/f.csv", f"--snapshots={tmp_path}/s.xdmf"]
    how = ["--snapshots-every=0.5", "--every=0.25"]
    sample = run(openmpi, tmp_path, *SMALL_FAULT, *files, *how, ranks=2)

    points = table(tmp_path / "f.csv").reshape(-1, 9, 6)
    [fault_map] = read_xdmf(tmp_path / "f.xdmf")
    assert fault_map.corners_m.shape == (80, 3, 3)
    line, weight = (np.array(values) for values in np.polynomial.legendre.leggauss(3))
    b = (1 + line) / 2
    weights = (weight[:, None] * weight[None, :] * (1 - b)[:, None] / 2).ravel()
    assert weights.sum() == pytest.approx(1)
    slip = points[:, :, 4] @ weights
    assert fault_map.fields["slip_m"].ravel() == pytest.approx(slip, rel=1e-6, abs=1e-9)
    assert fault_map.corners_m.mean(1) == pytest.approx(
        np.einsum("p,tpd->td", weights, points[:, :, :3]), abs=1e-3
    )
    ruptured = np.isfinite(points[:, :, 3])
    times = np.where(ruptured, points[:, :, 3], 0) @ weights
    shares = ruptured @ weights
    with np.errstate(invalid="ignore"):
        expected = np.where(shares > 0, times / shares, np.nan)
    assert fault_map.fields["rupture_time_s"].ravel() == pytest.approx(
        expected, rel=1e-6, nan_ok=True
    )

    grids = list(read_xdmf(tmp_path / "s.xdmf"))
    outputs = sample["details"]["outputs"]
    assert [grid.time_s for grid in grids] == pytest.approx([0.5, 1])
    assert outputs["snapshots_s"] == [grid.time_s for grid in grids]
    on_fault = grids[0].fields["tag"].ravel() == 3
    assert on_fault.sum() == 4 * 80
    assert np.abs(grids[0].corners_m[on_fault][..., 1]).max() == 0
    assert np.abs(grids[0].corners_m[~on_fault][..., 2]).max() == 0
    assert moved(grids) > 0.1
    assert mostly_sheared(grids)


def mostly_sheared(grids: list[Grid]) -> bool:
    """Right-lateral slip releases the stress xy of the fault, on average."""
    on_fault = grids[-1].fields["tag"].ravel() == 3
    stress: NDArray[np.floating[Any]] = grids[-1].fields["stress"][on_fault]
    xx, xy, xz, yy, yz, zz = np.abs(stress.reshape(-1, 6).mean(axis=0))
    return bool(xy > 3 * max(xx, xz, yy, yz, zz))


def moved(grids: list[Grid]) -> float:
    """The fastest on the fault [m/s]."""
    on_fault = grids[-1].fields["tag"].ravel() == 3
    velocity: NDArray[np.floating[Any]] = grids[-1].fields["velocity"][on_fault]
    return float(np.abs(velocity).max())
