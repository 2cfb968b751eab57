"""A question about a recorded run -> the setting of its replay, with assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from waywiser.analyse.whatif.links import links_kept, links_of
from waywiser.analyse.whatif.network import Network, of_machine
from waywiser.analyse.whatif.nodes import NAMED, Nodes, in_blocks, nodes_of_file, placed
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.setting import Interconnect, Setting
from waywiser.errors import InvalidCommand
from waywiser.machines.library import read_machine, topology_of
from waywiser.model.machine import Machine
from waywiser.model.summary import Summary
from waywiser.units import counted


@dataclass(frozen=True)
class Recorded:
    """A traced run."""

    name: str
    trace: Path
    summary: Summary
    base: Setting
    """The machine that it was recorded on."""


@dataclass(frozen=True)
class Requested:
    """A question as a setting of the replay."""

    setting: Setting
    remarks: tuple[str, ...]


def requested_setting(recorded: Recorded, question: Question) -> Requested:
    """
    Raises:
        InvalidCommand: the question does not fit the run.
    """
    base = recorded.base
    machine = read_machine(question.machine) if question.machine else None
    network = of_machine(machine, base.network) if machine is not None else base.network
    where = machine
    if where is None and base.interconnect is not None and not question.topology:
        where = base.interconnect.machine
    nodes, hosts = _nodes(recorded, question, where)
    remarks: list[str] = []
    if machine is not None:
        remarks += _of_costs(network, base.network, nodes)
        remarks += _of_cores(machine, nodes)
    if where is not None and len(set(nodes)) > (there := topology_of(where).nodes):
        remarks.append(
            f"the run has {len(set(nodes))} nodes, but {where.title} has {there}; "
            "--ranks-per-node N puts more ranks on each"
        )
    network = _changed(network, nodes, question)
    setting = Setting(
        network=network,
        nodes=nodes,
        hosts=hosts,
        library=base.library,
        collectives={**base.collectives, **question.collectives},
        cpu=question.cpu,
        noise=question.noise,
        seed=question.seed,
        balanced=question.balanced,
        no_noise=question.no_noise,
        early_sends=question.early_sends,
        join_messages=question.join_messages,
        asynchronous=base.asynchronous
        if question.progress is None
        else question.progress == "asynchronous",
        interconnect=_links(question, base, network, nodes, hosts),
    )
    return Requested(setting, tuple(remarks))


def _nodes(
    recorded: Recorded, question: Question, where: Machine | None
) -> tuple[Nodes, tuple[str, ...]]:
    """Return the node of each rank, and the nodes' names.

    Args:
        where: machine of the best placement, unless the question has a topology.
    """
    nodes, hosts = recorded.base.nodes, recorded.base.hosts
    if question.ranks_per_node is not None:
        nodes, hosts = in_blocks(len(nodes), question.ranks_per_node), ()
    if question.placement in NAMED:
        near = read_machine(question.topology) if question.topology else where
        nodes = placed(nodes, question.placement, recorded.summary, near, question.seed, hosts)
    elif question.placement:
        if question.ranks_per_node is not None:
            raise InvalidCommand(
                f"--placement {question.placement} and --ranks-per-node are mutually exclusive: "
                "the file says how many ranks each node has"
            )
        nodes, hosts = nodes_of_file(question.placement, len(nodes))
    return nodes, hosts


def _of_costs(network: Network, base: Network, nodes: Nodes) -> Iterator[str]:
    """Yield assumptions on a machine's messages; on one node, those between nodes do not matter."""
    if len(set(nodes)) > 1 or network.inside is not base.inside:
        yield from network.remarks
        return
    several = "; --ranks-per-node N puts the ranks on several nodes" if len(nodes) > 1 else ""
    yield (
        "all messages stay inside one node, of which the machine's file has no costs "
        f"(node.loggp), so that it changes nothing{several}"
    )


def _of_cores(machine: Machine, nodes: Nodes) -> Iterator[str]:
    most = max(np.bincount(nodes))
    if most > machine.node.cores:
        yield (
            f"up to {most} ranks are on a node, but a node of {machine.title} "
            f"has {counted(machine.node.cores, 'core')}; --ranks-per-node N spreads them"
        )


def _links(
    question: Question, base: Setting, network: Network, nodes: Nodes, hosts: Sequence[str]
) -> Interconnect | None:
    """Return the links of the requested topology. Without a topology, return those of the base,
    whose bandwidth changes by the factor of messages between nodes."""
    if question.topology:
        option = f"--topology {question.topology}"
        if len(set(nodes)) < 2:
            raise InvalidCommand(
                f"{option}: all ranks are on one node; --ranks-per-node N spreads them over several"
            )
        return links_of(option, read_machine(question.topology), nodes, hosts)
    if question.machine or question.ideal_network:
        return None
    links = links_kept(base.interconnect, nodes, hosts)
    if links is None:
        return None
    faster = _ns_per_byte(base.network) / _ns_per_byte(network)
    return replace(links, link_bytes_per_ns=links.link_bytes_per_ns * faster)


def _ns_per_byte(network: Network) -> float:
    """Return the time per byte of long messages between nodes."""
    return network.between.costs[-1].ns_per_byte


def _changed(network: Network, nodes: Nodes, question: Question) -> Network:
    """Change messages between nodes; change all messages if there is one node."""
    name = "between" if len(set(nodes)) > 1 else "inside"
    part = getattr(network, name)
    if question.latency is not None:
        part = part.with_latency(question.latency)
    if question.bandwidth is not None:
        part = part.with_bandwidth(question.bandwidth)
    if question.eager_limit_bytes is not None:
        part = replace(part, eager_limit_bytes=question.eager_limit_bytes)
    network = replace(network, **{name: part})
    if question.ideal_network:
        network = Network(network.inside.ideal(), network.between.ideal(), network.remarks)
    return network
