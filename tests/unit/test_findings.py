"""The diagnosis and the remarks: sentences that say only what the numbers support."""

from __future__ import annotations

import pytest

from tests import synthetic
from tests.synthetic_plots import rows_of
from waywiser.analyse.diagnosis import diagnosis
from waywiser.analyse.remarks import rank_remarks
from waywiser.analyse.times import extremes, rank_times, total_time
from waywiser.model.cpus import cpu_mask
from waywiser.model.efficiencies import efficiencies
from waywiser.model.summary import Summary
from waywiser.report.run.overview import time_shares


def test_the_diagnosis_says_what_the_numbers_say() -> None:
    text = diagnosis(synthetic.summary(4)).text

    assert text.startswith("30 % of the ranks' time is MPI; most of it in MPI_Allreduce (17 %).")
    assert "the least time in MPI_Allreduce (7.6 %) and rank 0 the most" in text
    assert "so others may wait for rank 3" in text


def test_ranks_that_are_alike_get_no_suspect() -> None:
    summary = synthetic.summary(4)
    ranks = summary.per_rank or ()
    same = tuple(ranks[0].replace(rank=rank) for rank in range(4))

    text = diagnosis(summary.replace(per_rank=same)).text

    assert "The ranks are alike" in text
    assert "between" not in text  # a number and itself
    assert "wait for" not in text


def test_the_largest_part_is_not_called_most() -> None:
    """Nor are its extreme ranks named, but those of MPI as a whole."""
    summary = synthetic.summary(4)
    functions = {
        name: function.replace(seconds=0.01) for name, function in summary.functions.items()
    }

    text = diagnosis(summary.replace(functions=functions)).text

    assert "the largest part of it" in text
    assert "Rank 3 on host n0 spends the least of its time in MPI (13 %; rank 0 the most" in text


def test_load_balance_is_mean_over_longest() -> None:
    application = [time.application for time in rank_times(synthetic.summary(2))]

    assert load_balance(synthetic.summary(2)) == pytest.approx(
        sum(application) / (2 * max(application))
    )


def load_balance(run: Summary) -> float:
    known = efficiencies(run)
    assert known is not None
    return known.load_balance


def test_remarks_point_at_the_oversubscribed_rank_and_at_threads() -> None:
    remarks = rank_remarks(synthetic.summary(4, threads={2: 2}).per_rank or ())

    assert remarks[1] == {
        "off_cpu": "on a CPU for only 66 % of the wall time",
        "displaced": "often preempted by other threads or programs",
    }
    assert "2 threads called MPI" in remarks[2]["threads"]
    assert remarks[0] == remarks[3] == {}


@pytest.mark.parametrize(
    ("cpus", "mask"),
    [("0", 1), ("0-3,8", 0b100001111), ("0,0-1", 3), ("", None), ("3-1", None), ("<b>", None)],
)
def test_cpu_lists(cpus: str, mask: int | None) -> None:
    assert cpu_mask(cpus) == mask


THREADED = synthetic.summary(4, threads={0: 8, 1: 8, 2: 8, 3: 3})


def test_threads_give_no_share_above_the_whole() -> None:
    ranks = THREADED.per_rank or ()
    assert any(rank.mpi_seconds > rank.wall_seconds for rank in ranks), "or it proves nothing"

    for time, rank in zip(rank_times(THREADED), ranks, strict=True):
        assert time.whole == pytest.approx(len(rank.threads) * rank.wall_seconds)
        assert 0 < time.mpi_share < 1
        assert time.mpi == rank.mpi_seconds
    total = total_time(rank_times(THREADED))
    assert all(0 <= total.share(f.seconds) <= 1 for f in THREADED.functions.values())
    assert sum(part.share for part in time_shares(THREADED)) == pytest.approx(1)
    assert all(row[4] >= 0 for row in rows_of("ranks", THREADED) if isinstance(row[4], float))


def test_threads_are_named_where_times_are_theirs() -> None:
    assert "of the time of the ranks' MPI threads is MPI" in diagnosis(THREADED).text
    assert "MPI threads is" not in diagnosis(synthetic.summary(4)).text


def test_a_rank_with_more_threads_is_not_the_slowest_for_that() -> None:
    pair = extremes(rank_times(synthetic.summary(4, threads={0: 8})))

    assert pair is not None
    assert pair[0].rank == 3
    assert load_balance(synthetic.summary(4, threads={0: 8})) == pytest.approx(
        load_balance(synthetic.summary(4)), rel=0.02
    )


def test_ranks_that_are_equal_are_still_two() -> None:
    [rank] = synthetic.summary(1).per_rank or ()
    same = tuple(rank.replace(rank=number) for number in range(3))

    pair = extremes(rank_times(synthetic.summary(3).replace(per_rank=same)))

    assert pair is not None
    assert pair[0].rank != pair[1].rank
