"""Replay against closed forms, which are derived in each test."""

from __future__ import annotations

from math import ceil, log2
from pathlib import Path
from typing import Any

import pytest

from tests.made_traces import ANY, MadeTrace
from waywiser.native import _native as native
from waywiser.native import simulate
from waywiser.native.simulate import Cost, Messages, Noise, Prediction, Settings

L, O_, G_GAP, G, O_BYTE = 1500.0, 400.0, 150.0, 0.25, 0.0625
"""L, o, g, G, O."""

EAGER = 1 << 30


def machine(
    *, eager: int = EAGER, scale: float = 1.0, latency: float = L, **settings: Any
) -> Settings:
    made = Settings()
    cost = Cost(None, latency * scale, O_ * scale, G_GAP * scale, G * scale, O_BYTE * scale)
    made.within = made.between = Messages([cost], eager)
    for name, value in settings.items():
        setattr(made, name, value)
    return made


class Program:
    """A trace whose calls take 10 ns each, as far as the replay must not care."""

    def __init__(self, ranks: int, **options: Any) -> None:
        self.trace = MadeTrace(ranks, **options)
        self.now = [0] * ranks

    def compute(self, rank: int, ns: int) -> None:
        self.now[rank] += ns

    def call(self, rank: int, function: str, **parameters: Any) -> None:
        parameters.setdefault("object", 0)
        begin = self.now[rank]
        self.now[rank] += 10
        self.trace.call(rank, function, begin, begin + 10, **parameters)

    def replay(self, folder: Path, settings: Settings) -> Prediction:
        found = simulate.replay(self.trace.write(folder / "trace.ww"), settings)
        check_sums(found)
        return found


def check_sums(found: Prediction) -> None:
    path = found.critical_path
    parts = path.compute_ns + path.overhead_ns + path.latency_ns + path.transfer_ns
    assert parts == pytest.approx(found.makespan_ns, rel=1e-12)
    assert min(path.overhead_ns, path.latency_ns, path.transfer_ns) >= 0
    assert path.compute_ns >= -1e-6
    assert max(rank.end_ns for rank in found.ranks) == found.makespan_ns
    for rank in found.ranks:
        assert rank.end_ns == pytest.approx(rank.compute_ns + rank.mpi_ns)
        within = rank.waiting_ns + rank.transfer_ns + rank.overhead_ns
        assert rank.mpi_ns == pytest.approx(within)
    assert sum(f.ns for f in found.functions) == pytest.approx(sum(r.mpi_ns for r in found.ranks))


def one_way(size: float) -> float:
    """A message from the begin of its send to the end of its receive: 2 o + L + G s."""
    return 2 * O_ + L + G * size


@pytest.mark.parametrize("size", [0, 1, 8, 4096])
def test_ping_pong(tmp_path: Path, size: int) -> None:
    program = Program(2)
    rounds = 7
    for _ in range(rounds):
        for rank in (0, 1):
            there = {"peer": 1 - rank, "tag": 5, "bytes": size}
            back = {"source": 1 - rank, "source_tag": 5, "posted": size}
            for function, parameters in (
                (("Send", there), ("Recv", back))
                if rank == 0
                else (("Recv", back), ("Send", there))
            ):
                program.call(rank, function, **parameters)

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == 2 * rounds * one_way(size)
    assert found.messages == 2 * rounds
    assert found.bytes == 2 * rounds * size
    assert found.remarks == []


def test_a_rendezvous_takes_three_messages(tmp_path: Path) -> None:
    """Request, grant, data: 3 L, and o at each end of the first and of the last."""
    size = 4096
    program = Program(2)
    program.call(0, "Send", peer=1, tag=5, bytes=size)
    program.call(1, "Recv", source=0, source_tag=5, posted=size)

    eager = program.replay(tmp_path, machine(eager=size)).makespan_ns
    rendezvous = program.replay(tmp_path, machine(eager=size - 1)).makespan_ns

    assert eager == one_way(size)
    assert rendezvous == eager + 2 * (L + O_)


def step(size: float) -> float:
    """Two ranks exchange: each sends (o + O s), and then takes what has come meanwhile."""
    busy = O_ + O_BYTE * size
    return max(one_way(size), 2 * busy)


def collective(ranks: int, folder: Path, function: str, **parameters: Any) -> Prediction:
    """One call by all ranks at once; `algorithm` is the collective's and its name."""
    settings = machine()
    if "algorithm" in parameters:
        settings.collectives = dict([parameters.pop("algorithm")])
    program = Program(ranks)
    for rank in range(ranks):
        program.call(rank, function, **parameters)
    found = program.replay(folder, settings)
    assert found.remarks == []
    return found


