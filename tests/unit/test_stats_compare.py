"""Verdicts and the intervals beneath them: fixed words, symmetry, and slow but obvious twins."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from waywiser.stats.compare import (
    Verdict,
    compare_sweep,
    compare_unpaired_sweep,
    refuse,
)
from waywiser.stats.shift import blocks_needed, paired_shifts, unpaired_shift
from waywiser.stats.summary import SAMPLES_NEEDED

Compare = Callable[..., Verdict]
Sweep = Callable[..., list[Verdict]]

QUIET = np.array([100.0, 100.3, 99.8, 100.1, 99.9, 100.2, 100.0, 99.7])
AGAIN = np.array([100.1, 100.0, 100.2, 99.8, 100.0, 99.9, 100.3, 99.9])


def compare_paired(baseline: ArrayLike, candidate: ArrayLike, **options: Any) -> Verdict:
    return compare_sweep([(baseline, candidate)], **options)[0]


def compare_unpaired(baseline: ArrayLike, candidate: ArrayLike, **options: Any) -> Verdict:
    return compare_unpaired_sweep([(baseline, candidate)], **options)[0]


def test_the_words_of_a_gain() -> None:
    verdict = compare_paired(1.03 * QUIET, AGAIN)

    assert verdict.kind == "faster"
    assert verdict.words.startswith("faster by 3.0")
    assert verdict.sentence("B", "A").startswith("B is faster than A by 3.0")


def test_the_words_of_a_loss_have_rising_bounds() -> None:
    verdict = Verdict("slower", 10, -0.031, -0.042, -0.024, 0.95)

    assert verdict.words == "slower by 3.1 % [2.4, 4.2]"


def test_bounds_have_two_digits_of_their_width() -> None:
    assert Verdict("faster", 10, 1.234, 1.0, 2.0).words == "faster by 123 % [100, 200]"
    assert Verdict("faster", 10, 0.03141, 0.0311, 0.0317).words == (
        "faster by 3.141 % [3.110, 3.170]"
    )


def test_the_words_of_no_difference() -> None:
    verdict = compare_paired(QUIET, AGAIN, margin=0.005)

    assert verdict.words == "no difference larger than 0.5 %"
    assert verdict.sentence("B", "A") == "B against A: no difference larger than 0.5 %"


def test_a_wide_interval_around_nothing_is_undecided() -> None:
    assert compare_paired(QUIET**3, AGAIN**3, margin=0.001).words == "undecided"


def test_an_interval_that_leaves_the_margin_on_one_side_is_undecided() -> None:
    kinds = [
        compare_paired(QUIET * scale, AGAIN, margin=0.004).kind for scale in (0.998, 1, 1.0025)
    ]

    assert kinds == ["undecided", "equivalent", "undecided"]


@pytest.mark.parametrize("compare", [compare_paired, compare_unpaired])
def test_five_are_too_few(compare: Compare) -> None:
    verdict = compare(QUIET[:5], 2 * AGAIN[:5])

    assert verdict.kind == "refused"
    assert verdict.words == "no verdict: n too small: 6 needed"


def test_a_run_that_failed_takes_its_block_out() -> None:
    first, second = 1.03 * QUIET, AGAIN.copy()
    second[2] = np.nan

    verdict = compare_paired(first, second)

    assert verdict == compare_paired(np.delete(first, 2), np.delete(second, 2))
    assert verdict.n == 7


@pytest.mark.parametrize("compare", [compare_paired, compare_unpaired])
def test_what_is_faster_by_time_is_faster_by_rate(compare: Compare) -> None:
    times = compare(1.03 * QUIET, AGAIN)
    rates = compare(1 / (1.03 * QUIET), 1 / AGAIN, better="higher")

    assert times.kind == rates.kind == "faster"
    assert times.change is not None
    assert times.change == pytest.approx(rates.change)


@pytest.mark.parametrize("compare", [compare_paired, compare_unpaired])
def test_sides_exchanged_mirror_the_verdict(compare: Compare) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.lognormal(0, 0.02, (2, 10))
    there, back = compare(first, second), compare(second, first)

    assert inverse(there) == pytest.approx([back.change, back.low, back.high], rel=1e-4)


def test_less_is_better_mirrors_more_is_better_where_values_are_tied() -> None:
    first, second = np.random.default_rng(3).integers(100, 104, (2, 9))

    lower, higher = (compare_paired(first, second, better=better) for better in ("lower", "higher"))

    assert inverse(lower) == pytest.approx([higher.change, higher.low, higher.high], abs=1e-6)


def inverse(verdict: Verdict) -> list[float]:
    """Change and bounds of the baseline against the candidate."""
    assert verdict.change is not None
    assert verdict.low is not None
    assert verdict.high is not None
    return [1 / (1 + share) - 1 for share in (verdict.change, verdict.high, verdict.low)]


def test_the_shift_of_quiet_values_is_exact() -> None:
    level = np.arange(8.0)[None, :]

    shift = paired_shifts(level, level + 0.25, 0.05)

    assert (shift.estimate[0], shift.low[0], shift.high[0]) == pytest.approx((0.25, 0.25, 0.25))


def test_the_unpaired_estimate_is_the_median_of_all_differences() -> None:
    """Hodges and Lehmann's, by hand: differences of 1 2 4 and 3 5 6 are -1 1 1 2 2 3 4 4 5."""
    shift = unpaired_shift(np.array([1.0, 2, 4]), np.array([3.0, 5, 6]), 0.05)

    assert shift.estimate[0] == 2


