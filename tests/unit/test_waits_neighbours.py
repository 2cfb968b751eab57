"""Waits for neighbours, and for the other ranks of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.made_traces import MadeTrace
from tests.unit.test_waits import MS, analyse, waits
from waywiser.native import _native as native


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

    assert waits(analysis, 0) == {"late_sender": 4 * MS}
    assert analysis.remarks == []


def test_neighbours_that_the_trace_does_not_name_are_not_followed(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    for rank, begin in enumerate((1 * MS, 5 * MS)):
        trace.call(rank, "Neighbor_allgather", begin, 5 * MS + 9, bytes=8)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {}
    assert analysis.remarks[0].startswith("2 calls belong to")


def file(trace: MadeTrace) -> int:
    return trace.communicator(range(trace.ranks), kind=native.ObjectKind.file)


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

    assert waits(analysis, 0) == {"all_to_all": 3 * MS + 3 * MS}
    assert analysis.remarks == []


def test_ordered_writing_waits_for_the_ranks_before(tmp_path: Path) -> None:
    trace = MadeTrace(3)
    handle = file(trace)
    for rank, (begin, end) in enumerate(((5 * MS, 6 * MS), (2 * MS, 7 * MS), (3 * MS, 8 * MS))):
        trace.call(rank, "File_write_ordered", begin, end, object=handle)

    analysis = analyse(trace, tmp_path)

    assert [waits(analysis, rank) for rank in range(3)] == [
        {},
        {"earlier_ranks": 3 * MS},
        {"earlier_ranks": 2 * MS},
    ]
