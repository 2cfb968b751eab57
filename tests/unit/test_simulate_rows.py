"""Calls that only post messages, and that a rank has made before, are gone through in a row."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulated import Operation, Simulation
from tests.support import cases
from tests.unit.test_simulate_random import cost_of, ends_in_trace, machine, made, written
from tests.unit.test_simulate_threads import all_of, progress
from waywiser.native import simulate
from waywiser.native.simulate import Noise


def repeated(seed: int) -> list[list[Operation]]:
    """Most of its calls are made again."""
    return [4 * program for program in made(seed)]


@pytest.mark.parametrize("seed", cases(range(0, 60, 5), long=range(60)))
@progress
def test_ends_are_those_of_the_queue(tmp_path: Path, seed: int, in_calls: bool) -> None:
    programs, cost = repeated(seed), cost_of(seed)

    found = simulate.replay(written(programs, tmp_path / "trace.ww"), machine(cost, in_calls))

    ends = ends_in_trace(programs, Simulation(programs, cost, in_calls))
    assert [rank.end_ns for rank in found.ranks] == pytest.approx(ends, rel=1e-9)
    assert found.remarks == []


@pytest.mark.parametrize("seed", cases(range(0, 60, 5), long=range(60)))
@progress
def test_noise_of_nothing_changes_nothing(tmp_path: Path, seed: int, in_calls: bool) -> None:
    """Noise makes the replay take each call by itself."""
    path = written(repeated(seed), tmp_path / "trace.ww")
    settings = machine(cost_of(seed), in_calls)
    in_rows = simulate.replay(path, settings)

    settings.noise = Noise(exponential=1e-300, seed=seed)

    assert all_of(simulate.replay(path, settings)) == all_of(in_rows)
