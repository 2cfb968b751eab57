"""The wiring that readers of other formats return: hosts, switches and the cables between them."""

from __future__ import annotations

import datetime
import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from waywiser.errors import InvalidCommand
from waywiser.machines.hostlist import InvalidHostlist, compress
from waywiser.model.machine import Machine, Network, Node, Source, Topology

UNKNOWN_NODE = Node(cores=1)
"""Node of a machine whose format does not describe nodes."""

UNKNOWN_BANDWIDTH_GBps = 12.5
"""Bandwidth of a machine whose format gives no link speed: that of 100 Gbit/s."""


@dataclass
class Wiring:
    """Hosts and switches by their names, in the order in which they are numbered."""

    hosts: list[str] = field(default_factory=list)
    switches: list[str] = field(default_factory=list)
    cables: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Names of both ends, in the order of discovery -> number of parallel cables."""

    def topology(self, source: str) -> Topology:
        """Return the topology as a graph.

        Raises:
            InvalidCommand: some hosts cannot be reached from others.
        """
        number = {name: place for place, name in enumerate([*self.hosts, *self.switches])}
        self._check_joined(source)
        edges = [[number[a], number[b], count] for (a, b), count in self.cables.items()]
        return Topology.model_validate(
            {
                "kind": "graph",
                "nodes": len(self.hosts),
                "switches": len(self.switches),
                "edges": edges,
            }
        )

    def _check_joined(self, source: str) -> None:
        if not self.hosts:
            raise InvalidCommand(f"{source} names no host that is joined to a switch")
        neighbours: dict[str, list[str]] = {}
        for a, b in self.cables:
            neighbours.setdefault(a, []).append(b)
            neighbours.setdefault(b, []).append(a)
        reached = {self.hosts[0]}
        waiting = [self.hosts[0]]
        while waiting:
            for neighbour in neighbours.get(waiting.pop(), ()):
                if neighbour not in reached:
                    reached.add(neighbour)
                    waiting.append(neighbour)
        apart = [host for host in self.hosts if host not in reached]
        if apart:
            raise InvalidCommand(
                f"{source}: nothing joins {self.hosts[0]} and {apart[0]}; a machine is one network"
            )


def machine_of(
    title: str,
    topology: Topology,
    *,
    document: str,
    hosts: Iterable[str],
    switches: Iterable[str] = (),
    inferred: Iterable[str] = (),
    bandwidth_GBps: float | None = None,
    node: Node | None = None,
) -> Machine:
    """Build a machine with today's date; replacements for unknown values are marked as inferred.

    Raises:
        InvalidCommand: a name is longer than a host name may be.
    """
    assumptions = list(inferred)
    if node is None:
        assumptions.append(
            "cores of a node: not known, 1 stands for them; --node FILE reads lstopo's XML"
        )
    if bandwidth_GBps is None:
        assumptions.append("link_bandwidth_GBps: not known, that of 100 Gbit/s stands for it")
    try:
        host_lists, switch_lists = tuple(compress(hosts)), tuple(compress(switches))
    except InvalidHostlist as error:
        raise InvalidCommand(f"{document}: {error}") from error
    return Machine(
        title=title,
        hosts=host_lists,
        switches=switch_lists,
        source=Source(
            document=document,
            date=datetime.date.today().isoformat(),
            inferred=tuple(assumptions),
        ),
        node=node or UNKNOWN_NODE,
        network=Network(
            topology=topology,
            link_bandwidth_GBps=bandwidth_GBps or UNKNOWN_BANDWIDTH_GBps,
        ),
    )


def regular_tree(children: dict[str, list[str]], root: str) -> tuple[list[str], list[int]] | None:
    """Return the leaves below a root in order, and the number of children at each level, from the
    leaves up; None if these numbers differ within a level."""
    sizes: list[int] = []
    level: list[str] = [root]
    left = len(children.keys() | set(itertools.chain.from_iterable(children.values())))
    while any(name in children for name in level):
        counts = {len(children.get(name, ())) for name in level}
        left -= len(level)
        if len(counts) != 1 or left < 0 or len(level) * min(counts) > left:  # no tree, or a cycle
            return None
        sizes.append(counts.pop())
        level = [child for name in level for child in children[name]]
    return (level, sizes[::-1]) if len(set(level)) == len(level) else None
