"""ww-tbl against exact solutions, and against itself on other ranks and threads."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import Sample, samples
from tests.mutants import mutant
from tests.support import MpiLibrary, cases

Field = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Cut = tuple[int, int]

THIN = ["--n1=4", "--n3=4"]
"""Options of flows that depend on the distance from the walls alone."""


def run(
    mpi: MpiLibrary, directory: Path, *options: str, ranks: int = 1, threads: int = 1, code: int = 0
) -> tuple[Sample, Field]:
    """The sample and the field (u, v, w, pressure) that a run leaves."""
    file = directory / f"{ranks}-{threads}.npy"
    [sample] = samples(
        mpi.program("ww-tbl"),
        mpi,
        directory,
        *options,
        f"--field={file}",
        ranks=ranks,
        threads=threads,
        code=code,
    )
    field: Field = np.load(file)
    return sample, field


def profile_of(field: Field) -> Field:
    """u by the distance from the lower wall, of a flow that has no other direction."""
    u = field[0]
    assert np.ptp(u, axis=(0, 2)).max() <= 1e-12
    mean: Field = u.mean(axis=(0, 2))
    return mean


def centres(cells: int, height: float = 2) -> Field:
    return (np.arange(cells) + 0.5) * height / cells


@pytest.mark.in_turn
@pytest.mark.parametrize("ranks", cases([1, 2], long=[4, 6]))
def test_poiseuille_settles_to_the_parabola(mpi: MpiLibrary, tmp_path: Path, ranks: int) -> None:
    """Exact on a uniform grid but for a constant, which is the walls' half cells' doing."""
    options = ["--case=poiseuille", *THIN, "--l1=100", "--n2=12", "--dt=1", "--steps=160"]

    sample, field = run(mpi, tmp_path, *options, ranks=ranks)

    y = centres(12)
    assert profile_of(field) == pytest.approx(y * (2 - y) + (2 / 12) ** 2 / 4, abs=1e-12)
    assert np.abs(field[1:3]).max() <= 1e-14
    assert sample["verified"] is True
    assert sample["details"]["shear_bottom"] == pytest.approx(2 / 10, rel=1e-12)
    assert sample["details"]["shear_top"] == pytest.approx(2 / 10, rel=1e-12)


def started_from_rest(y: Field, viscosity: float, time: float) -> Field:
    """Velocity between walls 2 apart under a force 2 nu since t = 0 (a series of sines)."""
    u = y * (2 - y)
    for m in range(1, 400, 2):
        amplitude = 32 / (m * math.pi) ** 3
        decay = math.exp(-viscosity * (m * math.pi / 2) ** 2 * time)
        u = u - amplitude * decay * np.sin(m * math.pi * y / 2)
    return u


def order_between(coarse: float, fine: float) -> float:
    """Order of convergence by two errors, where the finer grid and step are half of the coarser."""
    return math.log2(coarse / fine)


@pytest.mark.parametrize("scheme", ["cn-ab", "rk3"])
def test_poiseuille_from_rest_converges_to_the_series(
    openmpi: MpiLibrary, tmp_path: Path, scheme: str
) -> None:
    errors = []
    for cells in (24, 48):
        size = [f"--n2={cells}", f"--dt={1.2 / cells}", f"--steps={2 * cells}"]
        options = ["--case=poiseuille", *THIN, *size, f"--time={scheme}"]
        _, field = run(openmpi, tmp_path, *options)
        exact = started_from_rest(centres(cells), 0.1, 2.4)
        errors.append(float(np.abs(profile_of(field) - exact).max()))

    assert errors[0] < 0.002
    assert order_between(*errors) == pytest.approx(2, abs=0.1)


def test_a_layer_without_disturbance_is_stokes_first_problem(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    """The wall moves at 1, and the layer is 1 thick at first: sqrt(4 nu t0) = 1."""
    errors = []
    for cells in (40, 80):
        size = [f"--n2={cells}", f"--dt={4 / cells}", f"--steps={5 * cells}", "--stretching=0"]
        options = ["--case=temporal", "--re=50", "--perturbation=0", *THIN, *size]
        sample, field = run(openmpi, tmp_path, *options)
        assert sample["error"] <= 1e-10
        thickness = math.sqrt(1 + 4 / 50 * 20)
        exact = np.array([math.erfc(y / thickness) for y in centres(cells, 10)])
        errors.append(float(np.abs(profile_of(field) - exact).max()))

    assert errors[0] < 0.01
    assert order_between(*errors) == pytest.approx(2, abs=0.1)


def test_vortices_decay_as_their_viscosity_says(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Taylor's and Green's: u = sin x cos z exp(-2 nu t)."""
    errors = []
    for cells in (12, 24):
        size = [f"--n1={cells}", "--n2=4", f"--n3={cells}", f"--dt={1.2 / cells}"]
        options = ["--case=taylor-green", "--re=20", *size, f"--steps={2 * cells}"]
        sample, field = run(openmpi, tmp_path, *options)
        assert sample["error"] <= 1e-10
        x, z = (np.arange(cells) + 1) * math.tau / cells, centres(cells, math.tau)
        exact = math.exp(-2 / 20 * 2.4) * np.sin(x)[None, :] * np.cos(z)[:, None]
        errors.append(float(np.abs(field[0][:, 0, :] - exact).max()))

    assert order_between(*errors) == pytest.approx(2, abs=0.1)


GROWTH = {7500: 0.00223497, 10000: 0.00373967}
"""Im omega of the Orr-Sommerfeld equation at alpha = 1. Source: Chebyshev collocation with 120
points; M. Malik, T. Zang and M. Hussaini, J. Comput. Phys. 61 (1985) have the first one, too."""


