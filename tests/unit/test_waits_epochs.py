"""Waits for partners of windows: epochs and locks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made_traces import MadeTrace
from tests.unit.test_waits import MS, analyse, waits
from waywiser.native import _native as native


def window(trace: MadeTrace) -> int:
    return trace.communicator(range(trace.ranks), kind=native.ObjectKind.window)


def test_an_access_epoch_waits_for_the_last_target_to_post(tmp_path: Path) -> None:
    """Scalasca's Late Post, in an MPI_Win_start that blocks."""
    trace = MadeTrace(3)
    win = window(trace)
    trace.call(0, "Win_start", 1 * MS, 9 * MS + 10, object=win, counts=[1, 2], site=1)
    trace.call(0, "Put", 9 * MS + 20, 9 * MS + 30, object=win, peer=1, bytes=8)
    trace.call(0, "Win_complete", 9 * MS + 40, 9 * MS + 50, object=win)
    for rank, begin in ((1, 4 * MS), (2, 9 * MS)):
        trace.call(rank, "Win_post", begin, begin + 100, object=win, counts=[0], site=2)
        trace.call(rank, "Win_wait", 9 * MS + 200, 9 * MS + 300, object=win)

    analysis = analyse(trace, tmp_path)

    assert [waits(analysis, rank) for rank in range(3)] == [{"late_post": 8 * MS}, {}, {}]
    (cause,) = analysis.causes
    assert (cause.causing_rank, cause.computing, cause.after.site) == (2, True, 2)
    assert analysis.remarks == []


@pytest.mark.parametrize("call", ["Put", "Win_complete"])
def test_a_start_that_does_not_block_leaves_the_wait_to_a_later_call(
    tmp_path: Path, call: str
) -> None:
    trace = MadeTrace(2)
    win = window(trace)
    trace.call(0, "Win_start", 1 * MS, 1 * MS + 10, object=win, counts=[1])
    if call == "Put":
        trace.call(0, "Put", 2 * MS, 7 * MS + 10, object=win, peer=1, bytes=8)
        trace.call(0, "Win_complete", 8 * MS, 8 * MS + 10, object=win)
    else:
        trace.call(0, "Put", 2 * MS, 2 * MS + 10, object=win, peer=1, bytes=8)
        trace.call(0, "Win_complete", 3 * MS, 8 * MS + 10, object=win)
    trace.call(1, "Win_post", 7 * MS, 7 * MS + 10, object=win, counts=[0])
    trace.call(1, "Win_wait", 9 * MS, 9 * MS + 10, object=win)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {"late_post": (5 if call == "Put" else 4) * MS}
    assert analysis.remarks == []


def test_an_epoch_may_end_before_its_target_has_posted(tmp_path: Path) -> None:
    """Small data are buffered: nobody waits, and the posts still belong to their epochs."""
    trace = MadeTrace(2)
    win = window(trace)
    for begin in (0, 20 * MS):
        trace.call(0, "Win_start", begin + 1 * MS, begin + 1 * MS + 10, object=win, counts=[1])
        trace.call(0, "Win_complete", begin + 2 * MS, begin + 2 * MS + 10, object=win)
    trace.call(1, "Win_post", 5 * MS, 5 * MS + 10, object=win, counts=[0])
    trace.call(1, "Win_wait", 6 * MS, 6 * MS + 10, object=win)
    trace.call(1, "Win_post", 7 * MS, 7 * MS + 10, object=win, counts=[0])
    trace.call(1, "Win_wait", 8 * MS, 22 * MS + 20, object=win)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {}
    # Without an operation, the origin could have completed as soon as it had started.
    assert waits(analysis, 1) == {"early_wait": 13 * MS + 10, "late_complete": 1 * MS - 10}
    assert analysis.remarks == []


@pytest.mark.parametrize("function", ["Win_wait", "Win_test"])
def test_the_end_of_an_exposure_waits_for_operations_and_then_for_their_completion(
    tmp_path: Path, function: str
) -> None:
    """Scalasca's Early Wait, of which Late Complete is a part there; rank 0 completes last."""
    trace = MadeTrace(3)
    win = window(trace)
    trace.call(2, "Win_post", 0, 10, object=win, counts=[0, 1])
    for rank, (put, complete) in enumerate(((6 * MS, 9 * MS), (2 * MS, 3 * MS))):
        trace.call(rank, "Win_start", 100, 110, object=win, counts=[2])
        trace.call(rank, "Put", put, put + 500, object=win, peer=2, bytes=64)
        trace.call(rank, "Win_complete", complete, complete + 10, object=win)
    trace.call(2, function, 1 * MS, 9 * MS + 20, object=win)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 2) == {"early_wait": 5 * MS + 500, "late_complete": 3 * MS - 500}
    assert [(p.waiting, p.awaited, p.calls) for p in analysis.pairs] == [(2, 0, 2)]
    assert analysis.remarks == []


def test_a_lock_waits_for_who_held_it_last(tmp_path: Path) -> None:
    """Rank 0 holds an exclusive lock of rank 3, then rank 1; rank 2 wants it, too."""
    trace = MadeTrace(4)
    win = window(trace)
    for rank, (begin, got, free) in enumerate(
        ((1 * MS, 1 * MS, 4 * MS), (2 * MS, 4 * MS, 9 * MS), (3 * MS, 9 * MS, 9 * MS + 500))
    ):
        trace.call(rank, "Win_lock", begin, got + 50, object=win, peer=3, detail=1, site=1)
        trace.call(rank, "Win_unlock", free, free + 70, object=win, peer=3, site=2)
    trace.call(3, "Barrier", 0, 10 * MS)

    analysis = analyse(trace, tmp_path)

    assert [waits(analysis, rank) for rank in range(3)] == [{}, {"lock": 2 * MS}, {"lock": 6 * MS}]
    assert [(p.waiting, p.awaited, p.ns) for p in analysis.pairs] == [
        (1, 0, 2 * MS),
        (2, 1, 6 * MS),
    ]


