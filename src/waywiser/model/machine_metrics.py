"""Metrics of machines: the JSON documents of `waywiser machine`."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model


class Islands(Model):
    """Nodes that are closer to each other than to the rest, at one level of the network."""

    count: int
    smallest_nodes: int
    largest_nodes: int


class NetworkMetrics(Model):
    """The metrics of a topology. Hops count all links of a route, also those to the switches."""

    kind: str
    nodes: int
    switches: int
    host_cables: int
    """Number of cables between nodes and switches."""

    network_cables: int
    """Number of all other cables."""

    diameter_hops: int
    mean_hops: float
    """Mean distance between two different nodes drawn at random: what neighbouring ranks of a job
    see when ranks are placed without regard to the network."""

    bisection_cables: float | None
    """Cables across the narrowest cut between two halves of the nodes; None where there is no
    formula."""

    bisection_cables_per_node: float | None
    """Cables' worth of data that each node of one half can send to the other half; None where there
    is no formula."""

    busiest_link: float
    """Traffic of the busiest cable where every node sends the same amount to each other node, as
    a share of what one node sends in all. Above 1, the network holds such traffic up."""

    sampled: bool
    """True if `busiest_link` is that of a sample of the pairs of nodes, evenly chosen because there
    are too many."""

    islands: tuple[Islands, ...]
    """Islands of the network, from the widest to the narrowest."""


class Peak(Model):
    """A measured bandwidth beside its nominal value in the machine file."""

    of: Literal["network", "memory"]
    measured_GBps: float
    nominal_GBps: float
    per_cent: float


class MachineMetrics(Model):
    """The metrics of a machine."""

    name: str
    """Name of the machine, as the user gave it."""

    title: str
    document: str
    date: str
    inferred: tuple[str, ...]
    sockets: int
    cores: int
    """Cores of a node."""

    link_bandwidth_GBps: float
    bisection_GBps_per_node: float | None
    peaks: tuple[Peak, ...]
    """Measured bandwidths whose nominal value is known."""

    failed_links: int
    network: NetworkMetrics


class ListedMachine(Model):
    """A line of `waywiser machine list`."""

    name: str
    title: str
    kind: str
    nodes: int
    cores: int
    """Cores of a node."""

    date: str

    used_by: tuple[Literal["whatif", "place", "virtual"], ...]
    """Commands that the file has enough data for: `whatif --on` requires LogGP or a link's latency,
    `place` the hosts' names, `profile --virtual` LogGP."""


class MachineList(Model):
    """`waywiser machine list --json`."""

    machines: tuple[ListedMachine, ...]


class ComparedNetwork(Model):
    """The metrics of a topology with room for the requested number of nodes."""

    name: str
    about: str
    parameters: dict[str, int | str | tuple[int, ...]]
    network: NetworkMetrics


class MachineComparison(Model):
    """`waywiser machine compare --json`."""

    nodes: int | None
    """Number of nodes that the `networks` have room for; some have more. None where only machines
    are compared."""

    ports: int
    """Number of ports of each switch of the `networks`."""

    networks: tuple[ComparedNetwork, ...]
    machines: tuple[MachineMetrics, ...]