def growth_error(mpi: MpiLibrary, directory: Path, reynolds: int, refined: int) -> float:
    size = [f"--n1={24 * refined}", f"--n2={64 * refined}", "--n3=4"]
    time = [f"--dt={0.04 / refined}", f"--steps={1000 * refined}"]
    options = ["--case=orr-sommerfeld", f"--re={reynolds}", *size, *time]
    [sample] = samples(mpi.program("ww-tbl"), mpi, directory, *options)
    assert sample["verified"] is True
    error: float = abs(sample["details"]["growth"] - GROWTH[reynolds])
    return error


def test_the_growth_that_a_wave_is_held_against_is_the_published_one(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    for reynolds, growth in GROWTH.items():
        options = ["--case=orr-sommerfeld", f"--re={reynolds}", "--n1=8", "--n2=8", "--n3=4"]
        [sample] = samples(openmpi.program("ww-tbl"), openmpi, tmp_path, *options, "--steps=2")
        assert sample["details"]["growth_expected"] == pytest.approx(growth, abs=1e-8)


@pytest.mark.parametrize("reynolds", cases([7500], long=GROWTH))
def test_a_wave_grows_as_orr_and_sommerfeld_say(
    openmpi: MpiLibrary, tmp_path: Path, reynolds: int
) -> None:
    assert growth_error(openmpi, tmp_path, reynolds, 1) <= 0.0025


@pytest.mark.long
@pytest.mark.parametrize("reynolds", GROWTH)
def test_the_growth_of_a_wave_converges(openmpi: MpiLibrary, tmp_path: Path, reynolds: int) -> None:
    """Grids as coarse as these come nearer by more than their second order, which is the limit."""
    coarse, fine = (growth_error(openmpi, tmp_path, reynolds, refined) for refined in (1, 2))

    assert fine <= 0.0003
    assert 2 <= order_between(coarse, fine) <= 3.5


@pytest.mark.parametrize(
    ("scheme", "most", "falls_by"),
    [("cn-ab", 1e-3, (3.5, 10)), ("rk3", 1e-8, (2**2.9, 2**3.1))],
)
def test_convection_makes_no_energy(
    openmpi: MpiLibrary, tmp_path: Path, scheme: str, most: float, falls_by: tuple[float, float]
) -> None:
    """Only the steps in time make energy without viscosity: half a step makes a quarter of it or
    less, and with rk3 what its third order says."""
    changes = []
    for halved in (1, 2):
        size = ["--n1=12", "--n2=10", "--n3=8", f"--dt={0.02 / halved}", f"--steps={20 * halved}"]
        options = ["--case=channel", "--inviscid", "--drive=none", "--perturbation=0.2", *size]
        options += [f"--time={scheme}"]
        [sample] = samples(openmpi.program("ww-tbl"), openmpi, tmp_path, *options)
        details = sample["details"]
        before, after = details["kinetic_energy_at_start"], details["energy"]["kinetic_energy"]
        changes.append(abs(after / before - 1))

    assert 0 < changes[0] < most
    assert falls_by[0] <= changes[0] / changes[1] <= falls_by[1]


UNEVEN = ["--n1=13", "--n2=9", "--n3=11"]


@pytest.mark.in_turn
def test_fields_do_not_depend_on_the_threads(mpi: MpiLibrary, tmp_path: Path) -> None:
    options = ["--case=channel", *UNEVEN, "--steps=10"]
    _, single = run(mpi, tmp_path, *options)

    sample, three = run(mpi, tmp_path, *options, threads=3)

    assert sample["threads"] == 3
    assert np.abs(three - single).max() <= 1e-12


@pytest.mark.in_turn
@pytest.mark.parametrize("ranks", cases([4], long=[1]))
def test_a_channel_keeps_its_bulk_velocity_and_its_budgets(
    mpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    options = ["--n1=16", "--n2=16", "--n3=16", "--steps=10"]

    [sample] = samples(mpi.program("ww-tbl"), mpi, tmp_path, *options, ranks=ranks)

    details = sample["details"]
    assert sample["verified"] is True
    assert details["bulk_velocity"] == pytest.approx(1, abs=1e-13)
    assert details["divergence"] <= 1e-13
    assert details["momentum_residual"] <= 1e-12
    energy = details["energy"]
    for part in ("convection", "pressure", "viscosity"):
        assert energy[f"{part}_residual"] <= 1e-12
    assert len(details["steps_s"]) == 10
    assert sum(details["sections"].values()) == pytest.approx(sum(details["steps_s"]), rel=0.5)


N = (12, 9, 10)
"""Neither axis 2 nor axis 3 divides by 4 or 6."""

SIZE = [f"--n{axis}={points}" for axis, points in enumerate(N, 1)]


def part(points: int, parts: int, number: int) -> int:
    return points * (number + 1) // parts - points * number // parts


def test_a_missing_library_is_named(openmpi: MpiLibrary, tmp_path: Path) -> None:
    absent = ("common/fourier.cpp", '"libfftw3.so.3"', '"libfftw3-absent.so.3"')
    program = mutant(openmpi, "tbl", absent, tmp_path)

    done = openmpi.run(2, program, check=False)

    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if line.startswith("ww-tbl: ")] == [
        "ww-tbl: FFTW 3 (libfftw3.so.3) is not installed; install it (Debian: libfftw3-double3) "
        "or name its directory in LD_LIBRARY_PATH"
    ]
