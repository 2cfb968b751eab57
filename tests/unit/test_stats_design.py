"""Order of runs, stopping, and the gate before a verdict."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from waywiser.stats.blocks import block_order
from waywiser.stats.gate import RunFacts, found_reasons
from waywiser.stats.stopping import StoppingRule, decide


def test_every_block_holds_every_configuration_once_in_an_order_of_its_seed() -> None:
    orders = [[block_order(9, block, seed) for block in range(3)] for seed in (3, 4)]

    assert all(sorted(order) == [*range(9)] for of_seed in orders for order in of_seed)
    assert orders[0] != orders[1]


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


@pytest.mark.parametrize(
    ("blocks", "widths", "stop", "says"),
    [
        (5, [0.001], False, "5 blocks of at least 6"),
        (6, [0.009, 0.004], True, "the widest interval is ±0.9 % (target: ±1 %)"),
        (6, [0.009, 0.014], False, "the widest interval is ±1.4 % (target: ±1 %)"),
        (30, [0.5], True, "30 blocks, the most that were allowed"),
        (8, [], False, "the widest interval is unknown (target: ±1 %)"),
    ],
)
def test_a_study_stops_for_one_of_two_reasons(
    blocks: int, widths: list[float], stop: bool, says: str
) -> None:
    decision = decide(StoppingRule(), blocks, widths)

    assert decision.stop == stop
    assert says in decision.reason
    phrases = ("of at least", "target: ±1 %", "most that were allowed")
    assert [text in decision.reason for text in phrases] == [text in says for text in phrases]


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


def reasons(facts: RunFacts) -> list[str]:
    return [reason.sentence for reason in found_reasons(facts)]


def test_a_quiet_run_is_let_through_and_so_is_an_unknown_one() -> None:
    assert reasons(QUIET) == []
    assert reasons(RunFacts(ranks=4, threads=1, wall_s=10.0)) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"cores": 6, "foreign_cpus": None}, "4 ranks x 2 threads shared 6 CPUs"),
        (
            {"progress_threads": 1, "foreign_cpus": None},
            "4 ranks x 2 threads + 1 for progress shared 8 CPUs",
        ),
        ({"cpu_s": 240.0}, "the ranks had a CPU for 30 % of the time (50 % is required)"),
        ({"threads": 1, "bound_cpus": None, "cpu_s": 240.0}, "for 60 % of"),
        ({"threads": 1, "bound_cpus": None, "cpu_s": 240.0, "startup_s": 119.0}, "for 60 % of"),
        ({"foreign_cpus": 4.0}, "other programs used 4.0 of the 8 CPUs (at most 0.4 is quiet)"),
        ({"involuntary_switches": 160_000, "foreign_cpus": None}, "taken off its CPU 200 times"),
        ({"bound_cpus": (frozenset({0, 1}),) * 4}, "8 threads are bound to 2 CPUs (0, 1)"),
        ({"steal": 0.03}, "the hypervisor took 3.0 % of the CPU time"),
    ],
)
def test_each_fact_that_spoils_a_run_is_reported(change: dict[str, Any], says: str) -> None:
    remarks = reasons(RunFacts(**(vars(QUIET) | change)))

    assert len(remarks) == 1
    assert says in remarks[0]


def test_ranks_that_may_run_anywhere_do_not_overlap() -> None:
    assert reasons(replace(QUIET, bound_cpus=(frozenset(range(8)),) * 4)) == []


def test_time_to_start_and_end_mpi_is_not_held_against_a_run() -> None:
    asleep = replace(QUIET, threads=1, bound_cpus=None, cpu_s=240.0)
    assert reasons(asleep)
    assert reasons(replace(asleep, startup_s=121.0)) == []


def test_a_rank_that_yields_is_not_displaced_by_anybody() -> None:
    assert reasons(replace(QUIET, involuntary_switches=160_000)) == []
