"""The timeline of a traced run: ranks over time, from shares in cells to single calls."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from waywiser.model.timeline import KINDS, Timeline
from waywiser.model.waits import WaitsOverTime
from waywiser.report.drawing.plot import Cell, Drawn, Panel, Table, TimelinePanels
from waywiser.report.run.plots.timeline import chart
from waywiser.report.run.timeline_data import COLOURS, head, packed, wait_colours
from waywiser.units import counted, percent_text, seconds_text

TABLE_ROWS = 64
NS_PER_S = 1e9


def drawn_timeline(timeline: Timeline, waits: WaitsOverTime | None = None) -> Drawn:
    """The plot of a timeline, with its caption and table.

    Args:
        waits: waits of the same interval.
    """
    waits = waits if waits is not None and waits.seconds else None
    return Drawn(
        "timeline",
        "Timeline",
        caption(timeline),
        partial(chart, timeline) if timeline.grids else None,
        table(timeline),
        timeline=TimelinePanels(
            head=head(timeline, waits),
            packed=packed(timeline, waits),
            panels=tuple(_panels(waits)),
            legend=tuple(
                (kind, COLOURS[kind])
                for kind, ns in zip(KINDS, _by_kind(timeline).sum(axis=0), strict=True)
                if ns
            ),
            last_rank=max((rank for rank, _ in timeline.threads), default=0),
        ),
    )


def _panels(waits: WaitsOverTime | None) -> Iterator[Panel]:
    yield Panel("shares", "Time of all ranks", ())
    if waits is not None:
        yield Panel("waits", "Waiting ranks, by cause", wait_colours(waits))


def caption(timeline: Timeline) -> str:
    """The caption: the plotted ranks and calls, merged calls, and where to find the others."""
    threads = len(timeline.threads)
    ranks = len({rank for rank, _ in timeline.threads})
    rows = counted(ranks, "rank")
    if threads > ranks:
        rows += f" ({counted(threads, 'thread')} that called MPI)"
    begin, end = _since_begin(timeline)
    whole = timeline.end_ns - timeline.begin_ns == timeline.trace_end_ns - timeline.trace_begin_ns
    interval = seconds_text(end) if whole else f"{begin:.6g} to {end:.6g} s of the trace"
    return (
        f"{rows} against time, {interval} with {counted(timeline.all_calls, 'call')}. From afar "
        "the height of a colour is its share of the time in a cell, or its strength where rows "
        "are too thin for that. From near each call is drawn by itself, with an arrow for each "
        f"message. {_merged(timeline)}The panels above the ranks share their time axis and their "
        "zoom. The bar above them and the percentages are those of the interval in view. Turn the "
        "wheel to zoom, with Shift over ranks; drag to move, double-click to go "
        "back. On the keyboard, arrows go from call to call and rank to rank, + and - zoom, and 0 "
        "shows all."
    )


def _merged(timeline: Timeline) -> str:
    if timeline.merged_calls == 0:
        return ""
    shown = len(timeline.calls["begin_ns"])
    grid = timeline.grids[0]
    cell = seconds_text(grid.bin_ns / NS_PER_S)
    begin, end = _since_begin(timeline)
    # A window with as many calls as fit, at the same density as the whole.
    seconds = max((end - begin) * shown / timeline.all_calls, 1e-8)
    decimals = max(0, -math.floor(math.log10(seconds)))
    from_middle = min((begin + end) / 2, end - seconds)
    window = f"{from_middle:.{decimals}f}:{from_middle + seconds:.{decimals}f}"
    return (
        f"The {shown:,} longest calls are drawn singly, among them every one that took longer "
        f"than {seconds_text(timeline.longest_merged_ns / NS_PER_S)}; the other "
        f"{timeline.merged_calls:,} are merged into cells of {cell}. A shorter interval has "
        f"more of its calls: waywiser report RUN --window {window}. All calls: waywiser export RUN "
        "--to perfetto, for ui.perfetto.dev. "
    )


def _since_begin(timeline: Timeline) -> tuple[float, float]:
    first = timeline.trace_begin_ns
    return (timeline.begin_ns - first) / NS_PER_S, (timeline.end_ns - first) / NS_PER_S


def _by_kind(timeline: Timeline) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """Nanoseconds by kind in each row of the finest grid, shape (rows, kinds)."""
    if not timeline.grids:
        return np.zeros((0, len(KINDS)), dtype=np.uint64)
    sums: np.ndarray[tuple[int, int], np.dtype[np.uint64]] = timeline.grids[0].ns.sum(axis=1)
    return sums


def table(timeline: Timeline) -> Table:
    """Time of each rank by kind."""
    sums = _by_kind(timeline)
    occurring = [i for i in range(len(KINDS)) if sums[:, i].any()]
    together = timeline.grids[0].together if timeline.grids else 1
    rows: list[tuple[Cell, ...]] = []
    for row, ns in enumerate(sums[:TABLE_ROWS]):
        seconds = ns / NS_PER_S
        outside = percent_text(1 - seconds[0] / total) if (total := seconds.sum()) else "-"
        names = timeline.threads[row * together : (row + 1) * together]
        rows.append((_name(names), *(float(seconds[i]) for i in occurring), outside))
    several = any(thread for _, thread in timeline.threads)
    columns = (
        "Rank and thread" if several else "Rank",
        *(f"{KINDS[i]} (s)" for i in occurring),
        "In MPI",
    )
    rest = f"The first {TABLE_ROWS} of {len(sums):,} rows." if len(sums) > TABLE_ROWS else ""
    about = "Time of each rank by what it did, in the window shown"
    return Table(about, columns, tuple(rows), rest)


def _name(threads: tuple[tuple[int, int], ...]) -> Cell:
    ends = (threads[0], threads[-1])
    first, last = (f"{rank}.{thread}" if thread else rank for rank, thread in ends)
    return first if len(threads) == 1 else f"{first} to {last}"
