"""ww-spectral against harmonics and the vorticity equation in NumPy, and against exact waves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary, cases
from tests.verification.spectral_oracle import Sphere, Vorticity

TRUNCATION = 12


@pytest.mark.parametrize("grid", ["octahedral", "full"])
@pytest.mark.parametrize("ranks", cases([4], long=[1, 2, 6]))
def test_fields_on_the_grid_are_those_of_the_oracle(
    openmpi: MpiLibrary, tmp_path: Path, grid: str, ranks: int
) -> None:
    options = [f"--truncation={TRUNCATION}", f"--grid={grid}", "--levels=3", "--seed=7"]
    words = [*options, "--tries=1", "--steps=1"]

    round_trip, _ = samples(openmpi.program("ww-spectral"), openmpi, tmp_path, *words, ranks=ranks)

    expected = Sphere(TRUNCATION, grid == "octahedral").probes(seed=7, levels=3)
    assert round_trip["details"]["probes"] == pytest.approx(expected, rel=1e-12, abs=1e-12)


LEVELS, STEPS, DT, OMEGA = 3, 4, 2400, 7.848e-6


def triad(
    mpi: MpiLibrary, directory: Path, *options: str, ranks: int = 1, program: Path | None = None
) -> Sample:
    words = ["--start=triad", *options, "--tries=1"]
    _, steps = samples(program or mpi.program("ww-spectral"), mpi, directory, *words, ranks=ranks)
    assert (steps["phase"], steps["verified"]) == ("triad", True)
    return steps


def triad_errors(
    mpi: MpiLibrary, directory: Path, program: Path | None = None, ranks: int = 1
) -> tuple[float, float]:
    """Greatest differences from the oracle, relative to the greatest value of each kind on the
    grid and to the changes of energy and enstrophy."""
    words = [f"--truncation={TRUNCATION}", "--grid=full", f"--levels={LEVELS}", f"--dt={DT}"]
    steps = triad(mpi, directory, *words, f"--steps={STEPS}", ranks=ranks, program=program)

    levels = [Vorticity(TRUNCATION, OMEGA * (1 + k / 1000), DT) for k in range(LEVELS)]
    first, last = (np.array(levels[k].probes(STEPS)) for k in (0, -1))
    expected = np.stack([first, last], axis=1)
    probes = np.reshape(steps["details"]["probes"], expected.shape)
    values = np.abs(probes - expected) / np.abs(expected).max(axis=(0, 1))
    drifts = np.abs([level.drift(STEPS) for level in levels]).max(axis=0)
    truths = steps["details"]["truths"]
    changes = np.array([truths["energy"], truths["enstrophy"]]) / drifts - 1
    return float(values.max()), float(np.abs(changes).max())


@pytest.mark.parametrize("ranks", cases([4], long=[1, 2, 6]))
def test_a_triad_is_that_of_the_oracle(openmpi: MpiLibrary, tmp_path: Path, ranks: int) -> None:
    values, changes = triad_errors(openmpi, tmp_path, ranks=ranks)

    assert values <= 1e-13
    assert changes <= 1e-4


@pytest.mark.parametrize("grid", [(1, 1), (2, 2)])
def test_energy_and_enstrophy_of_a_triad_change_by_the_order_of_the_method(
    openmpi: MpiLibrary, tmp_path: Path, grid: tuple[int, int]
) -> None:
    """A step of the classical Runge-Kutta method changes both by O(dt^5), and a day by
    a dt^4 + b dt^5. The first part comes from the products, the second one from the method's
    damping, which takes (sigma dt)^6 / 144 from an amplitude in each step. Here the second one is
    the greater one, so that half the step changes both about 32 times less. A sum over three steps
    has neither part."""
    pw, pv = grid
    words = ["--truncation=21", "--levels=2", f"--pw={pw}", f"--pv={pv}"]
    drifts = {}
    for dt in (1200, 600, 300):
        times = [f"--dt={dt}", f"--steps={86_400 // dt}"]
        truths = triad(openmpi, tmp_path, *words, *times, ranks=pw * pv)["details"]["truths"]
        drifts[dt] = np.array([truths["energy"], truths["enstrophy"]])

    for dt in (1200, 600):
        assert drifts[dt] / drifts[dt // 2] == pytest.approx([32, 32], rel=0.15)
    left = drifts[1200] - 48 * drifts[600] + 512 * drifts[300]
    assert (np.abs(left) <= 0.01 * drifts[1200]).all()


WAVES = {
    "T21": (["--truncation=21"], 600, -0.851374, 8.7e-12),
    "T42": (["--truncation=42"], 600, -0.851374, 8.7e-12),
    "T42, 3 of 7": (
        ["--truncation=42", "--wave-number=3", "--wave-degree=7", "--omega=1e-5"],
        450,
        -1.824398,
        1.2e-10,
    ),
}
"""Options, step [s], phase after a day, and its error, of the specification."""


@pytest.mark.parametrize("name", cases(["T21"], long=WAVES))
def test_a_wave_has_the_phase_and_the_error_of_the_specification(
    openmpi: MpiLibrary, tmp_path: Path, name: str
) -> None:
    options, dt, phase, error = WAVES[name]
    program = openmpi.program("ww-spectral")

    def truths(seconds: int) -> dict[str, float]:
        words = [f"--dt={seconds}", f"--steps={86_400 // seconds}", "--levels=1", "--tries=1"]
        _, vorticity = samples(program, openmpi, tmp_path, *options, *words)
        return dict(vorticity["details"]["truths"])

    once, half = truths(dt), truths(dt // 2)

    assert once["phase"] == pytest.approx(phase, abs=5e-7)
    assert once["wave"] == pytest.approx(error, rel=0.05)
    # A step of a method of fourth order takes (sigma dt)^6 / 144 from an amplitude.
    steps = 86_400 // dt
    assert once["amplitude"] == pytest.approx(steps * (phase / steps) ** 6 / 144, abs=2e-13)
    assert once["leak"] <= 1e-13
    # The method is of fourth order, up to the round-off of a day's steps.
    assert once["wave"] / half["wave"] == pytest.approx(16, rel=0.1)
