"""The waits of ranks, their causes, and the critical path of the run: from a trace."""

from __future__ import annotations

import altair as alt
import numpy as np

from waywiser.analyse.wait_words import (
    NAMES,
    delay,
    in_full,
    iteration_sentences,
    where,
)
from waywiser.model.pairs import Pairs
from waywiser.model.summary import Summary
from waywiser.model.waits import CriticalPlace, Waits
from waywiser.report.drawing import bars
from waywiser.report.drawing.plot import WAIT_COLOURS, Drawn, Short, table
from waywiser.report.run.plots.matrix import FEWEST_RANKS, AxisTitles, pair_chart
from waywiser.units import counted, percent_text, seconds_text

TABLE_ROWS = 50
CHART_PLACES = 12
NS_PER_S = 1e9
BUT = ", except for Late Contributors"
NO_BREAK = "\u00a0"

BEFORE = "before the first call"
COMPUTATION, IN_MPI = bars.APPLICATION, "In the call"


NOBODY = "No rank waited for another one."


def wait_ranks(summary: Summary) -> Drawn | None:
    """Waiting of each rank, and waiting that the rank caused in others."""
    name, title, waits = "wait-ranks", "Wait states by rank", summary.waits
    if waits is None:
        return None
    if not waits.seconds:
        return Drawn(name, title, absent=NOBODY, topic="mpi")
    kinds = tuple(waits.seconds)
    whole = sum(waits.seconds.values())
    most = max(waits.ranks, key=lambda rank: sum(rank.seconds.values()))
    share = percent_text(_share(whole, waits.mpi_seconds))
    caption = (
        f"Wait time of {counted(len(waits.ranks), 'rank')} by cause, from the trace: "
        f"{_when(waits)}{seconds_text(whole)}, {share} of the time in MPI, rank {most.rank} most "
        f"({seconds_text(sum(most.seconds.values()))}). The rest is transfer and the library's own "
        f"work. Definitions are Scalasca's{BUT if 'last_ranks' in waits.seconds else ''}."
        + bars.steps_note(summary.ranks)
    )
    values = [(r.rank, tuple(r.seconds.get(kind, 0.0) for kind in kinds)) for r in waits.ranks]
    colours = {NAMES[kind]: WAIT_COLOURS[kind] for kind in kinds}
    rows = (
        (
            *(rank, *waited),
            rank_waits.mpi_seconds - sum(rank_waits.seconds.values()),
            *(rank_waits.caused_seconds, rank_waits.critical_seconds),
        )
        for (rank, waited), rank_waits in zip(values, waits.ranks, strict=True)
    )
    columns = (
        *("Rank", *(f"{NAMES[kind]} (s)" for kind in kinds)),
        *("Rest of MPI (s)", "Made others wait (s)", "On the critical path (s)"),
    )
    return Drawn(
        name,
        title,
        caption,
        lambda: bars.upright(values, colours, "Waiting (s)", summary.ranks),
        table("Waiting by rank and cause", columns, rows, TABLE_ROWS),
        topic="mpi",
    )


def _when(waits: Waits) -> str:
    if waits.window_seconds is None:
        return ""
    begin, end = map(seconds_text, waits.window_seconds)
    return f"of calls that begin between {begin} and {end}, "


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def wait_causes(summary: Summary) -> Drawn | None:
    """The causes, the largest first, with the omissions and assumptions of the analysis."""
    name, title, waits = "wait-causes", "Root causes of waiting", summary.waits
    if waits is None:
        return None
    remarks = (*waits.remarks, *iteration_sentences(waits))
    if not waits.seconds:
        return Drawn(name, title, absent=NOBODY, remarks=remarks, topic="mpi")
    caption = (
        "Each row is waiting in one call, with the rank and the place where the delay arose that "
        "others only passed on (Scalasca's root cause). Seconds are those of all ranks that waited."
    )
    if waits.clocks:
        widest = max(clock.uncertainty_seconds for clock in waits.clocks)
        caption += (
            f" Clocks of {counted(len(waits.clocks), 'host')} were set by the messages between "
            f"them, to within {seconds_text(widest)}."
        )
    rows = (
        (
            *(NAMES[cause.wait], Short(where(cause.waiting), in_full(cause.waiting))),
            *(cause.causing_rank, Short(delay(cause), delay(cause, in_full)), cause.seconds),
            percent_text(cause.mpi_share).replace(" ", NO_BREAK),
            *(cause.calls, cause.most_waiting_rank),
        )
        for cause in waits.causes
    )
    columns = (
        *("Wait state", "Waiting call", "Delaying rank", "Cause of the delay"),
        *("Seconds", "Of MPI", "Calls", "Rank with most"),
    )
    shown = table("Waiting by cause, summed over ranks", columns, rows, TABLE_ROWS)
    return Drawn(name, title, caption, table=shown, remarks=remarks, topic="mpi")


