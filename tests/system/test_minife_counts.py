"""The closed form of ww-minife's MPI calls, against small cases counted by hand."""

from __future__ import annotations

import pytest

from tests.system.minife_counts import (
    decompose,
    expected_calls,
    expected_matrix_bytes,
    expected_messages,
    imbalance_percent,
    sent_nodes,
)


def test_one_rank_talks_to_nobody() -> None:
    [calls] = expected_calls(4, 4, 4, ranks=1, iterations=10)

    assert calls == {
        "MPI_Init_thread": 1,
        "MPI_Comm_rank": 1,
        "MPI_Comm_size": 1,
        "MPI_Bcast": 1,
        "MPI_Barrier": 2,
        "MPI_Allreduce": 23,
        "MPI_Gather": 1,
        "MPI_Finalize": 1,
    }


def test_two_ranks_exchange_one_plane_of_nodes() -> None:
    """4 x 3 x 2 elements, cut in z: planes of 5 x 4 nodes, one needed in either direction."""
    assert sent_nodes((4, 3, 2), decompose((4, 3, 2), 2)) == [[0, 20], [20, 0]]
    assert expected_messages(4, 3, 2, 2, iterations=7) == [[0, 10], [10, 0]]
    assert expected_matrix_bytes(4, 3, 2, 2, iterations=7) == [[0, 1600], [1600, 0]]
    assert [calls["MPI_Irecv"] for calls in expected_calls(4, 3, 2, 2, iterations=7)] == [10, 10]


def test_three_ranks_of_two_thirds_and_one() -> None:
    """Cut at z = 1 of 3; the upper two thirds then at y = 2 of 4. All three touch each other.

    Rank 0 owns 1 plane of 5 x 5 nodes; rank 1 y in 0..1, z in 1..3; rank 2 y in 2..4, z in 1..3.
    """
    blocks = decompose((4, 4, 3), 3)

    assert [(block.low, block.high) for block in blocks] == [
        ((0, 0, 0), (4, 4, 1)),
        ((0, 0, 1), (4, 2, 3)),
        ((0, 2, 1), (4, 4, 3)),
    ]
    assert sent_nodes((4, 4, 3), blocks) == [[0, 15, 20], [10, 0, 15], [15, 15, 0]]


def test_eight_cubes_meet_in_one_corner() -> None:
    """4 x 4 x 4 elements: boxes of 2 or 3 nodes an axis; everybody needs something of everybody."""
    nodes = sent_nodes((4, 4, 4), decompose((4, 4, 4), 8))

    assert nodes[0] == [0, 4, 4, 2, 4, 2, 2, 1]
    assert nodes[7] == [1, 3, 3, 9, 3, 9, 9, 0]


def test_imbalance_moves_the_nearest_cut() -> None:
    """10 layers on 2 ranks: 5 + 5, then 6 + 4 is 20 % above the average, 7 + 3 is 40 %."""
    blocks = decompose((2, 2, 10), 2, load_imbalance=25)

    assert [block.volume for block in blocks] == [28, 12]
    assert imbalance_percent(blocks) == pytest.approx(40)


def test_what_cannot_be_reached_is_refused() -> None:
    with pytest.raises(ValueError, match="no element"):
        decompose((1, 1, 2), 3)
    with pytest.raises(ValueError, match="cannot be reached"):
        decompose((2, 2, 4), 2, load_imbalance=60)


def test_overlap_changes_the_order_only() -> None:
    assert expected_calls(8, 8, 8, 4, 5, overlap=True) == expected_calls(8, 8, 8, 4, 5)
