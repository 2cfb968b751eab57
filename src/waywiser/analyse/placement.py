"""Place a pattern of messages on a machine and a job's hosts, and estimate the gain."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from waywiser.analyse.traffic import Traffic
from waywiser.errors import InvalidCommand, WaywiserError
from waywiser.machines.allocation import Allocation
from waywiser.model.machine import Machine
from waywiser.model.placement import Objective, PlacementCost
from waywiser.model.routing import cost_remarks
from waywiser.native import _native as native
from waywiser.progress import progress
from waywiser.units import counted, seconds_text

Order = Literal["default", "round-robin", "random"]
Slots = NDArray[np.uint32]

NATIVE_OBJECTIVES = {
    "hop-bytes": native.Objective.hop_bytes,
    "busiest-link": native.Objective.busiest_link,
    "time": native.Objective.time,
}

METHODS_ON_REQUEST = {
    name: about for name, about, on_request in native.placement_methods() if on_request
}
"""Description of each method that is used on request only."""


@dataclass(frozen=True)
class Job:
    """The ranks' messages and the slots for the ranks, as the mapper requires them."""

    traffic: Traffic
    topology: native.Topology
    node: Slots
    """The topology's node of each slot, host after host."""

    host: Slots
    """The host of each slot, by its place in the allocation."""

    pattern: native.Pattern
    slots: native.Slots
    model: native.TimeModel


def job_of(
    traffic: Traffic,
    machine: Machine,
    topology: native.Topology,
    allocation: Allocation,
    *,
    source: str,
    all_slots: bool = True,
) -> Job:
    """
    Args:
        source: origin of the allocation, for errors.
        all_slots: ranks can have any slots; else launchers' default slots.

    Raises:
        InvalidCommand: there are fewer slots than ranks.
    """
    counts = np.asarray(allocation.slots)
    if counts.sum() < traffic.ranks:
        raise InvalidCommand(
            f"{source}: {counted(int(counts.sum()), 'slot')} on {counted(len(counts), 'host')} for "
            f"{traffic.ranks} ranks; name more hosts, or give them more slots with --slots"
        )
    host = np.repeat(np.arange(counts.size, dtype=np.uint32), counts)
    position = np.concatenate([np.arange(count, dtype=np.uint32) for count in counts])
    if not all_slots:
        host, position = host[: traffic.ranks], position[: traffic.ranks]
    node = np.asarray(allocation.nodes, dtype=np.uint32)[host]
    levels = [(level.cores, level.distance) for level in machine.node.levels]
    return Job(
        traffic,
        topology,
        node,
        host,
        native.Pattern(
            traffic.ranks, traffic.sources, traffic.targets, traffic.bytes, traffic.messages
        ),
        native.Slots(topology, node, position, levels),
        _time_model(machine),
    )


def _time_model(machine: Machine) -> native.TimeModel:
    model = native.TimeModel()
    model.seconds_per_byte = 1e-9 / machine.network.link_bandwidth_GBps
    if machine.network.link_latency_us is not None:
        model.seconds_per_hop = 1e-6 * machine.network.link_latency_us
    if machine.network.loggp:
        first = machine.network.loggp[0]
        model.seconds_per_message = 1e-6 * (first.latency_us + 2 * first.overhead_us)
    if machine.node.loggp:
        first = machine.node.loggp[0]
        model.seconds_per_message_inside = 1e-6 * (first.latency_us + 2 * first.overhead_us)
    return model


def remarks_of(job: Job, machine: Machine) -> tuple[str, ...]:
    """Return the assumptions of a placement's seconds, and the omissions of its links."""
    remarks = []
    if not machine.network.loggp and job.traffic.messages.any():
        between, inside = (
            seconds_text(seconds)
            for seconds in (job.model.seconds_per_message, job.model.seconds_per_message_inside)
        )
        remarks.append(
            f"{machine.title} is not calibrated (no network.loggp): Waywiser assumes {between} for "
            f"a message between nodes and {inside} for one inside a node"
        )
    return (*remarks, *cost_remarks(job.topology.kind))


