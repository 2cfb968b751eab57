"""ww-spectral against harmonics in NumPy, and against exact waves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary, cases
from tests.verification.spectral_oracle import Sphere

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
