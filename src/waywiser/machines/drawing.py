"""The content of a machine's picture: its nodes and switches, or its islands."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from waywiser.machines.library import topology_of, vertex_names
from waywiser.model.machine import Machine
from waywiser.model.machine_drawing import Drawing
from waywiser.native import _native as native
from waywiser.units import count_text, counted

MOST_VERTICES = 1024
"""Largest number of nodes and switches that a reader can distinguish in a picture."""

MOST_ISLANDS = 80
"""Largest number of islands that have room for their names."""

Numbers = NDArray[np.int64]


def drawing_of(machine: Machine) -> Drawing:
    """Return the vertices and cables of a machine; of a large one, its islands and their
    connections."""
    topology = topology_of(machine)
    names = vertex_names(machine, topology)
    if len(names) > MOST_VERTICES and topology.groupings:
        return _islands(machine, topology, names)
    return Drawing(
        title=machine.title,
        names=tuple(names),
        nodes=topology.nodes,
        cables=_cables(topology, np.arange(len(names))),
        grid=tuple(topology.grid_lengths),
    )


def _cables(topology: native.Topology, part_of: Numbers) -> tuple[tuple[int, int, int], ...]:
    """Count the cables between parts of a machine, each pair once.

    Args:
        part_of: part of each vertex.
    """
    cables: Counter[tuple[int, int]] = Counter()
    ends = (part_of[topology.link_from].tolist(), part_of[topology.link_to].tolist())
    for a, b, count in zip(*ends, topology.link_cables.tolist(), strict=True):
        if a < b:
            cables[a, b] += round(count)
    return tuple((a, b, count) for (a, b), count in sorted(cables.items()))


def _islands(machine: Machine, topology: native.Topology, names: list[str]) -> Drawing:
    """Draw the narrowest islands that are few enough, and the switches between them."""
    wide_first = [_parts(topology, group.astype(np.int64)) for group in topology.groupings]
    few = [part_of for part_of in wide_first if part_of.max() < MOST_ISLANDS]
    part_of = few[-1] if few else wide_first[0]
    islands = int(part_of[: topology.nodes].max()) + 1
    nodes = np.bincount(part_of[: topology.nodes], minlength=islands)
    switches = np.bincount(part_of[topology.nodes :], minlength=islands)
    about = []
    for island in range(islands):
        first, *_, last = np.flatnonzero(part_of[: topology.nodes] == island).tolist() * 2
        inside = f" and {_switches(switches[island])}" if switches[island] else ""
        about.append(
            f"island {island}: {names[first]} to {names[last]}, "
            f"{counted(int(nodes[island]), 'node')}{inside}"
        )
    between = [name for name, part in zip(names, part_of.tolist(), strict=True) if part >= islands]
    inside = f" and {_switches(switches[:islands].max())}" if switches[:islands].any() else ""
    return Drawing(
        title=machine.title,
        names=(*(f"island {island}" for island in range(islands)), *between),
        nodes=islands,
        cables=_cables(topology, part_of),
        about=(*about, *between),
        island=f"island of {counted(int(nodes.max()), 'node')}{inside}",
    )


def _switches(count: int) -> str:
    return f"{count_text(int(count))} switch{'' if count == 1 else 'es'}"


def _parts(topology: native.Topology, island_of_node: Numbers) -> Numbers:
    """Return the island of each vertex: a switch is in that of all its neighbours closer to nodes.
    Switches between islands come after these, each a part of its own."""
    vertices = topology.nodes + topology.switches
    parts = np.full(vertices, -1, dtype=np.int64)
    parts[: topology.nodes] = island_of_node
    links = (topology.link_from.astype(np.int64), topology.link_to.astype(np.int64))
    reached = np.arange(vertices) < topology.nodes
    between = int(island_of_node.max()) + 1
    while not reached.all():
        up = reached[links[0]] & ~reached[links[1]]
        if not up.any():
            break  # a switch without cables
        low, high = np.full(vertices, vertices), np.full(vertices, -1)
        np.minimum.at(low, links[1][up], parts[links[0][up]])
        np.maximum.at(high, links[1][up], parts[links[0][up]])
        for switch in np.flatnonzero(high >= 0).tolist():
            inside = low[switch] == high[switch] <= island_of_node.max()
            parts[switch] = high[switch] if inside else between
            between += not inside
        reached |= high >= 0
    rest = np.flatnonzero(parts < 0)
    parts[rest] = between + np.arange(len(rest))
    return parts
