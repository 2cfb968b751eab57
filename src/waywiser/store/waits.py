"""The causes of ranks' waiting, analysed from the trace once and saved beside it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import cast

from pydantic import TypeAdapter, ValidationError

from waywiser.errors import InvalidCommand, InvalidRun, NotSaved
from waywiser.model.waits import (
    CallPlace,
    CriticalPlace,
    HostClock,
    Iterations,
    RankWaits,
    WaitCause,
    WaitKind,
    Waits,
    WaitsOverTime,
)
from waywiser.native import _native as native
from waywiser.progress import progress
from waywiser.store.directory import RunDirectory
from waywiser.store.durable import replace_text

NS_PER_S = 1e9

_END = 2**63

MOST_LISTED = 1000
"""Largest number of causes and of places of the critical path; the others are negligible."""


_KIND: TypeAdapter[WaitKind] = TypeAdapter(WaitKind)


def read_waits(directory: Path, window: tuple[float, float] | None = None) -> Waits | None:
    """The waits of a run's ranks and their causes; None without a trace.

    Args:
        window: begin and end [s] of the calls that count; an analysis with a window is not saved.

    Raises:
        InvalidRun: the trace is unreadable.
    """
    trace = RunDirectory(directory).trace
    if window is not None and trace.exists():
        return _analysed(trace, window)
    kept = trace.with_name("waits.json")
    if not trace.exists():
        return None
    if kept.exists() and kept.stat().st_mtime_ns >= trace.stat().st_mtime_ns:
        with suppress(OSError, ValidationError):  # of another version: analyse anew
            return Waits.model_validate_json(kept.read_bytes())
    waits = _analysed(trace)
    with suppress(NotSaved):  # another user's run is analysed each time
        replace_text(kept, waits.model_dump_json() + "\n")
    return waits


def after_iterations(directory: Path, skipped: int) -> tuple[float, float]:
    """The time [s] of a run's trace without its first iterations.

    Raises:
        InvalidCommand: the run has no trace, or not enough iterations.
        InvalidRun: the trace is unreadable.
    """
    waits = read_waits(directory)
    if waits is None:
        raise InvalidCommand(
            f"--skip-iterations: {directory} has no trace; `waywiser profile --trace` records one"
        )
    if waits.iterations is None:
        raise InvalidCommand(
            f"--skip-iterations: no iterations were found in the trace of {directory}; "
            "--window BEGIN:END chooses by time"
        )
    begins = waits.iterations.begin_seconds
    if not 0 < skipped < len(begins) - 1:
        raise InvalidCommand(
            f"--skip-iterations {skipped}: the trace has {len(begins) - 1} iterations; give "
            f"1 to {len(begins) - 2}"
        )
    return begins[skipped], begins[-1]


def _analysed(trace: Path, window: tuple[float, float] | None = None) -> Waits:
    try:
        return waits_of(trace, window)
    except native.NativeError as error:
        raise InvalidRun(str(error)) from error


def _kinds() -> list[WaitKind]:
    return cast(list[WaitKind], native.wait_kinds())


def waits_of(trace: Path, window: tuple[float, float] | None = None) -> Waits:
    """The analysis of a trace file."""
    begin, end = (round(seconds * NS_PER_S) for seconds in window) if window else (0, _END)
    so_far = native.Progress()
    with progress("analysing the trace", so_far=so_far):
        analysis = native.analyse_waits(str(trace), begin, end, so_far)
    places = _Places(analysis.functions, analysis.call_sites)
    mpi = sum(rank.mpi_ns for rank in analysis.ranks) / NS_PER_S
    ranks = tuple(_rank(rank) for rank in analysis.ranks)
    kinds = [kind for kind in _kinds() if any(kind in rank.seconds for rank in ranks)]
    return Waits(
        window_seconds=window,
        seconds={kind: sum(rank.seconds.get(kind, 0.0) for rank in ranks) for kind in kinds},
        functions=_by_function(analysis),
        mpi_seconds=mpi,
        wall_seconds=sum(rank.wall_seconds for rank in ranks),
        ranks=ranks,
        causes=tuple(_cause(cause, places, mpi) for cause in analysis.causes[:MOST_LISTED]),
        pairs=tuple((p.waiting, p.awaited, p.ns / NS_PER_S, p.calls) for p in analysis.pairs),
        over_time=_over_time(analysis.over_time, kinds),
        critical_path_seconds=analysis.critical_path_ns / NS_PER_S,
        critical_path=tuple(
            CriticalPlace(
                rank=interval.rank,
                computing=interval.computing,
                place=places.of(interval.place),
                seconds=interval.ns / NS_PER_S,
            )
            for interval in analysis.critical_path[:MOST_LISTED]
        ),
        unmatched_sends=analysis.unmatched_sends,
        unmatched_receives=analysis.unmatched_receives,
        clocks=_clocks(trace),
        iterations=_iterations(trace, places),
        remarks=tuple(analysis.remarks),
    )


def _by_function(analysis: native.WaitAnalysis) -> dict[str, float]:
    seconds: dict[str, float] = {}
    for cause in analysis.causes:
        name = analysis.functions[cause.waiting.function]
        seconds[name] = seconds.get(name, 0.0) + cause.ns / NS_PER_S
    return seconds


def _over_time(waits: native.WaitsOverTime, kinds: list[WaitKind]) -> WaitsOverTime:
    by_kind = dict(zip(_kinds(), zip(*waits.ns, strict=True), strict=True)) if waits.ns else {}
    return WaitsOverTime(
        begin_seconds=waits.begin_ns / NS_PER_S,
        bin_seconds=waits.bin_ns / NS_PER_S,
        seconds={kind: tuple(ns / NS_PER_S for ns in by_kind[kind]) for kind in kinds},
    )


class _Places:
    """Calls by indices into the trace's tables."""

    def __init__(self, functions: list[str], sites: list[native.CallSite]) -> None:
        self._functions = functions
        self._sites = [
            site.place or f"{Path(site.module).name}+{site.address:#x}" for site in sites
        ]

    def of(self, place: native.Place) -> CallPlace | None:
        if place.function == native.BEFORE_CALLS:
            return None
        return CallPlace(
            function=self._functions[place.function],
            place=self._sites[place.site - 1] if place.site else None,
        )

    def call(self, place: native.Place) -> CallPlace:
        call_place = self.of(place)
        assert call_place is not None, "only what comes before a call may be none"
        return call_place