RANKS = [2, 3, 4, 5, 7, 8, 13, 16]


@pytest.mark.parametrize("ranks", RANKS)
def test_dissemination_barrier(tmp_path: Path, ranks: int) -> None:
    """ceil(log2 p) rounds of an empty exchange."""
    found = collective(ranks, tmp_path, "Barrier")

    assert found.makespan_ns == ceil(log2(ranks)) * step(0)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("size", [0, 64, 40_000])
def test_binomial_broadcast(tmp_path: Path, ranks: int, size: int) -> None:
    """In round k each of the 2^k ranks that have the data sends it to one that has not. A message
    leaves o after the begin of its send, or once the card is free of the one before."""
    found = collective(ranks, tmp_path, "Bcast", peer=0, bytes=size)
    busy = O_ + O_BYTE * size
    ready, card = [0.0] * ranks, [0.0] * ranks

    reach = 1
    while reach < ranks:
        for place in range(min(reach, ranks - reach)):
            leaves = max(ready[place] + O_, card[place])
            card[place] = leaves + G_GAP + G * size
            ready[place + reach] = leaves + G * size + L + O_
            ready[place] += busy
        reach *= 2
    assert found.makespan_ns == pytest.approx(max(ready), rel=1e-12)
    if size == 0 and ranks & (ranks - 1) == 0:
        assert found.makespan_ns == log2(ranks) * one_way(0)


@pytest.mark.parametrize("ranks", RANKS)
def test_recursive_doubling_allreduce(tmp_path: Path, ranks: int) -> None:
    """With powers of two log2 p exchanges. Else the first ranks give their data to the next one,
    and get the result from it: round by round, a rank is ready when it has sent and received, and
    no earlier than a message takes from its partner's begin of the round."""
    size = 64
    busy = O_ + O_BYTE * size
    power = 1 << (ranks.bit_length() - 1)
    extra = ranks - power
    found = collective(
        ranks, tmp_path, "Allreduce", bytes=size, algorithm=("allreduce", "recursive doubling")
    )

    ready = [one_way(size) if number < extra else 0.0 for number in range(power)]
    for bit in range(int(log2(power))):
        ready = [
            max(ready[n] + 2 * busy, ready[n ^ (1 << bit)] + one_way(size)) for n in range(power)
        ]
    ends = [*ready, *(at + one_way(size) for at in ready[:extra])]
    assert found.makespan_ns == max(ends)
    if extra == 0:
        assert found.makespan_ns == log2(ranks) * one_way(size)


@pytest.mark.parametrize("ranks", [2, 4, 8, 16, 32])
def test_rabenseifner_allreduce(tmp_path: Path, ranks: int) -> None:
    """Halves, quarters, ... and back again: 2 log2 p exchanges, of s (1 - 1 / p) bytes twice."""
    size = 1 << 16
    found = collective(
        ranks, tmp_path, "Allreduce", bytes=size, algorithm=("allreduce", "Rabenseifner")
    )
    parts = [size >> i for i in range(1, int(log2(ranks)) + 1)]

    assert found.makespan_ns == 2 * sum(step(part) for part in parts)


@pytest.mark.parametrize("ranks", RANKS)
def test_ring_allgather(tmp_path: Path, ranks: int) -> None:
    """p - 1 exchanges with the neighbours."""
    found = collective(ranks, tmp_path, "Allgather", bytes=256)

    assert found.makespan_ns == (ranks - 1) * step(256)


@pytest.mark.parametrize("ranks", RANKS)
def test_pairwise_alltoall(tmp_path: Path, ranks: int) -> None:
    """p - 1 exchanges, each with another rank."""
    found = collective(ranks, tmp_path, "Alltoall", bytes=256 * ranks)

    assert found.makespan_ns == (ranks - 1) * step(256)
    assert found.bytes == ranks * (ranks - 1) * 256


