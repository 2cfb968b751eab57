"""The results of the ranks' virtual clocks: a JSON line for each rank, in a file for each node."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from waywiser.model.base import Model
from waywiser.model.virtual import VirtualClocks, VirtualFunction, VirtualRank
from waywiser.model.virtual_settings import VirtualSettings
from waywiser.units import counted

NS = 1e-9
FOLLOWS_NO_MORE = "a partner follows no more"
"""Reason of ranks that stopped because another rank did (`shadow_communicator.cpp`)."""


class _Called(Model):
    name: str
    calls: int
    ns: float
    waiting_ns: float
    transfer_ns: float


class _Line(Model):
    """A line that native/virtual/rank.cpp writes."""

    rank: int
    lost: str
    """Why the rank's clock stopped before the rank's end; "" if it did not."""

    real_ns: float
    following_ns: float
    end_ns: float
    compute_ns: float
    waiting_ns: float
    transfer_ns: float
    overhead_ns: float
    messages: int
    handshakes: int
    senders_ns: float
    stamps: int
    stamp_bytes: int
    functions: tuple[_Called, ...]
    remarks: dict[str, int]


_LINES = TypeAdapter(_Line)


def settings_file(parts: Path) -> Path:
    return parts / "virtual.settings"


def read_clocks(parts: Path, settings: VirtualSettings, ranks: int) -> VirtualClocks | None:
    """Joins the ranks' clocks.

    Args:
        parts: directory of the ranks' files.
        ranks: number of ranks.

    Returns:
        None if no rank has written a clock.
    """
    lines: dict[int, _Line] = {}
    for path in sorted(parts.glob("*.virtual")):
        for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                line = _LINES.validate_json(text)
            except ValueError:
                continue
            lines[line.rank] = line
    if not lines:
        return None
    missing = _missing(lines, ranks)
    times: Counter[str] = Counter()
    for line in lines.values():
        times.update(line.remarks)
    remarks = [f"{remark} ({counted(n, 'time')})" for remark, n in sorted(times.items())]
    return VirtualClocks(
        machine=settings.machine,
        title=settings.title,
        cpu=settings.cpu,
        ranks_per_node=settings.ranks_per_node,
        seconds=None if missing else max(line.end_ns for line in lines.values()) * NS,
        validation_error=settings.validation_error,
        real_seconds=max(line.real_ns for line in lines.values()) * NS,
        messages=sum(line.messages for line in lines.values()),
        handshakes=sum(line.handshakes for line in lines.values()),
        senders_seconds=sum(line.senders_ns for line in lines.values()) * NS,
        stamps=sum(line.stamps for line in lines.values()),
        stamp_bytes=sum(line.stamp_bytes for line in lines.values()),
        functions={} if missing else _functions(lines),
        per_rank=() if missing else tuple(_rank(lines[rank]) for rank in sorted(lines)),
        remarks=(*missing, *settings.remarks, *remarks),
    )


def _missing(lines: dict[int, _Line], ranks: int) -> tuple[str, ...]:
    """Why the whole run has no time; causes come before their consequences."""
    causes = {line.lost for line in lines.values() if line.lost}
    if len(causes) > 1:
        causes.discard(FOLLOWS_NO_MORE)
    silent = [f"{ranks - len(lines)} of {ranks} ranks left no clock"] if len(lines) < ranks else []
    return (*sorted(causes), *silent)


def _functions(lines: dict[int, _Line]) -> dict[str, VirtualFunction]:
    sums: dict[str, dict[str, Any]] = {}
    for line in lines.values():
        for function in line.functions:
            total = sums.setdefault(
                function.name,
                {"calls": 0, "seconds": 0.0, "waiting_seconds": 0.0, "transfer_seconds": 0.0},
            )
            total["calls"] += function.calls
            total["seconds"] += function.ns * NS
            total["waiting_seconds"] += function.waiting_ns * NS
            total["transfer_seconds"] += function.transfer_ns * NS
    longest = sorted(sums.items(), key=lambda item: (-item[1]["seconds"], item[0]))
    return {name: VirtualFunction(**total) for name, total in longest}


def _rank(line: _Line) -> VirtualRank:
    return VirtualRank(
        rank=line.rank,
        seconds=line.end_ns * NS,
        compute_seconds=line.compute_ns * NS,
        waiting_seconds=line.waiting_ns * NS,
        transfer_seconds=line.transfer_ns * NS,
        overhead_seconds=line.overhead_ns * NS,
        real_seconds=line.real_ns * NS,
        following_seconds=line.following_ns * NS,
    )
