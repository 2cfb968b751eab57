"""Scaling: ratios that are known, laws that are recovered, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from waywiser.errors import NotEnoughData
from waywiser.stats.models import fit_law
from waywiser.stats.scaling import (
    rate,
    strong_scaling,
    time_ratios,
    weak_fault,
    weak_scaling,
)
from waywiser.stats.summary import summarise

RANKS = [1, 2, 4, 8, 16, 32]
EXAMPLE_S = [10.1, 5.3, 2.85, 1.7, 1.2, 1.0]


def table(
    seconds: list[float], blocks: int = 8
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Times by point and block: equal in all blocks, but for a machine that gets ever slower."""
    return np.outer(seconds, np.linspace(1, 1.5, blocks))


def test_strong_scaling_states_its_base_and_removes_the_drift() -> None:
    points = strong_scaling([4, 2, 8], table([6.0, 10.0, 5.0]))

    speedups = [point.speedup for point in points]
    assert [speedup.value for speedup in speedups] == pytest.approx([10 / 6, 1, 2])
    assert [point.efficiency.value for point in points] == pytest.approx([10 / 12, 1, 0.5])
    assert speedups[2].low == pytest.approx(2)
    assert speedups[2].high == pytest.approx(2)
    assert {(point.base_ranks, point.base_s) for point in points} == {(2, 12.5)}


def test_weak_scaling_is_ideal_where_the_time_stays() -> None:
    points = weak_scaling([1, 8], table([10.0, 12.5]))

    assert points[1].efficiency.value == pytest.approx(0.8)
    assert points[1].speedup.value == pytest.approx(6.4)


def test_the_base_can_be_chosen_but_must_be_there() -> None:
    assert strong_scaling([1, 2], table([10.0, 5.0]), base=2)[0].speedup.value == pytest.approx(0.5)

    with pytest.raises(NotEnoughData, match="no point has 3 ranks to be the base; there are 1, 2"):
        strong_scaling([1, 2], table([10.0, 5.0]), base=3)


def test_few_blocks_give_a_ratio_without_interval_and_none_is_refused() -> None:
    [(ratio, n)] = time_ratios(np.array([4.0, np.nan, 8.0]), np.array([[2.0, 5.0, 2.0]]))

    assert n == 2
    assert ratio.value == pytest.approx(np.sqrt(2 * 4))
    assert (ratio.low, ratio.high) == (None, None)
    with pytest.raises(NotEnoughData, match="a block in which both"):
        time_ratios(np.array([4.0, np.nan]), np.array([[np.nan, 5.0]]))


def test_weak_scaling_that_is_not_weak_is_reported() -> None:
    assert weak_fault([1, 2, 4], [100, 204, 400]) == ""
    assert weak_fault([1, 2, 4], [100, 200, 600]) == (
        "not weak scaling: a rank has 50 % more work on 4 ranks than on 1 (at most 5 % is constant)"
    )


def test_a_rate_per_node_has_the_bounds_of_its_time() -> None:
    per_node = rate(1000.0, summarise([1.0, 2.0, 2.0, 2.0, 2.0, 4.0])).times(1 / 4)

    assert (per_node.value, per_node.low, per_node.high) == (125, 62.5, 250)


def test_amdahls_law_is_recovered() -> None:
    law = fit_law(RANKS, [0.58 + 9.47 / p for p in RANKS])

    assert law.formula() == "0.58 + 9.47/p"
    assert law.serial_fraction.value == pytest.approx(0.58 / 10.05)
    assert law.relative_error < 1e-6


@pytest.mark.parametrize(
    ("truth", "formula"),
    [
        ((0, 12.0, 0.25, 0), "12/p + 0.25 log2 p"),
        ((0.5, 12.0, 0, 0.0125), "0.5 + 12/p + 0.0125 p"),
        ((0.5, 12.0, 0.125, 0.0125), "0.5 + 12/p + 0.125 log2 p + 0.0125 p"),
        ((3.0, 0, 0, 0), "3"),
    ],
)
def test_terms_that_are_there_are_found(truth: tuple[float, ...], formula: str) -> None:
    a, b, c, d = truth
    seconds = [a + b / p + c * np.log2(p) + d * p for p in [*RANKS, 64, 128]]

    assert fit_law([*RANKS, 64, 128], seconds).formula() == formula


def test_no_cost_is_negative_where_speed_up_is_more_than_ideal() -> None:
    law = fit_law(RANKS, [10.0, 4.7, 2.2, 1.0, 0.45, 0.2])

    assert min(law.coefficients) == 0
    assert law.replicates.min() == 0
    assert law.formula().endswith("/p")


def test_a_published_curve_is_met_within_its_digits() -> None:
    """Extra-P's default for it is 7.89 - 1.68 log2 p (adjusted R2 0.19)."""
    law = fit_law(RANKS, EXAMPLE_S)

    assert law.relative_error < 0.01
    assert law.seconds(RANKS) == pytest.approx(EXAMPLE_S, rel=0.015)


def test_a_forecast_widens_and_says_when_it_is_extrapolated() -> None:
    law = fit_law(RANKS, EXAMPLE_S)

    within, near, far = (law.forecast(ranks) for ranks in (24, 64, 256))

    widths = [(at.seconds.high or 0) - (at.seconds.low or 0) for at in (within, near, far)]
    assert widths == sorted(widths)
    assert (within.note, near.note) == ("", "")
    assert far.note == "extrapolated: 256 ranks are 8 times the most measured (32)"


def test_known_noise_widens_an_interval_that_fits_too_well() -> None:
    seconds = [0.58 + 9.47 / p for p in RANKS]

    sharp, blunt = (
        fit_law(RANKS, seconds, noise=noise).forecast(64).seconds for noise in (0.0, 0.05)
    )

    assert (sharp.high or 0) - (sharp.low or 0) < 1e-4
    assert (blunt.high or 0) - (blunt.low or 0) > 0.05


@pytest.mark.parametrize(
    ("ranks", "seconds", "says"),
    [
        ([1, 2, 4, 4], [4.0, 2.0, 1.0, 1.0], "needs 5 different numbers of ranks"),
        ([1, 2, 4, 8, 16], [4.0, 2.0, np.nan, 1.0, 1.0], "a time > 0 s at every number"),
    ],
)
def test_a_law_is_refused_without_the_times_it_needs(
    ranks: list[float], seconds: list[float], says: str
) -> None:
    with pytest.raises(NotEnoughData, match=says):
        fit_law(ranks, seconds)
