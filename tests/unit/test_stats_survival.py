"""Kaplan and Meier's estimate against a published trial, and the change between two periods."""

from __future__ import annotations

import math

import numpy as np
import pytest

from waywiser.stats.survival import change, curve, mean_of, quantile, quantile_of

# Weeks of remission; with a minus, the patient was still in remission. E. A. Freireich et al.,
# Blood 21(6), 1963, whose medians (23 and 8 weeks) many textbooks have.
TREATED = "6 6 6 -6 7 -9 10 -10 -11 13 16 -17 -19 -20 22 23 -25 -32 -32 -34 -35"
PLACEBO = "1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23"


def estimated(text: str, share: float, most_steps: int = 1024) -> float:
    weeks = np.array([int(word) for word in text.split()])
    blocks = np.zeros(weeks.size, np.int64)
    survival = curve(np.abs(weeks), weeks > 0, blocks, 1, most_steps)
    return float(quantile(survival.times, survival.ended, survival.censored, share)[0])


def test_the_medians_of_a_published_trial() -> None:
    assert estimated(TREATED, 0.5) == 23
    assert estimated(PLACEBO, 0.5) == 8
    assert estimated(PLACEBO, 0.9) == 17
    assert estimated(TREATED, 0.9) == math.inf


def test_without_any_time_nothing_is_known() -> None:
    assert estimated("", 0.5) == math.inf


def test_a_coarse_grid_rounds_times_up() -> None:
    assert 8 <= estimated(PLACEBO, 0.5, most_steps=5) <= 12


def test_a_median_is_divided_among_blocks_and_put_together_again() -> None:
    times = np.array([1, 2, 3, 4, 5, 6])
    survival = curve(times, times > 0, np.array([0, 0, 1, 1, 2, 2]), 3)

    medians = quantile_of(survival, 0.5)(np.array([[1.0, 1, 1], [2, 0, 1], [0, 3, 0], [0, 0, 3]]))

    assert medians.tolist() == [3, 2, 3, 5]


def test_a_change_of_what_never_varies_is_exact() -> None:
    difference = change(mean_of(np.full(6, 2.0)), mean_of(np.full(8, 5.0)), (6, 8), 0.05)

    assert (difference.first, difference.second, difference.low, difference.high) == (2, 5, 3, 3)
    assert difference.decided


@pytest.mark.parametrize("blocks", [6, 200])
def test_the_interval_of_a_mean_is_students(blocks: int) -> None:
    """Student's interval fits many blocks. Few have a wider one, wider than the plain quantiles."""
    values = np.random.default_rng(1).normal(size=blocks)
    still = mean_of(np.zeros(blocks))
    error = values.std() / math.sqrt(blocks)

    difference = change(still, mean_of(values), (blocks, blocks), 0.05)

    half = (difference.high - difference.low) / 2 / error
    assert 1.9 < half < 2.1 if blocks == 200 else 2.1 < half < 3.2


def test_where_neither_median_is_reached_nothing_is_decided() -> None:
    times = np.arange(12)
    waiting = quantile_of(curve(times, times < 0, times % 6, 6), 0.5)

    difference = change(waiting, waiting, (6, 6), 0.05)

    assert not difference.decided
    assert (difference.low, difference.high) == (-math.inf, math.inf)
