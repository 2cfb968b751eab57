"""Links that messages between nodes share, and their omissions in replays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from waywiser.analyse.whatif.nodes import Nodes
from waywiser.analyse.whatif.setting import Interconnect, LinkUse, Replayed, Setting
from waywiser.errors import InvalidCommand
from waywiser.machines.allocation import numbers_of
from waywiser.machines.library import topology_of
from waywiser.model.machine import Machine, Topology
from waywiser.model.routing import replay_remarks
from waywiser.model.summary import Summary
from waywiser.model.whatif import LinkSharing
from waywiser.units import percent_text

NS_PER_S = 1e9

VALIDATED_INCAST = 3
"""Senders to one node for which predictions were measured on an emulated network
(bench/emulated.py)."""

NOTABLE_DELAYS = 0.01
"""Smallest share of all delays on links from which a kind of delay is worth a remark."""

OF_BASE = (" in the base", "--from MACHINE, whose file lists the run's hosts,")
OF_PREDICTION = ("", "--topology MACHINE")
"""Place where links are left out, and option that models them."""


def links_of(option: str, machine: Machine, nodes: Nodes, hosts: Sequence[str]) -> Interconnect:
    """
    Args:
        option: option that names the machine.
        hosts: names of the nodes. If the machine does not list all of them, the nodes are the
            first nodes of the machine, in their order.

    Raises:
        InvalidCommand: the machine has fewer nodes.
    """
    topology, needed, numbers = topology_of(machine), 1 + max(nodes), numbers_of(machine, hosts)
    if not numbers and needed > topology.nodes:
        raise InvalidCommand(
            f"{option}: {machine.title} has {topology.nodes} nodes for the {needed} of the run; "
            "--ranks-per-node N puts more ranks on each"
        )
    return Interconnect(machine, topology, machine.network.link_bandwidth_GBps, numbers)


def links_as_recorded(machine: Machine, nodes: Nodes, hosts: Sequence[str]) -> Interconnect | None:
    """Return the links of the machine that a run was recorded on; None if the run has one node, or
    the machine's file does not list its hosts."""
    if len(set(nodes)) < 2 or not numbers_of(machine, hosts):
        return None
    return links_of("--from", machine, nodes, hosts)


def links_kept(
    links: Interconnect | None, nodes: Nodes, hosts: Sequence[str] = ()
) -> Interconnect | None:
    """Return the links of the base between other nodes; None for one node, or too few links."""
    if links is None or not 1 < len(set(nodes)) <= links.topology.nodes:
        return None
    return links_of("--from", links.machine, nodes, hosts)


def sharing(interconnect: Interconnect | None, replayed: Replayed) -> LinkSharing | None:
    if interconnect is None or replayed.links is None:
        return None
    return LinkSharing(
        topology=interconnect.machine.title,
        busiest=replayed.links.busiest,
        mean=replayed.links.mean,
        delayed_seconds=replayed.links.delays_ns / NS_PER_S,
        inner_delayed_seconds=replayed.links.inner_delays_ns / NS_PER_S,
        most_to_a_node=replayed.links.most_to_a_node,
    )


def left_out(
    setting: Setting, replayed: Replayed, summary: Summary, of: tuple[str, str]
) -> Iterator[str]:
    """Yield a sentence for each assumption and omission of links.

    Args:
        of: OF_BASE or OF_PREDICTION.
    """
    links = setting.interconnect
    if links is not None:
        if not links.nodes:
            yield (
                f"the run's nodes are assumed to be the first {1 + max(setting.nodes)} of "
                f"{links.machine.title}, in order"
            )
        yield from replay_remarks(links.machine.network.topology)
        if replayed.links is not None:
            yield from _beyond_validation(replayed.links, links.machine.network.topology)
    elif setting.leaves_out_links:
        where, option = of
        senders = most_senders_to_a_node(summary, setting.nodes)
        several = f"up to {senders} nodes send messages to one, and " if senders > 1 else ""
        yield (
            f"links that several nodes share are not modelled{where}: {several}incast and tapered "
            f"networks may be slower than predicted; {option} models them"
        )


def rerouted(setting: Setting, base: Setting) -> bool:
    """True if messages share other links than in the base, or others of its links."""
    links, before = setting.interconnect, base.interconnect
    if links is None or before is None:
        return links is not None
    inputs = (links.machine, links.nodes, setting.nodes)
    return inputs != (before.machine, before.nodes, base.nodes)


def held_up_inside(links: LinkUse | None) -> bool:
    """True if messages delay each other at links between switches."""
    return links is not None and links.inner_delays_ns > NOTABLE_DELAYS * links.delays_ns


def _beyond_validation(links: LinkUse, topology: Topology) -> Iterator[str]:
    """Yield the conditions that shared links were not validated for, where messages delay each
    other."""
    if links.delays_ns > 0 and links.most_to_a_node > VALIDATED_INCAST:
        yield (
            f"up to {links.most_to_a_node} messages are under way to a node, but shared links "
            f"were validated only for up to {VALIDATED_INCAST}, on an emulated network; "
            "congestion may make larger incasts slower than predicted"
        )
    if held_up_inside(links):
        share = percent_text(links.inner_delays_ns / links.delays_ns)
        faster = "" if topology.is_adaptive else ", adaptive routing faster"
        yield (
            f"{share} of the delays on links are at links between switches, which were validated "
            f"on one emulated uplink; congestion may make a network slower than predicted{faster}"
        )


def most_senders_to_a_node(summary: Summary, nodes: Nodes) -> int:
    """Return the number of other nodes that send to the node with most senders, without
    collectives. It is 0 if the run's messages are not known by rank, as in an extrapolated run."""
    if summary.per_rank is None:
        return 0
    ranks = summary.matrix.messages.array[:, :2].astype(np.int64)
    pairs = np.unique(np.array(nodes)[ranks], axis=0)
    between = pairs[pairs[:, 0] != pairs[:, 1]]
    return int(np.bincount(between[:, 1]).max()) if len(between) else 0
