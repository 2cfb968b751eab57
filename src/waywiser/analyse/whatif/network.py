"""The cost of messages, inside a node and between nodes, as in a machine file, and changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from waywiser.analyse.whatif.quantity import Change
from waywiser.errors import InvalidCommand
from waywiser.machines.library import topology_of
from waywiser.machines.metrics import mean_hops
from waywiser.model.machine import LogGP, Machine
from waywiser.model.routing import cost_remarks
from waywiser.units import size_text

NS_PER_US = 1e3

ASSUMED_EAGER_LIMIT = 64 * 1024
"""Eager limit for a machine file without one, and for a network that is estimated from a trace."""


@dataclass(frozen=True)
class Cost:
    """LogGP of messages up to a size; see `model.machine.LogGP`."""

    up_to_bytes: int | None
    latency_ns: float
    overhead_ns: float
    gap_ns: float
    ns_per_byte: float
    overhead_ns_per_byte: float = 0.0


FREE = Cost(None, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Part:
    """Messages inside a node, or those between nodes."""

    costs: tuple[Cost, ...]
    """Costs by rising message size; the last has no bound."""

    eager_limit_bytes: int
    origin: str
    """Source of the costs."""

    error: float | None = None
    """Relative error of predictions with these costs; None where they were not validated."""

    def with_latency(self, change: Change) -> Part:
        """Give short messages this L; that of longer ones changes in proportion."""
        factor = change.factor_of(self.costs[0].latency_ns)
        if factor == math.inf:
            return self._each(lambda cost: replace(cost, latency_ns=change.value))
        return self._each(lambda cost: replace(cost, latency_ns=cost.latency_ns * factor))

    def with_bandwidth(self, change: Change) -> Part:
        """Give long messages this bandwidth [B/s]; that of shorter ones changes in proportion."""
        ns_per_byte = self.costs[-1].ns_per_byte
        if ns_per_byte == 0:
            raise InvalidCommand(
                f"--bandwidth: the bandwidth of {self.origin} is not known; name a machine that "
                "gives it with --from MACHINE"
            )
        factor = change.factor_of(1e9 / ns_per_byte)
        return self._each(lambda cost: replace(cost, ns_per_byte=cost.ns_per_byte / factor))

    def _each(self, changed: Callable[[Cost], Cost]) -> Part:
        return replace(self, costs=tuple(map(changed, self.costs)))

    @property
    def takes_time(self) -> bool:
        return any(replace(cost, up_to_bytes=None) != FREE for cost in self.costs)

    def ideal(self) -> Part:
        """Make messages take no time; long messages still wait for their receivers."""
        return replace(self, costs=(FREE,))


@dataclass(frozen=True)
class Network:
    inside: Part
    between: Part
    remarks: tuple[str, ...] = ()


def of_machine(machine: Machine, base: Network | None = None) -> Network:
    """Return a machine's network.

    Args:
        base: replacement for values that the machine's file lacks; None: the file may lack only
            the costs inside a node.

    Raises:
        InvalidCommand: the file lacks a value.
    """
    remarks: list[str] = []
    between = _calibrated(machine, "network")
    if between is None:
        between = _of_links(machine, base)
        remarks.append(
            f"{machine.title} is not calibrated (no network.loggp): L is its link latency times "
            "its mean distance, the bandwidth that of a link, o that of the base"
        )
        remarks += cost_remarks(machine.network.topology.kind)
    inside = _calibrated(machine, "node")
    if inside is None and base is not None:
        inside = base.inside
        remarks.append(f"{machine.title} has no node.loggp: messages in a node cost as in the base")
    if inside is None:
        inside = between
        remarks.append(
            f"{machine.title} has no node.loggp: messages in a node cost as those between nodes"
        )
    for words, from_file in (("between", machine.network), ("inside", machine.node)):
        if from_file.eager_limit_bytes is None and (from_file.loggp or words == "between"):
            remarks.append(
                f"{machine.title} gives no eager limit {words} nodes: "
                f"{size_text(ASSUMED_EAGER_LIMIT)} is assumed"
            )
    return Network(inside, between, tuple(remarks))


def _calibrated(machine: Machine, part: Literal["node", "network"]) -> Part | None:
    from_file = machine.network if part == "network" else machine.node
    if not from_file.loggp:
        return None
    limit = from_file.eager_limit_bytes
    return Part(
        costs_of(from_file.loggp),
        ASSUMED_EAGER_LIMIT if limit is None else limit,
        machine.title,
        machine.prediction_error(part),
    )


def costs_of(pieces: Sequence[LogGP]) -> tuple[Cost, ...]:
    return tuple(
        Cost(
            up_to_bytes=piece.up_to_bytes,
            latency_ns=piece.latency_us * NS_PER_US,
            overhead_ns=piece.overhead_us * NS_PER_US,
            gap_ns=piece.gap_us * NS_PER_US,
            ns_per_byte=1 / piece.bandwidth_GBps,
            overhead_ns_per_byte=piece.overhead_ns_per_byte,
        )
        for piece in pieces
    )


def _of_links(machine: Machine, base: Network | None) -> Part:
    network = machine.network
    if network.link_latency_us is None or base is None:
        raise InvalidCommand(
            f"{machine.title} has no network.loggp{'' if base else ', which a base needs'}: "
            "`waywiser machine calibrate` measures it"
            + (", or give network.link_latency_us" if base else "")
        )
    overhead = base.between.costs[0].overhead_ns
    hops = mean_hops(topology_of(machine))
    cost = Cost(
        up_to_bytes=None,
        latency_ns=network.link_latency_us * NS_PER_US * hops,
        overhead_ns=overhead,
        gap_ns=overhead,
        ns_per_byte=1 / network.link_bandwidth_GBps,
    )
    limit = network.eager_limit_bytes
    return Part((cost,), ASSUMED_EAGER_LIMIT if limit is None else limit, machine.title)
