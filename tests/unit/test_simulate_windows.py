"""One-sided communication in a replay, against closed forms that are derived in each test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.replayed import G_GAP, O_, O_BYTE, G, L, Program, machine, one_way
from waywiser.native import _native as native
from waywiser.native.simulate import Prediction


def test_a_put_is_over_with_its_epoch(tmp_path: Path) -> None:
    """The origin waits in MPI_Win_complete until it hears that the data are there: o + G s + 2 L,
    and tells the target, whose processor has only that message to work on."""
    size = 4096
    program = Program(2)
    number = program.trace.communicator(range(2), kind=native.ObjectKind.window)
    program.call(1, "Win_post", object=number, counts=[0])
    program.call(1, "Win_wait", object=number)
    program.call(0, "Win_start", object=number, counts=[1])
    program.call(0, "Put", object=number, peer=1, bytes=size)
    program.call(0, "Win_complete", object=number)

    found = program.replay(tmp_path, machine())

    # Post, put, the answer, and the message that the epoch is over.
    assert found.makespan_ns == one_way(0) + (O_ + G * size + 2 * L) + one_way(0)
    assert found.ranks[1].overhead_ns == 2 * O_


SIZE = 4096
LOCK = O_ + 2 * L
"""To the target and back."""


def window(program: Program, ranks: int) -> int:
    return program.trace.communicator(range(ranks), kind=native.ObjectKind.window)


@pytest.mark.parametrize(
    ("function", "sizes", "moved"),
    [
        ("Put", {"bytes": SIZE}, SIZE),
        ("Get", {"posted": SIZE}, SIZE),
        ("Get_accumulate", {"bytes": SIZE, "posted": SIZE}, 2 * SIZE),
    ],
)
def test_an_operation_under_a_lock_goes_there_and_back(
    tmp_path: Path, function: str, sizes: dict[str, int], moved: int
) -> None:
    """The lock too; the target's processor has no part in it."""
    program = Program(2)
    number = window(program, 2)
    program.call(0, "Win_lock", object=number, peer=1, detail=1)
    program.call(0, function, object=number, peer=1, **sizes)
    program.call(0, "Win_unlock", object=number, peer=1)
    program.call(1, "Comm_rank")

    found = program.replay(tmp_path, machine())

    assert found.ranks[0].end_ns == LOCK + O_ + 2 * L + G * moved
    assert found.ranks[1].end_ns == 10
    assert found.remarks == []


def contend(tmp_path: Path, kinds: Sequence[int]) -> Prediction:
    """Rank 1, 2, … lock rank 0's part of a window 10 ns after each other, put, and unlock it."""
    program = Program(len(kinds) + 1)
    number = window(program, len(kinds) + 1)
    for rank, kind in enumerate(kinds, 1):
        program.compute(rank, 10 * rank)
        program.call(rank, "Win_lock", object=number, peer=0, detail=kind)
        program.call(rank, "Put", object=number, peer=0, bytes=SIZE)
        program.call(rank, "Win_unlock", object=number, peer=0)
    program.call(0, "Comm_rank")
    return program.replay(tmp_path, machine())


ALONE, SHARED = 1, 2
HELD = O_ + 2 * L + G * SIZE
"""By who has a lock: the put and its answer."""


def test_an_exclusive_lock_is_one_ranks_at_a_time(tmp_path: Path) -> None:
    """The answer, the put and that the lock is free again, each a latency: the next one has it
    when that is at the target."""
    found = contend(tmp_path, [ALONE, ALONE, ALONE])

    ends = [10 + O_ + L + turn * (L + HELD + L) + L + HELD for turn in range(3)]
    assert [rank.end_ns for rank in found.ranks[1:]] == ends
    waited = [rank.waiting_ns for rank in found.ranks]
    assert waited[:2] == [0, 0]
    # Until it is free; what the answer takes is transfer.
    assert waited[2] == ends[0] + L - (20 + O_)
    assert waited[3] == ends[1] + L - (30 + O_)


def test_shared_locks_are_had_together_but_not_before_who_came_first(tmp_path: Path) -> None:
    found = contend(tmp_path, [SHARED, SHARED, ALONE, SHARED])

    first, second, alone, last = (rank.end_ns for rank in found.ranks[1:])
    assert first == 10 + LOCK + HELD
    assert second == 20 + LOCK + HELD
    assert alone == second + L + L + HELD
    assert last == alone + L + L + HELD


