"""The timeline of a run's trace for its report."""

from __future__ import annotations

from pathlib import Path

from waywiser.errors import InvalidCommand, InvalidRun
from waywiser.model.timeline import Grid, Timeline
from waywiser.native import _native as native
from waywiser.store.directory import RunDirectory

MOST_CALLS = 50_000
"""Largest number of calls that are shown singly; with as many cells, a page has 100,000 items."""

NS_PER_S = 1e9
_END = 2**63

Window = tuple[float, float]
"""Start and end in seconds since the start of the trace."""


def read_timeline(directory: Path, window: Window | None = None) -> Timeline | None:
    """The timeline for a run's report; None without a trace.

    Raises:
        InvalidRun: the trace is unreadable.
        InvalidCommand: the window contains no part of the trace.
    """
    trace = RunDirectory(directory).trace
    if trace.exists():
        return timeline_of(trace, window)
    if window is None:
        return None
    raise InvalidCommand(
        f"--window: {directory} has no trace; `waywiser profile --trace` records one"
    )


def timeline_of(trace: Path, window: Window | None = None) -> Timeline:
    """The timeline of a trace file, or of a window of it."""
    try:
        if window is None:
            return _timeline(native.read_timeline(str(trace), 0, _END, MOST_CALLS))
        first, last = native.trace_times(str(trace))
        begin, end = (first + round(seconds * NS_PER_S) for seconds in window)
        if not (begin < end and begin < last and end > first):
            raise InvalidCommand(
                f"--window {window[0]:g}:{window[1]:g}: has nothing of the trace, which goes from "
                f"0 to {(last - first) / NS_PER_S:.6g} s"
            )
        return _timeline(native.read_timeline(str(trace), max(0, begin), end, MOST_CALLS))
    except native.NativeError as error:
        raise InvalidRun(str(error)) from error


def _timeline(timeline: native.Timeline) -> Timeline:
    return Timeline(
        begin_ns=timeline.begin_ns,
        end_ns=timeline.end_ns,
        trace_begin_ns=timeline.trace_begin_ns,
        trace_end_ns=timeline.trace_end_ns,
        threads=tuple(timeline.streams),
        grids=tuple(Grid(grid.together, grid.bin_ns, grid.ns) for grid in timeline.grids),
        calls=timeline.calls,
        arrows=timeline.arrows,
        all_calls=timeline.all_calls,
        longest_merged_ns=timeline.longest_merged_ns,
        functions=tuple(timeline.functions),
        sites=tuple(place or address for place, address in timeline.sites),
        objects=tuple(name or f"unnamed {kind}" for kind, name in timeline.objects),
    )
