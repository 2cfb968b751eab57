"""The head of a report: its efficiencies by hand, its parts of time, and what the page shows."""

from __future__ import annotations

import re

import pytest

from tests import synthetic
from tests.made_papers import visible
from tests.made_runs import function, rank, summary
from tests.made_said import RECV
from tests.said.overview import waited
from tests.unit.test_advice import IMBALANCED, advised
from waywiser.model.efficiencies import efficiencies
from waywiser.model.summary import Summary
from waywiser.report.overview import efficiency_tree, time_shares
from waywiser.report.page import page


def ranks_in_mpi(*seconds: float, **change: float) -> Summary:
    return summary(
        [
            rank(number, {RECV: function(time)}).model_copy(update=change)
            for number, time in enumerate(seconds)
        ]
    )


def test_efficiencies_of_a_profile_by_hand() -> None:
    """Of 10 s, 1 in MPI_Init and 1 in MPI_Finalize, ranks compute 6, 4 and 2."""
    found = efficiencies(ranks_in_mpi(2.0, 4.0, 6.0, init_seconds=1.0, finalize_seconds=1.0))

    assert found is not None
    assert found.parallel == pytest.approx(4 / 8)
    assert found.load_balance == pytest.approx(4 / 6)
    assert found.communication == pytest.approx(6 / 8)
    assert (found.most_rank, found.serialisation, found.transfer) == (0, None, None)


def test_threads_that_call_mpi_count_as_their_mean() -> None:
    """Two threads of 10 s each, together 4 s in MPI, compute 8 s each."""
    found = efficiencies(ranks_in_mpi(4.0, mpi_threads=2))

    assert found is not None
    assert found.parallel == pytest.approx(0.8)


def test_ranks_are_named_by_their_numbers() -> None:
    """Of ranks 1 and 2, whose rank 0 left no profile."""
    both = summary([rank(1, {RECV: function(5.0)}), rank(2, {RECV: function(1.0)})])
    found = efficiencies(both)

    assert found is not None
    assert found.most_rank == 2


def test_nobody_has_efficiencies_without_time() -> None:
    assert efficiencies(summary([])) is None
    assert efficiencies(ranks_in_mpi(0.0, wall_seconds=0.0)) is None
    assert efficiency_tree(summary([])) == []


def test_those_of_the_advice_come_first() -> None:
    advice = advised(IMBALANCED)
    run = ranks_in_mpi(2.0, 4.0).model_copy(update={"advice": advice})

    assert efficiencies(run) == advice.efficiencies
    assert [branch.depth for branch in efficiency_tree(run)] == [0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("in_mpi", "grade"), [(2.0, "good"), (2.1, "fair"), (4.0, "fair"), (4.1, "poor")]
)
def test_grades_change_at_80_and_60_percent(in_mpi: float, grade: str) -> None:
    parallel, balance, communication = efficiency_tree(ranks_in_mpi(in_mpi, in_mpi))

    assert (parallel.grade, balance.grade, communication.grade) == (grade, "good", grade)


def test_parts_of_time_make_the_whole() -> None:
    traced = waited(0.1)
    parts = {part.name: part.share for part in time_shares(traced)}

    assert sum(parts.values()) == pytest.approx(1.0)
    plain = {p.name: p.share for p in time_shares(traced.model_copy(update={"waits": None}))}
    whole = next(p for p in time_shares(traced) if p.name == "Waiting in MPI")
    assert whole.seconds == "100 ms"
    assert parts["Waiting in MPI"] + parts["Transfer in MPI"] == pytest.approx(plain["MPI"])
    assert parts["Application"] == plain["Application"]


def test_a_window_of_a_trace_does_not_divide_the_whole_run() -> None:
    traced = waited(0.1)
    assert traced.waits is not None
    waits = traced.waits.model_copy(update={"window_seconds": (0.0, 0.1)})

    names = [part.name for part in time_shares(traced.model_copy(update={"waits": waits}))]

    assert "Waiting in MPI" not in names


def test_the_page_begins_with_shares_tree_and_next_step() -> None:
    text = re.sub(r"[\s;]+", " ", visible(page(synthetic.run(2), ranks_in_mpi(1.0, 9.0))))

    for said in ("Application 50 %, 10 s", "MPI 50 %, 10 s", "Next step: distribute the work"):
        assert said in text
    for branch in ("Parallel efficiency ■ 50 %", "Load balance ■ 56 %"):
        assert branch in text
    assert "Communication efficiency ● 90 %" in text
    assert text.index("Parallel efficiency") < text.rindex("Application against MPI")
