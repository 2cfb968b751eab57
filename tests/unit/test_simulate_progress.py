"""Handshakes that proceed within calls only: where that matters, and on how many threads."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.replayed import O_, O_BYTE, G, L, Program, machine
from tests.simulated import LogGP, Operation, Simulation
from tests.unit import test_simulate_random as randomly
from tests.unit.test_simulate_threads import all_of, check
from waywiser.native import simulate

COMPUTING = 1_000_000
LONG, LIMIT = 40_000, 1000


def nonblocking(program: Program) -> int:
    program.call(0, "Isend", peer=1, tag=2, bytes=LONG, request=0)
    return LONG


def synchronous(program: Program) -> int:
    program.call(0, "Issend", peer=1, tag=2, bytes=8, request=0)
    return 8


def persistent(program: Program) -> int:
    program.call(0, "Send_init", peer=1, tag=2, bytes=LONG, request=0)
    program.call(0, "Start", requests=[0])
    return LONG


@pytest.mark.parametrize("send", [nonblocking, synchronous, persistent])
def test_a_handshake_waits_for_the_calls_of_both_sides(
    tmp_path: Path, send: Callable[[Program], int]
) -> None:
    """Both compute for so long that everything could be over before. The receiver grants in its
    wait: that takes o + L, then the data follow as an eager message."""
    program = Program(2)
    program.call(1, "Irecv", source=0, source_tag=2, posted=LONG, request=0)
    size = send(program)
    for rank in (0, 1):
        program.compute(rank, COMPUTING)
        program.call(rank, "Wait", requests=[0], completed=[0])
    trace = program.trace.write(tmp_path / "trace.ww")

    at_once = check(trace, machine(eager=LIMIT))
    in_calls = check(trace, machine(eager=LIMIT, asynchronous=False))

    assert at_once.ranks[1].end_ns == pytest.approx(COMPUTING + O_ + O_BYTE * size)
    granted = COMPUTING + O_ + L
    assert in_calls.ranks[1].end_ns == pytest.approx(granted + O_ + G * size + L + O_)


def test_sizes_that_vary_from_call_to_call_may_be_long(tmp_path: Path) -> None:
    """One long message among short ones, which follow no order."""
    chance = random.Random(1)
    program = Program(2)
    sizes = [chance.randrange(LIMIT) for _ in range(500)]
    sizes[250] = LONG
    for size in sizes:
        program.call(0, "Isend", peer=1, tag=2, bytes=size, request=0)
        program.call(1, "Irecv", source=0, source_tag=2, posted=LONG, request=0)
        for rank in (0, 1):
            program.compute(rank, COMPUTING)
            program.call(rank, "Wait", requests=[0], completed=[0])
    trace = program.trace.write(tmp_path / "trace.ww")

    at_once = check(trace, machine(eager=LIMIT))
    in_calls = check(trace, machine(eager=LIMIT, asynchronous=False))

    assert in_calls.makespan_ns > at_once.makespan_ns + L


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(
    "of_collectives", [False, True], ids=["eager messages", "collectives of long ones"]
)
def test_without_long_messages_of_its_own_a_program_is_as_with_asynchronous_progress(
    tmp_path: Path, seed: int, of_collectives: bool
) -> None:
    """Against the simulation with a central queue, which knows of no such rule."""
    cost = randomly.cost_of(seed)
    parts: tuple[randomly.Part, ...] = (randomly.collective, randomly.overlapped_alone)
    if not of_collectives:
        parts = randomly.PARTS
        cost.eager_limit = 1 << 30
    programs = randomly.made(seed, parts=parts)
    trace = randomly.written(programs, tmp_path / "trace.ww")

    found = check(trace, randomly.machine(cost, in_calls=True))

    ends = randomly.ends_in_trace(programs, Simulation(programs, cost, in_calls=True))
    assert [rank.end_ns for rank in found.ranks] == pytest.approx(ends, rel=1e-9)
    assert all_of(found) == all_of(simulate.replay(trace, randomly.machine(cost)))
    assert found.progress == "in calls"


@pytest.mark.parametrize(
    ("begin", "posted", "wait"),
    [
        (50_000, 0, 10_000),
        (50_000, 10_000, 200_000),
        (50_000, 51_000, 200_000),
        (50_000, 100_000, 100_000),
        (50_000, 100_000, 200_000),
    ],
    ids=["late sender", "computing receiver", "posted in flight", "late receiver", "late post"],
)
def test_who_waits_for_whom(tmp_path: Path, begin: int, posted: int, wait: int) -> None:
    """What lies before the partner's call is waiting, the rest transfer. The receiver grants in
    the call that posts, in its wait, or as soon as the request is there."""
    program = Program(2)
    program.compute(0, begin)
    program.call(0, "Send", peer=1, tag=2, bytes=LONG)
    program.compute(1, posted)
    program.call(1, "Irecv", source=0, source_tag=2, posted=LONG, request=0)
    program.compute(1, wait - posted)
    program.call(1, "Wait", requests=[0], completed=[0])
    trace = program.trace.write(tmp_path / "trace.ww")

    sender, receiver = check(trace, machine(eager=LIMIT, asynchronous=False)).ranks

    both = max(begin + O_ + L, posted)
    granted = both if both == posted else max(both, wait)
    left = granted + O_ + L + O_ + G * LONG
    assert sender.waiting_ns == pytest.approx(max(posted - (begin + O_), 0))
    assert sender.waiting_ns + sender.transfer_ns == pytest.approx(left - (begin + O_))
    taken = left + L - O_BYTE * LONG
    assert receiver.waiting_ns == pytest.approx(max(begin - wait, 0), abs=0.01)
    assert receiver.waiting_ns + receiver.transfer_ns == pytest.approx(max(taken - wait, 0))


def ring(seed: int, times: Sequence[int] = range(20_000)) -> list[list[Operation]]:
    """Everybody sends a long message before he waits for his: nobody is in the call that waits for
    his own, so that somebody has to go first, again and again.

    Args:
        times: of which one each is computed.
    """
    chance = random.Random(seed)
    ranks = chance.randint(3, 12)
    programs: list[list[Operation]] = [[] for _ in range(ranks)]
    for _ in range(6):
        shift = chance.randrange(1, ranks)
        for rank, program in enumerate(programs):
            program.append(("compute", chance.choice(times)))
            program.append(("irecv", (rank - shift) % ranks, 3, 0))
            program.append(("compute", chance.choice(times)))
            program.append(("send", (rank + shift) % ranks, 3, chance.choice([5000, 20_000])))
            program.append(("wait", [0]))
    return programs


def exact(cost: LogGP) -> LogGP:
    """Numbers whose sums are not rounded, so that moments that fall together do so in any order of
    adding."""
    return replace(
        cost,
        latency=round(cost.latency),
        overhead=round(cost.overhead),
        gap=round(cost.gap),
        per_byte=round(4 * cost.per_byte) / 4,
        overhead_per_byte=round(256 * cost.overhead_per_byte) / 256,
    )


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(
    "times", [range(20_000), [3000], [0, 9000]], ids=["any", "all at once", "some at once"]
)
def test_rings_of_sends_that_wait_for_each_other(
    tmp_path: Path, seed: int, times: Sequence[int]
) -> None:
    """Also where many come to their calls, or leave them, at the moment when messages do."""
    programs, cost = ring(seed, times), exact(randomly.cost_of(seed))

    found = check(
        randomly.written(programs, tmp_path / "trace.ww"), randomly.machine(cost, in_calls=True)
    )

    ends = randomly.ends_in_trace(programs, Simulation(programs, cost, in_calls=True))
    assert [rank.end_ns for rank in found.ranks] == pytest.approx(ends, rel=1e-9)


def waits_one_by_one(programs: list[list[Operation]], chance: random.Random) -> None:
    """Messages to several at once, and calls that each wait for one of them: while a rank waits for
    one and when it computes between two calls, others want their answers."""
    ranks = len(programs)
    shifts = [chance.randrange(1, ranks) for _ in range(chance.randint(2, 4))]
    sizes = [chance.choice([10, 5000, 40_000]) for _ in shifts]
    for rank, program in enumerate(programs):
        posts: list[Operation] = []
        for i, shift in enumerate(shifts):
            posts.append(("irecv", (rank - shift) % ranks, i, i))
            posts.append(("isend", (rank + shift) % ranks, i, sizes[i], len(shifts) + i))
        chance.shuffle(posts)
        program += posts
        for request in chance.sample(range(2 * len(shifts)), 2 * len(shifts)):
            program.append(("compute", chance.choice([0, 100, 3000, 30_000])))
            program.append(("wait", [request]))


@pytest.mark.parametrize("seed", range(60))
def test_calls_that_wait_for_one_of_several_messages(tmp_path: Path, seed: int) -> None:
    programs = randomly.made(seed, most_ranks=8, parts=[waits_one_by_one, randomly.message])
    cost = exact(randomly.cost_of(seed))

    found = check(
        randomly.written(programs, tmp_path / "trace.ww"), randomly.machine(cost, in_calls=True)
    )

    ends = randomly.ends_in_trace(programs, Simulation(programs, cost, in_calls=True))
    assert [rank.end_ns for rank in found.ranks] == pytest.approx(ends, rel=1e-9)
