"""Captions of figures: what they count, and what they say only of runs of which it is true."""

from __future__ import annotations

from tests import synthetic
from tests.made_figures import BY_NAME, whole
from waywiser.report.plots import extremes, openmp, phases, sync


def test_ranks_without_a_profile_are_not_compared() -> None:
    lacking = synthetic.summary(4, lost=("rank 1 left no profile",), missing=frozenset({1}))

    assert "application time of 3 ranks" in extremes.caption(lacking)
    assert "application time of 4 ranks" in extremes.caption(synthetic.summary(4))


def test_instructions_are_those_of_the_ranks_that_counted() -> None:
    ranks = [
        one.model_copy(update={"cycles": None}) if one.rank else one
        for one in whole().per_rank or ()
    ]
    some = whole().model_copy(update={"per_rank": tuple(ranks)})

    assert "counted on 1 of 4 ranks" in BY_NAME["counters"].caption(some)
    assert "counted on 4 of 4 ranks" in BY_NAME["counters"].caption(whole())


def test_threads_that_run_tasks_in_barriers_are_not_said_to_wait() -> None:
    ranks = [
        one.model_copy(update={"openmp": one.openmp.model_copy(update={"tasks": 3})})
        for one in whole().per_rank or ()
        if one.openmp
    ]
    with_tasks = whole().model_copy(update={"per_rank": tuple(ranks)})

    assert "of their time waiting in" not in openmp.caption(with_tasks)
    assert "of their time waiting in" in openmp.caption(whole())


def test_phase_1_is_not_said_to_be_named_by_the_program() -> None:
    assert "2 phases of the program, divided by its calls" in phases.caption(whole())


def test_ranks_that_wait_alike_are_not_said_to_wait_for_one_of_them() -> None:
    """Which of them the others wait for is the verdict's, which knows the conditions."""
    ranks = [one.model_copy(update={"sync_seconds": 0.5}) for one in whole().per_rank or ()]
    alike = whole().model_copy(update={"per_rank": tuple(ranks), "sync_seconds": (0.5,) * 4})

    assert "the others wait for" not in sync.waits_caption(alike)
