"""The forms that MPI gives to messages and collectives, each with a time that is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made_traces import ANY, NOBODY, OWN_GROUP
from tests.replayed import G_GAP, O_, O_BYTE, G, L, Program, machine, one_way
from waywiser.native import simulate
from waywiser.native.simulate import Prediction

SIZE = 4096
BUSY = O_ + O_BYTE * SIZE
SECOND = G_GAP + G * SIZE
"""A message that follows another one leaves so much later."""


def ends(found: Prediction) -> list[float]:
    return [rank.end_ns for rank in found.ranks]


def test_peers_of_an_intercommunicator_are_ranks_of_the_other_group(tmp_path: Path) -> None:
    program = Program(3)
    between = program.trace.communicator([0, 2], remote=[1])
    program.call(1, "Send", object=between, peer=1, tag=3, bytes=SIZE)
    program.call(2, "Recv", object=between, source=0, source_tag=3, posted=SIZE)
    program.call(0, "Comm_rank")

    found = program.replay(tmp_path, machine())

    assert ends(found) == [10, BUSY, one_way(SIZE)]
    assert found.remarks == []


def test_a_root_sends_to_each_rank_of_the_other_group(tmp_path: Path) -> None:
    """The messages leave one behind the other. The root's own group takes no part."""
    program = Program(5)
    between = program.trace.communicator([0, 1], remote=[2, 3, 4])
    program.call(0, "Bcast", object=between, peer=OWN_GROUP, bytes=SIZE)
    program.call(1, "Bcast", object=between, peer=NOBODY)
    for rank in (2, 3, 4):
        program.call(rank, "Bcast", object=between, peer=0)

    found = program.replay(tmp_path, machine())

    assert SECOND > BUSY
    assert ends(found) == [3 * BUSY, 0, *(one_way(SIZE) + i * SECOND for i in range(3))]
    assert (found.messages, found.bytes) == (3, 3 * SIZE)


@pytest.mark.parametrize(("function", "given"), [("Scatter", 3 * SIZE), ("Scatterv", 3 * SIZE)])
def test_a_root_scatters_a_part_to_each_rank_of_the_other_group(
    tmp_path: Path, function: str, given: int
) -> None:
    program = Program(5)
    between = program.trace.communicator([0, 1], remote=[2, 3, 4])
    program.call(0, function, object=between, peer=OWN_GROUP, bytes=given)
    program.call(1, function, object=between, peer=NOBODY)
    for rank in (2, 3, 4):
        program.call(rank, function, object=between, peer=0, posted=SIZE)

    found = program.replay(tmp_path, machine())

    assert ends(found)[2:] == [one_way(SIZE) + i * SECOND for i in range(3)]


def test_a_root_takes_what_each_rank_of_the_other_group_sends(tmp_path: Path) -> None:
    """All have arrived with the first one; each still has to be copied."""
    program = Program(4)
    between = program.trace.communicator([0], remote=[1, 2, 3])
    program.call(0, "Gather", object=between, peer=OWN_GROUP, posted=3 * SIZE)
    for rank in (1, 2, 3):
        program.call(rank, "Gather", object=between, peer=0, bytes=SIZE)

    found = program.replay(tmp_path, machine())

    assert ends(found) == [one_way(SIZE) + 2 * BUSY, BUSY, BUSY, BUSY]


@pytest.mark.parametrize("sizes", [(1, 1), (2, 1), (3, 5)])
def test_groups_meet_as_one_of_both(tmp_path: Path, sizes: tuple[int, int]) -> None:
    ranks = sum(sizes)
    program = Program(ranks)
    between = program.trace.communicator(range(sizes[0]), remote=range(sizes[0], ranks))
    for rank in range(ranks):
        program.call(rank, "Barrier", object=between)

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == (ranks - 1).bit_length() * one_way(0)
    assert len(found.remarks) == 1


