"""The judge of placements in the bench, against messages that walk over small machines."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Hashable
from itertools import pairwise, product

import numpy as np
import pytest

from bench.placement import judged
from bench.placing import jobs, networks, peers, stencils
from bench.placing.networks import Traffic

Route = list[Hashable]
"""The vertices that a message visits, from node to node."""


def torus_route(lengths: tuple[int, ...]) -> Callable[[int, int], Route]:
    def route(a: int, b: int) -> Route:
        at, to = places(a, lengths), places(b, lengths)
        visited: Route = [tuple(at)]
        for axis, length in enumerate(lengths):
            forwards = (to[axis] - at[axis]) % length
            step = 1 if forwards <= length - forwards else -1
            while at[axis] != to[axis]:
                at[axis] = (at[axis] + step) % length
                visited.append(tuple(at))
        return visited

    return route


def hypercube_route(dimensions: int, nodes: int) -> Callable[[int, int], Route]:
    def route(a: int, b: int) -> Route:
        at, to = a // nodes, b // nodes
        visited: Route = [("node", a), at]
        for bit in range(dimensions):
            if (at ^ to) >> bit & 1:
                at ^= 1 << bit
                visited.append(at)
        return [*visited, ("node", b)]

    return route


def dragonfly_route(nodes: int, routers: int, groups: int) -> Callable[[int, int], Route]:
    links = -(-(groups - 1) // routers)
    gate = {}  # the router of a group from which a link goes to another
    for group in range(groups):
        for port in range(groups - 1):
            gate[group, (group + 1 + port) % groups] = (group, port // links)

    def route(a: int, b: int) -> Route:
        (x, g), (y, h) = ((n // nodes % routers, n // nodes // routers) for n in (a, b))
        visited: Route = [("node", a), (g, x)]
        if g != h:
            visited += [gate[g, h], gate[h, g]]
        visited += [(h, y), ("node", b)]
        return [vertex for vertex, after in pairwise([*visited, None]) if vertex != after]

    return route


def places(number: int, sizes: tuple[int, ...]) -> list[int]:
    coordinates = []
    for size in sizes:
        coordinates.append(number % size)
        number //= size
    return coordinates


MACHINES = [
    ("torus:4,3,2,2", torus_route((4, 3, 2))),
    ("torus:5,4,1", torus_route((5, 4))),
    ("hcube:3,2,3", hypercube_route(3, 2)),
    ("dfly:2,3,5,2", dragonfly_route(2, 3, 5)),
    ("dfly:1,2,7,3", dragonfly_route(1, 2, 7)),
]


def some_traffic(ranks: int, seed: int) -> Traffic:
    dice = np.random.default_rng(seed)
    a, b = np.triu_indices(ranks, 1)
    chosen = dice.random(a.size) < 0.3
    a, b = a[chosen], b[chosen]
    sent, back = dice.integers(0, 2**40, (2, a.size))
    return Traffic(ranks, a, b, sent, back)


@pytest.mark.parametrize(("target", "route"), MACHINES)
def test_costs_are_those_of_walking_messages(
    target: str, route: Callable[[int, int], Route]
) -> None:
    machine = networks.parse(target)
    ranks = machine.nodes * machine.slots_of_node
    traffic = some_traffic(ranks, 3)
    slots = np.random.default_rng(4).permutation(ranks)
    hop_bytes = 0.0
    loads: Counter[tuple[Hashable, Hashable]] = Counter()
    for a, b, sent, back in zip(
        *(getattr(traffic, name).tolist() for name in ("a", "b", "a_to_b", "b_to_a")), strict=True
    ):
        x, y = (int(slots[rank]) // machine.slots_of_node for rank in (a, b))
        if x == y:
            continue
        hop_bytes += (len(route(x, y)) - 1) * (sent + back) / 2
        for source, target_node, load in ((x, y, sent), (y, x, back)):
            for link in pairwise(route(source, target_node)):
                loads[link] += load

    cost = networks.cost(machine, traffic, slots)

    assert cost.hop_bytes == pytest.approx(hop_bytes, rel=1e-12)
    assert cost.busiest_cable_bytes == pytest.approx(max(loads.values()), rel=1e-12)
    between = [load for (a, b), load in loads.items() if "node" not in (*as_tuple(a), *as_tuple(b))]
    assert cost.busiest_link_bytes == pytest.approx(max(between), rel=1e-12)


def as_tuple(vertex: Hashable) -> tuple[Hashable, ...]:
    return vertex if isinstance(vertex, tuple) else (vertex,)


def test_a_fat_tree_spreads_over_half_as_many_links_as_its_leaves_have_nodes() -> None:
    """ftree:2,4,3,2: 4 nodes a leaf, so 2 links up; 3 leaves, so 6 links up from there."""
    machine = networks.parse("ftree:2,4,3,2")
    one_pair = Traffic(48, *(np.array([n]) for n in (0, 47, 600, 0)))

    far = networks.cost(machine, one_pair, np.arange(48))
    near = networks.cost(machine, dataclasses.replace(one_pair, b=np.array([8])), np.arange(48))
    same_leaf = networks.cost(
        machine, dataclasses.replace(one_pair, b=np.array([2])), np.arange(48)
    )

    assert (far.hop_bytes, near.hop_bytes, same_leaf.hop_bytes) == (6 * 300, 4 * 300, 2 * 300)
    assert (far.busiest_link_bytes, near.busiest_link_bytes) == (300, 300)
    assert same_leaf.busiest_link_bytes == 0
    assert far.busiest_cable_bytes == 600


def test_levels_of_a_hierarchy_have_their_distances() -> None:
    machine = networks.parse("hier:2,2,3,2/1,3,10,20")
    slots = np.arange(24)
    a, b = (grid.ravel() for grid in np.meshgrid(slots, slots))

    def distance(x: int, y: int) -> int:
        for size, away in ((1, 0), (2, 1), (4, 3), (12, 10)):
            if x // size == y // size:
                return away
        return 20

    expected = [distance(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert machine.distance(a, b).tolist() == expected


@pytest.mark.parametrize(
    ("target", "hop_bytes", "busiest_link_bytes"),
    [
        ("torus:4,4,4,16", 104_857_600, 2_621_440),
        ("dfly:2,4,8,16", 203_423_744, 4_194_304),
        ("ftree:32,8,4", 109_051_904, 2_097_152),
        ("hcube:3,8,16", 163_577_856, 8_388_608),
        ("hier:16,2,16,2/1,3,10,20", 543_162_368, 4_194_304),
    ],
)
def test_a_halo_in_default_order_costs_what_others_have_published(
    target: str, hop_bytes: float, busiest_link_bytes: float
) -> None:
    """J as in the index of the issue's instances, which another program has computed."""
    traffic = stencils.halo3d7(16, 8, 8)

    cost = networks.cost(networks.parse(target), traffic, np.arange(traffic.ranks))

    assert (cost.hop_bytes, cost.busiest_link_bytes) == (hop_bytes, busiest_link_bytes)


