"""Flows that share links: closed forms, and rates with a tolerance beside exact ones.

tests/native/max_min.cpp plays rates that come and go; tests/verification/test_max_min_simgrid.py
has SimGrid's word; test_flows_replay.py replays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from waywiser.native._native import (
    InvalidInput,
    Speeds,
    Topology,
    flow_arrivals_ns,
    make_topology,
    max_min_rates,
)

Numbers = NDArray[np.float64]

SPEED = 12.5
"""Bytes per nanosecond."""


def bottleneck(pairs: int) -> Topology:
    """Two switches of that many nodes, joined by one cable."""
    return make_topology("fat-tree", {"down": [pairs, 2], "up": [1, 1]})


def nodes(of: Sequence[int] | NDArray[Any]) -> NDArray[np.uint32]:
    return np.array(of, dtype=np.uint32)


def numbers(of: Sequence[float] | NDArray[Any]) -> Numbers:
    return np.array(of, dtype=np.float64)


def arrivals(
    topology: Topology,
    a: Sequence[int] | NDArray[Any],
    b: Sequence[int] | NDArray[Any],
    start_ns: Sequence[float] | NDArray[Any],
    size: Sequence[float] | NDArray[Any],
    tolerance: float = 0,
    **speeds: float,
) -> Numbers:
    arrived_ns = flow_arrivals_ns(
        topology,
        Speeds(SPEED, **speeds),
        nodes(a),
        nodes(b),
        numbers(start_ns),
        numbers(size),
        tolerance,
    )
    return np.asarray(arrived_ns)


either = pytest.mark.parametrize("tolerance", [0, 0.1])


@either
@pytest.mark.parametrize("flows", [1, 2, 7, 64])
def test_flows_over_one_link_take_as_many_times_as_long(flows: int, tolerance: float) -> None:
    a = np.arange(flows)
    arrived_ns = arrivals(
        bottleneck(64), a, a + 64, np.zeros(flows), np.full(flows, 1e6), tolerance=tolerance
    )

    assert arrived_ns == pytest.approx(np.full(flows, flows * 1e6 / SPEED), rel=1e-9)


@either
def test_a_flow_that_comes_later_slows_the_first_from_then_on(tolerance: float) -> None:
    """Half of the first has crossed alone when the second comes; its other half takes as long as
    half of the second; the rest of the second crosses alone."""
    alone_ns = 1e6 / SPEED
    arrived_ns = arrivals(
        bottleneck(2), [0, 1], [2, 3], [0, alone_ns / 2], [1e6, 1e6], tolerance=tolerance
    )

    assert arrived_ns == pytest.approx([1.5 * alone_ns, 2 * alone_ns], rel=1e-9)


@either
def test_flows_of_all_sizes_leave_one_after_the_other(tolerance: float) -> None:
    """Sizes 1 to n over one link: the k-th is through when k + (k-1) + ... have been served of each
    that is still there, so after the sum over j <= k of n - j + 1."""
    n = 40
    sizes = np.arange(1, n + 1) * 1e5
    arrived_ns = arrivals(
        bottleneck(n), np.arange(n), np.arange(n) + n, np.zeros(n), sizes, tolerance=tolerance
    )

    assert arrived_ns == pytest.approx(np.cumsum(n - np.arange(n)) * 1e5 / SPEED, rel=1e-9)


@either
@pytest.mark.parametrize("shift", [1, 5, 32, 63])
def test_shifts_are_free_of_contention_on_a_full_fat_tree(shift: int, tolerance: float) -> None:
    """D-Mod-K gives each its own links (E. Zahavi, J. Parallel Distrib. Comput. 72(11), 2012)."""
    topology = make_topology("k-ary-n-tree", {"k": 4, "n": 3})
    a = np.arange(64)
    arrived_ns = arrivals(
        topology, a, (a + shift) % 64, np.zeros(64), np.full(64, 1e6), tolerance=tolerance
    )

    assert arrived_ns == pytest.approx(np.full(64, 1e6 / SPEED), rel=1e-12)


@either
def test_an_incast_takes_the_time_of_all_its_bytes(tolerance: float) -> None:
    topology = make_topology("k-ary-n-tree", {"k": 4, "n": 3})
    arrived_ns = arrivals(
        topology, [5, 20, 40], [0, 0, 0], [0, 0, 0], [1e6] * 3, tolerance=tolerance
    )

    assert arrived_ns == pytest.approx([3e6 / SPEED] * 3, rel=1e-9)


@either
def test_a_node_puts_on_all_of_its_cables_no_more_than_its_nic_gives(tolerance: float) -> None:
    topology = make_topology("torus", {"lengths": [4, 4]})
    alone = arrivals(topology, [0, 0], [1, 4], [0, 0], [1e6] * 2, tolerance=tolerance)
    shared = arrivals(
        topology, [0, 0], [1, 4], [0, 0], [1e6] * 2, tolerance=tolerance, nic_bytes_per_ns=SPEED
    )

    assert alone == pytest.approx([1e6 / SPEED] * 2)
    assert shared == pytest.approx([2e6 / SPEED] * 2, rel=1e-9)


def test_what_a_slow_flow_leaves_goes_to_the_fast_one() -> None:
    """Flows 0 and 1 share the cable between the switches with two others, so that each gets a
    quarter; flow 4 shares only its sender's link with flow 0, and gets three quarters of that."""
    rates = max_min_rates(
        bottleneck(4), Speeds(SPEED), nodes([0, 1, 2, 3, 0]), nodes([4, 5, 6, 7, 1])
    )

    assert np.asarray(rates) / SPEED == pytest.approx([1 / 4] * 4 + [3 / 4])


