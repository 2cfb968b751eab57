"""Adaptive routing: detours of topologies, closed forms, and a slow simulation of the same choices.

The simulation fills all rates anew after each event, counts messages on links as fractions, and
draws detours by a SplitMix64 of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, pairwise
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.job import Job
from waywiser.native import simulate
from waywiser.native._native import Speeds, Topology, flow_arrivals_ns, make_topology
from waywiser.native.simulate import Cost, Interconnect, Messages, Settings

SPEED = 12.5
"""Bytes per nanosecond."""

SIZE = 1e6
ALONE_NS = SIZE / SPEED
HOP_NS = 100.0

NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "dragonfly": (
        "dragonfly",
        {"nodes_per_switch": 2, "switches_per_group": 4, "groups": 5, "local_cables": 2},
    ),
    "dragonfly of few groups": (
        "dragonfly",
        {"nodes_per_switch": 2, "switches_per_group": 3, "groups": 4, "links_per_pair": 2},
    ),
    "HyperX": ("hyperx", {"lengths": [3, 4], "nodes_per_switch": 4, "cables": [2, 1]}),
    "row": ("hyperx", {"lengths": [6], "nodes_per_switch": 4}),
}

every_network = pytest.mark.parametrize("network", NETWORKS)


def topology_of(network: str, routing: str = "adaptive", **others: Any) -> Topology:
    kind, parameters = NETWORKS[network]
    return make_topology(kind, {**parameters, "routing": routing, **others})


def groups(count: int, nodes: int, routing: str = "adaptive") -> Topology:
    """Each group is one switch, so a minimal route has 3 hops and a detour has 4."""
    parameters = {"nodes_per_switch": nodes, "switches_per_group": 1, "groups": count}
    return make_topology("dragonfly", {**parameters, "routing": routing})


def arrivals(
    topology: Topology,
    a: Sequence[int] | NDArray[Any],
    b: Sequence[int] | NDArray[Any],
    start_ns: Sequence[float] | NDArray[Any] | None = None,
    size: float | Sequence[float] | NDArray[Any] = SIZE,
    seed: int = 0,
    hop_ns: float = 0.0,
) -> NDArray[np.float64]:
    start = np.zeros(len(a)) if start_ns is None else np.asarray(start_ns, dtype=float)
    sizes = np.broadcast_to(np.asarray(size, dtype=float), len(a)).copy()
    sources, targets = np.asarray(a, dtype=np.uint32), np.asarray(b, dtype=np.uint32)
    speeds = Speeds(SPEED, hop_ns=hop_ns)
    return np.asarray(flow_arrivals_ns(topology, speeds, sources, targets, start, sizes, seed=seed))


def switches(topology: Topology, links: Iterable[tuple[int, float]]) -> list[int]:
    """Switches on the way of a detour, which is a chain of links."""
    chain = [(int(topology.link_from[link]), int(topology.link_to[link])) for link, _ in links]
    assert all(before[1] == after[0] for before, after in pairwise(chain))
    return [to - topology.nodes for _, to in chain[:-1]]


@pytest.mark.parametrize("network", ["dragonfly", "dragonfly of few groups"])
def test_detours_of_a_dragonfly_lead_through_each_third_group_or_switch(network: str) -> None:
    topology, parameters = topology_of(network), NETWORKS[network][1]
    in_group, all_groups = parameters["switches_per_group"], parameters["groups"]
    links_per_pair = parameters.get("links_per_pair", 1)
    for a in range(topology.nodes):
        for b in range(topology.nodes):
            routes = [switches(topology, detour) for detour in topology.detours(a, b)]
            from_switch, to_switch = a // 2, b // 2
            ends = {from_switch // in_group, to_switch // in_group}
            if from_switch == to_switch:
                assert not routes
            elif len(ends) == 1:
                others = set(range(in_group)) - {from_switch % in_group, to_switch % in_group}
                assert {route[1] % in_group for route in routes} == others
                assert all({s // in_group for s in route} == ends for route in routes)
                assert len(routes) == len(others)
            else:
                through = [{s // in_group for s in route} - ends for route in routes]
                assert all(len(third) == 1 for third in through)
                assert set.union(*through) == set(range(all_groups)) - ends
                assert len(routes) == (all_groups - 2) * links_per_pair**2
            assert all((route[0], route[-1]) == (from_switch, to_switch) for route in routes)
            assert all(part == 1 for detour in topology.detours(a, b) for _, part in detour)
            assert len({tuple(detour) for detour in topology.detours(a, b)}) == len(routes)


def test_detours_of_a_hyperx_lead_through_each_other_switch() -> None:
    topology = topology_of("HyperX")
    for a in range(topology.nodes):
        for b in range(topology.nodes):
            routes = [switches(topology, detour) for detour in topology.detours(a, b)]
            ends = {a // 4, b // 4}
            assert len(routes) == (0 if len(ends) == 1 else topology.switches - 2)
            assert all((route[0], route[-1]) == (a // 4, b // 4) for route in routes)
            middles = [s for s in range(topology.switches) if s not in ends]
            assert all(s in route for s, route in zip(middles, routes, strict=False))


@every_network
def test_minimal_routes_stay_and_have_no_detours(network: str) -> None:
    topology, minimal = topology_of(network), topology_of(network, "minimal")
    for a in range(0, topology.nodes, 3):
        for b in range(topology.nodes):
            assert topology.route(a, b) == minimal.route(a, b)
            assert minimal.detours(a, b) == []


def test_detours_over_a_failed_link_are_not_there() -> None:
    """Without the link of groups 0 and 2, group 0 reaches group 1 through group 3 alone."""
    parameters = {"nodes_per_switch": 8, "switches_per_group": 1, "groups": 4}
    topology = make_topology("dragonfly", {**parameters, "routing": "adaptive"}, [[32, 34]])
    assert [len(detour) for detour in topology.detours(0, 8)] == [0, 4]

    # A message that draws none of the four takes the minimal route.
    last = arrivals(topology, range(7), range(8, 15)).max()
    assert 4 * ALONE_NS <= last < 7 * ALONE_NS


@pytest.mark.parametrize("nodes", [1, 2, 7, 8, 14, 28])
def test_messages_of_one_group_balance_loads_times_hops(nodes: int) -> None:
    """With one detour, each message takes the lesser load times hops; minimal if equal."""
    minimal = detours = 0
    for _ in range(nodes):
        if 3 * minimal <= 4 * detours:
            minimal += 1
        else:
            detours += 1

    arrived_ns = arrivals(groups(3, nodes), range(nodes), range(nodes, 2 * nodes))

    expected = [detours * ALONE_NS] * detours + [minimal * ALONE_NS] * minimal
    assert sorted(arrived_ns) == pytest.approx(sorted(expected), rel=1e-12)


@pytest.mark.parametrize("all_groups", [3, 4, 5, 9, 17])
def test_one_group_that_sends_to_another_gains_as_much_as_its_detours_allow(
    all_groups: int,
) -> None:
    """If m messages are on the minimal route, 3 m / 4 are on each of g - 2 detours."""
    nodes = 420
    a = np.arange(nodes)

    last = arrivals(groups(all_groups, nodes), a, a + nodes).max()
    minimal = arrivals(groups(all_groups, nodes, "minimal"), a, a + nodes).max()

    assert minimal == pytest.approx(nodes * ALONE_NS, rel=1e-12)
    balanced = 1 + 0.75 * (all_groups - 2)
    assert 0.95 * balanced < minimal / last < min(1.05 * balanced, all_groups - 1)


@pytest.mark.parametrize("all_groups", [4, 6, 9])
def test_groups_that_send_to_the_next_gain_no_more_than_half_their_number(all_groups: int) -> None:
    """A detour takes two of the g (g - 1) global links: m + 2 d = (g - 1) m."""
    nodes = 48
    a = np.random.default_rng(1).permutation(nodes * all_groups)
    b = (a + nodes) % (nodes * all_groups)

    last = arrivals(groups(all_groups, nodes), a, b).max()

    gain = nodes * ALONE_NS / last
    assert 0.6 * all_groups / 2 < gain <= all_groups / 2


def test_uniform_all_to_all_gains_nothing() -> None:
    """Minimal routes fill all global links to the end."""
    nodes, all_groups = 6, 5
    a, b = (indices.ravel() for indices in np.indices((30, 30)))
    order = np.random.default_rng(1).permutation(len(a))
    order = order[(a // nodes != b // nodes)[order]]

    last, minimal = (
        arrivals(groups(all_groups, nodes, routing), a[order], b[order]).max()
        for routing in ("adaptive", "minimal")
    )

    assert minimal == pytest.approx(nodes**2 * ALONE_NS, rel=1e-9)
    assert 1 <= last / minimal < 1.5


def test_messages_that_their_own_node_holds_up_take_no_detours() -> None:
    """The link of the node is as loaded as the global link, on each route."""
    arrived_ns = arrivals(groups(5, 4), [0] * 4, [4, 5, 6, 7], hop_ns=HOP_NS)

    assert arrived_ns.tolist() == [4 * ALONE_NS + 3 * HOP_NS] * 4


def test_a_row_of_switches_is_a_dragonfly_of_groups_of_one() -> None:
    random = np.random.default_rng(7)
    row = make_topology("hyperx", {"lengths": [6], "nodes_per_switch": 4, "routing": "adaptive"})
    a, b = random.integers(0, 24, (2, 200))
    start = random.uniform(0, 20 * ALONE_NS, 200)

    assert arrivals(row, a, b, start).tolist() == arrivals(groups(6, 4), a, b, start).tolist()


@every_network
def test_an_idle_network_routes_minimally_to_the_last_bit(network: str) -> None:
    """After bursts as well, whose parts of messages must leave nothing on the links."""
    random = np.random.default_rng(3)
    adaptive, minimal = (
        topology_of(network, routing, **({"links_per_pair": 3} if "dragonfly" in network else {}))
        for routing in ("adaptive", "minimal")
    )
    a, b = random.integers(0, adaptive.nodes, (2, 400))
    alone = np.arange(400) % 8 == 7
    burst = np.repeat(np.arange(50), 8) * 1000 * ALONE_NS
    start = burst + np.where(alone, 900 * ALONE_NS, random.uniform(0, ALONE_NS, 400))

    by_load, fixed = (
        arrivals(topology, a, b, start, hop_ns=HOP_NS) for topology in (adaptive, minimal)
    )

    assert by_load[alone].tolist() == fixed[alone].tolist()
    assert by_load[~alone].tolist() != fixed[~alone].tolist()


@dataclass
class Flow:
    number: int
    route: Sequence[tuple[int, float]]
    left: float
    rate: float = 0.0


def splitmix64(seed: int) -> Iterable[int]:
    mask = (1 << 64) - 1
    for state in count(seed + 0x9E3779B97F4A7C15, 0x9E3779B97F4A7C15):
        z = state & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        yield z ^ z >> 31


def fill(flows: list[Flow], cables: Sequence[float]) -> None:
    """Raise all rates together; flows on a full link keep theirs."""
    rising = list(flows)
    for flow in flows:
        flow.rate = 0.0
    while rising:
        left, parts = [SPEED * number for number in cables], [0.0] * len(cables)
        for flow in flows:
            for link, part in flow.route:
                left[link] -= part * flow.rate
        for flow in rising:
            for link, part in flow.route:
                parts[link] += part
        levels = [left[i] / parts[i] if parts[i] > 0 else inf for i in range(len(parts))]
        full = levels.index(min(levels))
        for flow in rising:
            flow.rate += levels[full]
        rising = [flow for flow in rising if all(link != full for link, _ in flow.route)]


def slow_arrivals(
    topology: Topology, messages: Sequence[tuple[int, int, float, float]], seed: int
) -> tuple[list[float], int]:
    """Arrivals of messages (from, to, start, bytes), and the number of detours."""
    chances = iter(splitmix64(seed))
    cables = [int(number) for number in topology.link_cables]

    def routed(a: int, b: int, flying: list[Flow]) -> Sequence[tuple[int, float]]:
        loads = [Fraction(0)] * len(cables)
        for flow in flying:
            for link, part in flow.route:
                loads[link] += Fraction(part)

        def cost(route: Sequence[tuple[int, float]], hops: int) -> Fraction:
            return (
                max((loads[link] / cables[link] for link, _ in route), default=Fraction(0)) * hops
            )

        minimal, detours = topology.route(a, b), topology.detours(a, b)
        (hops,) = topology.hops(*(np.array([node], dtype=np.uint32) for node in (a, b)))
        least = cost(minimal, int(hops))
        if not detours or not least:
            return minimal
        drawn = [detours[next(chances) % len(detours)] for _ in range(3)]
        best = min(drawn, key=lambda route: cost(route, len(route)))
        return best if cost(best, len(best)) < least else minimal

    waiting = sorted(range(len(messages)), key=lambda i: messages[i][2])
    flying: list[Flow] = []
    ends = [start for _, _, start, _ in messages]
    now, detours = 0.0, 0
    while waiting or flying:
        fill(flying, cables)
        start = messages[waiting[0]][2] if waiting else inf
        then = min(start, min((now + flow.left / flow.rate for flow in flying), default=inf))
        for flow in flying:
            flow.left -= flow.rate * (then - now)
            if flow.left <= 1e-6:
                ends[flow.number] = then + HOP_NS * sum(part for _, part in flow.route)
        flying = [flow for flow in flying if flow.left > 1e-6]
        now = then
        if start == now:
            a, b, _, size = messages[waiting[0]]
            if a != b:
                flying.append(Flow(waiting[0], routed(a, b, flying), size))
                detours += flying[-1].route != topology.route(a, b)
            waiting.pop(0)
    return ends, detours


@pytest.mark.parametrize("seed", [0, 1, 2**63 + 5])
@every_network
def test_random_messages_arrive_when_a_slow_simulation_says(network: str, seed: int) -> None:
    random = np.random.default_rng(seed % 1000)
    topology = topology_of(network)
    a, b = random.integers(0, topology.nodes, (2, 150))
    quarter = topology.nodes // 4
    a, b = (
        np.where(np.arange(150) % 3, part, whole)
        for part, whole in ((a % quarter, a), (a % quarter + quarter, b))
    )
    start, size = random.uniform(0, 6 * ALONE_NS, 150), random.uniform(0.1 * SIZE, 2 * SIZE, 150)
    messages = [(int(a[i]), int(b[i]), float(start[i]), float(size[i])) for i in range(150)]

    arrived_ns = arrivals(topology, a, b, start, size, seed=seed, hop_ns=HOP_NS)
    slow, detours = slow_arrivals(topology, messages, seed)

    assert detours > 10
    assert arrived_ns == pytest.approx(np.array(slow), rel=1e-9)


def test_another_seed_draws_other_detours_and_the_same_seed_the_same() -> None:
    topology = topology_of("dragonfly")
    a = np.repeat(np.arange(8), 20)
    first, again, other = (arrivals(topology, a, a + 8, seed=seed) for seed in (1, 1, 2))

    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


@pytest.mark.parametrize(("routing", "minimal", "detours"), [("adaptive", 4, 3), ("minimal", 7, 0)])
def test_a_replay_counts_bytes_where_messages_went(
    tmp_path: Path, routing: str, minimal: int, detours: int
) -> None:
    """Seven nodes of a group send to another one: 3 x 4 = 4 x 3 (three hops, four hops)."""
    job = Job(14)
    for rank in range(7):
        job.call(rank, "Send", 0, 10, peer=rank + 7, tag=5, bytes=100_000)
        job.call(rank + 7, "Recv", 0, 10, source=rank, source_tag=5, posted=100_000)
    settings, topology = Settings(), groups(3, 7, routing)
    cost = Cost(None, 1500.0, 0, 0, 1 / SPEED, 0)
    settings.within = settings.between = Messages([cost], 1 << 30)
    settings.node_of_rank = list(range(14))
    settings.interconnect = Interconnect(topology, Speeds(SPEED), 0.0, seed=3)

    prediction = simulate.replay(str(job.write(tmp_path / "trace.ww")), settings)

    assert prediction.makespan_ns == pytest.approx(1500 + minimal * 100_000 / SPEED, rel=1e-9)
    carried = {
        (int(a) - 21, int(b) - 21): bytes_
        for a, b, bytes_ in zip(
            topology.link_from, topology.link_to, prediction.links.bytes, strict=True
        )
        if min(a, b) >= 21 and bytes_
    }
    over = {(0, 1): minimal, (0, 2): detours, (2, 1): detours}
    assert carried == {ends: 100_000 * times for ends, times in over.items() if times}