@pytest.mark.parametrize("ranks", RANKS)
def test_linear_alltoall(tmp_path: Path, ranks: int) -> None:
    """All receives and sends posted, one wait. The i-th message leaves once the card is free again,
    and all ranks get their i-th at the same time: with messages that the card takes longer for than
    the processor, the last one decides."""
    size = 8192
    program = Program(ranks)
    for rank in range(ranks):
        others = [(rank + i) % ranks for i in range(1, ranks)]
        for i in range(1, ranks):
            source = (rank - i) % ranks
            program.call(rank, "Irecv", source=source, source_tag=0, posted=size, request=i)
        for i, peer in enumerate(others, start=1):
            program.call(rank, "Isend", peer=peer, tag=0, bytes=size, request=ranks + i)
        requests = [*range(1, ranks), *range(ranks + 1, 2 * ranks)]
        completed = list(range(len(requests)))
        program.call(rank, "Waitall", requests=requests, completed=completed)

    found = program.replay(tmp_path, machine())

    each = G_GAP + G * size
    assert each > 2 * (O_ + O_BYTE * size)
    assert found.makespan_ns == (ranks - 2) * each + one_way(size)


@pytest.mark.parametrize("iterations", [1, 2, 10])
def test_pipelined_halo(tmp_path: Path, iterations: int) -> None:
    """On a ring, computing while messages are under way: what is longer decides."""
    ranks, size, computing = 6, 4096, 10_000
    busy = O_ + O_BYTE * size
    program = Program(ranks)
    for rank in range(ranks):
        program.call(rank, "Comm_rank")
        for _ in range(iterations):
            for k, side in enumerate((-1, 1)):
                peer = (rank + side) % ranks
                program.call(rank, "Irecv", source=peer, source_tag=k, posted=size, request=k)
            for k, side in enumerate((-1, 1)):
                peer = (rank + side) % ranks
                program.call(rank, "Isend", peer=peer, tag=1 - k, bytes=size, request=2 + k)
            program.compute(rank, computing)
            program.call(rank, "Waitall", requests=[0, 1, 2, 3], completed=[0, 1, 2, 3])

    found = program.replay(tmp_path, machine())

    # Both sends, the computing, in which all arrives, and both receives.
    assert 2 * (G_GAP + G * size) + L < computing
    assert found.makespan_ns == 10 + iterations * (2 * busy + computing + 2 * busy)
    assert all(rank.waiting_ns + rank.transfer_ns == 0 for rank in found.ranks)


def test_a_wildcard_takes_what_it_took_when_recorded(tmp_path: Path) -> None:
    """Rank 1 comes first, but the receive got rank 2's message."""
    program = Program(3)
    program.call(0, "Irecv", source=ANY, source_tag=ANY, posted=8, request=0)
    program.call(0, "Wait", requests=[0], completed=[(0, 2, 6)])
    program.call(0, "Recv", source=ANY, source_tag=5, posted=8, matched_source=1, matched_tag=5)
    program.call(1, "Send", peer=0, tag=5, bytes=8)
    program.call(2, "Comm_rank")
    program.compute(2, 50_000)
    program.call(2, "Send", peer=0, tag=6, bytes=8)

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == 50_010 + one_way(8) + O_ + O_BYTE * 8
    assert found.ranks[0].waiting_ns == pytest.approx(50_010)
    assert found.remarks == []


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


def test_persistent_requests_send_each_time_they_are_started(tmp_path: Path) -> None:
    program = Program(2)
    for rank in (0, 1):
        program.call(rank, "Send_init", peer=1 - rank, tag=1, bytes=64, request=0)
        program.call(rank, "Recv_init", source=1 - rank, source_tag=1, posted=64, request=1)
        for _ in range(3):
            program.call(rank, "Startall", requests=[0, 1])
            program.call(rank, "Waitall", requests=[0, 1], completed=[0, 1])

    found = program.replay(tmp_path, machine())

    assert found.messages == 6
    assert found.makespan_ns == 3 * one_way(64)


def test_polls_without_computing_between_them_are_waiting(tmp_path: Path) -> None:
    program = Program(2)
    program.call(0, "Comm_rank")
    program.compute(0, 70_000)
    program.call(0, "Send", peer=1, tag=1, bytes=8)
    program.call(1, "Irecv", source=0, source_tag=1, posted=8, request=0)
    program.trace.call(
        1, "Test", 20, 60_020, requests=[0], found=False, times=1000, polling_ns=50_000
    )
    program.now[1] = 60_030
    program.call(1, "Test", requests=[0], completed=[0])

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == 10 + 70_000 + one_way(8)


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