def _rank(rank: native.RankWaits) -> RankWaits:
    waited = zip(_kinds(), rank.wait_ns, strict=True)
    return RankWaits(
        rank=rank.rank,
        wall_seconds=rank.wall_ns / NS_PER_S,
        mpi_seconds=rank.mpi_ns / NS_PER_S,
        seconds={kind: ns / NS_PER_S for kind, ns in waited if ns},
        caused_seconds=rank.caused_ns / NS_PER_S,
        critical_seconds=rank.critical_ns / NS_PER_S,
    )


def _cause(cause: native.Cause, places: _Places, mpi: float) -> WaitCause:
    seconds = cause.ns / NS_PER_S
    return WaitCause(
        wait=_kind(cause.wait),
        waiting=places.call(cause.waiting),
        causing_rank=cause.causing_rank,
        computing=cause.computing,
        before=places.of(cause.before),
        after=places.call(cause.after),
        seconds=seconds,
        mpi_share=seconds / mpi if mpi > 0 else 0.0,
        calls=cause.calls,
        direct_seconds=cause.direct_ns / NS_PER_S,
        most_waiting_rank=cause.most_waiting_rank,
    )


def _kind(name: str) -> WaitKind:
    return _KIND.validate_python(name)


def _clocks(trace: Path) -> tuple[HostClock, ...]:
    clocks = native.estimate_clocks(str(trace))
    if len(clocks) < 2:
        return ()
    return tuple(
        HostClock(
            host=clock.host,
            offset_seconds=clock.offset_ns / NS_PER_S,
            drift=clock.drift,
            uncertainty_seconds=clock.uncertainty_ns / NS_PER_S,
            method=clock.method,
        )
        for clock in clocks
    )


def _iterations(trace: Path, places: _Places) -> Iterations | None:
    iterations = native.find_iterations(str(trace))
    if iterations.events == 0:
        return None
    return Iterations(
        rank=iterations.rank,
        calls=iterations.events,
        first=places.call(iterations.first),
        begin_seconds=tuple(ns / NS_PER_S for ns in iterations.begin_ns),
    )