def test_stencils_join_the_neighbours_of_each_point() -> None:
    result = stencils.stencil((3, 4, 2), {1: 5, 3: 7}, periodic=False)
    counts = Counter(zip(result.a.tolist(), result.b.tolist(), result.a_to_b.tolist(), strict=True))

    points = {x + 3 * y + 12 * z: (x, y, z) for x, y, z in product(range(3), range(4), range(2))}
    expected: Counter[tuple[int, int, int]] = Counter()
    for (a, p), (b, q) in product(points.items(), repeat=2):
        steps = [abs(u - v) for u, v in zip(p, q, strict=True)]
        if a < b and max(steps) == 1 and sum(steps) in (1, 3):
            expected[a, b, {1: 5, 3: 7}[sum(steps)]] += 1
    ordered = Counter({(min(a, b), max(a, b), w): n for (a, b, w), n in counts.items()})
    assert ordered == expected
    ring = stencils.stencil((5,), {1: 2}, periodic=True)
    assert {frozenset(pair) for pair in zip(ring.a.tolist(), ring.b.tolist(), strict=True)} == {
        frozenset((k, (k + 1) % 5)) for k in range(5)
    }


def test_tiles_on_a_torus_reach_the_bound_that_is_called_optimal() -> None:
    job = jobs.folded("", "torus:4,4,4,16", (16, 8, 8), 1)
    name = np.random.default_rng(1).permutation(1024)
    x, y, z = np.arange(16), np.arange(8)[:, None], np.arange(8)[:, None, None]
    node = x // 4 + 4 * (y // 2) + 16 * (z // 2)
    slot = 16 * node + x % 4 + 4 * (y % 2) + 8 * (z % 2)
    slots = np.empty(1024, np.int64)
    slots[name] = slot.ravel()

    assert networks.cost(job.machine, job.traffic, slots).hop_bytes == job.best_hop_bytes


def test_a_node_with_more_ranks_than_its_slots_is_seen() -> None:
    traffic = stencils.halo2d5(4, 2)
    job = jobs.Job("", "torus:2,2,3", traffic, np.array([0, 1, 3, 4, 5, 6, 9, 10, 11]))
    good, bad = job.slots[[8, 1, 2, 3, 4, 5, 6, 7]], np.array([0, 1, 2, 3, 4, 5, 6, 9])

    assert judged(job, good, "", "", {})["overfull_nodes"] == 0
    assert judged(job, bad, "", "", {})["overfull_nodes"] == 1
    assert judged(job, good[[0, 0, 2, 3, 4, 5, 6, 7]], "", "", {})["slots_used_twice"] == 1


def test_ranks_of_full_sites_move_to_the_nearest_free_slots() -> None:
    job = jobs.whole("", "torus:8,2", stencils.halo2d5(4, 4))

    slots, moved = peers.fitted(job, np.array([0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 6, 7]))

    nodes = (slots // 2).tolist()
    assert moved == 2
    assert sorted(slots.tolist()) == list(range(16))
    assert nodes[:4] == [0, 0, 7, 3]
    assert nodes[4:] == [1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 6, 7]
