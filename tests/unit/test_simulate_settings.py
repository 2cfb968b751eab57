"""What a replay is told of the machine: its processors, and settings that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.replayed import O_, Program, machine, one_way
from waywiser.native import _native as native
from waywiser.native.simulate import Cost, Messages, Noise, Prediction


def barrier(begin: list[float]) -> list[float]:
    """Ends of a dissemination barrier: round by round, each rank has sent and received, and no
    earlier than a message takes from the one whose message it gets."""
    ranks, reach = len(begin), 1
    while reach < ranks:
        begin = [
            max(begin[r] + 2 * O_, begin[(r - reach) % ranks] + one_way(0)) for r in range(ranks)
        ]
        reach *= 2
    return begin


def five_rounds(computing: list[float]) -> float:
    now = [10.0] * len(computing)
    for _ in range(5):
        now = barrier([a + b for a, b in zip(now, computing, strict=True)])
    return max(now)


def slow_ranks(folder: Path, **settings: Any) -> Prediction:
    program = Program(4)
    for rank in range(4):
        program.call(rank, "Comm_rank")
        for _ in range(5):
            program.compute(rank, 10_000 * (1 + rank))
            program.call(rank, "Barrier")
    return program.replay(folder, machine(**settings))


def test_balanced_ranks_do_not_wait(tmp_path: Path) -> None:
    uneven, even = slow_ranks(tmp_path), slow_ranks(tmp_path, balanced=True)

    assert uneven.makespan_ns == five_rounds([10_000, 20_000, 30_000, 40_000])
    assert even.makespan_ns == 10 + 5 * (25_000 + 2 * one_way(0))
    assert sum(rank.waiting_ns for rank in even.ranks) == 0
    assert uneven.ranks[0].waiting_ns > 5 * 20_000


def test_a_faster_processor_computes_in_less_time(tmp_path: Path) -> None:
    found = slow_ranks(tmp_path, cpu=1.6)

    assert found.makespan_ns == five_rounds([6250, 12_500, 18_750, 25_000])


def test_noise_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    def makespan(seed: int) -> float:
        return slow_ranks(tmp_path, noise=Noise(exponential=0.1, seed=seed)).makespan_ns

    quiet = slow_ranks(tmp_path).makespan_ns
    assert makespan(1) == makespan(1) != makespan(2)
    assert min(makespan(seed) for seed in range(5)) > quiet


def begun() -> Program:
    """Of two ranks, that have made a first call: what comes before it is no computing."""
    program = Program(2)
    for rank in range(2):
        program.call(rank, "Comm_rank")
    return program


def test_balanced_ranks_keep_what_differs_from_one_repetition_to_the_next(tmp_path: Path) -> None:
    """Two ranks are late in turn, and compute alike in all: there is nothing to balance."""
    program, rounds = begun(), 7
    for number in range(rounds):
        for rank in range(2):
            program.compute(rank, 30_000 if number > 0 and number % 2 == rank else 10_000)
            program.call(rank, "Barrier")

    recorded = program.replay(tmp_path, machine())
    balanced = program.replay(tmp_path, machine(balanced=True))

    assert balanced.makespan_ns == pytest.approx(recorded.makespan_ns, rel=1e-3)


def test_balancing_heeds_phases(tmp_path: Path) -> None:
    """Each rank has more to do in one of two phases, and as much as the others in both together."""
    program = begun()
    for name, slow in (("Barrier", 0), ("Allreduce", 1)):
        for _ in range(6):
            for rank in range(2):
                program.compute(rank, 30_000 if rank == slow else 10_000)
                program.call(rank, name)

    recorded = program.replay(tmp_path, machine())
    balanced = program.replay(tmp_path, machine(balanced=True))

    saved = recorded.makespan_ns - balanced.makespan_ns
    assert saved == pytest.approx(12 * 10_000, rel=0.15)


def test_without_noise_no_stretch_takes_longer_than_its_median(tmp_path: Path) -> None:
    """Each rank is delayed once in nine rounds, at another time than the other."""
    program, rounds = begun(), 18
    for number in range(rounds):
        for rank in range(2):
            program.compute(rank, 50_000 if number % 9 == 4 + rank else 10_000)
            program.call(rank, "Barrier")

    recorded = program.replay(tmp_path, machine())
    quiet = program.replay(tmp_path, machine(no_noise=True))

    assert quiet.ranks[0].compute_ns == rounds * 10_000
    assert recorded.makespan_ns - quiet.makespan_ns == pytest.approx(4 * 40_000, rel=0.02)


def loops(longer: int, delayed: Callable[[int, int], int]) -> Program:
    """In each of 20 rounds three barriers follow each other, all from one line, after computing."""
    program = begun()
    for number in range(20):
        for rank in range(2):
            program.compute(rank, 30_000 + longer * (number % 4 == 3) + delayed(number, rank))
            for _ in range(3):
                program.call(rank, "Barrier")
    return program


@pytest.mark.parametrize("longer", [0, 5_000, 60_000])
def test_what_all_ranks_take_longer_for_is_no_noise(tmp_path: Path, longer: int) -> None:
    program = loops(longer, lambda number, rank: 0)

    recorded = program.replay(tmp_path, machine())
    quiet = program.replay(tmp_path, machine(no_noise=True))

    assert quiet.makespan_ns == pytest.approx(recorded.makespan_ns, rel=1e-6)


def test_noise_is_found_among_stretches_of_unlike_length(tmp_path: Path) -> None:
    """Eight delays; of these the first is in a stretch that is not repeated."""
    program = loops(5_000, lambda number, rank: 20_000 * (number % 5 == 2 * rank))

    recorded = program.replay(tmp_path, machine())
    quiet = program.replay(tmp_path, machine(no_noise=True))

    assert recorded.makespan_ns - quiet.makespan_ns == pytest.approx(7 * 20_000, rel=0.05)


def test_early_sends_come_before_the_computing_that_precedes_them(tmp_path: Path) -> None:
    """Rank 0 computes and sends, rank 1 receives and computes: one after the other, or at once."""
    program, rounds = begun(), 5
    for _ in range(rounds):
        program.compute(0, 50_000)
        program.call(0, "Send", peer=1, tag=1, bytes=8)
        program.call(1, "Recv", source=0, source_tag=1, posted=8)
        program.compute(1, 50_000)
        for rank in range(2):
            program.call(rank, "Barrier")

    recorded = program.replay(tmp_path, machine())
    early = program.replay(tmp_path, machine(early_sends=True))

    assert recorded.makespan_ns - early.makespan_ns == pytest.approx(rounds * 50_000, rel=1e-9)
    assert [rank.compute_ns for rank in early.ranks] == [rounds * 50_000] * 2


def sends(between: Callable[[Program], None] = lambda program: None, bytes: int = 8) -> Program:
    """Ten messages from rank 0 to rank 1, and what comes between two."""
    program = begun()
    for number in range(10):
        if number:
            between(program)
        program.call(0, "Send", peer=1, tag=number % 2, bytes=bytes)
        program.call(1, "Recv", source=0, source_tag=number % 2, posted=bytes)
    return program


def replies(program: Program) -> None:
    program.call(1, "Send", peer=0, tag=5, bytes=8)
    program.call(0, "Recv", source=1, source_tag=5, posted=8)


def computes(program: Program) -> None:
    program.compute(0, 1001)


def hardly_computes(program: Program) -> None:
    program.compute(0, 999)


@pytest.mark.parametrize(
    ("between", "joined"), [(replies, 19), (computes, 10), (hardly_computes, 1)]
)
def test_messages_are_joined_where_nothing_comes_between(
    tmp_path: Path, between: Callable[[Program], None], joined: int
) -> None:
    program = sends(between)

    recorded = program.replay(tmp_path, machine())
    together = program.replay(tmp_path, machine(join_messages=True))

    assert together.messages == joined
    assert (together.makespan_ns == recorded.makespan_ns) == (joined > 1)


def test_a_joined_message_takes_one_overhead_and_all_bytes(tmp_path: Path) -> None:
    """Its receiver may begin with the first bytes while the others come."""
    found = sends().replay(tmp_path, machine(join_messages=True))

    assert found.messages == 1
    assert found.bytes == 80
    assert one_way(80) - O_ < found.makespan_ns - 10 <= one_way(80)


def test_none_is_joined_beyond_the_eager_limit(tmp_path: Path) -> None:
    limit = 1000

    def messages(size: int) -> int:
        settings = machine(join_messages=True, eager=limit)
        return sends(bytes=size).replay(tmp_path, settings).messages

    assert messages(limit // 4) == 3
    assert messages(limit + 1) == 10


def test_what_is_not_repeated_is_no_noise(tmp_path: Path) -> None:
    program = begun()
    for number in range(5):
        for rank in range(2):
            program.compute(rank, 10_000 * (1 + number))
            program.call(rank, "Barrier")

    recorded = program.replay(tmp_path, machine())
    quiet = program.replay(tmp_path, machine(no_noise=True))

    assert quiet.makespan_ns == recorded.makespan_ns


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cpu": 0.0}, "cpu: expected how many times as fast"),
        ({"threads": -1}, "threads: expected 1 to 256"),
        (
            {"collectives": {"allreduce": "fast"}},
            "no algorithm 'fast' for allreduce; there are: 'recursive doubling'",
        ),
        ({"collectives": {"all": "ring"}}, "no algorithms for 'all'; there are for: barrier"),
        ({"node_of_rank": [0]}, "node_of_rank: expected the nodes of 2 ranks, found 1"),
        ({"within": lambda: Messages([], 0)}, "within.costs: expected at least one cost"),
        (
            {"between": lambda: Messages([Cost(None, -1.0)], 0)},
            "between.costs: expected times of 0 or more",
        ),
        ({"noise": lambda: Noise(exponential=-1.0)}, "noise: expected a mean delay of 0 or more"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    """Objects of the bindings are made here: in a list of cases they would outlive the bindings."""
    program = Program(2)
    for rank in (0, 1):
        program.call(rank, "Barrier")
    made = {name: value() if callable(value) else value for name, value in settings.items()}

    with pytest.raises(native.InvalidInput, match=message):
        program.replay(tmp_path, machine(**made))
