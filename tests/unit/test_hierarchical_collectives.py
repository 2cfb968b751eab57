"""Collectives inside nodes and between them: when a library takes them there, and how they replay.

The schedules are played by tests/native/hierarchical_schedules.cpp, and held against Open MPI in
tests/system/test_collective_messages.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from waywiser.native import _native as native

Call = native.CollectiveCall

EVEN = [0, 0, 0, 1, 1, 1]
UNEVEN = [0, 0, 0, 1]
ALL = ("barrier", "bcast", "gather", "scatter", "allgather", "reduce", "allreduce")
OTHERS = ("alltoall", "scan")
SEGMENT = 65536


def by_levels(collective: str, nodes: list[int], nonblocking: bool = False, **op: Any) -> bool:
    call = Call(len(nodes), nodes=nodes, **op)
    stages = native.select_collective("openmpi", collective, call, nonblocking)
    return any(stage.level != "everyone" for stage in stages)


@pytest.mark.parametrize("collective", ALL)
def test_open_mpi_goes_through_levels_where_nodes_have_several_ranks(collective: str) -> None:
    assert by_levels(collective, EVEN, bytes=0 if collective == "barrier" else 64)
    assert by_levels(collective, [5, 2, 5, 2])
    for flat in ([3, 3, 3, 3], [0, 1, 2, 3], []):
        call = Call(4, nodes=flat)
        stages = native.select_collective("openmpi", collective, call)
        assert {stage.level for stage in stages} == {"everyone"}


def test_on_uneven_nodes_only_what_keeps_no_order_goes_through_levels() -> None:
    assert {name for name in ALL if by_levels(name, UNEVEN)} == {"barrier", "allreduce"}


def test_what_the_component_does_not_serve_is_as_on_one_node() -> None:
    assert not any(by_levels(name, EVEN, bytes=64) for name in OTHERS)
    assert not any(by_levels(name, EVEN, nonblocking=True) for name in ALL)
    assert not any(by_levels(name, EVEN, commutative=False) for name in ("reduce", "allreduce"))
    assert not any(by_levels(name, EVEN, shares=[8] * 6) for name in ("gather", "scatter"))


def test_a_collective_that_consists_of_others_takes_these_through_levels() -> None:
    """A non-commutative operation is reduced on all ranks at once, and then broadcast."""
    call = Call(6, bytes=1 << 20, commutative=False, nodes=EVEN)
    stages = native.select_collective("openmpi", "allreduce", call)
    if len(stages) > 1:
        assert stages[0].level == "everyone"
        assert {stage.level for stage in stages[1:]} == {"within", "between"}
    assert by_levels("reduce_scatter", EVEN, bytes=64, commutative=False)


@pytest.mark.parametrize(
    ("size", "element", "segments"),
    [(SEGMENT, 1, 1), (SEGMENT + 1, 1, 2), (3 * SEGMENT, 8, 3), (120_000, 12, 2), (1 << 20, 1, 16)],
)
def test_long_vectors_are_cut_into_segments(size: int, element: int, segments: int) -> None:
    call = Call(4, bytes=size, element_bytes=element, nodes=[0, 0, 1, 1])

    sent = native.collective_sent("bcast", "han", call, 0)

    between = [to_bytes for _round, to, to_bytes in sent if to == 2]
    assert len(between) == segments
    assert sum(between) == size
    assert all(part % element == 0 for part in between)
    # Segments are full but for the last one.
    assert all(abs(part - SEGMENT) < element for part in between[:-1])


def test_while_a_segment_goes_on_inside_a_node_the_next_one_comes() -> None:
    call = Call(4, bytes=3 * SEGMENT, nodes=[0, 0, 1, 1])

    root = native.collective_sent("bcast", "HAN", call, 0)
    leader = native.collective_sent("bcast", "HAN", call, 2)

    assert [(at, to) for at, to, _ in root] == [(0, 2), (1, 2), (1, 1), (2, 2), (2, 1), (3, 1)]
    assert [(at, to) for at, to, _ in leader] == [(1, 3), (2, 3), (3, 3)]


def test_it_is_refused_by_name_where_there_are_no_levels() -> None:
    for nodes in ([], [0, 0, 0, 0], [0, 1, 2, 3], UNEVEN):
        with pytest.raises(native.InvalidInput, match="HAN of bcast does not serve"):
            native.collective_cost("bcast", "HAN", Call(4, bytes=8, nodes=nodes))
    with pytest.raises(native.InvalidInput, match="nodes: expected one for each of 4 ranks, found"):
        Call(4, nodes=[0, 0])


def test_its_cost_is_that_of_all_its_stages() -> None:
    """Three nodes of two ranks send 3 messages within nodes and 2 between, for each segment."""
    call = Call(6, bytes=2 * SEGMENT, nodes=[0, 0, 1, 1, 2, 2])

    rounds, messages, sent = native.collective_cost("bcast", "HAN", call)

    assert (messages, sent) == (2 * (3 + 2), 2 * SEGMENT * (3 + 2))
    by_rank = [native.collective_sent("bcast", "HAN", call, rank) for rank in range(6)]
    assert messages == sum(map(len, by_rank))
    assert rounds == 1 + max(at for of_rank in by_rank for at, _, _ in of_rank)
