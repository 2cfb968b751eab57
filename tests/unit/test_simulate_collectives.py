"""Collectives in a replay: whose algorithm is played, in which rounds, and with whose bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.replayed import O_, O_BYTE, G, Program, machine, one_way

LARGE = 1_000_000


@pytest.mark.parametrize(
    ("library", "messages"),
    [
        ("", 8),  # dissemination: two rounds of four
        ("Open MPI v5.0.11", 6),  # linear: to rank 0 and back
        ("MPICH 5.0.2", 8),
    ],
)
def test_the_library_selects_the_algorithm(tmp_path: Path, library: str, messages: int) -> None:
    program = Program(4)
    for rank in range(4):
        program.call(rank, "Barrier")

    assert program.replay(tmp_path, machine(library=library)).messages == messages


def test_bytes_of_an_alltoallv_go_where_its_counts_say(tmp_path: Path) -> None:
    """Rank 1 has much for rank 0, which it sends last, and nobody anything else."""
    program = Program(3)
    for rank in range(3):
        counts = [LARGE if rank == 1 else 0, 0, 0]
        program.call(rank, "Alltoallv", bytes=sum(counts), posted=LARGE, counts=counts)

    found = program.replay(tmp_path, machine(collectives={"alltoall": "linear"}))

    transfer = LARGE * G
    assert found.bytes == LARGE
    assert found.ranks[0].end_ns > transfer
    assert found.ranks[2].end_ns < transfer


def test_different_lengths_are_gathered_without_a_tree(tmp_path: Path) -> None:
    program = Program(12)
    for rank in range(12):
        program.call(
            rank, "Gatherv", peer=0, bytes=10**rank % 10**7, posted=10**8 if rank == 0 else 0
        )

    found = program.replay(tmp_path, machine(library="Open MPI v5.0.11"))

    assert found.messages == 11
    # Rank 6 has most, for the root itself; in a tree, rank 4 would pass it on.
    assert found.ranks[4].end_ns < 10**6 * G < found.ranks[0].end_ns
    assert not found.remarks


def test_a_collective_is_of_its_communicators_ranks(tmp_path: Path) -> None:
    """The root is number 1 of ranks 4, 2 and 0: it sends to the others, one after the other. The
    odd ranks have a communicator of their own meanwhile."""
    program = Program(5)
    even, odd = program.trace.communicator([4, 2, 0]), program.trace.communicator([3, 1])
    for rank in range(5):
        own, root = (odd, 0) if rank % 2 else (even, 1)
        program.call(rank, "Bcast", object=own, peer=root, bytes=64)

    found = program.replay(tmp_path, machine())

    busy = O_ + O_BYTE * 64
    ends = [rank.end_ns for rank in found.ranks]
    assert sorted(ends[0::2]) == [2 * busy, one_way(64), busy + one_way(64)]
    assert ends[2] == 2 * busy
    assert (ends[3], ends[1]) == (busy, one_way(64))
    assert found.messages == 3


def test_a_collective_that_does_not_block_goes_on_beside_computing(tmp_path: Path) -> None:
    program = Program(4)
    for rank in range(4):
        program.call(rank, "Iallreduce", bytes=8, posted=8, request=0)
        program.compute(rank, 100_000)
        program.call(rank, "Wait", requests=[0], completed=[0])
        program.call(rank, "Iallreduce", bytes=8, posted=8, request=0)
        program.call(rank, "Wait", requests=[0], completed=[0])

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == pytest.approx(100_000 + 2 * one_way(8))
