"""Calls that only post messages, and that a rank has made before, are gone through in a row."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import cases
from tests.unit.test_simulate_random import cost_of, machine, repeated, written
from tests.unit.test_simulate_threads import all_of, progress
from waywiser.native import simulate
from waywiser.native.simulate import Noise


@pytest.mark.parametrize("seed", cases(range(0, 60, 5), long=range(60)))
@progress
def test_noise_of_nothing_changes_nothing(tmp_path: Path, seed: int, in_calls: bool) -> None:
    """Noise makes the replay take each call by itself."""
    path = written(repeated(seed), tmp_path / "trace.ww")
    settings = machine(cost_of(seed), in_calls)
    in_rows = simulate.replay(path, settings)

    settings.noise = Noise(exponential=1e-300, seed=seed)

    assert all_of(simulate.replay(path, settings)) == all_of(in_rows)