@pytest.mark.parametrize("kind", [ALONE, SHARED])
def test_who_comes_while_its_holder_waits_gets_a_lock_afterwards(tmp_path: Path, kind: int) -> None:
    """Rank 1 has it alone, until the message of rank 0 is there, which locks another one before."""
    program = Program(3)
    number = window(program, 3)
    program.compute(0, 100_000)
    program.call(0, "Win_lock", object=number, peer=2, detail=ALONE)
    program.call(0, "Win_unlock", object=number, peer=2)
    program.call(0, "Send", peer=1, tag=1, bytes=0)
    program.call(1, "Win_lock", object=number, peer=0, detail=ALONE)
    program.call(1, "Recv", source=0, source_tag=1, posted=0)
    program.call(1, "Win_unlock", object=number, peer=0)
    program.compute(2, 10)
    program.call(2, "Win_lock", object=number, peer=0, detail=kind)

    found = program.replay(tmp_path, machine())

    assert found.ranks[1].end_ns == 100_000 + LOCK + one_way(0)
    assert found.ranks[2].end_ns == found.ranks[1].end_ns + L + L


def test_a_lock_that_is_never_given_back_is_let_go(tmp_path: Path) -> None:
    program = Program(3)
    number = window(program, 3)
    for rank in (1, 2):
        program.compute(rank, 10 * rank)
        program.call(rank, "Win_lock", object=number, peer=0, detail=ALONE)
    program.call(2, "Win_unlock", object=number, peer=0)
    program.call(0, "Comm_rank")

    found = program.replay(tmp_path, machine())

    assert found.remarks == [
        "a call cannot end as recorded, and is taken to: rank 2 in MPI_Win_lock waits for a lock "
        "that rank 1 has"
    ]


def test_locks_that_exclude_each_other_for_ever_are_a_deadlock(tmp_path: Path) -> None:
    program = Program(2)
    number = window(program, 2)
    for rank in (0, 1):
        for target in (rank, 1 - rank):
            program.call(rank, "Win_lock", object=number, peer=target, detail=ALONE)
        for target in (0, 1):
            program.call(rank, "Win_unlock", object=number, peer=target)

    with pytest.raises(native.InvalidInput) as raised:
        program.replay(tmp_path, machine())

    for rank in (0, 1):
        said = f"rank {rank} in MPI_Win_lock waits for a lock that rank {1 - rank} has"
        assert said in str(raised.value)


def test_a_lock_of_all_is_taken_as_granted(tmp_path: Path) -> None:
    """And said, if some locks are exclusive."""
    program = Program(3)
    number = window(program, 3)
    program.call(1, "Win_lock", object=number, peer=0, detail=ALONE)
    program.call(1, "Win_unlock", object=number, peer=0)
    program.call(2, "Win_lock_all", object=number)
    program.call(2, "Win_unlock_all", object=number)
    program.call(0, "Comm_rank")

    found = program.replay(tmp_path, machine())

    assert found.ranks[2].end_ns == 0
    assert found.remarks == [
        "MPI_Win_lock_all is taken as granted at once, also beside exclusive locks"
    ]


@pytest.mark.parametrize(
    ("synchronises", "given", "late"),
    [
        ("Win_flush", {"peer": 1}, 0),
        ("Win_flush", {"peer": 2}, G_GAP + G * SIZE),
        ("Win_flush_all", {}, G_GAP + G * SIZE),
        ("Win_unlock_all", {}, G_GAP + G * SIZE),
    ],
)
def test_a_flush_waits_for_its_target(
    tmp_path: Path, synchronises: str, given: dict[str, int], late: float
) -> None:
    """The second operation leaves once the NIC is free of the first."""
    program = Program(3)
    number = window(program, 3)
    program.call(0, "Win_lock_all", object=number)
    for target in (1, 2):
        program.call(0, "Put", object=number, peer=target, bytes=SIZE)
    program.call(0, synchronises, object=number, **given)

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == O_ + late + G * SIZE + 2 * L


def test_a_request_of_an_operation_waits_for_it_alone(tmp_path: Path) -> None:
    program = Program(3)
    number = window(program, 3)
    program.call(0, "Win_lock_all", object=number)
    program.call(0, "Rget", object=number, peer=1, posted=SIZE, request=0)
    program.call(0, "Put", object=number, peer=2, bytes=10 * SIZE)
    program.call(0, "Wait", requests=[0], completed=[0])
    program.compute(0, 100)
    program.call(0, "Win_unlock_all", object=number)

    found = program.replay(tmp_path, machine())

    sent = O_ + max(O_, G_GAP) + G * 10 * SIZE + L
    assert found.ranks[0].compute_ns == 100
    assert found.makespan_ns == max(O_ + 2 * L + G * SIZE + 100, sent + L)
    assert found.ranks[0].overhead_ns == 2 * O_ + O_BYTE * 10 * SIZE


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_a_fence_is_a_barrier_after_all_operations(tmp_path: Path, ranks: int) -> None:
    program = Program(ranks)
    number = window(program, ranks)
    for rank in range(ranks):
        program.call(rank, "Win_fence", object=number)
        program.call(rank, "Put", object=number, peer=(rank + 1) % ranks, bytes=SIZE)
        program.call(rank, "Win_fence", object=number)

    found = program.replay(tmp_path, machine())

    fence = (ranks - 1).bit_length() * one_way(0)
    assert found.makespan_ns == 2 * fence + O_ + G * SIZE + 2 * L