@pytest.mark.parametrize(
    ("kinds", "waited"), [((1, 1), 5), ((1, 2), 5), ((2, 1), 5), ((2, 2), 0)], ids=str
)
def test_shared_locks_exclude_exclusive_ones(
    tmp_path: Path, kinds: tuple[int, int], waited: int
) -> None:
    trace = MadeTrace(2)
    win = window(trace)
    for rank, (begin, got, free) in enumerate(((0, 0, 7 * MS), (2 * MS, 7 * MS, 8 * MS))):
        trace.call(rank, "Win_lock", begin, got + 50, object=win, peer=0, detail=kinds[rank])
        trace.call(rank, "Win_unlock", free, free + 70, object=win, peer=0)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 1) == ({"lock": waited * MS} if waited else {})


def test_a_lock_that_returns_at_once_is_waited_for_where_it_is_needed(tmp_path: Path) -> None:
    """In the first flush, but not in the one after it; a lock of all is a shared one of each."""
    trace = MadeTrace(2)
    win = window(trace)
    trace.call(0, "Win_lock", 0, 10, object=win, peer=1, detail=1)
    trace.call(0, "Win_unlock", 6 * MS, 6 * MS + 10, object=win, peer=1)
    trace.call(1, "Win_lock_all", 1 * MS, 1 * MS + 10, object=win)
    trace.call(1, "Win_flush", 2 * MS, 6 * MS + 20, object=win, peer=0)
    trace.call(0, "Win_lock", 8 * MS, 12 * MS + 20, object=win, peer=1, detail=1)
    trace.call(1, "Win_unlock_all", 12 * MS, 12 * MS + 10, object=win)
    trace.call(0, "Win_unlock", 13 * MS, 13 * MS + 10, object=win, peer=1)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 1) == {"lock": 4 * MS}
    assert waits(analysis, 0) == {"lock": 4 * MS}


def test_who_has_waited_for_a_lock_does_not_wait_for_it_again(tmp_path: Path) -> None:
    """Rank 1 waits in MPI_Win_lock. Its MPI_Win_unlock returns so late that rank 2, whom it makes
    wait, has given the lock back by then."""
    trace = MadeTrace(3)
    win = window(trace)
    trace.call(0, "Win_lock", 0, 10, object=win, peer=0, detail=1)
    trace.call(0, "Win_unlock", 2 * MS, 2 * MS + 70, object=win, peer=0)
    trace.call(1, "Win_lock", 1 * MS, 2 * MS + 50, object=win, peer=0, detail=1)
    trace.call(1, "Win_unlock", 4 * MS, 7 * MS, object=win, peer=0)
    trace.call(2, "Win_lock", 3 * MS, 4 * MS + 80, object=win, peer=0, detail=1)
    trace.call(2, "Win_unlock", 6 * MS, 6 * MS + 70, object=win, peer=0)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 1) == {"lock": 1 * MS}
    assert waits(analysis, 2) == {"lock": 1 * MS}


def test_who_has_waited_for_one_lock_may_wait_for_another_one(tmp_path: Path) -> None:
    """Rank 2 waits for the lock of rank 0 in MPI_Win_lock, and for that of rank 1 in the flush."""
    trace = MadeTrace(3)
    win = window(trace)
    for rank, free in ((0, 2 * MS), (1, 5 * MS)):
        trace.call(rank, "Win_lock", 0, 10, object=win, peer=rank, detail=1)
        trace.call(rank, "Win_unlock", free, free + 70, object=win, peer=rank)
    trace.call(2, "Win_lock", 500_000, 500_010, object=win, peer=1, detail=1)
    trace.call(2, "Win_lock", 1 * MS, 2 * MS + 50, object=win, peer=0, detail=1)
    trace.call(2, "Win_flush", 3 * MS, 5 * MS + 50, object=win, peer=1)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 2) == {"lock": 3 * MS}
    assert [(p.waiting, p.awaited, p.ns) for p in analysis.pairs] == [
        (2, 0, 1 * MS),
        (2, 1, 2 * MS),
    ]


def test_what_a_rank_does_after_a_lock_may_be_what_others_wait_for(tmp_path: Path) -> None:
    """The lock cannot be judged before rank 1 has been read, which waits for rank 0."""
    trace = MadeTrace(2)
    win = window(trace)
    trace.call(0, "Win_lock", 1 * MS, 1 * MS + 10, object=win, peer=0, detail=1)
    trace.call(0, "Win_unlock", 2 * MS, 2 * MS + 10, object=win, peer=0)
    trace.call(0, "Send", 3 * MS, 3 * MS + 10, peer=1, tag=0, bytes=0)
    trace.call(1, "Recv", 0, 3 * MS + 20, source=0, source_tag=0)
    trace.call(1, "Win_lock", 4 * MS, 4 * MS + 10, object=win, peer=0, detail=1)
    trace.call(1, "Win_unlock", 5 * MS, 5 * MS + 10, object=win, peer=0)

    analysis = analyse(trace, tmp_path)

    assert [waits(analysis, rank) for rank in range(2)] == [{}, {"late_sender": 3 * MS}]
    assert analysis.remarks == []


def test_epochs_that_began_before_the_trace_are_counted_as_not_followed(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    win = window(trace)
    trace.call(0, "Win_complete", 0, 10, object=win)
    trace.call(1, "Win_wait", 0, 10, object=win)

    analysis = analyse(trace, tmp_path)

    assert analysis.remarks[0].startswith("2 calls belong to an epoch of a window whose begin")
