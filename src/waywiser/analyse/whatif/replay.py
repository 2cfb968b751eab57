"""Replays of a trace by `native/simulate`."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from waywiser.analyse.whatif.network import Part
from waywiser.analyse.whatif.setting import (
    Floats,
    Function,
    LinkUse,
    Replayed,
    Replayer,
    Setting,
)
from waywiser.errors import InvalidRun
from waywiser.model.summary import OUTSIDE_MPI_TIME, Summary
from waywiser.native import _native as native
from waywiser.native import simulate

FINALIZES = frozenset({"MPI_Finalize", "MPI_Session_finalize"})
INITS = OUTSIDE_MPI_TIME - FINALIZES


@dataclass(frozen=True)
class SetUp:
    """MPI_Init and MPI_Finalize, which no question changes; every time omits them."""

    before_ns: Floats
    """Time of each rank before MPI_Init, since the start of the first rank."""

    init_ns: Floats
    """Time of each rank in MPI_Init."""

    begin_ns: float
    """Time from the start of the first MPI_Init until the first rank leaves it."""

    recorded_ns: float
    """Time from `begin_ns` until the last rank enters MPI_Finalize."""


def replayer(trace: Path, summary: Summary, threads: int = 0) -> Replayer:
    """Replays this trace. It raises InvalidRun where the trace cannot be read, holds no calls, or
    comes to a deadlock.

    Args:
        threads: of a replay, whose result is the same for any number; 0: as many as help.
    """
    try:
        job = native.TraceFile(str(trace)).job
    except native.NativeError as error:
        raise InvalidRun(str(error)) from error
    if not any(stream.calls for stream in job.streams):
        raise InvalidRun("; ".join([f"{trace} has no calls to replay", *job.lost[:1]]))
    set_up = set_up_of(job, summary)

    def replay(setting: Setting) -> Replayed:
        settings = settings_of(setting)
        settings.threads = threads
        try:
            return _replayed(simulate.replay(str(trace), settings), set_up)
        except native.NativeError as error:
            raise InvalidRun(f"{trace}: {error}") from error

    return replay


def set_up_of(job: native.TraceJob, summary: Summary) -> SetUp:
    """Return the set-up; a trace of a part of the run may have neither call."""
    first = min(rank.begin_ns for rank in job.ranks)
    begin = np.array([rank.begin_ns - first for rank in job.ranks], dtype=float)
    end = np.array([rank.end_ns - first for rank in job.ranks], dtype=float)
    init = _seconds_ns(job, summary.init_seconds, INITS)
    finalize = _seconds_ns(job, summary.finalize_seconds, FINALIZES)
    ready = float((begin + init).min())
    return SetUp(begin, init, ready, float((end - finalize).max()) - ready)


def _seconds_ns(
    job: native.TraceJob, seconds: tuple[float, ...], functions: frozenset[str]
) -> Floats:
    traced = functions & set(job.functions)
    return np.array([1e9 * seconds[rank.rank] if traced else 0.0 for rank in job.ranks])


def settings_of(setting: Setting) -> simulate.Settings:
    settings = simulate.Settings()
    settings.within = _messages(setting.network.inside)
    settings.between = _messages(setting.network.between)
    settings.node_of_rank = list(setting.nodes)
    settings.cpu = setting.cpu
    settings.balanced = setting.balanced
    settings.no_noise = setting.no_noise
    settings.early_sends = setting.early_sends
    settings.join_messages = setting.join_messages
    settings.asynchronous = setting.asynchronous
    settings.collectives = dict(setting.collectives)
    settings.library = setting.library
    settings.noise = simulate.Noise(exponential=setting.noise, seed=setting.seed)
    if setting.interconnect is None:
        settings.share_nic = setting.shares_nics
        return settings
    links, nic = setting.interconnect, setting.network.between.costs[-1].ns_per_byte
    if links.nodes:
        settings.node_of_rank = [links.nodes[node] for node in setting.nodes]
    speeds = simulate.Speeds(
        link_bytes_per_ns=links.link_bytes_per_ns, nic_bytes_per_ns=1 / nic if nic else math.inf
    )
    settings.interconnect = simulate.Interconnect(links.topology, speeds, seed=setting.seed)
    return settings


def _messages(part: Part) -> simulate.Messages:
    costs = [simulate.Cost(**asdict(cost)) for cost in part.costs]
    return simulate.Messages(costs, part.eager_limit_bytes)


def from_the_begin(prediction: simulate.Prediction) -> Replayed:
    """Convert a replay that begins when MPI_Init is over; nothing was recorded."""
    nothing = np.zeros(1)
    return _replayed(prediction, SetUp(nothing, nothing, begin_ns=0.0, recorded_ns=0.0))


def _replayed(prediction: simulate.Prediction, set_up: SetUp) -> Replayed:
    ranks = prediction.ranks

    def column(name: str) -> Floats:
        return np.array([getattr(rank, name) for rank in ranks], dtype=float)

    ending = next(
        (function for function in prediction.functions if function.name in FINALIZES), None
    )
    ending_ns = (ending.ns - ending.waiting_ns) / len(ranks) if ending else 0.0
    outside = set_up.init_ns + ending_ns
    makespan_ns = prediction.makespan_ns - set_up.begin_ns - ending_ns
    path = prediction.critical_path
    return Replayed(
        makespan_ns=makespan_ns,
        recorded_ns=set_up.recorded_ns,
        compute_ns=np.maximum(0.0, column("compute_ns") - set_up.before_ns),
        mpi_ns=np.maximum(0.0, column("mpi_ns") - outside),
        waiting_ns=column("waiting_ns"),
        transfer_ns=column("transfer_ns"),
        overhead_ns=np.maximum(0.0, column("overhead_ns") - outside),
        functions=tuple(
            Function(function.name, function.calls, function.ns, function.waiting_ns)
            for function in prediction.functions
            if function.name not in OUTSIDE_MPI_TIME
        ),
        critical_path={
            "computing": max(0.0, path.compute_ns - set_up.begin_ns),
            "overhead": path.overhead_ns,
            "latency": path.latency_ns,
            "transfer": path.transfer_ns,
        },
        messages=prediction.messages,
        bytes=prediction.bytes,
        remarks=tuple(prediction.remarks),
        links=_link_use(
            prediction.links, prediction.makespan_ns / makespan_ns if makespan_ns else 1.0
        ),
    )


def _link_use(links: simulate.LinkUse, whole: float) -> LinkUse | None:
    """
    Args:
        whole: time with MPI_Init and MPI_Finalize / time without.
    """
    used = whole * np.asarray(links.utilisation, dtype=float)
    if not used.size:
        return None
    carried = used[used > 0]
    return LinkUse(
        busiest=float(carried.max(initial=0.0)),
        mean=float(carried.mean()) if carried.size else 0.0,
        delays_ns=float(links.delays_ns),
        inner_delays_ns=float(links.inner_delays_ns),
        most_to_a_node=int(links.most_to_a_node),
    )
