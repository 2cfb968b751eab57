"""Handshakes that proceed within calls only: where that matters, and on how many threads."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.replayed import O_, O_BYTE, G, L, Program, machine
from tests.simulated import LogGP, Operation, Simulation
from tests.support import cases
from tests.unit import test_simulate_random as randomly
from tests.unit.test_simulate_threads import all_of, check
from waywiser.native import simulate

COMPUTING = 1_000_000
LONG, LIMIT = 40_000, 1000


def check_ends(directory: Path, programs: list[list[Operation]], cost: LogGP) -> None:
    """Against the simulation with a central queue."""
    trace = randomly.written(programs, directory / "trace.ww")

    found = check(trace, randomly.machine(cost, in_calls=True))

    ends = randomly.ends_in_trace(programs, Simulation(programs, cost, in_calls=True))
    assert [rank.end_ns for rank in found.ranks] == pytest.approx(ends, rel=1e-9)


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


@pytest.mark.parametrize(("sender", "receiver"), [(0, 1), (1, 0)])
def test_a_call_waits_for_its_own_message_of_a_channel(
    tmp_path: Path, sender: int, receiver: int
) -> None:
    """The second request comes while the receiver computes, after its wait for the first."""
    program = Program(2)
    for request in (0, 1):
        program.call(receiver, "Irecv", source=sender, source_tag=2, posted=LONG, request=request)
    for request in (0, 1):
        program.call(sender, "Isend", peer=receiver, tag=2, bytes=LONG, request=request)
        program.call(sender, "Wait", requests=[request], completed=[0])
        program.compute(sender, COMPUTING // 2)
        program.call(receiver, "Wait", requests=[request], completed=[0])
        program.compute(receiver, COMPUTING)
    trace = program.trace.write(tmp_path / "trace.ww")

    found = check(trace, machine(eager=LIMIT, asynchronous=False))

    first = 3 * (O_ + L) + O_ + G * LONG
    second = O_ + L + O_ + G * LONG + L + O_
    assert found.ranks[receiver].end_ns == pytest.approx(first + COMPUTING + second)


def test_what_a_call_has_waited_for_is_over(tmp_path: Path) -> None:
    """Rank 0 is in a call that waited for its long message to rank 1 and goes on to wait for a
    short one, as rank 3 begins to send it a long one, which it does not wait for before it has
    computed for long."""
    programs: list[list[Operation]] = [
        [
            *[("irecv", 3, 8, 2), ("isend", 1, 5, LONG, 0), ("recv", 2, 6), ("send", 3, 9, 10)],
            *[("irecv", 2, 7, 1), ("wait", [0, 1]), ("compute", COMPUTING), ("wait", [2])],
        ],
        [("irecv", 0, 5, 0), ("wait", [0])],
        [("compute", 200_000), ("send", 0, 6, 10), ("recv", 3, 10), ("send", 0, 7, 10)],
        [("recv", 0, 9), ("send", 2, 10, 10), ("compute", 100_000), ("send", 0, 8, LONG)],
    ]

    check_ends(tmp_path, programs, LogGP(L, O_, 0, G, 0, LIMIT))


@pytest.mark.parametrize("size", [8, LONG])
@pytest.mark.parametrize("after", [-1, 0, 1])
def test_nobody_answers_who_may_have_left_his_call(tmp_path: Path, size: int, after: int) -> None:
    """Two ranks send to each other, each in a call that does not wait for the other one's message.
    A third one's request comes shortly before or after their calls end, and then one computes."""
    program = Program(3)
    for rank in (0, 1):
        program.call(rank, "Irecv", source=1 - rank, source_tag=3, posted=size, request=0)
    program.call(0, "Irecv", source=2, source_tag=4, posted=size, request=1)
    for rank in (0, 1):
        program.call(rank, "Send", peer=1 - rank, tag=3, bytes=size)
    program.compute(0, COMPUTING)
    program.call(0, "Waitall", requests=[0, 1], completed=[0, 1])
    program.call(1, "Wait", requests=[0], completed=[0])
    left = 2 * (O_ + L) + O_ + G * size
    program.compute(2, round(left - (O_ + L)) + after)
    program.call(2, "Send", peer=0, tag=4, bytes=size)
    trace = program.trace.write(tmp_path / "trace.ww")

    found = check(trace, machine(eager=0, asynchronous=False))

    granted = left + (COMPUTING if after > 0 else after)
    assert found.ranks[2].end_ns == pytest.approx(granted + O_ + L + O_ + G * size)


