"""The statistics against their claims: simulated studies in which the truth is known.

Every claim is "wrong in at most 5 of 100 cases", and one check decides it, `holds`. What must not
be done (runs in sequence, no correction over a sweep, looking until it differs, …) is put to the
same check and has to fail it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from tests import noise
from tests.noise import Noise
from tests.support import cases
from tests.unit.test_stats_compare import compare_paired, compare_unpaired
from waywiser.stats.compare import (
    MARGIN,
    Verdict,
    compare_sweep,
    compare_unpaired_sweep,
)
from waywiser.stats.loggp import MessageCosts, fit_loggp
from waywiser.stats.models import fit_law
from waywiser.stats.scaling import Estimate
from waywiser.stats.shift import Shifts, paired_shifts
from waywiser.stats.stopping import StoppingRule, decide
from waywiser.stats.summary import summarise

Floats = NDArray[np.float64]

CLAIMED = 0.05
NOISES = [noise.normal, noise.skewed, noise.delays, noise.drifting, noise.swinging]
GAIN = 1.03


def holds(wrong: int, cases: int) -> bool:
    """True if a rate of at most 5 % is compatible with `wrong` of `cases`: false for a true rate of
    5 % in 1 of 1,000 simulations."""
    beyond = 1.0
    for count in range(wrong):
        beyond -= math.comb(cases, count) * CLAIMED**count * (1 - CLAIMED) ** (cases - count)
    return beyond > 0.001


def decided(verdicts: list[Verdict]) -> list[bool]:
    return [verdict.kind in ("faster", "slower") for verdict in verdicts]


def misses(shifts: Shifts, truth: float = 0.0) -> int:
    return int(((shifts.low > truth) | (shifts.high < truth)).sum())


def simulated(make: Noise, studies: int, blocks: int, seed: int = 4) -> tuple[Floats, Floats]:
    """Logarithms of times of two equal sides, each of shape (studies, blocks)."""
    times = np.log(make(np.random.default_rng(seed), (studies, blocks, 2)))
    return times[:, :, 0], times[:, :, 1]


def test_the_check_itself_knows_5_from_9_in_100() -> None:
    assert holds(50, 1000)
    assert not holds(90, 1000)


@pytest.mark.parametrize(
    "study",
    cases(
        [(noise.skewed, 6), (noise.swinging, 10)],
        long=[(make, n) for make in NOISES for n in (6, 10)],
    ),
)
def test_two_equal_sides_are_rarely_distinguished(study: tuple[Noise, int]) -> None:
    make, blocks = study
    first, second = simulated(make, 600, blocks)

    assert holds(misses(paired_shifts(first, second, CLAIMED)), 600)


def test_so_they_are_where_swaps_are_drawn_at_random() -> None:
    first, second = simulated(noise.skewed, 300, 16)

    assert holds(misses(paired_shifts(first, second, CLAIMED)), 300)


@pytest.mark.parametrize("make", cases([noise.delays, noise.drifting], long=NOISES))
def test_the_interval_holds_the_true_gain(make: Noise) -> None:
    first, second = simulated(make, 600, 8)

    shifts = paired_shifts(first, second + math.log(GAIN), CLAIMED)

    assert holds(misses(shifts, math.log(GAIN)), 600)


def test_the_interval_holds_where_each_side_has_its_own_noise() -> None:
    """The interval then covers the median of the difference between any two runs of the two
    sets."""
    rng = np.random.default_rng(3)
    first, second = (
        np.log(make(rng, (600, 10, 1)))[:, :, 0] for make in (noise.normal, noise.skewed)
    )
    pairs = (rng.choice(side.ravel(), 200_000) for side in (second, first))
    truth = float(np.median(np.subtract(*pairs)))

    assert holds(misses(paired_shifts(first, second, CLAIMED), truth), 600)


def test_runs_in_sequence_on_a_drifting_machine_fail_the_check() -> None:
    first, second = simulated(noise.in_sequence, 200, 10)

    assert not holds(misses(paired_shifts(first, second, CLAIMED)), 200)


def test_blocks_find_what_samples_without_blocks_miss() -> None:
    """Not found is as wrong as falsely found: 10 blocks under a swing of 10 %, a gain of 5 %."""
    times = noise.swinging(np.random.default_rng(5), (100, 10, 2))
    times[:, :, 0] *= 1.05

    paired = [compare_paired(*study.T).kind == "faster" for study in times]
    unpaired = [compare_unpaired(*study.T).kind == "faster" for study in times]

    assert holds(paired.count(False), 100)
    assert not holds(unpaired.count(False), 100)


@pytest.mark.parametrize("make", cases([noise.skewed], long=[noise.normal, noise.delays]))
@pytest.mark.parametrize("sizes", [(6, 6), (7, 12)])
def test_unpaired_sets_of_one_distribution_are_rarely_distinguished(
    make: Noise, sizes: tuple[int, int]
) -> None:
    times = make(np.random.default_rng(6), (500, 12, 2))

    verdicts = [compare_unpaired(study[: sizes[0], 0], study[: sizes[1], 1]) for study in times]

    assert holds(sum(decided(verdicts)), 500)


def false_studies(
    make: Noise, blocks: int, studies: int, judge: Callable[[Floats, Floats], list[bool]]
) -> int:
    """Studies of 40 equal configurations in which `judge`, given tables of configurations x blocks,
    sees any difference."""
    rng = np.random.default_rng(7)
    wrong = 0
    for _ in range(studies):
        times = make(rng, (40, blocks, 2))
        wrong += any(judge(times[:, :, 0], times[:, :, 1]))
    return wrong


def by_holm(first: Floats, second: Floats) -> list[bool]:
    return decided(compare_sweep(list(zip(first, second, strict=True))))


def unpaired_by_holm(first: Floats, second: Floats) -> list[bool]:
    return decided(compare_unpaired_sweep(list(zip(first, second, strict=True))))


def unpaired_one_by_one(first: Floats, second: Floats) -> list[bool]:
    return decided([compare_unpaired(*pair) for pair in zip(first, second, strict=True)])


def one_by_one(first: Floats, second: Floats) -> list[bool]:
    shifts = paired_shifts(np.log(first), np.log(second), CLAIMED)
    return [*((shifts.low > 0) | (shifts.high < 0))]


@pytest.mark.parametrize("make", cases([noise.delays], long=NOISES))
def test_a_study_of_40_configurations_rarely_shows_any_false_verdict(make: Noise) -> None:
    assert holds(false_studies(make, 10, 200, by_holm), 200)


@pytest.mark.long
def test_so_it_does_where_ranks_reach_the_level_of_40_configurations() -> None:
    assert holds(false_studies(noise.skewed, 12, 60, by_holm), 60)


def test_40_configurations_without_correction_fail_the_check() -> None:
    assert not holds(false_studies(noise.normal, 10, 20, one_by_one), 20)


@pytest.mark.parametrize("make", cases([noise.skewed], long=[noise.normal, noise.delays]))
@pytest.mark.parametrize("blocks", cases([6], long=[12]))
def test_two_studies_of_40_configurations_rarely_show_any_false_verdict(
    make: Noise, blocks: int
) -> None:
    assert holds(false_studies(make, blocks, 100, unpaired_by_holm), 100)


def test_two_studies_of_40_configurations_without_correction_fail_the_check() -> None:
    assert not holds(false_studies(noise.normal, 10, 20, unpaired_one_by_one), 20)


def test_a_sweep_with_true_and_with_no_differences_shows_no_false_verdict() -> None:
    """Holm's levels rise as configurations are decided: with half of the configurations decided at
    once, the others are at their weakest. Configurations at the margin may be found different, but
    not equivalent."""
    rng = np.random.default_rng(8)
    truth = np.repeat([1.2, 1.0, 1.01, 1 / 1.01], [20, 10, 5, 5])
    wrong = 0
    for _ in range(150):
        times = noise.normal(rng, (40, 10, 2)) ** 0.3
        verdicts = compare_sweep(
            list(zip(times[:, :, 0] * truth[:, None], times[:, :, 1], strict=True))
        )
        wrong += any(
            verdict.kind == "equivalent" if ratio != 1 else verdict.kind in ("faster", "slower")
            for verdict, ratio in zip(verdicts, truth, strict=True)
        )

    assert holds(wrong, 150)


@cache
def of_the_margin() -> list[Verdict]:
    """300 comparisons with a true difference of the margin."""
    times = noise.normal(np.random.default_rng(9), (300, 10, 2)) ** 0.7
    times[:, :, 0] *= 1 + MARGIN
    return [compare_paired(*study.T) for study in times]


def test_a_difference_of_the_margin_is_rarely_called_none() -> None:
    assert holds(sum(verdict.kind == "equivalent" for verdict in of_the_margin()), 300)


def test_no_evidence_of_a_difference_taken_for_none_fails_the_check() -> None:
    assert not holds(decided(of_the_margin()).count(False), 300)


def stopped(make: Noise, stop: Callable[[int, float, float], bool]) -> int:
    """Number of 300 studies of two equal sides that end with a difference. They end when `stop`,
    given the blocks and the interval, says so, or with 12 blocks."""
    first, second = simulated(make, 300, 12)
    wrong, going = 0, np.arange(300)
    for blocks in range(6, 13):
        shifts = paired_shifts(first[going, :blocks], second[going, :blocks], CLAIMED)
        ends = np.array(
            [
                blocks == 12 or stop(blocks, low, high)
                for low, high in zip(shifts.low, shifts.high, strict=True)
            ]
        )
        wrong += int((((shifts.low > 0) | (shifts.high < 0)) & ends).sum())
        going = going[~ends]
        if not going.size:
            break
    return wrong


@pytest.mark.parametrize("make", cases([noise.drifting], long=[noise.normal, noise.skewed]))
def test_stopping_when_the_interval_is_narrow_keeps_the_error(make: Noise) -> None:
    rule = StoppingRule(target=0.012, most=12)

    def narrow(blocks: int, low: float, high: float) -> bool:
        return decide(rule, blocks, [(high - low) / 2]).stop

    assert holds(stopped(make, narrow), 300)


def test_looking_until_it_differs_fails_the_check() -> None:
    assert not holds(stopped(noise.normal, lambda _, low, high: low > 0 or high < 0), 300)


@pytest.mark.parametrize("n", [6, 9, 20])
def test_the_interval_of_a_median_holds_it(n: int) -> None:
    times = noise.skewed(np.random.default_rng(10), (2000, n, 1))[:, :, 0]
    median = 1.02

    summaries = [summarise(study) for study in times]

    outside = [not s.low <= median <= s.high for s in summaries if s.low and s.high]
    assert holds(sum(outside), 2000)


@pytest.mark.parametrize("law", cases([(0.3, 20, 0.03, 0.004)], long=[(0.5, 10, 0, 0)]))
def test_a_forecast_at_twice_the_range_holds_the_new_time(law: tuple[float, ...]) -> None:
    rng = np.random.default_rng(11)
    ranks = np.array([1, 2, 4, 8, 16, 32, 64, 128])
    a, b, c, d = law

    def seconds(p: Floats | NDArray[np.int64]) -> Floats:
        times: Floats = (a + b / p + c * np.log2(p) + d * p) * (
            1 + 0.01 * rng.standard_normal(p.shape)
        )
        return times

    wrong = 0
    for seed in range(100):
        ahead = fit_law([*ranks], seconds(ranks), seed=seed).forecast(256).seconds
        assert ahead.low is not None
        assert ahead.high is not None
        wrong += not ahead.low <= seconds(np.array([256.0]))[0] <= ahead.high

    assert holds(wrong, 100)


def costs_of_messages(rng: np.random.Generator, noise: float) -> MessageCosts:
    """Costs of messages by two protocols, the second from 16 KiB on."""
    size = np.array([2.0**power for power in range(23)])
    long = size > 8192

    def times(fixed: float, per_byte: float, late: float, late_per_byte: float) -> Floats:
        true = np.where(long, late + late_per_byte * size, fixed + per_byte * size)
        noisy: Floats = true * (1 + noise * rng.standard_normal(size.size))
        return noisy

    return MessageCosts(
        size,
        overhead_s=times(0.4, 5e-5, 0.5, 2e-6),
        one_way_s=times(1.9, 1.7e-4, 3.9, 8e-5),
        interval_s=times(0.6, 1.7e-4, 0.9, 8e-5),
    )


@cache
def latencies() -> list[Estimate]:
    """Latencies of eager messages, by 100 calibrations."""
    rng = np.random.default_rng(12)
    costs = (costs_of_messages(rng, 0.02) for _ in range(100))
    return [
        fit_loggp(message_costs, 8192, seed=seed)[0].latency_s
        for seed, message_costs in enumerate(costs)
    ]


def misses_of_loggp(narrowed: float = 1.0) -> int:
    """Number of 100 calibrations whose interval, narrowed to a share, misses the latency of eager
    messages."""
    wrong = 0
    for latency in latencies():
        assert latency.low is not None
        assert latency.high is not None
        low = latency.value + narrowed * (latency.low - latency.value)
        high = latency.value + narrowed * (latency.high - latency.value)
        wrong += not low <= 1.1 <= high
    return wrong


def test_an_interval_of_loggp_holds_the_parameter() -> None:
    assert holds(misses_of_loggp(), 100)


def test_an_interval_of_loggp_of_half_the_width_fails_the_check() -> None:
    assert not holds(misses_of_loggp(0.5), 100)
