"""Assign ranks to nodes: as recorded, so many on a node, or placed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from waywiser.analyse.placement import best_order, job_of
from waywiser.analyse.placement_check import read_placement
from waywiser.analyse.traffic import traffic_of_run
from waywiser.errors import InvalidCommand, NotEnoughData, not_found
from waywiser.machines.allocation import Allocation, numbers_of
from waywiser.machines.library import machine_from_text, topology_of
from waywiser.model.machine import Machine
from waywiser.model.summary import Summary
from waywiser.store.placement import document_of

NAMED = ("best", "random", "round-robin")

Nodes = tuple[int, ...]
"""The node of each rank. Nodes below the highest number may have no ranks."""

ONE_SWITCH = """
title = "One switch"
[source]
document = "none: all nodes on one switch"
date = "2026"
[node]
cores = {cores}
[network]
link_bandwidth_GBps = 1.0
[network.topology]
kind = "all-to-all"
switches = 1
nodes_per_switch = {nodes}
"""


def numbered(hosts: Sequence[str]) -> Nodes:
    """Number the nodes by the hosts of the ranks, in the order of the hosts' first ranks."""
    number: dict[str, int] = {}
    return tuple(number.setdefault(host, len(number)) for host in hosts)


def in_blocks(ranks: int, per_node: int) -> Nodes:
    """Assign this many ranks to each node, the rest to the last one."""
    return tuple(rank // per_node for rank in range(ranks))


def placed(
    nodes: Nodes,
    placement: str,
    summary: Summary,
    machine: Machine | None,
    seed: int,
    hosts: Sequence[str] = (),
) -> Nodes:
    """Place the ranks on the same nodes, with as many ranks on each node, in the named order.

    Args:
        placement: name of the order, of NAMED.
        machine: machine whose topology "best" is for; None: all nodes are on one switch.
        hosts: names of the nodes. Where the machine does not list all of them, the nodes are its
            first ones.

    Raises:
        InvalidCommand: all ranks are on one node, so that they have no other order.
    """
    if len(set(nodes)) < 2:
        raise InvalidCommand(
            f"--placement {placement}: all ranks are on one node; "
            "--ranks-per-node N spreads them over several"
        )
    if placement == "round-robin":
        return _dealt(nodes)
    if placement == "random":
        shuffled = list(nodes)
        random.Random(seed).shuffle(shuffled)
        return tuple(shuffled)
    return _best(nodes, summary, machine, seed, hosts)


def nodes_of_file(name: str, ranks: int) -> tuple[Nodes, tuple[str, ...]]:
    """Read nodes of the ranks from a file of `waywiser place`, and the names of all nodes. Hosts
    are numbered as the placement lists them, with ranks or without: their distances may depend on
    this.

    Raises:
        InvalidCommand: the file was not found, or places other ranks.
    """
    path = Path(name)
    if not document_of(path).is_file():
        raise InvalidCommand(
            f"--placement {name}: {not_found(document_of(path), 'file')}; expected one of "
            f"{', '.join(NAMED)}, or a file of `waywiser place`"
        )
    placement = read_placement(path)
    if placement.ranks != ranks:
        raise InvalidCommand(
            f"--placement {name}: it places {placement.ranks} ranks, but the run had {ranks}"
        )
    hosts = dict.fromkeys((*placement.hosts, *placement.host_of_rank))
    number = {host: node for node, host in enumerate(hosts)}
    return tuple(number[host] for host in placement.host_of_rank), tuple(hosts)


def _dealt(nodes: Nodes) -> Nodes:
    """Deal the ranks to the nodes in turn, until each is as full as before."""
    left = np.bincount(nodes).tolist()
    dealt: list[int] = []
    while len(dealt) < len(nodes):
        for node, free in enumerate(left):
            if free:
                dealt.append(node)
                left[node] -= 1
    return tuple(dealt)


def _best(
    nodes: Nodes, summary: Summary, machine: Machine | None, seed: int, hosts: Sequence[str]
) -> Nodes:
    counts = np.bincount(nodes).tolist()
    on = machine or machine_from_text(
        ONE_SWITCH.format(cores=max(counts), nodes=len(counts)), "one switch"
    )
    topology = topology_of(on)
    numbers = numbers_of(on, hosts) or tuple(range(len(counts)))
    if len(counts) > topology.nodes:
        raise InvalidCommand(
            f"--placement best: {on.title} has {topology.nodes} nodes for the {len(counts)} of "
            "the run; --ranks-per-node N puts more ranks on each"
        )
    allocation = Allocation(
        hosts=tuple(f"node {number}" for number in range(len(counts))),
        nodes=numbers,
        slots=tuple(counts),
    )
    try:
        traffic = traffic_of_run(summary, "the run")
    except NotEnoughData:  # no rank sends any message: any order is as good
        return nodes
    job = job_of(traffic, on, topology, allocation, source="run")
    order, _ = best_order(job, "hop-bytes", seed)
    return tuple(int(job.host[slot]) for slot in order)
