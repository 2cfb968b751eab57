"""Replays whose messages share links, against closed forms that are derived in each test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.made_traces import MadeTrace
from waywiser.native import simulate
from waywiser.native._native import InvalidInput, Topology, make_topology
from waywiser.native.simulate import Cost, Interconnect, Messages, Prediction, Settings, Speeds

LATENCY_NS = 1500.0
NS_PER_BYTE = 0.25
SIZE = 100_000
ALONE_NS = SIZE * NS_PER_BYTE

Call = tuple[str, dict[str, Any]]


def send(peer: int) -> Call:
    return "Send", {"peer": peer, "tag": 5, "bytes": SIZE}


def receive(source: int) -> Call:
    return "Recv", {"source": source, "source_tag": 5, "posted": SIZE}


def replay(
    folder: Path,
    programs: list[list[Call]],
    topology: Topology | None,
    *,
    eager: int = 1 << 30,
    nodes: list[int] | None = None,
    tolerance: float = 0.0,
    hop_ns: float = 0.0,
    share_nic: bool = False,
    link: float = 1.0,
    asynchronous: bool = True,
) -> Prediction:
    """Each rank on a node of its own, unless `nodes` says otherwise; links are `link` / G fast."""
    trace = MadeTrace(len(programs))
    for rank, calls in enumerate(programs):
        at = 0
        for function, parameters in calls:
            if function == "compute":
                at += parameters["ns"]
                continue
            trace.call(rank, function, at, at + 10, **{"object": 0, **parameters})
            at += 10
    settings = Settings()
    settings.within = settings.between = Messages(
        [Cost(None, LATENCY_NS, 0, 0, NS_PER_BYTE, 0)], eager
    )
    settings.node_of_rank = nodes or list(range(len(programs)))
    settings.share_nic = share_nic
    settings.asynchronous = asynchronous
    if topology is not None:
        speeds = Speeds(link / NS_PER_BYTE, hop_ns=hop_ns)
        settings.interconnect = Interconnect(topology, speeds, tolerance)
    found = simulate.replay(trace.write(folder / "trace.ww"), settings)
    path = found.critical_path
    parts = path.compute_ns + path.overhead_ns + path.latency_ns + path.transfer_ns
    assert parts == pytest.approx(found.makespan_ns)
    return found


def bottleneck(pairs: int) -> Topology:
    """Two switches of that many nodes, joined by one cable."""
    return make_topology("fat-tree", {"down": [pairs, 2], "up": [1, 1]})


eager_or_not = pytest.mark.parametrize(
    ("eager", "latencies"), [(1 << 30, 1), (0, 3)], ids=["eager", "rendezvous"]
)


@eager_or_not
@pytest.mark.parametrize("pairs", [1, 2, 5, 8])
@pytest.mark.parametrize("tolerance", [0.0, 0.1])
def test_messages_over_one_link_take_as_many_times_as_long(
    tmp_path: Path, pairs: int, eager: int, latencies: int, tolerance: float
) -> None:
    """Rounds there and back: L (three with request and grant) and all pairs' bytes in turn."""
    rounds = 12
    there = [[send(i + pairs), receive(i + pairs)] * rounds for i in range(pairs)]
    back = [[receive(i), send(i)] * rounds for i in range(pairs)]

    found = replay(tmp_path, there + back, bottleneck(pairs), eager=eager, tolerance=tolerance)

    one_way_ns = latencies * LATENCY_NS + pairs * ALONE_NS
    assert found.makespan_ns == pytest.approx(2 * rounds * one_way_ns, rel=1e-9)
    assert found.links.delays_ns == pytest.approx(2 * rounds * pairs * (pairs - 1) * ALONE_NS)
    assert sum(found.links.bytes) == 2 * rounds * pairs * SIZE * 4
    share = rounds * pairs * ALONE_NS / found.makespan_ns
    assert max(found.links.utilisation) == pytest.approx(share)
    assert found.remarks == []


