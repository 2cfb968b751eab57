"""Topologies in numbers: their cost, the distances of nodes, and the bottlenecks of traffic."""

from __future__ import annotations

from typing import Literal

import numpy as np

from waywiser.machines.candidates import Candidate
from waywiser.machines.library import read_machine, shipped, topology_of
from waywiser.model.machine import Machine
from waywiser.model.machine_metrics import (
    ComparedNetwork,
    Islands,
    ListedMachine,
    MachineList,
    MachineMetrics,
    NetworkMetrics,
    Peak,
)
from waywiser.native import _native as native

MOST_PAIRS = 1 << 22
"""Largest number of pairs of nodes whose routes are followed, which takes a second or two."""


def machine_metrics(name: str, machine: Machine) -> MachineMetrics:
    """Compute a machine's metrics; `name` is the user's name for it."""
    network = network_metrics(topology_of(machine))
    per_node = network.bisection_cables_per_node
    bandwidth = machine.network.link_bandwidth_GBps
    return MachineMetrics(
        name=name,
        title=machine.title,
        document=machine.source.document,
        date=machine.source.date,
        inferred=machine.source.inferred,
        sockets=machine.node.sockets,
        cores=machine.node.cores,
        link_bandwidth_GBps=bandwidth,
        bisection_GBps_per_node=None if per_node is None else per_node * bandwidth,
        peaks=peaks(machine),
        failed_links=len(machine.network.failed),
        network=network,
    )


def peaks(machine: Machine) -> tuple[Peak, ...]:
    """Measured bandwidths beside the nominal ones, where the machine file has both."""
    network, node = machine.network, machine.node
    calibrated = any(calibration.part == "network" for calibration in machine.calibration)
    rates: list[tuple[Literal["network", "memory"], float | None, float | None]] = [
        (
            "network",
            network.loggp[-1].bandwidth_GBps if calibrated and network.loggp else None,
            network.link_bandwidth_GBps,
        ),
        ("memory", node.measured_memory_GBps, node.memory_bandwidth_GBps),
    ]
    return tuple(
        Peak(of=of, measured_GBps=measured, nominal_GBps=peak, per_cent=100 * measured / peak)
        for of, measured, peak in rates
        if measured is not None and peak is not None
    )


def listed() -> MachineList:
    """The machines that come with Waywiser."""
    machines = []
    for name in shipped():
        machine = read_machine(name)
        topology = topology_of(machine)
        machines.append(
            ListedMachine(
                name=name,
                title=machine.title,
                kind=topology.kind,
                nodes=topology.nodes,
                cores=machine.node.cores,
                date=machine.source.date,
                used_by=_used_by(machine),
            )
        )
    return MachineList(machines=tuple(machines))


def _used_by(machine: Machine) -> tuple[Literal["whatif", "place", "virtual"], ...]:
    calibrated = bool(machine.network.loggp)
    uses: list[Literal["whatif", "place", "virtual"]] = []
    if calibrated or machine.network.link_latency_us is not None:
        uses.append("whatif")
    if machine.hosts:
        uses.append("place")
    if calibrated:
        uses.append("virtual")
    return tuple(uses)


def compared(candidate: Candidate) -> ComparedNetwork:
    """A topology that was sized for some nodes, in numbers."""
    parameters = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in candidate.parameters.items()
    }
    topology = native.make_topology(candidate.kind, candidate.parameters)
    return ComparedNetwork(
        name=candidate.name,
        about=candidate.about,
        parameters=parameters,
        network=network_metrics(topology),
    )


def network_metrics(topology: native.Topology) -> NetworkMetrics:
    nodes = topology.nodes
    properties = topology.properties
    # One switch delays no message: half of the nodes can send at full speed to the others.
    bisection = float(nodes // 2) if topology.switches == 1 else properties.bisection
    busiest, sampled = _busiest_link(topology)
    return NetworkMetrics(
        kind=topology.kind,
        nodes=nodes,
        switches=topology.switches,
        host_cables=properties.host_cables,
        network_cables=properties.network_cables,
        diameter_hops=properties.diameter,
        mean_hops=_between_others(properties.mean_hops, nodes),
        bisection_cables=bisection,
        bisection_cables_per_node=(
            None if bisection is None or nodes < 2 else bisection / (nodes // 2)
        ),
        busiest_link=busiest,
        sampled=sampled,
        islands=tuple(_islands(group_of_node) for group_of_node in topology.groupings),
    )


def mean_hops(topology: native.Topology) -> float:
    """The mean number of links between two nodes."""
    return _between_others(topology.properties.mean_hops, topology.nodes)


def _between_others(mean: float, nodes: int) -> float:
    """The mean of other nodes alone; the native one has the pairs of a node with itself, too."""
    return mean * nodes / (nodes - 1) if nodes > 1 else 0.0


def _islands(group_of_node: np.ndarray) -> Islands:
    sizes = np.bincount(group_of_node)
    sizes = sizes[sizes > 0]
    return Islands(
        count=len(sizes), smallest_nodes=int(sizes.min()), largest_nodes=int(sizes.max())
    )


def _busiest_link(topology: native.Topology) -> tuple[float, bool]:
    """Return the load of the busiest link if each node sends 1 in all, evenly to all other nodes;
    and whether only some pairs of nodes were followed.

    The pairs are those of shifts, node i to node i + s: each node sends and receives equally, even
    if some shifts are left out.
    """
    nodes = topology.nodes
    shifts = np.arange(1, nodes, dtype=np.uint32)
    if sampled := nodes * len(shifts) > MOST_PAIRS:
        shifts = np.random.default_rng(1).choice(
            shifts, size=max(MOST_PAIRS // nodes, 1), replace=False
        )
    if not len(shifts):
        return 0.0, False
    everyone = np.arange(nodes, dtype=np.uint32)
    loads = np.zeros(len(topology.link_from))
    for shift in shifts:
        loads += topology.loads(everyone, (everyone + shift) % np.uint32(nodes))
    return float(np.max(loads / topology.link_cables)) / len(shifts), sampled
