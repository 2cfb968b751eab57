"""Replays of random programs over links, beside a slow simulation of the same: all ranks and flows
from one event to the next, all rates filled anew after each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.job import Job
from waywiser.native import simulate
from waywiser.native._native import Topology, make_topology
from waywiser.native.simulate import Cost, Interconnect, Messages, Settings, Speeds

NS_PER_BYTE = 0.25
GAP_NS = 40.0
CALL_NS = 10

NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "one cable": ("fat-tree", {"down": [4, 2], "up": [1, 1]}),
    "fat tree": ("k-ary-n-tree", {"k": 2, "n": 3}),
    "fat tree, ECMP": ("k-ary-n-tree", {"k": 2, "n": 3, "routing": "ecmp"}),
    "ring": ("torus", {"lengths": [8]}),
}
RANKS = 8


@dataclass
class Step:
    """Computing, then a message of that size to, or (0) from, a partner."""

    computation_ns: int
    partner: int
    size: int


@dataclass
class Flow:
    ends: tuple[int, int]
    route: Sequence[tuple[int, float]]
    start_ns: float
    left: float
    rate: float = 0.0
    end_ns: float = inf


@dataclass
class Rank:
    steps: list[Step]
    now_ns: float = 0.0
    nic_ns: float = 0.0
    done: int = 0
    computed: bool = False
    received: dict[int, int] = field(default_factory=lambda: defaultdict(int))


def draw(random: np.random.Generator, messages: int) -> list[list[Step]]:
    """Receives in an order in which the sends can come."""
    programs: list[list[Step]] = [[] for _ in range(RANKS)]
    for _ in range(messages):
        a, b = random.choice(RANKS, 2, replace=False).tolist()
        size = int(random.integers(1, 60_000))
        programs[a].append(Step(int(random.integers(0, 4_000)), b, size))
        programs[b].append(Step(int(random.integers(0, 4_000)), a, 0))
    return programs


def fill(flows: list[Flow], capacities: list[float]) -> None:
    """All rise together; those on a full link, or with 1/G, stay."""
    rising = list(flows)
    for flow in flows:
        flow.rate = 0.0
    while rising:
        left, parts = list(capacities), [0.0] * len(capacities)
        for flow in flows:
            for link, part in flow.route:
                left[link] -= part * flow.rate
        for flow in rising:
            for link, part in flow.route:
                parts[link] += part
        levels = [left[i] / parts[i] if parts[i] > 1e-12 else inf for i in range(len(parts))]
        rise = min(*levels, 1 / NS_PER_BYTE - rising[0].rate)
        for flow in rising:
            flow.rate += rise
        if rise < min(levels):
            return
        full = levels.index(min(levels))
        rising = [flow for flow in rising if all(link != full for link, _ in flow.route)]


def ends_ns(programs: list[list[Step]], topology: Topology, link: float, latency: float) -> Any:
    """When each rank ends [ns]."""
    ranks = [Rank(steps) for steps in programs]
    capacities = [cables * link / NS_PER_BYTE for cables in topology.link_cables]
    waiting: list[Flow] = []
    flying: list[Flow] = []
    order: dict[tuple[int, int], list[Flow]] = defaultdict(list)

    def go_on(number: int) -> None:
        rank = ranks[number]
        while rank.done < len(rank.steps):
            step = rank.steps[rank.done]
            if not rank.computed:
                rank.now_ns += step.computation_ns
                rank.computed = True
            if step.size > 0:
                leaves_ns = max(rank.now_ns, rank.nic_ns)
                rank.nic_ns = leaves_ns + GAP_NS + step.size * NS_PER_BYTE
                ends = (number, step.partner)
                flow = Flow(ends, topology.route(*ends), leaves_ns, step.size)
                waiting.append(flow)
                order[ends].append(flow)
            else:
                messages = order[step.partner, number]
                taken = rank.received[step.partner]
                if taken >= len(messages) or messages[taken].end_ns == inf:
                    return
                rank.received[step.partner] += 1
                rank.now_ns = max(rank.now_ns, messages[taken].end_ns + latency)
            rank.done += 1
            rank.computed = False

    now_ns = 0.0
    while True:
        for number in range(RANKS):
            go_on(number)
        if not waiting and not flying:
            break
        fill(flying, capacities)
        over = min((now_ns + f.left / f.rate for f in flying), default=inf)
        next_ns = min([over, *(f.start_ns for f in waiting)])
        for flow in list(flying):
            flow.left -= flow.rate * (next_ns - now_ns)
            if flow.left <= 1e-9:
                flow.end_ns = next_ns
                flying.remove(flow)
        now_ns = next_ns
        for flow in list(waiting):
            if flow.start_ns <= now_ns:
                waiting.remove(flow)
                flying.append(flow)
    assert all(rank.done == len(rank.steps) for rank in ranks)
    return [rank.now_ns for rank in ranks]


def recorded(path: Path, programs: list[list[Step]]) -> str:
    job = Job(RANKS)
    for number, steps in enumerate(programs):
        now = 0
        # All clocks begin with the first call of all.
        job.call(number, "Comm_rank", now, now)
        for step in steps:
            now += step.computation_ns
            ends: dict[str, Any] = {"source": step.partner, "source_tag": 5, "posted": 60_000}
            if step.size > 0:
                ends = {"peer": step.partner, "tag": 5, "bytes": step.size}
            job.call(number, "Send" if step.size > 0 else "Recv", now, now + CALL_NS, **ends)
            now += CALL_NS
    return str(job.write(path))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("latency", [10.0, 700.0, 30_000.0])
@pytest.mark.parametrize("network", NETWORKS)
def test_random_programs_end_when_a_slow_simulation_says(
    tmp_path: Path, network: str, latency: float, seed: int
) -> None:
    """If latencies are longer than most messages, many arrive before any rank goes on."""
    random = np.random.default_rng(seed)
    topology = make_topology(*NETWORKS[network])
    link = float(random.choice([0.4, 1.0, 1.7]))
    programs = draw(random, 60)
    settings = Settings()
    cost = Cost(None, latency, 0, GAP_NS, NS_PER_BYTE, 0)
    settings.within = settings.between = Messages([cost], 1 << 30)
    settings.node_of_rank = list(range(RANKS))
    settings.interconnect = Interconnect(topology, Speeds(link / NS_PER_BYTE), 0.0)

    prediction = simulate.replay(recorded(tmp_path / "trace.ww", programs), settings)

    assert prediction.links.delays_ns > 0
    assert [rank.end_ns for rank in prediction.ranks] == pytest.approx(
        ends_ns(programs, topology, link, latency), rel=1e-9
    )