@eager_or_not
def test_three_to_one_takes_the_time_of_all_bytes(
    tmp_path: Path, eager: int, latencies: int
) -> None:
    """LogGP alone has all three arrive at L + G s."""
    topology = make_topology("k-ary-n-tree", {"k": 2, "n": 2})
    requests: list[Call] = [
        ("Irecv", {"source": 1 + i, "source_tag": 5, "posted": SIZE, "request": i})
        for i in range(3)
    ]
    waits: list[Call] = [("Waitall", {"requests": [0, 1, 2], "completed": [0, 1, 2]})]
    programs = [requests + waits, [send(0)], [send(0)], [send(0)]]

    alone = replay(tmp_path, programs, None, eager=eager)
    shared = replay(tmp_path, programs, topology, eager=eager)

    assert alone.makespan_ns == pytest.approx(latencies * LATENCY_NS + ALONE_NS)
    assert shared.makespan_ns == pytest.approx(latencies * LATENCY_NS + 3 * ALONE_NS)
    assert alone.links.bytes == []


@eager_or_not
@pytest.mark.parametrize("link", [0.25, 1.0, 1.5, 2.0, 3.0, 8.0])
@pytest.mark.parametrize("tolerance", [0.0, 0.1])
@pytest.mark.parametrize("senders", [1, 2, 3])
def test_an_incast_on_one_switch_takes_what_its_slowest_part_takes(
    tmp_path: Path, eager: int, latencies: int, link: float, tolerance: float, senders: int
) -> None:
    """Bytes leave at 1/G while they cross the links: of both times the longer one counts, not the
    sum, and only the data of a rendezvous share the receiver's link, not its request and grant."""
    topology = make_topology("fat-tree", {"down": [4], "up": [1]})
    every = list(range(senders))
    requests: list[Call] = [
        ("Irecv", {"source": 1 + i, "source_tag": 5, "posted": SIZE, "request": i}) for i in every
    ]
    waits: list[Call] = [("Waitall", {"requests": every, "completed": every})]
    programs = [requests + waits, *[[send(0)]] * senders]

    found = replay(tmp_path, programs, topology, eager=eager, tolerance=tolerance, link=link)

    data_ns = max(ALONE_NS, senders * ALONE_NS / link)
    assert found.makespan_ns == pytest.approx(latencies * LATENCY_NS + data_ns, rel=1e-9)
    assert found.links.delays_ns == pytest.approx(senders * (data_ns - ALONE_NS), abs=1e-6)


@pytest.mark.parametrize("asynchronous", [True, False])
def test_both_directions_of_an_exchange_are_under_way_at_once(
    tmp_path: Path, asynchronous: bool
) -> None:
    """Both ranks grant while they are in their calls, none of which is over before the other's."""
    exchanges = [
        ("Sendrecv", {"peer": peer, "tag": 5, "bytes": SIZE, "source": peer, "source_tag": 5})
        for peer in (1, 0)
    ]
    programs = [[exchange] * 10 for exchange in exchanges]

    alone = replay(tmp_path, programs, None, eager=0, asynchronous=asynchronous)
    shared = replay(tmp_path, programs, bottleneck(1), eager=0, asynchronous=asynchronous)

    assert alone.makespan_ns == pytest.approx(10 * (3 * LATENCY_NS + ALONE_NS))
    assert shared.makespan_ns == pytest.approx(alone.makespan_ns, rel=1e-12)
    assert shared.links.delays_ns == 0


