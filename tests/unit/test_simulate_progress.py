"""Handshakes that proceed within calls only: where that matters, and on how many threads."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.job import Job
from tests.replayed import O_, G, L, machine
from tests.simulated import LogGP, Operation, Simulation
from tests.support import cases
from tests.unit import test_simulate_random as randomly
from tests.unit.test_simulate_threads import all_of, check
from waywiser.native import simulate

COMPUTATION = 1_000_000
LONG, LIMIT = 40_000, 1000


def check_ends(directory: Path, programs: list[list[Operation]], cost: LogGP) -> None:
    """Compares the replay with the simulation by a central queue."""
    trace = randomly.written(programs, directory / "trace.ww")

    prediction = check(trace, randomly.machine(cost, in_calls=True))

    ends = randomly.ends_in_trace(programs, Simulation(programs, cost, in_calls=True))
    assert [rank.end_ns for rank in prediction.ranks] == pytest.approx(ends, rel=1e-9)


def test_sizes_that_vary_from_call_to_call_may_be_long(tmp_path: Path) -> None:
    """One long message among short ones, which follow no order."""
    chance = random.Random(1)
    job = Job(2)
    sizes = [chance.randrange(LIMIT) for _ in range(500)]
    sizes[250] = LONG
    for size in sizes:
        job.then(0, "Isend", peer=1, tag=2, bytes=size, request=0)
        job.then(1, "Irecv", source=0, source_tag=2, posted=LONG, request=0)
        for rank in (0, 1):
            job.compute(rank, COMPUTATION)
            job.then(rank, "Wait", requests=[0], completed=[0])
    trace = job.write(tmp_path / "trace.ww")

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
    """The reference is the simulation by a central queue, which knows of no such rule."""
    cost = randomly.cost_of(seed)
    parts: tuple[randomly.Part, ...] = (randomly.collective, randomly.overlapped_alone)
    if not of_collectives:
        parts = randomly.PARTS
        cost.eager_limit = 1 << 30
    programs = randomly.random_programs(seed, parts=parts)
    trace = randomly.written(programs, tmp_path / "trace.ww")

    prediction = check(trace, randomly.machine(cost, in_calls=True))

    ends = randomly.ends_in_trace(programs, Simulation(programs, cost, in_calls=True))
    assert [rank.end_ns for rank in prediction.ranks] == pytest.approx(ends, rel=1e-9)
    assert all_of(prediction) == all_of(simulate.replay(trace, randomly.machine(cost)))
    assert prediction.progress == "in calls"


@pytest.mark.parametrize(("sender", "receiver"), [(0, 1), (1, 0)])
def test_a_call_waits_for_its_own_message_of_a_channel(
    tmp_path: Path, sender: int, receiver: int
) -> None:
    """The second request comes while the receiver computes, after its wait for the first."""
    job = Job(2)
    for request in (0, 1):
        job.then(receiver, "Irecv", source=sender, source_tag=2, posted=LONG, request=request)
    for request in (0, 1):
        job.then(sender, "Isend", peer=receiver, tag=2, bytes=LONG, request=request)
        job.then(sender, "Wait", requests=[request], completed=[0])
        job.compute(sender, COMPUTATION // 2)
        job.then(receiver, "Wait", requests=[request], completed=[0])
        job.compute(receiver, COMPUTATION)
    trace = job.write(tmp_path / "trace.ww")

    prediction = check(trace, machine(eager=LIMIT, asynchronous=False))

    first = 3 * (O_ + L) + O_ + G * LONG
    second = O_ + L + O_ + G * LONG + L + O_
    assert prediction.ranks[receiver].end_ns == pytest.approx(first + COMPUTATION + second)


def test_what_a_call_has_waited_for_is_over(tmp_path: Path) -> None:
    """Rank 0 is in a call that waited for its long message to rank 1 and goes on to wait for a
    short one, as rank 3 begins to send it a long one, which it does not wait for before it has
    computed for long."""
    programs: list[list[Operation]] = [
        [
            *[("irecv", 3, 8, 2), ("isend", 1, 5, LONG, 0), ("recv", 2, 6), ("send", 3, 9, 10)],
            *[("irecv", 2, 7, 1), ("wait", [0, 1]), ("compute", COMPUTATION), ("wait", [2])],
        ],
        [("irecv", 0, 5, 0), ("wait", [0])],
        [("compute", 200_000), ("send", 0, 6, 10), ("recv", 3, 10), ("send", 0, 7, 10)],
        [("recv", 0, 9), ("send", 2, 10, 10), ("compute", 100_000), ("send", 0, 8, LONG)],
    ]

    check_ends(tmp_path, programs, LogGP(L, O_, 0, G, 0, LIMIT))


def test_a_lock_may_end_a_call_before_a_request_comes(tmp_path: Path) -> None:
    """The rank that is asked for its answer computes then."""
    programs: list[list[Operation]] = [
        [("irecv", 1, 5, 0), ("lock", 1, True), ("unlock", 1), ("compute", COMPUTATION),
         ("wait", [0])],
        [("compute", 100_000), ("send", 0, 5, LONG)],
    ]  # fmt: skip
    cost = LogGP(L, O_, 0, G, 0, LIMIT)

    prediction = simulate.replay(
        randomly.written(programs, tmp_path / "trace.ww"), randomly.machine(cost, in_calls=True)
    )

    ends = randomly.ends_in_trace(programs, Simulation(programs, cost, in_calls=True))
    assert [rank.end_ns for rank in prediction.ranks] == pytest.approx(ends, rel=1e-9)
    assert min(ends) > COMPUTATION


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
    """Many ranks may come to their calls, or leave them, at the moment when messages do."""
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
    programs = randomly.random_programs(seed, most_ranks=8, parts=[several, randomly.message])

    check_ends(tmp_path, programs, exact(randomly.cost_of(seed)))
