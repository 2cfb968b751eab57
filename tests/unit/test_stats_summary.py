"""Summaries, quantiles and outliers against published tables and hand-made values."""

from __future__ import annotations

import pytest

from waywiser.errors import NotEnoughData
from waywiser.stats import distributions
from waywiser.stats.distributions import rank_sum_cut, student_quantile
from waywiser.stats.scaling import jobs_per_day
from waywiser.stats.summary import TOO_SMALL, median_ranks, outliers, summarise


@pytest.mark.parametrize(
    ("n", "rank", "confidence"),
    [
        (6, 1, 0.9688),
        (8, 1, 0.9922),
        (9, 2, 0.9609),
        (10, 2, 0.9785),
        (20, 6, 0.9586),
        (30, 10, 0.9572),
    ],
)
def test_ranks_that_bound_a_median_are_those_of_binomial_tables(
    n: int, rank: int, confidence: float
) -> None:
    bound = median_ranks(n)

    assert bound is not None
    assert bound[0] == rank
    assert bound[1] == pytest.approx(confidence, abs=5e-5)


def test_five_values_have_no_interval_and_say_so() -> None:
    summary = summarise([3, 1, 2, 5, 4])

    assert (summary.median, summary.low, summary.high) == (3, None, None)
    assert summary.note == TOO_SMALL == "n too small: 6 needed"


def test_a_summary_of_known_values() -> None:
    summary = summarise([12, 10, 11, 30, 9, 10])

    assert (summary.n, summary.median, summary.low, summary.high) == (6, 10.5, 9, 30)
    assert summary.note == ""
    assert (summary.minimum, summary.maximum) == (9, 30)
    # Mean 82/6, squares of deviations 325.333 / 5; deviations from the median .5 .5 .5 1.5 1.5 19.5
    assert summary.rsd == pytest.approx((325.3333 / 5) ** 0.5 / (82 / 6), rel=1e-6)
    assert summary.robust_rsd == pytest.approx(1.4826 * 1.0 / 10.5)


def test_one_value_has_no_spread_and_none_is_refused() -> None:
    assert summarise([4.0]).rsd is None

    with pytest.raises(NotEnoughData, match="at least 1 run"):
        summarise([])


def test_outliers_are_flagged_from_a_score_of_3_5_on() -> None:
    # Median 10, MAD 1: the score of x is 0.6745 |x - 10|.
    values = [9, 11, 10, 9, 11, 10, 10 + 5.1, 10 - 5.3]

    assert list(outliers(values)) == [False] * 7 + [True]


def test_an_outlier_among_equal_values_is_flagged() -> None:
    assert list(outliers([5, 5, 5, 5, 5, 5, 5, 9])) == [False] * 7 + [True]
    assert not outliers([5, 5, 5]).any()


@pytest.mark.parametrize(
    ("tail", "freedom", "quantile"),
    [
        (0.05, 1, 12.7062),
        (0.05, 2, 4.3027),
        (0.05, 9, 2.2622),
        (0.01, 10, 3.1693),
        (0.001, 5, 6.8688),
    ],
)
def test_quantiles_of_t_are_those_of_tables(tail: float, freedom: int, quantile: float) -> None:
    assert student_quantile(tail, freedom) == pytest.approx(quantile, abs=5e-5)


@pytest.mark.parametrize(
    ("first", "second", "critical"),
    [(4, 4, 0), (6, 6, 5), (7, 12, 18), (10, 10, 23), (20, 20, 127)],
)
def test_rank_sum_cuts_are_those_of_tables(first: int, second: int, critical: int) -> None:
    """Tables give the largest U that is rejected at 5 %: one less than the cut."""
    assert rank_sum_cut(first, second, 0.05) == critical + 1


def test_three_against_three_can_be_distinguished_at_10_percent_only() -> None:
    assert rank_sum_cut(3, 3, 0.05) == 0
    assert rank_sum_cut(3, 3, 2 / 20) == 1


@pytest.mark.parametrize("tail", [0.05, 0.01, 0.00125])
def test_the_normal_approximation_errs_on_the_careful_side(
    tail: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = rank_sum_cut.__wrapped__(30, 30, tail)
    monkeypatch.setattr(distributions, "_EXACT_SAMPLES", 0)

    assert 0.97 * exact < rank_sum_cut.__wrapped__(30, 30, tail) <= exact


def test_rates_are_had_from_aggregated_times() -> None:
    summary = summarise([8.0, 9.0, 10.0, 10.0, 12.0, 16.0])

    throughput = jobs_per_day(summary, at_once=2)

    assert throughput.value == 2 * 86_400 / 10
    assert (throughput.low, throughput.high) == (2 * 86_400 / 16, 2 * 86_400 / 8)
