"""The cost of messages, estimated from the trace of a run whose machine is not calibrated.

A message whose receiver was waiting for it takes L + 2o + G s from the start of its send to the end
of its receive (LogGP). The median of each class of sizes counts. Calls that send short messages
take no less than o. Where there are few short messages, the time of collectives for the rank that
comes last is that of the rounds of an algorithm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from waywiser.analyse.whatif.network import ASSUMED_EAGER_LIMIT, Cost, Network, Part
from waywiser.errors import InvalidCommand
from waywiser.native import _native as native
from waywiser.units import size_text

Floats = NDArray[np.float64]

MOST_CALLS, LEAST_CALLS = 50_000, 1000
"""Largest number of calls that are read of all ranks together, and smallest number for one rank."""

_END = 2**63
SHORT_BYTES = 1024
"""Messages up to this size take o to send, with little time for their bytes."""

FEW_MESSAGES = 32
"""Number of short messages below which all may be from the start, when connections are made."""

MOST_OVERHEAD_NS = 10_000.0
"""Assumed bound for short messages where the trace has no plain send; TCP has 3 to 7 us."""

SENDS = ("MPI_Send", "MPI_Isend")

COLLECTIVES: dict[str, Callable[[int, float], tuple[float, float]]] = {
    "MPI_Barrier": lambda ranks, _: (math.ceil(math.log2(ranks)), 0.0),
    "MPI_Allreduce": lambda ranks, sent: (math.ceil(math.log2(ranks)), sent),
    "MPI_Alltoall": lambda ranks, sent: (ranks - 1, sent / ranks),
    "MPI_Allgather": lambda ranks, sent: (ranks - 1, sent),
}
"""Rounds, and bytes of a message in each, of ranks that send so many bytes: dissemination,
recursive doubling, pairwise exchange and ring (R. Thakur, R. Rabenseifner, W. Gropp, "Optimization
of collective communication operations in MPICH", IJHPCA 19(1), 2005)."""


@dataclass(frozen=True)
class Messages:
    """The observed messages, one row each; arrays of shape (messages,)."""

    bytes: Floats
    ns: Floats
    """Time from the start of the send to the end of the receive."""

    def with_others(self, others: Messages) -> Messages:
        return Messages(
            np.concatenate([self.bytes, others.bytes]), np.concatenate([self.ns, others.ns])
        )


def estimated_network(trace: Path) -> Network:
    """Estimate the network of a trace.

    Raises:
        InvalidCommand: the trace has no call that allows an estimate.
    """
    seen = native.read_timeline(str(trace), 0, _end_of_part(trace), MOST_CALLS)
    host = _hosts_of_streams(trace, seen)
    arrows = _awaited(seen)
    alike = host[arrows["from"]] == host[arrows["to"]]
    overhead = _send_overhead(seen)
    one_host = len(set(host.tolist())) < 2
    parts = {}
    for inside in (True, False):
        messages = Messages(
            arrows["bytes"][alike == inside].astype(float),
            (arrows["received_ns"] - arrows["sent_ns"])[alike == inside].astype(float),
        )
        seen_in = "messages"
        if inside == one_host and np.count_nonzero(messages.bytes <= SHORT_BYTES) < FEW_MESSAGES:
            rounds = _rounds(seen)
            if rounds.bytes.size:
                seen_in = "messages and collectives" if messages.bytes.size else "collectives"
            messages = messages.with_others(rounds)
        origin = f"the trace's {seen_in} {'inside' if inside else 'between'} nodes"
        parts[inside] = _fitted(messages, overhead, origin)
    known = parts[True] or parts[False]
    if known is None:
        raise InvalidCommand(
            f"{trace} has no messages to estimate the network from; name a calibrated machine with "
            "--from MACHINE"
        )
    return Network(
        inside=parts[True] or known,
        between=parts[False] or known,
        remarks=(
            "the base's network is estimated from the trace; `waywiser machine calibrate` measures "
            "it, and --from MACHINE names the result",
            f"the eager limit is assumed to be {size_text(ASSUMED_EAGER_LIMIT)}: a trace does not "
            "show it",
        ),
    )


def _end_of_part(trace: Path) -> int:
    """Return the end of the first part of a trace, short enough to read every call [ns]."""
    file = native.TraceFile(str(trace))
    each = max(LEAST_CALLS, MOST_CALLS // max(1, len(file.job.streams)))
    if not file.job.streams or file.job.streams[0].calls <= each:
        return _END
    return int(next(file.calls(0, most=each))["end_ns"][-1])


def typical(messages: Messages) -> Messages:
    """Return the median message of each class of sizes, a power of two; no longer message is faster
    than a shorter one."""
    usable = messages.ns > 0
    size, ns = messages.bytes[usable], messages.ns[usable]
    classes = np.ceil(np.log2(np.maximum(size, 1)))
    rows = []
    for size_class in np.unique(classes):
        within = np.flatnonzero(classes == size_class)
        middle = within[np.argsort(ns[within], kind="stable")[(within.size - 1) // 2]]
        rows.append((size[middle], ns[middle]))
    medians = np.array(rows, dtype=float).reshape(-1, 2)
    # A long message that was faster than a short one bounds the time of the short one.
    lower = np.minimum.accumulate(medians[::-1, 1])[::-1]
    return Messages(medians[:, 0], lower)


def fitted_line(messages: Messages) -> tuple[float, float]:
    """Fit ns of an empty message, and ns per byte: least relative squares, neither below 0.

    Short messages alone do not determine the bandwidth, which is then left out; long ones alone do
    not determine the latency.
    """
    if messages.bytes.max() <= SHORT_BYTES:
        return float(messages.ns.min()), 0.0
    weight = 1 / messages.ns
    system = np.stack([weight, messages.bytes * weight], axis=1)
    if messages.bytes.min() > SHORT_BYTES:
        return 0.0, _alone(system[:, 1])
    (empty, per_byte), *_ = np.linalg.lstsq(system, np.ones_like(weight))
    if per_byte < 0:
        return _alone(system[:, 0]), 0.0
    return (float(empty), float(per_byte)) if empty >= 0 else (0.0, _alone(system[:, 1]))


def _alone(column: Floats) -> float:
    """Solve column * x = 1 by least squares."""
    return float(column.sum() / (column @ column))


def _fitted(messages: Messages, overhead_ns: float | None, origin: str) -> Part | None:
    best = typical(messages)
    if not best.ns.size:
        return None
    empty, per_byte = fitted_line(best)
    # A send hands its message over while it is already on its way: not all of the call is o.
    overhead = min(MOST_OVERHEAD_NS if overhead_ns is None else overhead_ns, empty / 4)
    cost = Cost(None, empty - 2 * overhead, overhead, overhead, per_byte)
    return Part((cost,), ASSUMED_EAGER_LIMIT, origin)


def _awaited(seen: native.Timeline) -> dict[str, NDArray[np.int64]]:
    """Return messages whose receivers were in the receiving call before the messages were sent; all
    messages if there are none."""
    arrows = {name: np.asarray(column) for name, column in seen.arrows.items()}
    calls = seen.calls
    begin_of = dict(
        zip(
            zip(calls["stream"].tolist(), calls["end_ns"].tolist(), strict=True),
            calls["begin_ns"].tolist(),
            strict=True,
        )
    )
    ends = zip(arrows["to"].tolist(), arrows["received_ns"].tolist(), strict=True)
    begins = np.array([begin_of.get(end, _END) for end in ends], dtype=np.uint64)
    awaited = begins <= arrows["sent_ns"].astype(np.uint64)
    return {name: column[awaited] for name, column in arrows.items()} if awaited.any() else arrows


def _hosts_of_streams(trace: Path, seen: native.Timeline) -> NDArray[np.int64]:
    host_of = {rank.rank: rank.host for rank in native.TraceFile(str(trace)).job.ranks}
    return np.array([host_of[rank] for rank, _ in seen.streams], dtype=np.int64)


def _send_overhead(seen: native.Timeline) -> float | None:
    """Return ns of the shortest calls that send short messages; None if there are none."""
    calls = {name: np.asarray(column) for name, column in seen.calls.items()}
    numbers = [seen.functions.index(name) for name in SENDS if name in seen.functions]
    sends = np.isin(calls["function"], numbers) & (calls["bytes"] <= SHORT_BYTES)
    lasting = (calls["end_ns"] - calls["begin_ns"])[sends]
    return float(lasting.min()) if lasting.size else None


def _rounds(seen: native.Timeline) -> Messages:
    """Return collectives of all ranks, for the last rank to arrive at each, as the messages of
    their rounds."""
    calls = {name: np.asarray(column) for name, column in seen.calls.items()}
    ranks = len({rank for rank, _ in seen.streams})
    size: list[float] = []
    ns: list[float] = []
    for name, rounds_of in COLLECTIVES.items():
        if name not in seen.functions or ranks < 2:
            continue
        own = calls["function"] == seen.functions.index(name)
        counts = np.bincount(calls["stream"][own], minlength=len(seen.streams))
        if counts.min() == 0 or counts.min() < counts.max():
            continue  # not all ranks made all of these calls
        lasting = (calls["end_ns"] - calls["begin_ns"])[own].reshape(counts.size, -1)
        for call, sent in enumerate(calls["bytes"][own][: counts[0]].tolist()):
            rounds, bytes_of_round = rounds_of(ranks, float(sent))
            size.append(bytes_of_round)
            ns.append(float(lasting[:, call].min()) / rounds)
    return Messages(np.array(size), np.array(ns))
