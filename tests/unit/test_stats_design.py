"""Order of runs, stopping, and the gate before a verdict."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from waywiser.stats.blocks import block_order, by_block, turns
from waywiser.stats.compare import Verdict
from waywiser.stats.gate import RunFacts, reasons
from waywiser.stats.stopping import StoppingRule, decide, half_width
from waywiser.stats.summary import summarise


def test_every_block_holds_every_configuration_once_and_the_first_is_warm_up() -> None:
    order = turns(5, 3, seed=7)

    for block in range(3):
        inside = [turn for turn in order if turn.block == block]
        assert sorted(turn.configuration for turn in inside) == list(range(5))
        assert all(turn.warm_up == (block == 0) for turn in inside)
    assert [turn.block for turn in order] == sorted(turn.block for turn in order)


def test_a_longer_study_goes_on_in_the_order_that_it_began() -> None:
    assert turns(9, 20, seed=3)[: 9 * 6] == turns(9, 6, seed=3)
    assert turns(9, 6, seed=3) != turns(9, 6, seed=4)


def test_the_order_of_a_seed_is_the_same_for_ever() -> None:
    """Stored studies are resumed by it: this list may not change."""
    assert [block_order(4, block, seed=2026) for block in range(3)] == [
        [1, 2, 3, 0],
        [2, 1, 3, 0],
        [3, 2, 0, 1],
    ]


def test_each_configuration_has_each_place_equally_often() -> None:
    blocks, configurations = 3000, 3

    places = Counter(
        (place, configuration)
        for block in range(blocks)
        for place, configuration in enumerate(block_order(configurations, block, seed=1))
    )

    expected = blocks / configurations
    spread = math.sqrt(blocks * (1 / configurations) * (1 - 1 / configurations))
    assert all(abs(count - expected) < 4 * spread for count in places.values())
    assert len(places) == 9


def test_runs_become_a_table_with_gaps() -> None:
    table = by_block([1, 1, 3], [1, 0, 1], [5.0, 6.0, 7.0], configurations=2)

    assert np.array_equal(table, [[6.0, np.nan], [5.0, 7.0]], equal_nan=True)


@pytest.mark.parametrize(
    ("blocks", "widths", "budget", "stop", "says"),
    [
        (5, [0.001], math.inf, False, "5 blocks of at least 6"),
        (6, [0.009, 0.004], math.inf, True, "the widest interval is ±0.9 % (target: ±1 %)"),
        (6, [0.009, 0.014], math.inf, False, "the widest interval is ±1.4 % (target: ±1 %)"),
        (30, [0.5], math.inf, True, "30 blocks, the most that were allowed"),
        (3, [0.5], 1.0, True, "the budget does not hold another block"),
        (8, [], math.inf, False, "the widest interval is unknown (target: ±1 %)"),
    ],
)
def test_a_study_stops_for_one_of_three_reasons(
    blocks: int, widths: list[float], budget: float, stop: bool, says: str
) -> None:
    decision = decide(StoppingRule(), blocks, widths, budget_left=budget, next_block=2.0)

    assert decision.stop == stop
    assert says in decision.reason
    phrases = ("of at least", "target: ±1 %", "most that were allowed", "the budget")
    assert [text in decision.reason for text in phrases] == [text in says for text in phrases]


def test_the_blocks_to_come_grow_with_the_square_of_the_width() -> None:
    assert decide(StoppingRule(most=100), 8, [0.02]).blocks_expected == 32
    assert decide(StoppingRule(most=20), 8, [0.02]).blocks_expected == 20


def test_half_widths_are_relative() -> None:
    assert half_width(summarise([98, 99, 100, 100, 101, 102])) == pytest.approx(0.02)
    assert half_width(summarise([100, 101])) == math.inf
    assert half_width(Verdict("faster", 9, 1.0, 0.9, 1.1)) == pytest.approx(0.05)


QUIET = RunFacts(
    ranks=4,
    threads=2,
    wall_s=100.0,
    cores=8,
    cpu_s=780.0,
    foreign_cpus=0.2,
    involuntary_switches=900,
    bound_cpus=tuple(frozenset({2 * rank, 2 * rank + 1}) for rank in range(4)),
    steal=0.0,
)


def test_a_quiet_run_is_let_through_and_so_is_an_unknown_one() -> None:
    assert reasons(QUIET) == []
    assert reasons(RunFacts(ranks=4, threads=1, wall_s=10.0)) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"cores": 6, "foreign_cpus": None}, "4 ranks x 2 threads shared 6 cores"),
        (
            {"progress_threads": 1, "foreign_cpus": None},
            "4 ranks x 2 threads + 1 for progress shared 8 cores",
        ),
        ({"cpu_s": 240.0}, "the ranks had a core for 30 % of the time (50 % is required)"),
        ({"threads": 1, "bound_cpus": None, "cpu_s": 240.0}, "for 60 % of"),
        ({"threads": 1, "bound_cpus": None, "cpu_s": 240.0, "startup_s": 119.0}, "for 60 % of"),
        ({"foreign_cpus": 4.0}, "other programs used 4.0 of the 8 cores (at most 0.4 is quiet)"),
        ({"involuntary_switches": 160_000, "foreign_cpus": None}, "taken off its core 200 times"),
        ({"bound_cpus": (frozenset({0, 1}),) * 4}, "8 threads are bound to 2 CPUs (0, 1)"),
        ({"steal": 0.03}, "the hypervisor took 3.0 % of the CPU time"),
    ],
)
def test_each_fact_that_spoils_a_run_is_said(change: dict[str, Any], says: str) -> None:
    found = reasons(RunFacts(**(vars(QUIET) | change)))

    assert len(found) == 1
    assert says in found[0]


def test_ranks_that_may_run_anywhere_do_not_overlap() -> None:
    assert reasons(replace(QUIET, bound_cpus=(frozenset(range(8)),) * 4)) == []


def test_time_to_start_and_end_mpi_is_not_held_against_a_run() -> None:
    asleep = replace(QUIET, threads=1, bound_cpus=None, cpu_s=240.0)
    assert reasons(asleep)
    assert reasons(replace(asleep, startup_s=121.0)) == []


def test_a_rank_that_yields_is_not_displaced_by_anybody() -> None:
    assert reasons(replace(QUIET, involuntary_switches=160_000)) == []