def on_a_ring(program: Program, ranks: int) -> int:
    """A communicator of which each rank knows its left and its right neighbour."""
    number = program.trace.communicator(range(ranks))
    for rank in range(ranks):
        sides = [(rank - 1) % ranks, (rank + 1) % ranks]
        program.call(rank, "Cart_create", created=number, detail=2, counts=[*sides, *sides])
    return number


@pytest.mark.parametrize("ranks", [3, 4, 7])
@pytest.mark.parametrize(
    ("function", "given"),
    [
        ("Neighbor_allgather", {"bytes": SIZE}),
        ("Neighbor_alltoall", {"bytes": 2 * SIZE}),
        ("Neighbor_alltoallv", {"bytes": 2 * SIZE, "counts": [SIZE, SIZE]}),
    ],
)
def test_neighbours_exchange_their_messages(
    tmp_path: Path, ranks: int, function: str, given: dict[str, int]
) -> None:
    """As a halo without computing: what a rank gets from its left is the second that the left one
    sends. Making the communicator is a barrier."""
    program = Program(ranks)
    ring = on_a_ring(program, ranks)
    for rank in range(ranks):
        program.call(rank, function, object=ring, **given)

    found = program.replay(tmp_path, machine())

    made = (ranks - 1).bit_length() * one_way(0)
    arrived = O_ + SECOND + G * SIZE + L - O_BYTE * SIZE
    assert found.makespan_ns == made + arrived + 2 * BUSY
    assert found.bytes == 2 * ranks * SIZE
    assert found.remarks == []


def test_neighbours_send_one_way_where_the_graph_has_one(tmp_path: Path) -> None:
    """Rank 0 to rank 1 and, more, to rank 2; while they wait, rank 3 has nothing to do."""
    program = Program(4)
    graph = program.trace.communicator(range(4))
    edges = {0: (0, [1, 2]), 1: (1, [0]), 2: (1, [0])}
    for rank in range(4):
        n_in, ranks = edges.get(rank, (0, []))
        program.call(rank, "Dist_graph_create", created=graph, detail=n_in, counts=ranks)
    for rank in range(4):
        counts = [0, SIZE] if rank == 0 else []
        program.call(
            rank, "Ineighbor_alltoallv", object=graph, bytes=sum(counts), counts=counts, request=0
        )
        program.compute(rank, 500)
        program.call(rank, "Wait", requests=[0], completed=[0])

    found = program.replay(tmp_path, machine())

    made = 2 * one_way(0)
    # The second message leaves once the processor is done with the first.
    later = O_ + one_way(SIZE)
    assert ends(found) == [made + O_ + BUSY, made + one_way(0), made + later, made + 500]


def test_a_matched_probe_takes_its_message_out_of_the_order(tmp_path: Path) -> None:
    """What is received after the probe, and before the message that it found, is the next one."""
    program = Program(2)
    program.call(0, "Send", peer=1, tag=1, bytes=SIZE)
    program.call(0, "Send", peer=1, tag=1, bytes=0)
    found_first = {"source": ANY, "source_tag": ANY, "matched_source": 0, "matched_tag": 1}
    program.call(1, "Mprobe", request=0, **found_first)
    program.call(1, "Recv", source=0, source_tag=1)
    program.call(1, "Mrecv", message=0, posted=SIZE)

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == SECOND + one_way(0) + BUSY
    assert found.remarks == ["a probe ends at once: what follows it waits for the message"]


def test_a_matched_message_is_received_without_blocking(tmp_path: Path) -> None:
    program = Program(2)
    program.call(0, "Comm_rank")
    program.compute(0, 20_000)
    program.call(0, "Send", peer=1, tag=1, bytes=SIZE)
    program.call(1, "Mprobe", source=0, source_tag=1, request=0)
    program.call(1, "Mrecv", message=0, posted=SIZE, request=1)
    program.compute(1, 5_000)
    program.call(1, "Wait", requests=[1], completed=[0])

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == 20_010 + one_way(SIZE)
    assert found.ranks[1].waiting_ns == pytest.approx(20_010 - 5000)