def test_data_that_take_no_time_leave_in_a_call_that_waits_for_something_else(
    tmp_path: Path,
) -> None:
    """Nobody can go on before they do, and then at once. Messages take a latency: a request, a
    grant, the data and an answer."""
    program = Program(2)
    program.call(0, "Isend", peer=1, tag=2, bytes=LONG, request=0)
    program.call(0, "Recv", source=1, source_tag=3, posted=8)
    program.call(0, "Wait", requests=[0], completed=[0])
    program.call(1, "Recv", source=0, source_tag=2, posted=LONG)
    program.call(1, "Send", peer=0, tag=3, bytes=8)
    trace = program.trace.write(tmp_path / "trace.ww")

    found = check(trace, randomly.machine(LogGP(L, 0, 0, 0, 0, LIMIT), in_calls=True))

    assert [rank.end_ns for rank in found.ranks] == [4 * L, 3 * L]


def test_a_lock_may_end_a_call_before_a_request_comes(tmp_path: Path) -> None:
    """The rank that is asked for its answer computes then."""
    programs: list[list[Operation]] = [
        [("irecv", 1, 5, 0), ("lock", 1, True), ("unlock", 1), ("compute", COMPUTING),
         ("wait", [0])],
        [("compute", 100_000), ("send", 0, 5, LONG)],
    ]  # fmt: skip
    cost = LogGP(L, O_, 0, G, 0, LIMIT)

    found = simulate.replay(
        randomly.written(programs, tmp_path / "trace.ww"), randomly.machine(cost, in_calls=True)
    )

    ends = randomly.ends_in_trace(programs, Simulation(programs, cost, in_calls=True))
    assert [rank.end_ns for rank in found.ranks] == pytest.approx(ends, rel=1e-9)
    assert min(ends) > COMPUTING


def test_a_rank_whose_calls_are_over_sends_no_data(tmp_path: Path) -> None:
    """It has not waited until its message has left."""
    program = Program(2)
    program.call(0, "Isend", peer=1, tag=2, bytes=LONG, request=0)
    program.call(1, "Recv", source=0, source_tag=2, posted=LONG)
    trace = program.trace.write(tmp_path / "trace.ww")

    at_once = check(trace, machine(eager=LIMIT))
    in_calls = check(trace, machine(eager=LIMIT, asynchronous=False))

    assert at_once.remarks == []
    (told,) = in_calls.remarks
    assert told.endswith("rank 1 in MPI_Recv waits for a message from rank 0 of tag 2")


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


@pytest.mark.parametrize("seed", cases(range(0, 40, 4), long=range(40)))
@pytest.mark.parametrize(
    "times", [range(20_000), [3000], [0, 9000]], ids=["any", "all at once", "some at once"]
)
def test_rings_of_sends_that_wait_for_each_other(
    tmp_path: Path, seed: int, times: Sequence[int]
) -> None:
    """Also where many come to their calls, or leave them, at the moment when messages do."""
    check_ends(tmp_path, ring(seed, times), exact(randomly.cost_of(seed)))


def several(programs: list[list[Operation]], chance: random.Random) -> None:
    """Messages to several at once, some of them over the same channel, and calls that each wait
    for some of them: while a rank waits for those and when it computes between two calls, others
    want their answers."""
    ranks = len(programs)
    shifts = [chance.randrange(1, ranks) for _ in range(chance.randint(2, 4))]
    tags = [chance.randrange(2) for _ in shifts]
    sizes = [chance.choice([10, 5000, 40_000]) for _ in shifts]
    most = chance.choice([1, len(shifts)])
    for rank, program in enumerate(programs):
        posts: list[Operation] = []
        for i, (shift, tag) in enumerate(zip(shifts, tags, strict=True)):
            posts.append(("irecv", (rank - shift) % ranks, tag, i))
            posts.append(("isend", (rank + shift) % ranks, tag, sizes[i], len(shifts) + i))
        chance.shuffle(posts)
        program += posts
        requests = chance.sample(range(2 * len(shifts)), 2 * len(shifts))
        while requests:
            count = chance.randint(1, most)
            program.append(("compute", chance.choice([0, 100, 3000, 30_000])))
            program.append(("wait", requests[:count]))
            del requests[:count]


@pytest.mark.parametrize("seed", cases(range(0, 100, 8), long=range(100)))
def test_calls_that_wait_for_some_of_several_messages(tmp_path: Path, seed: int) -> None:
    programs = randomly.made(seed, most_ranks=8, parts=[several, randomly.message])

    check_ends(tmp_path, programs, exact(randomly.cost_of(seed)))
