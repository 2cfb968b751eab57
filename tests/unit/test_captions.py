"""Numbers in answers and captions of plots, and statements that require a condition."""

from __future__ import annotations

import pytest

from tests import synthetic
from tests.sentence_runs.answers import EVEN, UNLIKE, advised, extrapolation, predicted
from tests.sentence_runs.places import gains
from tests.synthetic_placements import placement
from tests.synthetic_plots import drawn_as, drawn_text, whole
from tests.synthetic_runs import rank, summary
from waywiser.analyse.next_step import gain_text
from waywiser.analyse.placement_check import check_placement
from waywiser.report.answers.advice_plots import drawn_advice, opportunities
from waywiser.report.answers.placement import check_text, placement_text
from waywiser.report.answers.whatif import whatif_text
from waywiser.report.answers.whatif_plots import drawn_whatif
from waywiser.report.run.plots.sync import sync
from waywiser.units import percent_text, seconds_text


def test_ranks_without_a_profile_are_not_compared() -> None:
    lacking = synthetic.summary(4, lost=("rank 1 left no profile",), missing=frozenset({1}))

    assert "application time of 3 ranks" in drawn_as("extremes", lacking).caption
    assert "application time of 4 ranks" in drawn_as("extremes", synthetic.summary(4)).caption


def test_instructions_are_those_of_the_ranks_that_counted() -> None:
    ranks = [
        profile.replace(cycles=None) if profile.rank else profile
        for profile in whole().per_rank or ()
    ]
    some = whole().replace(per_rank=tuple(ranks))

    assert "counted on 1 of 4 ranks" in drawn_as("counters", some).caption
    assert "counted on 4 of 4 ranks" in drawn_as("counters", whole()).caption


def test_threads_that_run_tasks_in_barriers_are_not_reported_to_wait() -> None:
    ranks = [
        profile.replace(openmp=profile.openmp.replace(tasks=3))
        for profile in whole().per_rank or ()
        if profile.openmp
    ]
    with_tasks = whole().replace(per_rank=tuple(ranks))

    assert "of their time waiting in" not in drawn_as("openmp", with_tasks).caption
    assert "of their time waiting in" in drawn_as("openmp", whole()).caption


def test_phase_1_is_not_reported_to_be_named_by_the_program() -> None:
    assert "2 phases of the program, divided by its calls" in drawn_as("phases", whole()).caption


def test_ranks_that_wait_alike_are_not_reported_to_wait_for_one_of_them() -> None:
    """The diagnosis, which knows the conditions, names the rank that others wait for."""
    ranks = [profile.replace(sync_seconds=0.5) for profile in whole().per_rank or ()]
    alike = whole().replace(per_rank=tuple(ranks), sync_seconds=(0.5,) * 4)

    assert "the others wait for" not in drawn_as("waits", alike).caption


def test_waiting_that_was_not_measured_is_not_0() -> None:
    unsplit = whole().replace(split_sync=False)

    for name in ("phases", "communicators"):
        measured, unmeasured = drawn_as(name, whole()).table, drawn_as(name, unsplit).table
        assert measured is not None
        assert unmeasured is not None
        assert "Waiting (s)" in measured.columns
        assert "Waiting (s)" not in unmeasured.columns
        assert all(len(row) == len(unmeasured.columns) for row in unmeasured.rows)


def test_a_traced_run_has_no_advice_to_measure_waiting() -> None:
    unsplit = whole().replace(split_sync=False)

    assert sync(unsplit) is None
    assert sync(unsplit.replace(waits=None)) is not None


def test_a_bound_is_what_the_slowest_rank_does_not_compute() -> None:
    """A replay that is 10 % off cannot make the true gain any larger."""
    answer = advised(EVEN)
    opportunity = answer.opportunities[-1]

    assert opportunity.bound
    most = answer.recorded_seconds - answer.efficiencies.computing_most_seconds
    assert opportunity.high_seconds == pytest.approx(most)
    share = percent_text(most / answer.recorded_seconds)
    assert gain_text(opportunity) == f"at most {seconds_text(most)} (-{share})"


def test_a_unreliable_run_has_no_opportunity_worth_it_in_its_plot_either() -> None:
    answer = advised(EVEN)
    opportunities = tuple(
        opportunity.replace(assessment="refused") for opportunity in answer.opportunities
    )
    unreliable = answer.replace(opportunities=opportunities)

    assert "worth it" not in drawn_text(drawn_advice(unreliable)[1])
    assert "worth it" in drawn_text(drawn_advice(answer)[1])


def test_ranks_without_a_profile_are_not_where_the_placement_puts_them() -> None:
    ranks = [rank(0, {}, "n0"), rank(2, {}, "n0")]
    planned = placement("n0", "n1", "n1")

    check = check_placement("run", summary(ranks, lost=1), "placed", planned)

    assert check_text(check).startswith("1 of 3 ranks of run are where placed puts them")


def test_the_noise_of_a_unreliable_run_is_not_reported() -> None:
    assert "assumed" in gains("none", traced=True)
    assert "assumed" not in gains("refused", traced=True)


def test_an_order_that_was_requested_is_not_reported_as_searched() -> None:
    ordered = placement("n0", "n1").replace(method="round-robin")

    assert "was found" not in placement_text(ordered)


def test_an_answer_that_predicts_nothing_draws_no_prediction() -> None:
    drawn = drawn_whatif(predicted(UNLIKE))

    assert "redicted" not in drawn.caption
    assert "Thin lines" not in drawn.caption


def test_an_extrapolated_run_was_not_recorded() -> None:
    drawn = drawn_whatif(predicted(extrapolation=extrapolation()))

    assert "against the recorded" not in drawn.caption
    assert "The replay of 4 ranks takes as long as their recorded time." in drawn.caption


def test_groups_of_ranks_are_spelt_right() -> None:
    assert "3 groups of ranks that make the same calls" in whatif_text(
        predicted(extrapolation=extrapolation())
    )


def test_remarks_of_advice_are_sentences_on_the_page_of_the_run() -> None:
    advice = advised(EVEN, remarks=("all ranks were on one node",))
    of_page = opportunities(advice).remarks

    assert of_page[-1] == "All ranks were on one node."
