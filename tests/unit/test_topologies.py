"""Topologies: counts by the formulae of the field, cuts by trying all, routes without contention.

tests/native/topologies.cpp plays hops and routes.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, deque
from typing import Any

import numpy as np
import pytest

from waywiser.native._native import InvalidInput, Topology, make_topology

Parameters = dict[str, Any]


def counts(topology: Topology) -> tuple[int, int, int, int]:
    properties = topology.properties
    return topology.nodes, topology.switches, properties.host_cables, properties.network_cables


def hops(topology: Topology, a: int, b: int) -> int:
    from_node, to_node = np.array([a], np.uint32), np.array([b], np.uint32)
    return int(topology.hops(from_node, to_node)[0])


@pytest.mark.parametrize(("k", "n"), [(2, 3), (4, 2), (6, 3), (5, 1)])
def test_k_ary_n_trees(k: int, n: int) -> None:
    topology = make_topology("k-ary-n-tree", {"k": k, "n": n})

    assert counts(topology) == (k**n, n * k ** (n - 1), k**n, (n - 1) * k**n)
    assert topology.properties.diameter == 2 * n  # 2n - 1 switches
    if k % 2 == 0:
        assert topology.properties.bisection == k**n // 2


@pytest.mark.parametrize("ports", [2, 4, 8, 36])
def test_three_level_fat_trees(ports: int) -> None:
    topology = make_topology("three-level-fat-tree", {"ports": ports})

    nodes = ports**3 // 4
    assert counts(topology) == (nodes, 5 * ports**2 // 4, nodes, 2 * nodes)
    assert topology.properties.diameter == 6
    assert topology.properties.bisection == ports**3 // 8
    if ports == 36:
        assert (topology.nodes, topology.switches) == (11_664, 1_620)


def test_generalised_fat_trees_by_levels() -> None:
    down, up, cables = [4, 3, 6], [1, 2, 3], [1, 2, 1]
    topology = make_topology("fat-tree", {"down": down, "up": up, "cables": cables})

    def vertices(level: int) -> int:
        return math.prod(down[level:]) * math.prod(up[:level])

    network = sum(vertices(level - 1) * up[level - 1] * cables[level - 1] for level in (2, 3))
    assert counts(topology) == (72, sum(vertices(level) for level in (1, 2, 3)), 72, network)
    assert topology.properties.diameter == 2 * 3


def test_the_taper_of_nurion_halves_what_crosses() -> None:
    topology = make_topology("fat-tree", {"down": [32, 264], "up": [1, 8], "cables": [1, 2]})

    assert topology.properties.bisection == topology.nodes / 2 / 2


@pytest.mark.parametrize(("k", "n"), [(4, 3), (6, 2), (2, 4), (5, 2)])
def test_tori(k: int, n: int) -> None:
    topology = make_topology("torus", {"lengths": [k] * n})

    properties = topology.properties
    assert counts(topology) == (k**n, 0, 0, n * k**n)
    assert properties.diameter == n * (k // 2)
    if k % 2 == 0:
        assert properties.bisection == 2 * k ** (n - 1)
        assert properties.mean_hops == pytest.approx(n * k / 4, rel=1e-12)
    assert topology.grid_lengths == [k] * n
    assert topology.grid_wraps == [True] * n


@pytest.mark.parametrize("dimensions", [1, 3, 6])
def test_hypercubes(dimensions: int) -> None:
    topology = make_topology("hypercube", {"dimensions": dimensions, "nodes_per_switch": 3})

    switches = 2**dimensions
    properties = topology.properties
    assert counts(topology) == (3 * switches, switches, 3 * switches, dimensions * switches // 2)
    assert properties.diameter == dimensions + 2
    assert properties.bisection == switches // 2
    to_switches = 2 * (1 - 1 / topology.nodes)
    assert properties.mean_hops - to_switches == pytest.approx(dimensions / 2, rel=1e-12)


def test_the_bisection_of_an_enhanced_hypercube_is_64_cables_a_plane() -> None:
    parameters = {"dimensions": 5, "nodes_per_switch": 9, "cables": [4] * 5}

    assert make_topology("hypercube", parameters).properties.bisection == 64
    dual = make_topology("hypercube", {**parameters, "planes": 2})
    assert dual.properties.bisection == 2 * 64
    assert (dual.nodes, dual.switches) == (288, 64)


def test_a_bit_complement_uses_each_link_of_a_hypercube_once() -> None:
    topology = make_topology("hypercube", {"dimensions": 5})

    nodes = np.arange(32, dtype=np.uint32)
    assert set(topology.loads(nodes, nodes ^ np.uint32(31))) == {1.0}


@pytest.mark.parametrize("lengths", [[4], [4, 6], [3, 2, 4]])
def test_hyperx(lengths: list[int]) -> None:
    topology = make_topology("hyperx", {"lengths": lengths, "nodes_per_switch": 5})

    switches = math.prod(lengths)
    properties = topology.properties
    links = switches * sum(length - 1 for length in lengths) // 2
    assert counts(topology) == (5 * switches, switches, 5 * switches, links)
    assert properties.diameter == len(lengths) + 2
    assert properties.bisection == min(
        switches // length * (length // 2) * math.ceil(length / 2) for length in lengths
    )
    to_switches = 2 * (1 - 1 / topology.nodes)
    mean = sum(1 - 1 / length for length in lengths)
    assert properties.mean_hops - to_switches == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("arrangement", ["relative", "absolute"])
def test_the_balanced_dragonfly_of_72_nodes(arrangement: str) -> None:
    topology = make_topology(
        "dragonfly",
        {
            "nodes_per_switch": 2,
            "switches_per_group": 4,
            "groups": 9,
            "global_ports": 2,
            "arrangement": arrangement,
        },
    )

    assert counts(topology) == (72, 36, 72, 54 + 36)
    group = [(vertex - 72) // 4 if vertex >= 72 else -1 for vertex in range(108)]
    kinds = Counter(
        group[a] == group[b]
        for a, b in zip(topology.link_from, topology.link_to, strict=True)
        if a >= 72 and b >= 72
    )
    assert kinds == {True: 2 * 54, False: 2 * 36}
    assert set(np.bincount(topology.link_from)[72:]) == {2 + 3 + 2}
    assert topology.properties.diameter == 3 + 2
    assert topology.properties.bisection == 4 * 5


def test_the_largest_slingshot() -> None:
    topology = make_topology(
        "dragonfly",
        {"nodes_per_switch": 16, "switches_per_group": 32, "groups": 545, "global_ports": 17},
    )

    assert (topology.nodes, topology.switches) == (279_040, 17_440)
    ports = np.bincount(topology.link_from)[topology.nodes :]
    assert set(ports) == {16 + 31 + 17}
    with pytest.raises(InvalidInput, match="global_ports must be a whole number from 17"):
        make_topology(
            "dragonfly",
            {"nodes_per_switch": 16, "switches_per_group": 32, "groups": 545, "global_ports": 16},
        )


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("k-ary-n-tree", {"k": 4, "n": 3}),
        ("three-level-fat-tree", {"ports": 8}),
        ("fat-tree", {"down": [6, 4, 3], "up": [1, 3, 4], "cables": [1, 2, 2]}),
    ],
)
def test_shifts_meet_nowhere_with_d_mod_k(kind: str, parameters: Parameters) -> None:
    topology = make_topology(kind, parameters)

    nodes = np.arange(topology.nodes, dtype=np.uint32)
    for shift in range(1, topology.nodes):
        loads = topology.loads(nodes, (nodes + shift) % topology.nodes) / topology.link_cables
        up = topology.link_from < topology.link_to
        assert loads[up].max() == 1, shift


def test_ecmp_spreads_one_message_over_all_routes_up() -> None:
    topology = make_topology("three-level-fat-tree", {"ports": 6, "routing": "ecmp"})

    shares = Counter(round(1 / part) for _, part in topology.route(0, topology.nodes - 1))
    assert shares == {1: 2, 3: 2 * 3, 9: 2 * 9}


CONVENTIONS: list[tuple[str, Parameters, dict[tuple[int, int], int]]] = [
    ("torus", {"lengths": [4, 4, 4]}, {(0, 1): 1, (0, 3): 1, (0, 2): 2, (0, 42): 6}),
    ("hypercube", {"dimensions": 3, "nodes_per_switch": 8}, {(0, 7): 2, (0, 8): 3, (1, 63): 5}),
    ("fat-tree", {"down": [8, 4], "up": [1, 4]}, {(0, 7): 2, (0, 8): 4}),
    ("hierarchy", {"sizes": [16, 2], "distances": [10, 20]}, {(0, 15): 10, (0, 16): 20}),
    # Group 0 reaches group 1 through its first switch, group 7 through its last; group 1 reaches
    # group 0 through the last.
    (
        "dragonfly",
        {"nodes_per_switch": 2, "switches_per_group": 4, "groups": 8},
        {(0, 1): 2, (0, 2): 3, (0, 8 + 6): 3, (0, 8): 4, (2, 8): 5, (6, 56): 3},
    ),
]


@pytest.mark.parametrize(("kind", "parameters", "expected"), CONVENTIONS)
def test_hops_count_links_to_switches_and_distances_as_given(
    kind: str, parameters: Parameters, expected: dict[tuple[int, int], int]
) -> None:
    topology = make_topology(kind, parameters)

    assert {pair: hops(topology, *pair) for pair in expected} == expected


SMALL: list[tuple[str, Parameters]] = [
    ("torus", {"lengths": [4, 2]}),
    ("torus", {"lengths": [4], "nodes_per_switch": 2}),
    ("mesh", {"lengths": [2, 4], "cables": [1, 3]}),
    ("hypercube", {"dimensions": 3, "cables": [1, 2, 3]}),
    ("hypercube", {"dimensions": 2, "nodes_per_switch": 2, "planes": 2}),
    ("hypercube", {"dimensions": 3, "switches_per_plane": 6}),
    ("k-ary-n-tree", {"k": 2, "n": 3}),
    ("fat-tree", {"down": [2, 4], "up": [1, 2], "cables": [1, 2]}),
    ("fat-tree", {"down": [4, 2], "up": [1, 2]}),
    ("hierarchy", {"sizes": [2, 2, 2], "cables": [1, 1, 4]}),
    ("all-to-all", {"switches": 4, "nodes_per_switch": 2}),
    ("hyperx", {"lengths": [2, 4]}),
    ("dragonfly", {"nodes_per_switch": 1, "switches_per_group": 2, "groups": 4}),
]


@pytest.mark.parametrize(("kind", "parameters"), SMALL)
def test_no_cut_into_halves_is_narrower_than_the_bisection(
    kind: str, parameters: Parameters
) -> None:
    topology = make_topology(kind, parameters)

    nodes = range(topology.nodes)
    narrowest = min(
        widest_flow(topology, {0, *half}, set(nodes) - {0, *half})
        for half in itertools.combinations(nodes[1:], topology.nodes // 2 - 1)
    )

    assert topology.properties.bisection == narrowest


def widest_flow(topology: Topology, sources: set[int], sinks: set[int]) -> int:
    """Cables of the narrowest cut between two sets of nodes, as the flow that it lets through."""
    free: dict[int, dict[int, int]] = {}
    for a, b, cables in zip(
        topology.link_from.tolist(),
        topology.link_to.tolist(),
        topology.link_cables.tolist(),
        strict=True,
    ):
        free.setdefault(a, {})[b] = int(cables)
    flow = 0
    while True:
        came: dict[int, int] = dict.fromkeys(sources, -1)
        waiting = deque(sources)
        end = -1
        while waiting and end < 0:
            vertex = waiting.popleft()
            for neighbour, left in free.get(vertex, {}).items():
                if left > 0 and neighbour not in came:
                    came[neighbour] = vertex
                    waiting.append(neighbour)
                    if neighbour in sinks:
                        end = neighbour
                        break
        if end < 0:
            return flow
        flow += 1
        while came[end] >= 0:
            free[came[end]][end] -= 1
            free[end][came[end]] += 1
            end = came[end]


@pytest.mark.parametrize(
    ("kind", "parameters", "half"),
    [
        ("torus", {"lengths": [3, 5]}, range(6)),
        ("mesh", {"lengths": [3, 5]}, range(6)),
        ("all-to-all", {"switches": 5, "cables": 3}, range(2)),
        ("hyperx", {"lengths": [3, 3]}, range(3)),
        ("dragonfly", {"nodes_per_switch": 1, "switches_per_group": 4, "groups": 9}, range(16)),
    ],
)
def test_odd_lengths_are_cut_beside_their_middle(
    kind: str, parameters: Parameters, half: range
) -> None:
    topology = make_topology(kind, parameters)

    vertices = {vertex + (topology.nodes if topology.switches else 0) for vertex in half}
    crossing = sum(
        cables
        for a, b, cables in zip(
            topology.link_from, topology.link_to, topology.link_cables, strict=True
        )
        if a in vertices and b not in vertices and (not topology.switches or b >= topology.nodes)
    )
    assert topology.properties.bisection == crossing


def test_a_link_that_is_down_is_gone_and_walked_around() -> None:
    parameters = {"lengths": [4, 4]}
    whole = make_topology("torus", parameters)
    failed = make_topology("torus", parameters, [[0, 1], [0, 4]])

    assert hops(whole, 0, 1) == 1
    assert hops(failed, 0, 1) == 3
    assert hops(failed, 2, 3) == 1
    assert failed.properties.network_cables == whole.properties.network_cables - 2
    assert failed.kind == "torus"
    assert failed.grid_lengths == [4, 4]
    ends = [(failed.link_from[link], failed.link_to[link]) for link, _ in failed.route(0, 1)]
    assert ends[0][0] == 0
    assert ends[-1][1] == 1
    assert (0, 1) not in ends


def test_some_of_several_cables_may_be_down() -> None:
    parameters = {"sizes": [2, 2], "distances": [7, 9], "cables": [1, 4]}
    failed = make_topology("hierarchy", parameters, [[4, 6, 3]])

    assert failed.properties.network_cables == 5
    assert hops(failed, 0, 2) == 9
    assert hops(failed, 0, 1) == 7
