"""ww-spectral's shallow water against its equations in NumPy, and against exact solutions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary, cases
from tests.verification.water_oracle import Water

TRUNCATION, LEVELS, SEED, STEPS, DT = 10, 3, 7, 4, 1200
OMEGA, DEPTH = 7.848e-6, 3000.0
WATER = ["--equations=shallow-water", "--tries=1"]


def by_phase(measured: list[Sample]) -> dict[str, Sample]:
    assert all(sample["verified"] is True for sample in measured)
    return {sample["phase"]: sample for sample in measured}


@pytest.mark.parametrize("ranks", cases([4], long=[1, 2, 6]))
def test_unsteady_flow_is_that_of_the_oracle(
    openmpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    words = [*WATER, f"--truncation={TRUNCATION}", "--grid=full", f"--levels={LEVELS}"]
    words += [f"--seed={SEED}", f"--steps={STEPS}", f"--dt={DT}"]

    measured = samples(openmpi.program("ww-spectral"), openmpi, tmp_path, *words, ranks=ranks)

    levels = {}
    for level in (0, LEVELS - 1):
        more = 1 + level / 1000
        water = Water(TRUNCATION, OMEGA * more, DEPTH * more, DT)
        levels[level] = water.probes(SEED, level, STEPS)
    expected = [
        value for latitude in range(8) for level in levels.values() for value in level[latitude]
    ]
    probes = by_phase(measured)["unsteady"]["details"]["probes"]
    for kind in range(4):
        target = expected[kind::4]
        scale = max(abs(value) for value in target)
        assert probes[kind::4] == pytest.approx(target, rel=0, abs=1e-12 * scale)


RUNS = {"T21": (21, 216, 1200), "T42": (42, 240, 1800)}
"""Truncation, steps and seconds of a step."""


@pytest.mark.parametrize("name", cases(["T21"], long=RUNS))
def test_exact_solutions_hold_for_days(openmpi: MpiLibrary, tmp_path: Path, name: str) -> None:
    truncation, steps, dt = RUNS[name]
    words = [*WATER, f"--truncation={truncation}", "--levels=2", f"--steps={steps}", f"--dt={dt}"]

    measured = samples(openmpi.program("ww-spectral"), openmpi, tmp_path, *words)

    phases = by_phase(measured)
    assert phases["steady"]["details"]["truths"]["state"] <= 1e-12
    assert phases["gravity-wave"]["details"]["truths"]["state"] <= 1e-10
    assert [phases[phase]["details"]["truths"]["mass"] for phase in ("steady", "unsteady")] == [
        0,
        0,
    ]
