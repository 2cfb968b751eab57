"""A replay on paper, for tests of what is made of replays.

Ranks compute, then all wait for the last one, then each sends messages to the next one of a ring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.synthetic_runs import rank, summary
from tests.synthetic_waits import waits_of
from waywiser.analyse.whatif.answer import NS_PER_S, Base, base_of
from waywiser.analyse.whatif.network import Cost, Network, Part
from waywiser.analyse.whatif.requested import Recorded
from waywiser.analyse.whatif.setting import Function, Replayed, Setting
from waywiser.model.pairs import Pairs
from waywiser.model.summary import FunctionTotal, Matrix, Summary, SummaryMpi
from waywiser.model.waits import Waits

MS = 1e6
BASE_NETWORK = Network(
    Part((Cost(None, 200.0, 100.0, 100.0, 0.1),), 4096, "the memory"),
    Part((Cost(None, 1000.0, 250.0, 250.0, 1.0),), 4096, "the wires", error=0.05),
)


@dataclass(frozen=True)
class Program:
    computation_ns: Sequence[float]
    messages: int
    bytes: int
    """Size of each message."""

    recorded_ns: float
    algorithms: dict[str, float]
    """Cost of the messages with an algorithm of allreduce, relative to the default."""

    delayed: float = 0.0
    """Share of the computing that is noise."""

    consecutive: int = 1
    """Messages that follow each other."""

    def __call__(self, setting: Setting) -> Replayed:
        computation = np.array(self.computation_ns) / setting.cpu
        if setting.balanced:
            computation[:] = computation.mean()
        ranks = computation.size
        messages = self.messages // (self.consecutive if setting.join_messages else 1)
        size = self.messages * self.bytes // max(messages, 1)
        cost = np.empty(ranks)
        for number in range(ranks):
            near = setting.nodes[number] == setting.nodes[(number + 1) % ranks]
            part = setting.network.inside if near else setting.network.between
            cost[number] = messages * _message_ns(part, size)
        cost *= self.algorithms.get(setting.collectives.get("allreduce", ""), 1.0)
        if setting.no_noise:
            computation *= 1 - self.delayed
        waiting = computation.max() - computation + cost.max() - cost
        makespan = float(computation.max() + cost.max())
        return Replayed(
            makespan_ns=makespan,
            recorded_ns=self.recorded_ns,
            compute_ns=computation,
            mpi_ns=waiting + cost,
            waiting_ns=waiting,
            transfer_ns=cost,
            overhead_ns=np.zeros(ranks),
            functions=(
                Function(
                    "MPI_Allreduce", ranks, float((waiting + cost).sum()), float(waiting.sum())
                ),
            ),
            critical_path={"computing": float(computation.max()), "latency": float(cost.max())},
            messages=messages * ranks,
            bytes=self.bytes * self.messages * ranks,
            remarks=("replayed on paper",),
        )


def _message_ns(part: Part, size: int) -> float:
    (cost,) = part.costs
    return cost.latency_ns + 2 * cost.overhead_ns + cost.ns_per_byte * size


def base_on_paper(
    program: Program, nodes: tuple[int, ...], network: Network = BASE_NETWORK
) -> Base:
    """The base of a run of this program, whose ranks are on these nodes."""
    setting = Setting(network, nodes, "")
    profile = summary_on_paper(nodes, program(setting))
    return base_of(Recorded("run", Path("trace.ww"), profile, setting), program)


def summary_on_paper(
    nodes: tuple[int, ...], replayed: Replayed | None = None, waits: Waits | None = None
) -> Summary:
    """Each rank sends 1000 B to the one half of all ranks further on, in one message.

    Args:
        replayed: whose functions and waits are recorded.
    """
    functions = {
        function.name: FunctionTotal(
            calls=function.calls, seconds=function.ns / NS_PER_S, bytes=0, receive_bytes=0, sizes=()
        )
        for function in (replayed.functions if replayed else ())
    }
    ranks = len(nodes)
    if replayed is not None and waits is None:
        waits = waits_of(
            {"all_to_all": float(replayed.waiting_ns.sum()) / NS_PER_S},
            functions={
                function.name: function.waiting_ns / NS_PER_S for function in replayed.functions
            },
            mpi_seconds=float(replayed.mpi_ns.sum()) / NS_PER_S,
            wall_seconds=ranks * replayed.recorded_ns / NS_PER_S,
        )
    half = [(a, (a + ranks // 2) % ranks) for a in range(ranks)]
    of_second = {"wall_seconds": 1.0, "cpu_seconds": 1.0, "cpus": "0"}
    return summary(
        [rank(number, {}, f"n{node}").replace(**of_second) for number, node in enumerate(nodes)],
        communicators=(),
        waits=waits,
    ).replace(
        mpi=SummaryMpi(library="paper", version="1", abi="unknown"),
        wall_seconds=1.0,
        functions=functions,
        matrix=Matrix(
            bytes=Pairs([(*pair, 1000) for pair in half]),
            messages=Pairs([(*pair, 1) for pair in half]),
        ),
    )
