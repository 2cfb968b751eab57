"""Replays whose messages share links, against closed forms that are derived in each test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.job import Job
from tests.replayed import answered
from tests.written_traces import Case, Written, cases
from waywiser.native import simulate
from waywiser.native._native import Topology, make_topology
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


def flow(
    ranks: int,
    topology: Topology | None = None,
    *,
    eager: int | None = None,
    latencies: int = 1,
    nodes: list[int] | None = None,
    tolerance: float = 0.0,
    hop_ns: float = 0.0,
    share_nic: bool = False,
    link: float = 1.0,
    asynchronous: bool = True,
) -> Settings:
    """Each rank on a node of its own, unless `nodes` says otherwise; links are `link` / G fast.

    Args:
        latencies: of a message; 3 with a handshake, which all have.
    """
    settings = Settings()
    limit = eager if eager is not None else 0 if latencies == 3 else 1 << 30
    costs = [Cost(None, LATENCY_NS, 0, 0, NS_PER_BYTE, 0)]
    settings.within = settings.between = Messages(costs, limit)
    settings.node_of_rank = nodes or list(range(ranks))
    settings.share_nic = share_nic
    settings.asynchronous = asynchronous
    if topology is not None:
        speeds = Speeds(link / NS_PER_BYTE, hop_ns=hop_ns)
        settings.interconnect = Interconnect(topology, speeds, tolerance)
    return settings


def replay(directory: Path, programs: list[list[Call]], settings: Settings) -> Prediction:
    job = Job(len(programs))
    for rank, calls in enumerate(programs):
        for at, (function, parameters) in enumerate(calls):
            job.call(rank, function, 10 * at, 10 * at + 10, **parameters)
    return simulate.replay(job.write(directory / "trace.ww"), settings)


def bottleneck(pairs: int) -> Topology:
    """Two switches of that many nodes, joined by one cable."""
    return make_topology("fat-tree", {"down": [pairs, 2], "up": [1, 1]})


NAMES = {
    **{"L": LATENCY_NS, "G": NS_PER_BYTE, "size": SIZE, "alone": ALONE_NS},
    **{"about": pytest.approx, "make_topology": make_topology, "bottleneck": bottleneck},
}


@pytest.mark.parametrize("case", cases("flows.txt"))
def test_the_replay_of_a_written_trace(tmp_path: Path, case: Case) -> None:
    written = Written(case, **NAMES)
    path = written.job.write(tmp_path / "trace.ww")

    for _, settings, checks in written.questions:
        written.check(answered(path, flow(written.job.ranks, **settings)), checks)


@pytest.mark.parametrize("latencies", [1, 3])
@pytest.mark.parametrize("pairs", [1, 2, 5, 8])
@pytest.mark.parametrize("tolerance", [0.0, 0.1])
def test_messages_over_one_link_take_as_many_times_as_long(
    tmp_path: Path, pairs: int, latencies: int, tolerance: float
) -> None:
    """Rounds there and back: L (three with request and grant) and all pairs' bytes in turn."""
    rounds = 12
    there = [[send(i + pairs), receive(i + pairs)] * rounds for i in range(pairs)]
    back = [[receive(i), send(i)] * rounds for i in range(pairs)]

    settings = flow(2 * pairs, bottleneck(pairs), latencies=latencies, tolerance=tolerance)
    prediction = replay(tmp_path, there + back, settings)

    one_way_ns = latencies * LATENCY_NS + pairs * ALONE_NS
    assert prediction.makespan_ns == pytest.approx(2 * rounds * one_way_ns, rel=1e-9)
    assert prediction.links.delays_ns == pytest.approx(2 * rounds * pairs * (pairs - 1) * ALONE_NS)
    assert sum(prediction.links.bytes) == 2 * rounds * pairs * SIZE * 4
    share = rounds * pairs * ALONE_NS / prediction.makespan_ns
    assert max(prediction.links.utilisation) == pytest.approx(share)
    assert prediction.remarks == []


def test_of_two_threads_that_wait_for_one_sender_both_go_on_in_time(tmp_path: Path) -> None:
    """The first one passes on what it got, while others' messages are still under way."""
    job = Job(5)
    for function, ends in [send(1), send(1)]:
        job.call(0, function, 0, 10, object=0, **ends)
    for function, ends in [receive(0), send(2)]:
        job.call(1, function, 0, 10, object=0, **ends)
    job.call(1, "Recv", 0, 10, thread=1, object=0, **receive(0)[1])
    job.call(2, "Recv", 0, 10, object=0, **receive(1)[1])
    for _ in range(20):
        job.call(3, "Send", 0, 10, object=0, **send(4)[1])
        job.call(4, "Recv", 0, 10, object=0, **receive(3)[1])
    star = make_topology("all-to-all", {"switches": 1, "nodes_per_switch": 5})

    prediction = simulate.replay(job.write(tmp_path / "trace.ww"), flow(5, star))

    assert prediction.links.delays_ns == 0
    assert prediction.ranks[1].end_ns == pytest.approx(LATENCY_NS + 2 * ALONE_NS)
    assert prediction.ranks[2].end_ns == pytest.approx(2 * (LATENCY_NS + ALONE_NS))


def test_the_same_replay_twice_is_the_same_to_the_last_bit(tmp_path: Path) -> None:
    programs = [
        [
            call
            for by in range(1, 10)
            for call in (send((rank + by) % 10), receive((rank - by) % 10))
        ]
        for rank in range(10)
    ]

    settings = flow(10, bottleneck(5), tolerance=0.1)
    once, again = (replay(tmp_path, programs, settings) for _ in range(2))

    assert once.links.delays_ns > 0
    assert [r.end_ns for r in once.ranks] == [r.end_ns for r in again.ranks]
