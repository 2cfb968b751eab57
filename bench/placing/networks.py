"""The cost of a placement on a machine: J and the busiest link, by independent formulas.

The module shares no code with the mapper, which it judges. Machines are written as in the index of
instances, with the ranks of a node (or of a socket, in `hier`) always one of the numbers:

    torus:X,Y,…,C     nodes on a torus, X fastest
    mesh:X,Y,…,C      the same without wrap-around
    hcube:D,N,C       2^D switches of N nodes
    dfly:P,A,G,C      P nodes a router, A routers a group, G groups
    ftree:C,M1,M2,…   M1 nodes a leaf switch, M2 leaf switches a switch of the next level, …
    hier:A1,A2,…/D1,… A1 ranks at distance D1, A2 such groups at distance D2, …

A slot is a rank's place; the slots of a node are consecutive. Routes are dimension-ordered (the
shorter way round, halves forwards), e-cube, minimal, or spread over all upward links; each
direction of a link counts separately.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Loads = NDArray[np.float64]


@dataclass(frozen=True)
class Traffic:
    """Pairs of ranks, each once, with the bytes that each of the two sends to the other."""

    ranks: int
    a: Numbers
    b: Numbers
    a_to_b: Numbers
    b_to_a: Numbers


@dataclass(frozen=True)
class Cost:
    hop_bytes: float
    """J: the mean of both directions times the distance, summed over pairs."""
    busiest_link_bytes: float
    """Bytes on the busiest link between switches, as in the index of instances."""
    busiest_cable_bytes: float
    """Bytes on the busiest cable, including cables that join nodes to switches."""


class Machine(Protocol):
    @property
    def nodes(self) -> int: ...

    @property
    def slots_of_node(self) -> int: ...

    def distance(self, a: Numbers, b: Numbers) -> Numbers:
        """Distance between slots [hops], in the shape of `a` and `b`."""

    def link_loads(self, a: Numbers, b: Numbers, loads: Loads) -> list[Loads]:
        """Loads of links from messages from slot a to b with `loads` bytes, an array for each kind
        of link, without links between nodes and their switches.
        """


def cost(machine: Machine, traffic: Traffic, slot_of_rank: Numbers) -> Cost:
    a, b = slot_of_rank[traffic.a], slot_of_rank[traffic.b]
    both = (traffic.a_to_b + traffic.b_to_a) / 2
    j = float((both * machine.distance(a, b)).sum())
    source, target = np.concatenate((a, b)), np.concatenate((b, a))
    sent = np.concatenate((traffic.a_to_b, traffic.b_to_a)).astype(np.float64)
    links = busiest(machine.link_loads(source, target, sent))
    hosts = 0.0
    if not isinstance(machine, Torus):  # whose nodes are joined directly
        nodes = machine.slots_of_node
        hosts = busiest(crossing(source // nodes, target // nodes, sent))
    return Cost(j, links, max(links, hosts))


def busiest(loads: list[Loads]) -> float:
    return max((float(load.max()) for load in loads if load.size), default=0.0)


def parse(text: str) -> Machine:
    """The machine of a target such as `torus:4,4,4,16`."""
    kind, _, numbers = text.partition(":")
    counts, _, distances = numbers.partition("/")
    sizes = [int(word) for word in counts.split(",")]
    if kind in ("torus", "mesh"):
        return Torus(tuple(sizes[:-1]), sizes[-1], wraps=kind == "torus")
    if kind == "hcube":
        return Hypercube(*sizes)
    if kind == "dfly":
        return Dragonfly(*sizes)
    if kind == "ftree":
        return FatTree(sizes[0], tuple(sizes[1:]))
    if kind == "hier":
        return Hierarchy(tuple(sizes), tuple(int(word) for word in distances.split(",")))
    raise SystemExit(f"bench: target {text}: known are torus, mesh, hcube, dfly, ftree and hier")


@dataclass(frozen=True)
class Torus:
    lengths: tuple[int, ...]
    slots_of_node: int
    wraps: bool = True

    @property
    def nodes(self) -> int:
        return prod(self.lengths)

    def coordinates(self, slots: Numbers) -> list[Numbers]:
        nodes = slots // self.slots_of_node
        out = []
        for length in self.lengths:
            out.append(nodes % length)
            nodes = nodes // length
        return out

    def distance(self, a: Numbers, b: Numbers) -> Numbers:
        total = np.zeros(a.shape, np.int64)
        for length, x, y in zip(
            self.lengths, self.coordinates(a), self.coordinates(b), strict=True
        ):
            away = np.abs(x - y)
            total += np.minimum(away, length - away) if self.wraps else away
        return total

    def link_loads(self, a: Numbers, b: Numbers, loads: Loads) -> list[Loads]:
        here, there = self.coordinates(a), self.coordinates(b)
        result = []
        for axis, length in enumerate(self.lengths):
            steps = there[axis] - here[axis]
            if self.wraps:
                steps = (steps + (length - 1) // 2) % length - (length - 1) // 2
            forward, backward = np.zeros(self.nodes), np.zeros(self.nodes)
            for step in range(int(np.abs(steps).max(initial=0))):
                for sign, out in ((1, forward), (-1, backward)):
                    moving = sign * steps > step
                    at = [x[moving] for x in here]
                    at[axis] = (at[axis] + sign * step) % length
                    out += added(self.number(at), loads[moving], self.nodes)
            result += [forward, backward]
            here[axis] = there[axis]
        return result

    def number(self, at: list[Numbers]) -> Numbers:
        node = np.zeros(at[0].shape, np.int64)
        for length, x in zip(reversed(self.lengths), reversed(at), strict=True):
            node = node * length + x
        return node


@dataclass(frozen=True)
class Hypercube:
    dimensions: int
    nodes_of_switch: int
    slots_of_node: int

    @property
    def nodes(self) -> int:
        return (1 << self.dimensions) * self.nodes_of_switch

    def distance(self, a: Numbers, b: Numbers) -> Numbers:
        node_a, node_b = a // self.slots_of_node, b // self.slots_of_node
        bits = np.bitwise_count(node_a // self.nodes_of_switch ^ node_b // self.nodes_of_switch)
        return np.where(node_a == node_b, 0, 2 + bits.astype(np.int64))

    def link_loads(self, a: Numbers, b: Numbers, loads: Loads) -> list[Loads]:
        slots = self.slots_of_node * self.nodes_of_switch
        at, there = a // slots, b // slots
        result = []
        for bit in 1 << np.arange(self.dimensions):
            crosses = (at ^ there) & bit != 0
            result.append(added(at[crosses], loads[crosses], 1 << self.dimensions))
            at = at & ~bit | there & bit
        return result


@dataclass(frozen=True)
class Dragonfly:
    """One link joins two groups: from i to j, it begins at router ((j - i - 1) mod G) // H of i.

    A router has H such links, the smallest possible number. This is the relative arrangement of
    E. Hastings et al., "Comparing global link arrangements for dragonfly networks", IEEE Cluster,
    2015.
    """

    nodes_of_router: int
    routers: int
    groups: int
    slots_of_node: int

    @property
    def nodes(self) -> int:
        return self.nodes_of_router * self.routers * self.groups

    def gateway(self, group: Numbers, target: Numbers) -> Numbers:
        """The router, numbered over all groups, that begins the link from `group` to `target`."""
        links = -(-(self.groups - 1) // self.routers)
        return group * self.routers + (target - group - 1) % self.groups // links

    def distance(self, a: Numbers, b: Numbers) -> Numbers:
        slots = self.slots_of_node * self.nodes_of_router
        x, y = a // slots, b // slots
        g, h = x // self.routers, y // self.routers
        apart = 3 + (x != self.gateway(g, h)) + (y != self.gateway(h, g))
        near = np.where(x == y, 2, 3)
        return np.where(
            a // self.slots_of_node == b // self.slots_of_node, 0, np.where(g == h, near, apart)
        )

    def link_loads(self, a: Numbers, b: Numbers, loads: Loads) -> list[Loads]:
        slots = self.slots_of_node * self.nodes_of_router
        x, y = a // slots, b // slots
        g, h = x // self.routers, y // self.routers
        out, into = self.gateway(g, h), self.gateway(h, g)
        local = np.zeros(self.routers * self.routers * self.groups)
        for begin, end, used in ((x, y, g == h), (x, out, g != h), (into, y, g != h)):
            moves = used & (begin != end)
            link = begin * self.routers + end % self.routers
            local += added(link[moves], loads[moves], local.size)
        far = g != h
        return [local, added((g * self.groups + h)[far], loads[far], self.groups**2)]


@dataclass(frozen=True)
class FatTree:
    slots_of_node: int
    fan_out: tuple[int, ...]

    @property
    def nodes(self) -> int:
        return prod(self.fan_out)

    def vertices(self, slots: Numbers) -> list[Numbers]:
        """The node of each slot, its leaf switch, and so on upwards, numbered within each level."""
        out = [slots // self.slots_of_node]
        for fan_out in self.fan_out:
            out.append(out[-1] // fan_out)
        return out

    def distance(self, a: Numbers, b: Numbers) -> Numbers:
        total = np.zeros(a.shape, np.int64)
        for x, y in zip(self.vertices(a), self.vertices(b), strict=True):
            total += 2 * (x != y)
        return total

    def link_loads(self, a: Numbers, b: Numbers, loads: Loads) -> list[Loads]:
        """Loads with 2:1 oversubscription at the leaf switches and none above."""
        uplinks = self.fan_out[0] / 2
        result = []
        for x, y, fan_out in zip(
            self.vertices(a)[1:-1], self.vertices(b)[1:-1], self.fan_out[1:], strict=True
        ):
            result += [load / uplinks for load in crossing(x, y, loads)]
            uplinks *= fan_out
        return result


@dataclass(frozen=True)
class Hierarchy:
    """A hierarchy with two levels within a node, and one link up from each group of nodes."""

    sizes: tuple[int, ...]
    distances: tuple[int, ...]

    @property
    def slots_of_node(self) -> int:
        return self.sizes[0] * self.sizes[1]

    @property
    def nodes(self) -> int:
        return prod(self.sizes[2:])

    def groups(self, slots: Numbers) -> list[Numbers]:
        """Group of each slot at each level, from the narrowest level to the whole."""
        return [slots // prod(self.sizes[: level + 1]) for level in range(len(self.sizes))]

    def distance(self, a: Numbers, b: Numbers) -> Numbers:
        total = np.where(a == b, 0, self.distances[0])
        levels = zip(self.groups(a), self.groups(b), self.distances[1:], strict=False)
        for x, y, distance in levels:
            total = np.where(x == y, total, distance)
        return total

    def link_loads(self, a: Numbers, b: Numbers, loads: Loads) -> list[Loads]:
        levels = zip(self.groups(a)[2:-1], self.groups(b)[2:-1], strict=True)
        return [load for x, y in levels for load in crossing(x, y, loads)]


def added(index: Numbers, loads: Loads, size: int) -> Loads:
    """Sum of the loads of each index, in an array of at least `size` entries."""
    return np.bincount(index, loads, size).astype(np.float64)


def crossing(a: Numbers, b: Numbers, loads: Loads) -> list[Loads]:
    """Bytes out of each group and into each group, of messages from groups `a` to groups `b`."""
    away = a != b
    return [added(group[away], loads[away], 0) for group in (a, b)]
