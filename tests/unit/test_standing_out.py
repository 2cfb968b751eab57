"""Ranks and nodes that stand out, worked out by hand."""

from __future__ import annotations

import pytest

from tests.synthetic_runs import function, rank, summary
from tests.synthetic_sentences import RECV
from waywiser.analyse.standing_out import MOST_BARS, Strip, standing_out
from waywiser.model.summary import Summary


def summary_with(*seconds: float, ranks_per_node: int = 1 << 20) -> Summary:
    """A rank for each; the rest of its 10 s is MPI."""
    return summary(
        [
            rank(number, {RECV: function(10.0 - time)}, f"n{number // ranks_per_node}")
            for number, time in enumerate(seconds)
        ]
    )


def heights(strip: Strip) -> list[tuple[float, float]]:
    return [(bar.least, bar.most) for bar in strip.bars]


def test_a_bar_for_each_rank_and_for_each_node() -> None:
    """Nodes compute 2 and 3 s on average."""
    ranks, nodes = standing_out(summary_with(2.0, 2.0, 2.0, 4.0, ranks_per_node=2))

    assert heights(ranks) == [(0.5, 0.5)] * 3 + [(1.0, 1.0)]
    assert [bar.stands_out for bar in ranks.bars] == [False, False, False, True]
    assert ranks.bars[3].title == "rank 3: 4 s"
    assert ranks.sentence == "Rank 3 computes 4 s, 1.60 times the mean of 4 ranks."
    assert heights(nodes)[0] == pytest.approx((2 / 3, 2 / 3))
    assert nodes.sentence == "Node n1 computes 3 s, 1.20 times the mean of 2 nodes."


def test_many_ranks_share_bars_with_their_least_and_most() -> None:
    """Three of 300 ranks share a bar."""
    [strip] = standing_out(summary_with(*([5.0] * 298), 2.0, 8.0))

    assert len(strip.bars) == 100 <= MOST_BARS
    assert heights(strip)[0] == pytest.approx((5 / 8, 5 / 8))
    assert heights(strip)[-1] == pytest.approx((2 / 8, 1.0))
    assert [bar.stands_out for bar in strip.bars] == [False] * 99 + [True]
    assert strip.bars[-1].title == "rank 297 to rank 299: 2 s to 8 s"
    assert strip.sentence.endswith(" A bar is 3 ranks.")


def test_nobody_stands_out_of_equals() -> None:
    [strip] = standing_out(summary_with(5.0, 5.0, 5.1))

    assert not any(bar.stands_out for bar in strip.bars)
    assert strip.sentence == "All 3 ranks compute alike, 5.03 s on average."


def test_one_rank_has_no_plot_nor_have_those_that_compute_nothing() -> None:
    assert standing_out(summary_with(5.0)) == []
    assert standing_out(summary_with(0.0, 0.0)) == []
