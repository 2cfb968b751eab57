"""What `waywiser machine` prints as JSON: the metrics of machines."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model


class Islands(Model):
    """Nodes that are closer to each other than to the rest, at one level of the network."""

    count: int
    smallest_nodes: int
    largest_nodes: int


class NetworkMetrics(Model):
    """A topology in numbers. Hops count all links of a way, those to the switches too."""

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
    """Whether `busiest_link` is of some of the pairs of nodes, evenly chosen, for there are too
    many."""

    islands: tuple[Islands, ...]
    """Islands of the network, from the widest to the narrowest."""


class Peak(Model):
    """A bandwidth as it was measured, beside what the machine file says that it should be."""

    of: Literal["network", "memory"]
    measured_GBps: float
    nominal_GBps: float
    per_cent: float


class MachineMetrics(Model):
    """A machine in numbers."""

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
    """What the file says enough for: `whatif --on` wants LogGP or a link's latency, `place` the
    hosts' names, `profile --virtual` LogGP."""


class MachineList(Model):
    """`waywiser machine list --json`."""

    machines: tuple[ListedMachine, ...]


class ComparedNetwork(Model):
    """A topology with room for so many nodes."""

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
