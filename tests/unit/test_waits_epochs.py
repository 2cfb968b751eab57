"""Waits for partners of windows, files and neighbourhoods, and those that are spent polling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.made_traces import ANY, MadeTrace
from tests.unit.test_waits import MS, analyse, check_sums, waits
from waywiser.native import _native as native


def window(trace: MadeTrace) -> int:
    return trace.communicator(range(trace.ranks), kind=native.ObjectKind.window)


def file(trace: MadeTrace) -> int:
    return trace.communicator(range(trace.ranks), kind=native.ObjectKind.file)


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

    check_sums(analysis)
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

    check_sums(analysis)
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

    check_sums(analysis)
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

    check_sums(analysis)
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

    check_sums(analysis)
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

    check_sums(analysis)
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

    check_sums(analysis)
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

    check_sums(analysis)
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

    check_sums(analysis)
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

    check_sums(analysis)
    assert [waits(analysis, rank) for rank in range(2)] == [{}, {"late_sender": 3 * MS}]
    assert analysis.remarks == []


def test_epochs_that_began_before_the_trace_are_counted_as_not_followed(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    win = window(trace)
    trace.call(0, "Win_complete", 0, 10, object=win)
    trace.call(1, "Win_wait", 0, 10, object=win)

    analysis = analyse(trace, tmp_path)

    assert analysis.remarks[0].startswith("2 calls belong to an epoch of a window whose begin")


def neighbourhood(trace: MadeTrace, rank: int, ends: list[int], **values: object) -> None:
    """Makes a communicator in which the rank sends to, and receives from, these."""
    trace.call(
        rank, "Cart_create", 0, 10, created=values.get("created", 1), counts=[*ends, *ends],
        detail=len(ends),
    )  # fmt: skip


@pytest.mark.parametrize("blocking", [True, False])
def test_neighbours_wait_for_neighbours_alone(tmp_path: Path, blocking: bool) -> None:
    """A chain of four ranks, of which the last one is late: only the one beside it waits."""
    trace = MadeTrace(4)
    chain = trace.communicator(range(4))
    for rank, ends in enumerate(([1], [0, 2], [1, 3], [2])):
        neighbourhood(trace, rank, ends, created=chain)
    for rank, begin in enumerate((1 * MS, 3 * MS, 2 * MS, 9 * MS)):
        until = (3 * MS, 3 * MS, 9 * MS, 9 * MS)[rank]
        if blocking:
            trace.call(rank, "Neighbor_alltoall", begin, until + 50, object=chain, bytes=8)
        else:
            call: dict[str, Any] = {"object": chain, "bytes": 8, "request": 0}
            trace.call(rank, "Ineighbor_alltoall", begin - 500, begin - 400, **call)
            trace.call(rank, "Wait", begin, until + 50, requests=[0], completed=[0])

    analysis = analyse(trace, tmp_path)

    check_sums(analysis)
    earlier = 0 if blocking else 500
    assert [waits(analysis, rank).get("late_sender", 0) for rank in range(4)] == [
        2 * MS - earlier,
        0,
        7 * MS - earlier,
        0,
    ]
    assert [(p.waiting, p.awaited) for p in analysis.pairs if p.ns > MS] == [(0, 1), (2, 3)]
    assert (analysis.unmatched_sends, analysis.unmatched_receives) == (0, 0)
    assert analysis.remarks == []


def test_who_only_sends_to_a_neighbour_does_not_wait_for_it(tmp_path: Path) -> None:
    """A directed graph: rank 0 -> 1 -> 2. Rank 1 comes last, and rank 0 before it."""
    trace = MadeTrace(3)
    graph = trace.communicator(range(3))
    for rank, (sources, ends) in enumerate((([], [1]), ([0], [2]), ([1], []))):
        made: dict[str, Any] = {"created": graph, "counts": [*sources, *ends]}
        trace.call(rank, "Cart_create", 0, 10, detail=len(sources), **made)
    for rank, begin in enumerate((3 * MS, 7 * MS, 1 * MS)):
        trace.call(rank, "Neighbor_alltoall", begin, 7 * MS + 50, object=graph, bytes=8)

    analysis = analyse(trace, tmp_path)

    check_sums(analysis)
    assert [waits(analysis, rank) for rank in range(3)] == [{}, {}, {"late_sender": 6 * MS}]


def test_a_duplicate_has_the_neighbours_of_its_original(tmp_path: Path) -> None:
    """Rank 0 is its own neighbour, too, as in a periodic grid that is one rank wide."""
    trace = MadeTrace(2)
    pair, copy = trace.communicator(range(2)), trace.communicator(range(2))
    for rank, begin in enumerate((1 * MS, 5 * MS)):
        neighbourhood(trace, rank, [1 - rank, rank, 1 - rank, rank], created=pair)
        trace.call(rank, "Comm_dup", 20, 30, object=pair, created=copy)
        trace.call(rank, "Neighbor_allgather", begin, 5 * MS + 9, object=copy, bytes=8)

    analysis = analyse(trace, tmp_path)

    check_sums(analysis)
    assert waits(analysis, 0) == {"late_sender": 4 * MS}
    assert analysis.remarks == []


def test_neighbours_that_the_trace_does_not_name_are_not_followed(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    for rank, begin in enumerate((1 * MS, 5 * MS)):
        trace.call(rank, "Neighbor_allgather", begin, 5 * MS + 9, bytes=8)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {}
    assert analysis.remarks[0].startswith("2 calls belong to")


@pytest.mark.parametrize("function", ["File_read_all", "File_close", "File_iread_all"])
def test_collective_operations_of_a_file_wait_for_the_last_rank(
    tmp_path: Path, function: str
) -> None:
    trace = MadeTrace(3)
    handle = file(trace)
    for rank, begin in enumerate((1 * MS, 8 * MS, 4 * MS)):
        if function == "File_iread_all":
            trace.call(rank, function, begin, begin + 10, object=handle, request=0)
            end = 8 * MS + 900
            trace.call(rank, "Wait", begin + 20, end, requests=[0], completed=[0])
        else:
            trace.call(rank, function, begin, 8 * MS + 900, object=handle)

    analysis = analyse(trace, tmp_path)

    check_sums(analysis)
    before = 20 if function == "File_iread_all" else 0
    assert [waits(analysis, rank) for rank in range(3)] == [
        {"all_to_all": 7 * MS - before},
        {},
        {"all_to_all": 4 * MS - before},
    ]


def test_operations_of_a_file_that_do_not_synchronise_are_no_wait(tmp_path: Path) -> None:
    """Rank 0 has read, and sends what rank 1 needs before it reads."""
    trace = MadeTrace(2)
    handle = file(trace)
    trace.call(0, "File_read_all", 1 * MS, 2 * MS, object=handle)
    trace.call(0, "Send", 3 * MS, 3 * MS + 10, peer=1, tag=0, bytes=0)
    trace.call(1, "Recv", 1 * MS, 3 * MS + 20, source=0, source_tag=0)
    trace.call(1, "File_read_all", 4 * MS, 5 * MS, object=handle)
    for rank, begin in enumerate((6 * MS, 9 * MS)):
        trace.call(rank, "File_read_all", begin, 9 * MS + 10, object=handle)

    analysis = analyse(trace, tmp_path)

    check_sums(analysis)
    assert waits(analysis, 0) == {"all_to_all": 3 * MS}
    assert waits(analysis, 1) == {"late_sender": 2 * MS}
    assert analysis.remarks == []


def test_a_split_collective_waits_at_its_begin_or_at_its_end(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    handle = file(trace)
    for rank, begin in enumerate((1 * MS, 5 * MS)):
        trace.call(rank, "File_write_all_begin", begin, begin + 10, object=handle)
        trace.call(rank, "File_write_all_end", begin + MS, 6 * MS + 90, object=handle)
    for rank, begin in enumerate((11 * MS, 14 * MS)):
        trace.call(rank, "File_write_all_begin", begin, 14 * MS + 10, object=handle)
        trace.call(rank, "File_write_all_end", 15 * MS, 15 * MS + 90, object=handle)

    analysis = analyse(trace, tmp_path)

    check_sums(analysis)
    assert waits(analysis, 0) == {"all_to_all": 3 * MS + 3 * MS}
    assert analysis.remarks == []


def test_ordered_writing_waits_for_the_ranks_before(tmp_path: Path) -> None:
    trace = MadeTrace(3)
    handle = file(trace)
    for rank, (begin, end) in enumerate(((5 * MS, 6 * MS), (2 * MS, 7 * MS), (3 * MS, 8 * MS))):
        trace.call(rank, "File_write_ordered", begin, end, object=handle)

    analysis = analyse(trace, tmp_path)

    check_sums(analysis)
    assert [waits(analysis, rank) for rank in range(3)] == [
        {},
        {"earlier_ranks": 3 * MS},
        {"earlier_ranks": 2 * MS},
    ]


@pytest.mark.parametrize("probes", [False, True])
def test_a_spin_is_a_wait_from_its_first_poll(tmp_path: Path, probes: bool) -> None:
    """10,000 polls in 9 ms, of which 6 ms are within the calls."""
    trace = MadeTrace(2)
    trace.call(0, "Comm_rank", 0, 10, site=1)
    if probes:
        poll: dict[str, Any] = {"source": ANY, "source_tag": 3}
        found: dict[str, Any] = {"matched_source": 1, **poll}
    else:
        trace.call(0, "Irecv", 20, 30, source=1, source_tag=3, request=0)
        poll = {"requests": [0]}
        found = {"completed": [0], **poll}
    function = "Iprobe" if probes else "Test"
    runs: dict[str, Any] = {"times": 10_000, "polling_ns": 6 * MS, "found": False, "site": 2}
    trace.call(0, function, 1 * MS, 10 * MS, **runs, **poll)
    trace.call(0, function, 10 * MS + 300, 10 * MS + 400, site=2, **found)
    trace.call(1, "Comm_rank", 0, 10, site=1)
    trace.call(1, "Send", 8 * MS, 8 * MS + 90, peer=0, tag=3, bytes=0, site=3)
    if probes:
        trace.call(0, "Recv", 11 * MS, 11 * MS + 10, source=1, source_tag=3)

    analysis = analyse(trace, tmp_path)

    check_sums(analysis)
    assert waits(analysis, 0) == {"late_sender": 7 * MS}
    (cause,) = analysis.causes
    assert (cause.causing_rank, cause.after.site, cause.calls) == (1, 3, 1)
    assert analysis.ranks[0].mpi_ns == 9 * MS + 400 + 20
    end = 11 * MS + 10 if probes else 10 * MS + 400
    assert analysis.critical_path_ns == end
    assert analysis.ranks[0].critical_ns == end - 8 * MS


def test_polls_between_which_the_program_computes_are_no_wait(tmp_path: Path) -> None:
    """1000 polls, and 4 us of work between each two of them."""
    trace = MadeTrace(2)
    trace.call(0, "Irecv", 20, 30, source=1, source_tag=3, request=0)
    runs: dict[str, Any] = {"times": 1000, "polling_ns": 1 * MS, "found": False}
    trace.call(0, "Test", 1 * MS, 6 * MS, requests=[0], **runs)
    trace.call(0, "Test", 6 * MS + 300, 6 * MS + 400, requests=[0], completed=[0])
    trace.call(1, "Send", 5 * MS, 5 * MS + 90, peer=0, tag=3, bytes=0)

    analysis = analyse(trace, tmp_path)

    check_sums(analysis)
    assert waits(analysis, 0) == {}
    assert analysis.ranks[0].mpi_ns == 1 * MS + 110


def test_polls_of_several_things_are_one_spin(tmp_path: Path) -> None:
    """In turn, of a barrier and for a message: what comes first ends the wait."""
    trace = MadeTrace(2)
    trace.call(0, "Ibarrier", 100, 200, request=0)
    polls = 300
    for n in range(polls):
        begin = 1000 + 1000 * n
        trace.call(0, "Iprobe", begin, begin + 300, found=False, source=ANY, source_tag=0)
        trace.call(0, "Test", begin + 500, begin + 800, found=False, requests=[0])
    end = 1000 + 1000 * polls
    trace.call(0, "Iprobe", end, end + 300, source=ANY, source_tag=0, matched_source=1)
    trace.call(0, "Recv", end + 500, end + 600, source=1, source_tag=0)
    trace.call(0, "Test", end + 700, end + 5000, requests=[0], completed=[0])
    trace.call(1, "Send", 250_000, 250_100, peer=0, tag=0, bytes=0)
    trace.call(1, "Ibarrier", end + 900, end + 950, request=0)
    trace.call(1, "Wait", end + 1000, end + 5000, requests=[0], completed=[0])

    analysis = analyse(trace, tmp_path)

    check_sums(analysis)
    assert waits(analysis, 0) == {"late_sender": 249_000, "barrier": 200}
    assert analysis.critical_path_ns == end + 5000 - 100
