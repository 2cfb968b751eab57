"""ww-mpibench's `counter` and `dynamic`: tasks that ranks draw."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.kernel_programs import Sample, mpibench
from tests.support import MpiLibrary
from tests.system.conftest import Build
from waywiser.apps.application import Output
from waywiser.apps.table import find

pytestmark = pytest.mark.in_turn

RANKS = 2
BOTH = "--benchmark=counter,dynamic"
FEW = ("--iterations=20", "--tasks=8", "--task-us=50")


def numbers(sample: Sample) -> list[int]:
    """Number of draws by rank."""
    return [sum(histogram["counts"]) for histogram in sample["histograms"]]


@pytest.mark.every_mpi
@pytest.mark.parametrize("counters", ["one", "node"])
def test_ranks_share_the_numbers_of_a_counter(
    mpi: MpiLibrary, tmp_path: Path, counters: str
) -> None:
    options = ("--benchmark=counter", "--iterations=500", f"--counters={counters}")

    [sample], _ = mpibench(mpi, tmp_path, *options)

    details, by_rank = sample["details"], numbers(sample)
    assert sample["verified"] is True
    assert sample["parameters"]["counters"] == counters
    assert sum(by_rank) == RANKS * 500
    assert details["least_draws"] == RANKS * 500 - details["most_draws"]
    assert {details["least_draws"], details["most_draws"]} >= set(by_rank)
    # A rank draws one number after the other until none is left.
    seconds = RANKS * 500 / details["draws_per_second"]
    times = [
        sum(low * count for low, count in zip(histogram["ns"], histogram["counts"], strict=True))
        for histogram in sample["histograms"]
    ]
    assert 0 < max(times) <= 1e9 * seconds


@pytest.mark.every_mpi
@pytest.mark.parametrize("seed", [1, 2])
def test_schedules_are_held_against_the_bounds_of_their_lengths(
    mpi: MpiLibrary, tmp_path: Path, seed: int
) -> None:
    tasks, mean_ns = 8, 50e3
    options = ("--benchmark=dynamic", *FEW, f"--seed={seed}")

    [sample], done = mpibench(mpi, tmp_path, *options)

    count = tasks * RANKS
    lengths = [-mean_ns * math.log1p(-(k + 0.5) / count) for k in range(count)]
    least = max(sum(lengths) / RANKS, *lengths)
    details, parameters = sample["details"], sample["parameters"]
    assert (parameters["tasks"], parameters["task_us"], parameters["seed"]) == (tasks, 50, seed)
    assert sample["verified"] is True
    assert details["tasks"] == count
    assert details["longest_task_ns"] == pytest.approx(lengths[-1])
    assert details["least_ns"] == pytest.approx(least)
    without_draws = sum(lengths) / RANKS + (1 - 1 / RANKS) * lengths[-1]
    assert details["bound_ns"] > without_draws + details["draws_ns"] > without_draws
    assert details["median_ns"] > 0.999 * least, "a task takes its length at least"
    assert 0 < details["efficiency"] < 1.001 * sum(lengths) / RANKS / least
    assert ("list scheduling" in done.stdout) == (details["beyond_bound"] > 0)


@pytest.mark.parametrize("step", [0, 2])
@pytest.mark.parametrize("name", ["counter", "dynamic"])
def test_a_number_that_is_drawn_twice_or_never_is_found(
    mpi: MpiLibrary, build: Build, tmp_path: Path, name: str, step: int
) -> None:
    """One of two ranks draws at least eight of 16 numbers, and so has a fifth draw."""
    library = build(mpi, "faulty_counter.c", "-shared", "-fPIC", "-ldl")
    options = [f"--benchmark={name}", "--iterations=8", "--warmup=0", *FEW[1:]]
    fault = {"LD_PRELOAD": str(library), "FAULTY_STEP": str(step)}

    for draw, sound in ((5, False), (1_000_000, True)):
        env = {**fault, "FAULTY_DRAW": str(draw)}
        [sample], done = mpibench(mpi, tmp_path, *options, code=0 if sound else 1, env=env)

        assert sample["verified"] is sound
        failure = find("mpibench").read(Output(done.stdout, "", tmp_path)).failure
        assert (f"{name} of 0 B did not pass its validation" in failure) is not sound


def test_schedules_of_ranks_that_are_held_up_are_named(
    mpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    library = build(mpi, "faulty_counter.c", "-shared", "-fPIC", "-ldl")
    slow = {"LD_PRELOAD": str(library), "SLOW_CLOCK": "1"}
    options = ("--benchmark=dynamic", "--iterations=3", "--warmup=0", "--tasks=8", "--task-us=500")

    [sample], done = mpibench(mpi, tmp_path, *options, env=slow)

    details = sample["details"]
    assert details["beyond_bound"] == 3
    assert details["overrun"] > 1
    assert sample["verified"] is True, "slow, not wrong"
    assert (
        "3 of 3 schedules took over 1 % longer than list scheduling allows; tasks took "
        f"{100 * details['overrun']:.1f} % longer than their lengths: ranks shared cores or were"
        " interrupted\n"
    ) in done.stdout


def test_the_rate_and_the_efficiency_are_read(mpi: MpiLibrary, tmp_path: Path) -> None:
    samples, done = mpibench(mpi, tmp_path, BOTH, *FEW)

    reading = find("mpibench").read(Output(done.stdout, "", tmp_path))

    counter, dynamic = (sample["details"] for sample in samples)
    assert reading.failure == ""
    metrics = {metric.name: (metric.value, metric.unit) for metric in reading.metrics}
    assert metrics["counter"] == (counter["draws_per_second"], "draws/s")
    assert metrics["dynamic"] == (100 * dynamic["efficiency"], "%")
    series = {curve.name: curve.y[0] for curve in reading.series}
    assert series["counter: median"] == pytest.approx(1e-3 * counter["median_ns"])
    rows = [line.split() for line in done.stdout.splitlines() if line.split()[:2] == ["0", "20"]]
    assert float(rows[0][11]) == pytest.approx(counter["draws_per_second"], abs=0.51)
    expected = [1e-3 * dynamic["least_ns"], 1e-3 * dynamic["bound_ns"], 100 * dynamic["efficiency"]]
    assert [float(value) for value in rows[1][11:14]] == pytest.approx(expected, abs=0.051)