def cost_of(job: Job, order: Sequence[int]) -> PlacementCost:
    cost = native.placement_cost(
        job.pattern, job.slots, np.asarray(order, dtype=np.uint32), job.model
    )
    nodes = np.unique(job.node[np.asarray(order)])
    return PlacementCost(
        hop_bytes=cost.hop_bytes,
        off_node_bytes=cost.off_node_bytes,
        bytes_by_hops=_bytes_by_hops(job, np.asarray(order)),
        busiest_link_bytes=cost.busiest_link_bytes,
        seconds=cost.seconds,
        seconds_at_most=cost.seconds_at_most,
        hosts=len(nodes),
        switches=_switches(job.topology, nodes),
    )


def _bytes_by_hops(job: Job, order: NDArray[np.integer]) -> tuple[int, ...]:
    node = job.node[order]
    hops = job.topology.hops(node[job.traffic.sources], node[job.traffic.targets])
    apart = job.traffic.sources != job.traffic.targets
    by_hops = np.zeros(int(hops.max(initial=0)) + 1, dtype=np.uint64)
    np.add.at(by_hops, hops[apart], job.traffic.bytes[apart])
    return tuple(by_hops.tolist())


def _switches(topology: native.Topology, nodes: Slots) -> int:
    ends = topology.link_to[np.isin(topology.link_from, nodes)]
    return len(np.unique(ends[ends >= topology.nodes]))


def best_order(
    job: Job, objective: Objective, seed: int, also: Sequence[str] = ()
) -> tuple[tuple[int, ...], str]:
    """Return the slot of each rank, and the method that found the order.

    Args:
        also: further methods of METHODS_ON_REQUEST.

    Raises:
        WaywiserError: one of `also` cannot be used here.
    """
    methods = [
        name for name, _, on_request in native.placement_methods() if not on_request or name in also
    ]
    so_far = native.Progress()
    try:
        with progress("placing", so_far):
            placed = native.place(
                job.pattern,
                job.slots,
                NATIVE_OBJECTIVES[objective],
                model=job.model,
                seed=seed,
                methods=methods,
                progress=so_far,
            )
    except native.NativeError as error:
        raise WaywiserError(f"--also {' '.join(also)}: {error}") from error
    return tuple(placed.order.tolist()), placed.method


def named_order(job: Job, name: Order, seed: int) -> tuple[int, ...]:
    """Return an order from the papers.

    "round-robin" deals the ranks to the hosts in turn; "random" shuffles those slots that the
    default order takes.
    """
    ranks = job.traffic.ranks
    if name == "random":
        return tuple(random.Random(seed).sample(range(ranks), ranks))
    if name == "round-robin":
        first_of_host = np.searchsorted(job.host, job.host)
        turn = np.arange(job.host.size) - first_of_host
        return tuple(np.lexsort((job.host, turn))[:ranks].tolist())
    return tuple(range(ranks))


def order_as_run(job: Job, allocation: Allocation, hosts: Sequence[str]) -> tuple[int, ...] | None:
    """Return the slots of ranks that were on these hosts; None if the allocation lacks a host."""
    number = {short(name): at for at, name in enumerate(allocation.hosts)}
    free: dict[int, list[int]] = {}
    for slot, host in reversed(list(enumerate(job.host.tolist()))):
        free.setdefault(host, []).append(slot)
    order = []
    for name in hosts:
        left = free.get(number.get(short(name), -1))
        if not left:
            return None
        order.append(left.pop())
    return tuple(order) if len(order) == job.traffic.ranks else None


def short(host: str) -> str:
    """Return a host's name without its domain."""
    return host.partition(".")[0]


def value(cost: PlacementCost, objective: Objective) -> float:
    """Return the cost that the objective minimises."""
    return {
        "hop-bytes": cost.hop_bytes,
        "busiest-link": cost.busiest_link_bytes,
        "time": cost.seconds,
    }[objective]
