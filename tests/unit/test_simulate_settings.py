"""What a replay is told of the machine: its processors, and settings that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.replayed import O_, Program, machine, one_way
from waywiser.native import _native as native
from waywiser.native.simulate import Cost, Messages, Noise, Prediction


def barrier(begin: list[float]) -> list[float]:
    """Ends of a dissemination barrier: round by round, each rank has sent and received, and no
    earlier than a message takes from the one whose message it gets."""
    ranks, reach = len(begin), 1
    while reach < ranks:
        begin = [
            max(begin[r] + 2 * O_, begin[(r - reach) % ranks] + one_way(0)) for r in range(ranks)
        ]
        reach *= 2
    return begin


def five_rounds(computing: list[float]) -> float:
    now = [10.0] * len(computing)
    for _ in range(5):
        now = barrier([a + b for a, b in zip(now, computing, strict=True)])
    return max(now)


def slow_ranks(directory: Path, **settings: Any) -> Prediction:
    program = Program(4)
    for rank in range(4):
        program.call(rank, "Comm_rank")
        for _ in range(5):
            program.compute(rank, 10_000 * (1 + rank))
            program.call(rank, "Barrier")
    return program.replay(directory, machine(**settings))


def test_balanced_ranks_do_not_wait(tmp_path: Path) -> None:
    uneven, even = slow_ranks(tmp_path), slow_ranks(tmp_path, balanced=True)

    assert uneven.makespan_ns == five_rounds([10_000, 20_000, 30_000, 40_000])
    assert even.makespan_ns == 10 + 5 * (25_000 + 2 * one_way(0))
    assert sum(rank.waiting_ns for rank in even.ranks) == 0
    assert uneven.ranks[0].waiting_ns > 5 * 20_000


def test_a_faster_processor_computes_in_less_time(tmp_path: Path) -> None:
    found = slow_ranks(tmp_path, cpu=1.6)

    assert found.makespan_ns == five_rounds([6250, 12_500, 18_750, 25_000])


def test_noise_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    def makespan(seed: int) -> float:
        return slow_ranks(tmp_path, noise=Noise(exponential=0.1, seed=seed)).makespan_ns

    quiet = slow_ranks(tmp_path).makespan_ns
    assert makespan(1) == makespan(1) != makespan(2)
    assert min(makespan(seed) for seed in range(5)) > quiet


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cpu": 0.0}, "cpu: expected how many times as fast"),
        ({"threads": -1}, "threads: expected 1 to 256"),
        (
            {"collectives": {"allreduce": "fast"}},
            "no algorithm 'fast' for allreduce; there are: 'recursive doubling'",
        ),
        ({"collectives": {"all": "ring"}}, "no algorithms for 'all'; there are for: barrier"),
        ({"node_of_rank": [0]}, "node_of_rank: expected the nodes of 2 ranks, found 1"),
        ({"within": lambda: Messages([], 0)}, "within.costs: expected at least one cost"),
        (
            {"between": lambda: Messages([Cost(None, -1.0)], 0)},
            "between.costs: expected times of 0 or more",
        ),
        ({"noise": lambda: Noise(exponential=-1.0)}, "noise: expected a mean delay of 0 or more"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    """Objects of the bindings are made here: in a list of cases they would outlive the bindings."""
    program = Program(2)
    for rank in (0, 1):
        program.call(rank, "Barrier")
    made = {name: value() if callable(value) else value for name, value in settings.items()}

    with pytest.raises(native.InvalidInput, match=message):
        program.replay(tmp_path, machine(**made))