def test_a_message_to_the_own_node_and_an_empty_one_take_no_link() -> None:
    speeds = {"hop_ns": 100.0}
    arrived_ns = arrivals(bottleneck(2), [0, 0], [0, 2], [7, 7], [1e6, 0], **speeds)

    assert arrived_ns.tolist() == [7, 7 + 4 * 100]


def test_twice_the_bytes_take_twice_as_long_and_twice_the_speed_half() -> None:
    random = np.random.default_rng(3)
    topology = make_topology(
        "dragonfly", {"nodes_per_switch": 2, "switches_per_group": 4, "groups": 9}
    )
    a, b = random.integers(0, 72, (2, 300), dtype=np.uint32)
    start, size = random.uniform(0, 1e5, 300), random.uniform(1, 1e6, 300)
    once = np.asarray(flow_arrivals_ns(topology, Speeds(SPEED), a, b, start, size))
    twice = np.asarray(flow_arrivals_ns(topology, Speeds(SPEED), a, b, 2 * start, 2 * size))
    fast = np.asarray(flow_arrivals_ns(topology, Speeds(2 * SPEED), a, b, start / 2, size))

    assert twice == pytest.approx(2 * once, rel=1e-9)
    assert fast == pytest.approx(once / 2, rel=1e-9)


def pattern(
    name: str, count: int, random: np.random.Generator
) -> tuple[Any, Any, Numbers, Numbers]:
    every = np.arange(count)
    if name == "permutation":
        return every, random.permutation(count), np.zeros(count), np.full(count, 1e6)
    if name == "all to all":
        a, b = np.repeat(every, count), np.tile(every, count)
        return a, b, np.zeros(count * count), np.full(count * count, 1e4)
    if name == "incast":
        return every, every % 3, random.uniform(0, 1e3, count), np.full(count, 1e6)
    a = np.repeat(every, 6)
    b = random.integers(0, count, 6 * count)
    return a, b, random.uniform(0, 4e5, 6 * count), random.exponential(1e6, 6 * count)


NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "fat tree": ("k-ary-n-tree", {"k": 4, "n": 3}),
    "tapered fat tree": ("fat-tree", {"down": [4, 4, 4], "up": [1, 2, 2]}),
    "fat tree, ECMP": ("k-ary-n-tree", {"k": 4, "n": 3, "routing": "ecmp"}),
    "torus": ("torus", {"lengths": [4, 4, 4]}),
    "dragonfly": ("dragonfly", {"nodes_per_switch": 2, "switches_per_group": 4, "groups": 9}),
}


@pytest.mark.parametrize("name", ["permutation", "all to all", "incast", "random"])
@pytest.mark.parametrize("network", NETWORKS)
def test_a_tolerance_costs_no_more_than_its_note_says(network: str, name: str) -> None:
    """Limits of docs/design/017-contention.md: mean error of all times, error of the last."""
    topology = make_topology(*NETWORKS[network])
    for seed in range(3):
        a, b, start, size = pattern(name, topology.nodes, np.random.default_rng(seed))
        others = a != b
        a, b, start, size = a[others], b[others], start[others], size[others]
        exact, near = (arrivals(topology, a, b, start, size, by) for by in (0, 0.1))

        assert np.mean(np.abs((near - start) / (exact - start) - 1)) < 0.02
        assert abs(near.max() / exact.max() - 1) < 0.03


@pytest.mark.parametrize(
    ("speeds", "a", "start", "size", "message"),
    [
        ((0.0,), 0, 0.0, 8.0, "link_bytes_per_ns: expected a number above 0"),
        ((1.0, -1.0), 0, 0.0, 8.0, "nic_bytes_per_ns: expected a number above 0"),
        ((1.0, 1.0, -1.0), 0, 0.0, 8.0, "hop_ns: expected a number from 0 on"),
        ((1.0,), 4, 0.0, 8.0, "node 4 is not in the network, whose nodes are 0 to 3"),
        ((1.0,), 0, float("nan"), 8.0, "start_ns"),
        ((1.0,), 0, 0.0, -8.0, "bytes"),
    ],
)
def test_what_is_wrong_is_named(
    speeds: tuple[float, ...], a: int, start: float, size: float, message: str
) -> None:
    flow = (nodes([a]), nodes([1]), numbers([start]), numbers([size]))
    with pytest.raises(InvalidInput, match=message):
        flow_arrivals_ns(bottleneck(2), Speeds(*speeds), *flow)


@pytest.mark.parametrize("tolerance", [-0.1, 1, float("nan")])
def test_a_tolerance_of_everything_is_refused(tolerance: float) -> None:
    with pytest.raises(InvalidInput, match="tolerance: expected a number from 0 to below 1"):
        arrivals(bottleneck(2), [0], [1], [0], [8], tolerance)
