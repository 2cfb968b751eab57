"""Messages in a replay, against closed forms that are derived in each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made_traces import ANY
from tests.replayed import EAGER, G_GAP, O_, O_BYTE, G, L, Program, machine, one_way
from waywiser.native.simulate import Messages


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


def test_receives_that_wait_for_long_messages_of_one_channel(tmp_path: Path) -> None:
    """Four receives are posted before their messages are sent, which leave one after the other: the
    NIC has room for the last one after three gaps."""
    size = 40_000
    program = Program(2)
    for i in range(4):
        program.call(0, "Irecv", source=1, source_tag=2, posted=size, request=i)
        program.call(1, "Isend", peer=0, tag=2, bytes=size, request=i)
    for rank in (0, 1):
        program.call(rank, "Waitall", requests=[0, 1, 2, 3], completed=[0, 1, 2, 3])

    found = program.replay(tmp_path, machine(eager=1000))

    assert found.makespan_ns == O_ + 3 * (G_GAP + G * size) + G * size + L + O_


@pytest.mark.parametrize("ranks", [3, 6, 7])
@pytest.mark.parametrize("iterations", [1, 2, 10])
@pytest.mark.parametrize("computing", [0, 2000, 10_000])
def test_pipelined_halo(tmp_path: Path, ranks: int, iterations: int, computing: int) -> None:
    """On a ring, computing while messages are under way: what is longer decides."""
    size = 4096
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

    # Both sends and the computing, or else the two messages, one behind the other on the NIC; of
    # copying the second, what its bytes leave time for. Then both receives.
    busy = O_ + O_BYTE * size
    second = O_ + (G_GAP + G * size) + G * size + L - O_BYTE * size
    arrived = max(2 * busy + computing, second)
    assert found.makespan_ns == 10 + iterations * (arrived + 2 * busy)
    hidden = computing == 10_000
    assert all((rank.waiting_ns + rank.transfer_ns == 0) == hidden for rank in found.ranks)


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


def test_messages_of_a_communicator_are_its_own(tmp_path: Path) -> None:
    """From its rank 0, which is 4 in the world, to its rank 2, which is 0: a message of the same
    tag over the world comes later, and is received first."""
    program = Program(5)
    own = program.trace.communicator([4, 2, 0])
    short, long = 100, 5000
    program.call(4, "Send", object=own, peer=2, tag=1, bytes=short)
    program.call(4, "Send", peer=0, tag=1, bytes=long)
    program.call(0, "Recv", source=4, source_tag=1, posted=long)
    program.call(0, "Recv", object=own, source=0, source_tag=1, posted=long)

    found = program.replay(tmp_path, machine())

    busy = O_ + O_BYTE * short
    assert found.ranks[0].end_ns == busy + one_way(long) + busy
    assert found.remarks == []


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


def test_three_to_one_share_the_nic(tmp_path: Path) -> None:
    """Three nodes send at once: the receiver's NIC takes one message after the other."""
    size = 100_000
    program = Program(4, hosts=["a", "b", "c", "d"])
    for rank in (1, 2, 3):
        program.call(rank, "Send", peer=0, tag=rank, bytes=size)
    for rank in (1, 2, 3):
        program.call(0, "Irecv", source=rank, source_tag=rank, posted=size, request=rank)
    program.call(0, "Waitall", requests=[1, 2, 3], completed=[0, 1, 2])
    settings = machine(share_nic=True)
    cost = settings.between.costs[0]
    cost.overhead_ns_per_byte = 0
    settings.within = settings.between = Messages([cost], EAGER)

    found = program.replay(tmp_path, settings)

    assert found.makespan_ns == pytest.approx(2 * O_ + L + 3 * G * size + 2 * G_GAP)


def test_ranks_of_a_node_share_its_nic(tmp_path: Path) -> None:
    size = 100_000
    program = Program(4, hosts=["a", "a", "b", "c"])
    for rank in (0, 1):
        program.call(rank, "Send", peer=2 + rank, tag=1, bytes=size)
        program.call(2 + rank, "Recv", source=rank, source_tag=1, posted=size)

    alone = program.replay(tmp_path, machine()).makespan_ns
    shared = program.replay(tmp_path, machine(share_nic=True)).makespan_ns

    assert alone == one_way(size)
    assert shared == pytest.approx(one_way(size) + G_GAP + G * size)
