"""Medians of two equal periods, whose weeks are good or bad as a whole, are rarely told apart."""

from __future__ import annotations

import numpy as np
import pytest

from tests.verification.test_stats_error_rates import CLAIMED, holds
from waywiser.stats.survival import Curve, change, curve, quantile_of

JOBS = 12
"""Jobs of a week."""

COMPARED = 100


def period(chance: np.random.Generator, weeks: int, *, divided: bool) -> Curve:
    """Waiting is exponential, at a rate that each week has of its own; a tenth never starts."""
    scale = chance.lognormal(0, 0.5, weeks)[:, None] * 3600
    waits = (chance.exponential(1, (weeks, JOBS)) * scale).astype(int).ravel()
    started = chance.random(waits.size) > 0.1
    job = np.arange(waits.size)
    return curve(waits, started, job // JOBS if divided else job, weeks if divided else job.size)


def errors(weeks: int, *, divided: bool) -> int:
    chance = np.random.default_rng(8)
    count = weeks if divided else weeks * JOBS
    false_decisions = 0
    for seed in range(COMPARED):
        first, second = (quantile_of(period(chance, weeks, divided=divided), 0.5) for _ in range(2))
        false_decisions += change(first, second, (count, count), CLAIMED, seed).decided
    return false_decisions


@pytest.mark.parametrize("weeks", [6, 13])
def test_two_equal_periods_are_rarely_distinguished(weeks: int) -> None:
    assert holds(errors(weeks, divided=True), COMPARED)


def test_jobs_taken_for_independent_fail_the_check() -> None:
    assert not holds(errors(6, divided=False), COMPARED)