def rejected(first: list[float], second: list[float], shift: float, level: float) -> bool:
    """The rank test in plain words, for values without ties."""
    back = [value - shift for value in second]
    blocks = list(zip(first, back, strict=True))
    means = [sum(block) / 2 for block in blocks]
    noise = sum((x - y) ** 2 for x, y in blocks) / len(blocks) / 4
    share = max(0.0, 1 - noise / float(np.var(means, ddof=1)))
    aligned = [(x - share * m, y - share * m) for (x, y), m in zip(blocks, means, strict=True)]
    ordered = sorted(value for block in aligned for value in block)
    signed = [ordered.index(y) - ordered.index(x) for x, y in aligned]
    sums = [
        abs(sum(sign * rank for sign, rank in zip(signs, signed, strict=True)))
        for signs in product([1, -1], repeat=len(signed))
    ]
    return sum(total >= abs(sum(signed)) for total in sums) <= level * len(sums)


@pytest.mark.parametrize("drift", [0.0, 0.4, 2.0])
def test_bounds_lie_where_the_rank_test_begins_to_reject(drift: float) -> None:
    rng = np.random.default_rng(2)
    first, second = rng.lognormal(0, 1, (2, 8)) + drift * np.arange(8)
    # The t interval of heavy tails at a fifth of the level does not cut in.
    shift = paired_shifts(first[None], second[None], 0.05)

    for bound, side in ((shift.low[0], -1), (shift.high[0], 1)):
        assert not rejected([*first], [*second], bound - side * 1e-4, 0.04)
        assert rejected([*first], [*second], bound + side * 1e-4, 0.04)


def test_holm_decides_what_bonferroni_leaves_undecided() -> None:
    sure = (1.5 * QUIET, AGAIN)
    # p is between 2.5 % and 5 % of what t is given.
    near = (QUIET, QUIET / np.exp([0.02, 0.01, 0.013, -0.004, 0.012, 0.003, 0.014, 0.001]))

    alone = compare_sweep([near])[0]
    beside_equals = compare_sweep([(QUIET, AGAIN), near])[1]
    beside_sure = compare_sweep([sure, near])[1]

    assert alone.kind == beside_sure.kind == "faster"
    assert beside_equals.kind == "undecided"
    assert beside_equals.confidence == pytest.approx(0.975)


@pytest.mark.parametrize("sweep", [compare_sweep, compare_unpaired_sweep])
def test_a_large_difference_is_seen_with_six_blocks_among_forty_configurations(
    sweep: Sweep,
) -> None:
    """Ranks of 6 blocks cannot reach 5 % / 40, however large the difference."""
    verdicts = sweep([(3 * QUIET[:6], AGAIN[:6])] + [(QUIET[:6], AGAIN[:6])] * 39)

    assert verdicts[0].kind == "faster"


@pytest.mark.parametrize("sweep", [compare_sweep, compare_unpaired_sweep])
def test_a_refused_configuration_does_not_count_among_those_compared(sweep: Sweep) -> None:
    verdicts = sweep([(QUIET[:5], AGAIN[:5]), (QUIET, AGAIN)])

    assert verdicts[0].kind == "refused"
    assert verdicts[1].confidence == 0.95


@pytest.mark.parametrize("family", [1, 15, 40, 120])
def test_ranks_decide_with_as_many_blocks_as_a_family_needs(family: int) -> None:
    """A run a hundred times faster spoils Student's t, and not the ranks."""
    needed = blocks_needed(family)
    rng = np.random.default_rng(3)

    def kinds(blocks: int) -> set[str]:
        base = np.exp(rng.normal(0, 0.01, (family, blocks)))
        faster = 0.7 * np.exp(rng.normal(0, 0.01, (family, blocks)))
        faster[:, 0] /= 100
        return {verdict.kind for verdict in compare_sweep(list(zip(base, faster, strict=True)))}

    assert kinds(needed) == {"faster"}
    assert kinds(needed - 1) == {"undecided"} or needed - 1 < SAMPLES_NEEDED


def test_a_unreliable_machine_withdraws_the_verdict_and_keeps_the_interval() -> None:
    verdict = compare_paired(1.03 * QUIET, AGAIN)

    withdrawn = refuse(verdict, ["noisy: 5 of 8 runs of B"])

    assert withdrawn.words == "no verdict: noisy: 5 of 8 runs of B"
    assert withdrawn.low == verdict.low
    assert refuse(verdict, []) == verdict