@pytest.mark.parametrize(
    ("function", "given", "rounds"),
    [("Allreduce_init", {"bytes": 64, "posted": 64}, 2), ("Bcast_init", {"peer": 0}, 2)],
)
def test_persistent_collectives_are_played_each_time_they_are_started(
    tmp_path: Path, function: str, given: dict[str, int], rounds: int
) -> None:
    program = Program(4)
    for rank in range(4):
        program.call(rank, function, request=0, **{"bytes": 64, **given})
        for _ in range(3):
            program.call(rank, "Start", requests=[0])
            program.call(rank, "Wait", requests=[0], completed=[0])
        program.call(rank, "Barrier")

    found = program.replay(tmp_path, machine())

    if function == "Allreduce_init":
        assert found.makespan_ns == 3 * rounds * one_way(64) + 2 * one_way(0)
    assert found.messages == 3 * (8 if function == "Allreduce_init" else 3) + 8


def test_threads_of_a_rank_have_times_of_their_own(tmp_path: Path) -> None:
    """Two threads of two ranks play ping-pong by tags of their own, the second ones later."""
    program = Program(2)
    rounds, begin = 5, (0, 40_000)
    for thread in (0, 1):
        for rank in (0, 1):
            at = begin[thread]
            there = {"peer": 1 - rank, "tag": thread, "bytes": 64}
            back = {"source": 1 - rank, "source_tag": thread, "posted": 64}
            both = [("Send", there), ("Recv", back)]
            for function, given in rounds * (both if rank == 0 else both[::-1]):
                program.trace.call(rank, function, at, at + 10, thread=thread, object=0, **given)
                at += 10

    found = simulate.replay(program.trace.write(tmp_path / "trace.ww"), machine())

    assert 2 * rounds * one_way(64) < begin[1]
    assert found.makespan_ns == begin[1] + 2 * rounds * one_way(64)
    assert found.messages == 4 * rounds


def test_threads_of_a_rank_share_its_nic(tmp_path: Path) -> None:
    program = Program(2)
    for thread in (0, 1):
        there = {"peer": 1, "tag": thread, "bytes": SIZE}
        back = {"source": 0, "source_tag": thread, "posted": SIZE}
        program.trace.call(0, "Send", 0, 10, thread=thread, object=0, **there)
        program.trace.call(1, "Recv", 0, 10, thread=thread, object=0, **back)

    found = simulate.replay(program.trace.write(tmp_path / "trace.ww"), machine())

    assert found.makespan_ns == one_way(SIZE) + SECOND
    assert [remark for remark in found.remarks if "threads" in remark]


PARTS = 4


@pytest.mark.parametrize("how", ["one by one", "range", "list"])
def test_a_partitioned_message_leaves_with_its_last_partition(tmp_path: Path, how: str) -> None:
    program = Program(2)
    program.call(0, "Psend_init", peer=1, tag=1, bytes=PARTS * SIZE, request=0, detail=PARTS)
    program.call(1, "Precv_init", source=0, source_tag=1, posted=PARTS * SIZE, request=0)
    for _ in range(2):
        for rank in (0, 1):
            program.call(rank, "Start", requests=[0])
        if how == "one by one":
            for part in reversed(range(PARTS)):
                program.compute(0, 1000)
                program.call(0, "Pready", requests=[0], detail=part)
        else:
            program.call(0, "Pready", requests=[0], detail=0)
            program.compute(0, 1000 * PARTS)
            program.call(0, f"Pready_{how}", requests=[0], detail=PARTS - 1)
        for rank in (0, 1):
            program.call(rank, "Wait", requests=[0], completed=[0])
        program.call(1, "Send", peer=0, tag=2, bytes=0)
        program.call(0, "Recv", source=1, source_tag=2)

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == 2 * (1000 * PARTS + one_way(PARTS * SIZE) + one_way(0))
    assert (found.messages, found.bytes) == (4, 2 * PARTS * SIZE)