def test_three_to_one_share_the_card(tmp_path: Path) -> None:
    """Three nodes send at once: the receiver's card takes one message after the other."""
    size = 100_000
    program = Program(4, hosts=["a", "b", "c", "d"])
    for rank in (1, 2, 3):
        program.call(rank, "Send", peer=0, tag=rank, bytes=size)
    for rank in (1, 2, 3):
        program.call(0, "Irecv", source=rank, source_tag=rank, posted=size, request=rank)
    program.call(0, "Waitall", requests=[1, 2, 3], completed=[0, 1, 2])
    settings = machine(share_card=True)
    cost = settings.between.costs[0]
    cost.overhead_ns_per_byte = 0
    settings.within = settings.between = Messages([cost], EAGER)

    found = program.replay(tmp_path, settings)

    assert found.makespan_ns == pytest.approx(2 * O_ + L + 3 * G * size + 2 * G_GAP)


def test_ranks_of_a_node_share_its_card(tmp_path: Path) -> None:
    size = 100_000
    program = Program(4, hosts=["a", "a", "b", "c"])
    for rank in (0, 1):
        program.call(rank, "Send", peer=2 + rank, tag=1, bytes=size)
        program.call(2 + rank, "Recv", source=rank, source_tag=1, posted=size)

    alone = program.replay(tmp_path, machine()).makespan_ns
    shared = program.replay(tmp_path, machine(share_card=True)).makespan_ns

    assert alone == one_way(size)
    assert shared == pytest.approx(one_way(size) + G_GAP + G * size)


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
    always = slow_ranks(tmp_path, noise=Noise(samples=[0.5])).makespan_ns
    assert always == pytest.approx(five_rounds([15_000, 30_000, 45_000, 60_000]))


def test_a_message_that_never_comes_is_named(tmp_path: Path) -> None:
    program = Program(2, killed=[0, 1])
    program.call(0, "Comm_rank")
    program.call(1, "Recv", source=0, source_tag=3, posted=8)
    program.call(1, "Comm_rank")

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == 10
    assert found.remarks == [
        "a call cannot end as recorded, and is taken to: rank 1 in MPI_Recv waits for a message "
        "from rank 0 of tag 3"
    ]


def test_a_deadlock_is_an_error_that_names_calls_and_partners(tmp_path: Path) -> None:
    """Recorded where both sends were eager."""
    program = Program(2)
    for rank in (0, 1):
        program.call(rank, "Send", peer=1 - rank, tag=4, bytes=500)
        program.call(rank, "Recv", source=1 - rank, source_tag=4, posted=500)
        program.call(rank, "Finalize")

    assert program.replay(tmp_path, machine(eager=500)).remarks == []
    with pytest.raises(
        native.InvalidInput,
        match="rank 0 in MPI_Send waits until rank 1 receives its message of tag 4; rank 1 in",
    ):
        program.replay(tmp_path, machine(eager=499))


def test_a_message_that_nobody_receives_is_named(tmp_path: Path) -> None:
    program = Program(2)
    program.call(0, "Send", peer=1, tag=4, bytes=8)
    program.call(1, "Comm_rank")

    assert program.replay(tmp_path, machine()).remarks == [
        "messages are never received: the first ones from rank 0 to rank 1 of tag 4"
    ]


@pytest.mark.parametrize("cut", range(8, 1200, 61))
def test_a_file_that_is_cut_is_replayed_as_far_as_it_goes(tmp_path: Path, cut: int) -> None:
    program = Program(3)
    for _ in range(20):
        for rank in range(3):
            program.call(rank, "Isend", peer=(rank + 1) % 3, tag=1, bytes=8, request=0)
            program.call(rank, "Recv", source=(rank - 1) % 3, source_tag=1, posted=8)
            program.call(rank, "Wait", requests=[0], completed=[0])
    whole = Path(program.trace.write(tmp_path / "whole.ww")).read_bytes()
    (tmp_path / "cut.ww").write_bytes(whole[: min(cut, len(whole) - 1)])

    found = simulate.replay(str(tmp_path / "cut.ww"), machine())

    assert any("cut.ww: the file ends" in remark for remark in found.remarks)
    assert found.makespan_ns <= 20 * one_way(8)


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


def test_receives_that_wait_for_long_messages_of_one_channel(tmp_path: Path) -> None:
    """Four receives are posted before their messages are sent, which leave one after the other: the
    card has room for the last one after three gaps."""
    size = 40_000
    program = Program(2)
    for i in range(4):
        program.call(0, "Irecv", source=1, source_tag=2, posted=size, request=i)
        program.call(1, "Isend", peer=0, tag=2, bytes=size, request=i)
    for rank in (0, 1):
        program.call(rank, "Waitall", requests=[0, 1, 2, 3], completed=[0, 1, 2, 3])

    found = program.replay(tmp_path, machine(eager=1000))

    assert found.makespan_ns == O_ + 3 * (G_GAP + G * size) + G * size + L + O_