def test_a_handshake_goes_on_in_a_call_that_waits_for_another_message(tmp_path: Path) -> None:
    """Rank 0 waits for rank 1's message, which is under way, when rank 2 grants that of rank 0."""
    late_ns = ALONE_NS / 2
    programs: list[list[Call]] = [
        [
            ("Isend", {"peer": 2, "tag": 5, "bytes": SIZE, "request": 0}),
            receive(1),
            ("Wait", {"requests": [0], "completed": [0]}),
        ],
        [send(0)],
        [("compute", {"ns": int(late_ns)}), receive(0)],
    ]
    star = make_topology("all-to-all", {"switches": 1, "nodes_per_switch": 3})

    found = replay(tmp_path, programs, star, eager=0, asynchronous=False)

    assert found.ranks[2].end_ns == pytest.approx(late_ns + 2 * LATENCY_NS + ALONE_NS)
    assert found.links.delays_ns == 0


@pytest.mark.parametrize("shift", [1, 3, 8, 13])
def test_shifts_on_a_full_fat_tree_are_as_without_other_messages(
    tmp_path: Path, shift: int
) -> None:
    ranks = 16
    topology = make_topology("k-ary-n-tree", {"k": 4, "n": 2})
    programs = [
        [send((rank + shift) % ranks), receive((rank - shift) % ranks)] * 3 for rank in range(ranks)
    ]

    alone = replay(tmp_path, programs, None)
    shared = replay(tmp_path, programs, topology)

    assert shared.makespan_ns == pytest.approx(alone.makespan_ns, rel=1e-12)
    assert shared.links.delays_ns == 0
    assert [r.end_ns for r in shared.ranks] == pytest.approx([r.end_ns for r in alone.ranks])


def test_ranks_of_a_node_do_not_take_its_links(tmp_path: Path) -> None:
    programs = [[send(2)], [send(3)], [receive(0)], [receive(1)]]

    inside = replay(tmp_path, programs, bottleneck(2), nodes=[0, 1, 0, 1])
    across = replay(tmp_path, programs, bottleneck(2), nodes=[0, 0, 2, 2])

    assert inside.makespan_ns == pytest.approx(LATENCY_NS + ALONE_NS)
    assert sum(inside.links.bytes) == 0
    assert across.makespan_ns == pytest.approx(LATENCY_NS + 2 * ALONE_NS)


def test_a_rendezvous_keeps_its_sender_until_the_data_have_left(tmp_path: Path) -> None:
    """Request and grant take L each, and the bytes of both senders cross one link."""
    programs = [[send(2)], [send(3)], [receive(0)], [receive(1)]]

    found = replay(tmp_path, programs, bottleneck(2), eager=0)

    left_ns = 2 * LATENCY_NS + 2 * ALONE_NS
    ends = [left_ns, left_ns, left_ns + LATENCY_NS, left_ns + LATENCY_NS]
    assert [rank.end_ns for rank in found.ranks] == pytest.approx(ends)


def test_a_sender_goes_on_as_soon_as_its_data_have_left(tmp_path: Path) -> None:
    """Its short message leaves then, although another pair's data are through before its own have
    arrived, a latency later."""
    short = 100
    long = SIZE + int(0.5 * LATENCY_NS / NS_PER_BYTE)
    programs: list[list[Call]] = [
        [send(2), ("Send", {"peer": 2, "tag": 5, "bytes": short})],
        [("Send", {"peer": 3, "tag": 5, "bytes": long})],
        [receive(0), ("Recv", {"source": 0, "source_tag": 5, "posted": short})],
        [("Recv", {"source": 1, "source_tag": 5, "posted": long})],
    ]
    topology = make_topology("fat-tree", {"down": [4], "up": [1]})

    found = replay(tmp_path, programs, topology, eager=short)

    last_ns = 3 * LATENCY_NS + ALONE_NS + short * NS_PER_BYTE
    assert found.ranks[2].end_ns == pytest.approx(last_ns, rel=1e-9)
    assert found.ranks[3].end_ns == pytest.approx(3 * LATENCY_NS + long * NS_PER_BYTE, rel=1e-9)


