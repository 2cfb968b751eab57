"""The setting of a replay, and the results of a replay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from waywiser.analyse.whatif.network import Network, Part
from waywiser.analyse.whatif.nodes import Nodes
from waywiser.model.machine import Machine
from waywiser.native import _native as native

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Interconnect:
    """Links that messages between nodes share."""

    machine: Machine
    topology: native.Topology
    link_bytes_per_ns: float
    nodes: tuple[int, ...] = ()
    """The run's nodes in the topology; empty: the first nodes of the topology."""


@dataclass(frozen=True)
class Setting:
    """The setting of a replay: its network, nodes and changes."""

    network: Network
    nodes: Nodes
    library: str
    """MPI library whose rules choose the algorithms of collectives."""

    collectives: Mapping[str, str] = field(default_factory=dict)
    """Algorithms that replace the library's choice, by collective."""

    cpu: float = 1.0
    noise: float = 0.0
    """Mean delay of computing, as a share of it."""

    seed: int = 1
    balanced: bool = False
    early_sends: bool = False
    """True: sends precede the computation before them."""

    join_messages: bool = False
    """True: consecutive messages from a rank to the same rank are one."""

    no_noise: bool = False
    """True: no rank computes longer than the median of its repetitions, except where all do."""

    asynchronous: bool = False
    interconnect: Interconnect | None = None
    """Interconnect of the nodes; None: messages do not delay each other."""

    hosts: tuple[str, ...] = ()
    """Names of the nodes, by number; empty if they have none."""

    @property
    def leaves_out_links(self) -> bool:
        """True if nodes may share links that the replay does not model."""
        several = len(set(self.nodes)) > 2
        return self.interconnect is None and several and self.network.between.takes_time

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts of the network that messages travel through."""
        if not self._several_nodes:
            return (self.network.inside,)
        return (self.network.between, *([self.network.inside] if self.shares_nics else []))

    @property
    def shares_nics(self) -> bool:
        """True if ranks of a node send over the same NIC to other nodes."""
        return self._several_nodes and len(set(self.nodes)) < len(self.nodes)

    @property
    def _several_nodes(self) -> bool:
        return len(set(self.nodes)) > 1


@dataclass(frozen=True)
class Function:
    name: str
    calls: int
    ns: float
    waiting_ns: float


@dataclass(frozen=True)
class LinkUse:
    """Use of the links of an interconnect that carried messages."""

    busiest: float
    mean: float
    delays_ns: float
    inner_delays_ns: float
    """Part of `delays_ns` for messages that a link between switches held up in the end."""

    most_to_a_node: int
    """Largest number of messages under way to one node at once."""


@dataclass(frozen=True)
class Replayed:
    """A replayed run without MPI_Init and MPI_Finalize; arrays are of shape (ranks,)."""

    makespan_ns: float
    recorded_ns: float
    """Makespan of the trace itself."""

    compute_ns: Floats
    mpi_ns: Floats
    waiting_ns: Floats
    transfer_ns: Floats
    overhead_ns: Floats
    functions: tuple[Function, ...]
    critical_path: Mapping[str, float]
    """Time in ns by part of the critical path."""

    messages: int
    bytes: int
    remarks: tuple[str, ...]
    links: LinkUse | None = None


Replayer = Callable[[Setting], Replayed]