def matrix_waits(summary: Summary) -> Drawn | None:
    """Time that each rank waited for each other rank; the table begins with the longest wait."""
    waits = summary.waits
    if waits is None or not waits.seconds:
        return None
    pictured = summary.ranks >= FEWEST_RANKS
    caption = (
        "Time that a rank (downwards) waited directly for another one (across). It waits in a "
        "receive for its sender, in a collective for the last rank to come, and so on for the "
        "other causes. The colour scale is logarithmic, ranks of grey squares did not wait. Turn "
        "the wheel over the image to zoom, drag to move, double-click to go back."
    )
    columns = ("Waiting rank", "Delaying rank", "Seconds", "Calls")
    rows = sorted(waits.pairs, key=lambda pair: (-pair[2], pair[:2]))
    return Drawn(
        "matrix-waits",
        "Wait time by pair of ranks",
        caption if pictured else "",
        lambda: _matrix(waits, summary.ranks),
        table("Waiting by pair of ranks", columns, rows, TABLE_ROWS),
        pictured=pictured,
        zooms=True,
        topic="mpi",
    )


def _matrix(waits: Waits, ranks: int) -> alt.TopLevelMixin:
    label = alt.Legend(title="Waiting (s)", labelExpr="format(datum.value / 1e9, '.3~g')")
    titles = AxisTitles(x="Delaying rank", y="Waiting rank", from_="Rank", to="Waited for")
    return pair_chart(_pairs(waits), ranks, lambda ns: seconds_text(ns / NS_PER_S), label, titles)


def _pairs(waits: Waits) -> Pairs:
    pairs = waits.pairs
    rows = [(waiting, awaited, round(seconds * NS_PER_S)) for waiting, awaited, seconds, _ in pairs]
    return Pairs(np.array(rows, dtype=np.uint64).reshape(-1, 3))


def critical_path(summary: Summary) -> Drawn | None:
    """A bar for each place of the critical path; the table has them by rank, the longest first."""
    name, title, waits = "critical-path", "Critical path", summary.waits
    if waits is None:
        return None
    path = waits.critical_path
    if not path:
        return Drawn(name, title, absent="The trace has no critical path.", topic="mpi")
    whole = waits.critical_path_seconds
    computation = sum(interval.seconds for interval in path if interval.computing)
    longest = max(waits.ranks, key=lambda rank: rank.critical_seconds)
    caption = (
        "The critical path: the activities that determine the run time, "
        f"{_when(waits)}{seconds_text(whole)} from its first call to its last, "
        f"{percent_text(_share(computation, whole))} of it computation, "
        f"{percent_text(_share(longest.critical_seconds, whole))} on rank {longest.rank}. A bar is "
        "a call and what the application did between it and the next one."
    )
    rows = (
        (
            Short(where(interval.place), in_full(interval.place)) if interval.place else BEFORE,
            *(COMPUTATION if interval.computing else IN_MPI, interval.rank, interval.seconds),
            percent_text(_share(interval.seconds, whole)),
        )
        for interval in path
    )
    columns = ("Call", "What", "Rank", "Seconds", "Of the path")
    names, stacks = zip(*_by_place(path)[:CHART_PLACES], strict=True)
    return Drawn(
        name,
        title,
        caption,
        lambda: bars.across(names, stacks, "Time on the critical path (s)"),
        table("The critical path by place and rank", columns, rows, TABLE_ROWS),
        topic="mpi",
    )


def _by_place(places: tuple[CriticalPlace, ...]) -> list[tuple[str, dict[str, float]]]:
    """Seconds of the critical path at each call and after it, the longest first."""
    by_place: dict[str, dict[str, float]] = {}
    for interval in places:
        name = where(interval.place) if interval.place else BEFORE
        parts = by_place.setdefault(name, {COMPUTATION: 0.0, IN_MPI: 0.0})
        parts[COMPUTATION if interval.computing else IN_MPI] += interval.seconds
    return sorted(by_place.items(), key=lambda item: -sum(item[1].values()))
