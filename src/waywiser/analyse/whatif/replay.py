"""Replays of a trace by `native/simulate`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from waywiser.analyse.whatif.network import Part
from waywiser.analyse.whatif.setting import Floats, Function, Replayed, Replayer, Setting
from waywiser.errors import InvalidRun
from waywiser.native import _native as native
from waywiser.native import simulate


def replayer(trace: Path) -> Replayer:
    """Replays this trace. It raises InvalidRun where the trace cannot be read, or comes to a
    deadlock."""

    def replay(setting: Setting) -> Replayed:
        try:
            return _replayed(simulate.replay(str(trace), settings_of(setting)))
        except native.NativeError as error:
            raise InvalidRun(f"{trace}: {error}") from error

    return replay


def settings_of(setting: Setting) -> simulate.Settings:
    settings = simulate.Settings()
    settings.within = _messages(setting.network.inside)
    settings.between = _messages(setting.network.between)
    settings.node_of_rank = list(setting.nodes)
    settings.cpu = setting.cpu
    settings.balanced = setting.balanced
    settings.asynchronous = setting.asynchronous
    settings.collectives = dict(setting.collectives)
    settings.library = setting.library
    settings.noise = simulate.Noise(exponential=setting.noise, seed=setting.seed)
    settings.share_card = True
    return settings


def _messages(part: Part) -> simulate.Messages:
    costs = [
        simulate.Cost(
            up_to_bytes=cost.up_to_bytes,
            latency_ns=cost.latency_ns,
            overhead_ns=cost.overhead_ns,
            gap_ns=cost.gap_ns,
            ns_per_byte=cost.ns_per_byte,
            overhead_ns_per_byte=cost.overhead_ns_per_byte,
        )
        for cost in part.costs
    ]
    return simulate.Messages(costs, part.eager_limit_bytes)


def _replayed(found: simulate.Prediction) -> Replayed:
    def column(name: str) -> Floats:
        return np.array([getattr(rank, name) for rank in found.ranks], dtype=float)

    path = found.critical_path
    return Replayed(
        makespan_ns=found.makespan_ns,
        recorded_ns=found.recorded.makespan_ns,
        compute_ns=column("compute_ns"),
        mpi_ns=column("mpi_ns"),
        waiting_ns=column("waiting_ns"),
        transfer_ns=column("transfer_ns"),
        overhead_ns=column("overhead_ns"),
        functions=tuple(
            Function(one.name, one.calls, one.ns, one.waiting_ns) for one in found.functions
        ),
        critical_path={
            "computing": path.compute_ns,
            "overhead": path.overhead_ns,
            "latency": path.latency_ns,
            "transfer": path.transfer_ns,
        },
        messages=found.messages,
        bytes=found.bytes,
        remarks=tuple(found.remarks),
    )