def test_a_rank_that_runs_ahead_takes_nothing_from_those_before(tmp_path: Path) -> None:
    """Rank 0 sends ten messages without a wait, and so is done with its calls before the others
    begin; links still see its messages one after the other, beside one of the others each."""
    count = 10
    programs = [[send(2)] * count, [send(3)] * count, [receive(0)] * count, [receive(1)] * count]

    found = replay(tmp_path, programs, bottleneck(2))

    assert found.makespan_ns == pytest.approx(LATENCY_NS + 2 * count * ALONE_NS)


def test_hops_add_their_latency(tmp_path: Path) -> None:
    topology = make_topology("k-ary-n-tree", {"k": 2, "n": 2})
    programs = [[send(3)], [], [], [receive(0)]]

    found = replay(tmp_path, programs, topology, hop_ns=100.0)

    assert found.makespan_ns == pytest.approx(LATENCY_NS + 4 * 100 + ALONE_NS)
    assert found.critical_path.latency_ns == pytest.approx(LATENCY_NS + 400)


def test_an_empty_message_takes_the_latency_of_its_hops_too(tmp_path: Path) -> None:
    topology = make_topology("k-ary-n-tree", {"k": 2, "n": 2})
    empty: Call = ("Send", {"peer": 3, "tag": 5, "bytes": 0})

    found = replay(tmp_path, [[empty], [], [], [receive(0)]], topology, hop_ns=100.0)

    assert found.makespan_ns == pytest.approx(LATENCY_NS + 4 * 100)


def test_of_two_threads_that_wait_for_one_sender_both_go_on_in_time(tmp_path: Path) -> None:
    """The first one passes on what it got, while others' messages are still under way."""
    trace = MadeTrace(5)
    for function, ends in [send(1), send(1)]:
        trace.call(0, function, 0, 10, object=0, **ends)
    for function, ends in [receive(0), send(2)]:
        trace.call(1, function, 0, 10, object=0, **ends)
    trace.call(1, "Recv", 0, 10, thread=1, object=0, **receive(0)[1])
    trace.call(2, "Recv", 0, 10, object=0, **receive(1)[1])
    for _ in range(20):
        trace.call(3, "Send", 0, 10, object=0, **send(4)[1])
        trace.call(4, "Recv", 0, 10, object=0, **receive(3)[1])
    settings = Settings()
    settings.within = settings.between = Messages(
        [Cost(None, LATENCY_NS, 0, 0, NS_PER_BYTE, 0)], 1 << 30
    )
    settings.node_of_rank = list(range(5))
    star = make_topology("all-to-all", {"switches": 1, "nodes_per_switch": 5})
    settings.interconnect = Interconnect(star, Speeds(1 / NS_PER_BYTE), 0.0)

    found = simulate.replay(trace.write(tmp_path / "trace.ww"), settings)

    assert found.links.delays_ns == 0
    assert found.ranks[1].end_ns == pytest.approx(LATENCY_NS + 2 * ALONE_NS)
    assert found.ranks[2].end_ns == pytest.approx(2 * (LATENCY_NS + ALONE_NS))


def test_the_same_replay_twice_is_the_same_to_the_last_bit(tmp_path: Path) -> None:
    programs = [
        [
            call
            for by in range(1, 10)
            for call in (send((rank + by) % 10), receive((rank - by) % 10))
        ]
        for rank in range(10)
    ]

    once, again = (replay(tmp_path, programs, bottleneck(5), tolerance=0.1) for _ in range(2))

    assert once.links.delays_ns > 0
    assert [r.end_ns for r in once.ranks] == [r.end_ns for r in again.ranks]


def test_a_node_that_the_topology_lacks_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="its nodes are 0 to 3, but rank 1 is on node 4"):
        replay(tmp_path, [[send(1)], [receive(0)]], bottleneck(2), nodes=[0, 4])


def test_nics_are_shared_by_the_interconnect_or_by_themselves(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="share_nic: expected false with an interconnect"):
        replay(tmp_path, [[send(1)], [receive(0)]], bottleneck(2), share_nic=True)
