"""What ranks waited for, whose fault it was, and what the run's length hangs on: from a trace."""

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
from waywiser.report.figure import WAIT_COLOURS, Cell, Short, Table, cut
from waywiser.report.plots import bars
from waywiser.report.plots.matrix import AxisTitles, pair_chart
from waywiser.units import counted, percent_text, seconds_text

TABLE_ROWS = 50
CHART_PLACES = 12
NS_PER_S = 1e9
BUT = ", except for Late Contributors"
NO_BREAK = "\u00a0"

COMPUTING, IN_MPI = bars.APPLICATION, "In the call"


def _waits(summary: Summary) -> Waits:
    assert summary.waits is not None, "figures of waits concern traced runs"
    return summary.waits


def concern(summary: Summary) -> bool:
    return summary.waits is not None


def several(summary: Summary) -> bool:
    """Whether any rank waited for another one."""
    return summary.waits is not None and bool(summary.waits.seconds)


def absent(summary: Summary) -> str:
    return "" if several(summary) else "No rank waited for another one."


def ranks_chart(summary: Summary) -> alt.TopLevelMixin:
    waits = _waits(summary)
    kinds = tuple(waits.seconds)
    values = [(r.rank, tuple(r.seconds.get(kind, 0.0) for kind in kinds)) for r in waits.ranks]
    colours = {NAMES[kind]: WAIT_COLOURS[kind] for kind in kinds}
    return bars.upright(values, colours, "Waiting (s)", summary.ranks)


def _when(waits: Waits) -> str:
    if waits.window_seconds is None:
        return ""
    begin, end = map(seconds_text, waits.window_seconds)
    return f"of calls that begin between {begin} and {end}, "


def ranks_caption(summary: Summary) -> str:
    waits = _waits(summary)
    whole = sum(waits.seconds.values())
    most = max(waits.ranks, key=lambda rank: sum(rank.seconds.values()))
    share = percent_text(_share(whole, waits.mpi_seconds))
    longest = seconds_text(sum(most.seconds.values()))
    return (
        f"Waiting of {counted(len(waits.ranks), 'rank')} by what was late, from the trace: "
        f"{_when(waits)}{seconds_text(whole)}, {share} of the time in MPI, rank {most.rank} most "
        f"({longest}). The rest is transfer and the library's own work. Definitions are "
        f"Scalasca's{BUT if 'last_ranks' in waits.seconds else ''}."
        + bars.steps_note(summary.ranks)
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def ranks_table(summary: Summary) -> Table:
    """Ranks with their waiting, and what they made others wait."""
    waits = _waits(summary)
    kinds = tuple(waits.seconds)
    rows: list[tuple[Cell, ...]] = [
        (
            rank.rank,
            *(rank.seconds.get(kind, 0.0) for kind in kinds),
            rank.mpi_seconds - sum(rank.seconds.values()),
            rank.caused_seconds,
            rank.critical_seconds,
        )
        for rank in waits.ranks
    ]
    columns = (
        "Rank",
        *(f"{NAMES[kind]} (s)" for kind in kinds),
        "Rest of MPI (s)",
        "Made others wait (s)",
        "On the critical path (s)",
    )
    shown, rest = cut(rows, TABLE_ROWS)
    return Table("Waiting by rank and cause", columns, shown, rest)


def causes_caption(summary: Summary) -> str:
    waits = _waits(summary)
    sentences = [
        "Each row is waiting in one call, with the rank and the place where the delay arose that "
        "others only passed on (Scalasca's root cause). Seconds are those of all ranks that waited."
    ]
    if waits.clocks:
        widest = max(clock.uncertainty_seconds for clock in waits.clocks)
        sentences.append(
            f"Clocks of {counted(len(waits.clocks), 'host')} were set by the messages between "
            f"them, to within {seconds_text(widest)}."
        )
    return " ".join(sentences)


def causes_table(summary: Summary) -> Table:
    """The causes, the largest first."""
    rows: list[tuple[Cell, ...]] = [
        (
            NAMES[cause.wait],
            Short(where(cause.waiting), in_full(cause.waiting)),
            cause.causing_rank,
            Short(delay(cause), delay(cause, in_full)),
            cause.seconds,
            percent_text(cause.mpi_share).replace(" ", NO_BREAK),
            cause.calls,
            cause.most_waiting_rank,
        )
        for cause in _waits(summary).causes
    ]
    columns = (
        *("Wait", "Where ranks waited", "Because of rank", "Which was"),
        *("Seconds", "Of MPI", "Calls", "Rank with most"),
    )
    shown, rest = cut(rows, TABLE_ROWS)
    return Table("Waiting by cause, summed over ranks", columns, shown, rest)


def causes_remarks(summary: Summary) -> tuple[str, ...]:
    """What the analysis leaves out or assumes."""
    waits = _waits(summary)
    return (*waits.remarks, *iteration_sentences(waits))


def _pairs(summary: Summary) -> Pairs:
    pairs = _waits(summary).pairs
    rows = [(waiting, awaited, round(seconds * NS_PER_S)) for waiting, awaited, seconds, _ in pairs]
    return Pairs(np.array(rows, dtype=np.uint64).reshape(-1, 3))


def matrix_chart(summary: Summary) -> alt.TopLevelMixin:
    """Time that each rank waited for each other one."""
    label = alt.Legend(title="Waiting (s)", labelExpr="format(datum.value / 1e9, '.3~g')")
    titles = AxisTitles(x="Rank that was late", y="Rank that waited", from_="Rank", to="Waited for")
    return pair_chart(_pairs(summary), summary.ranks, _ns_text, label, titles)


def _ns_text(ns: int) -> str:
    return seconds_text(ns / NS_PER_S)


def matrix_caption(summary: Summary) -> str:
    return (
        "Time that a rank (downwards) waited directly for another one (across). It waits in a "
        "receive for its sender, in a collective for the last rank to come, and so on for the "
        "other causes. The colour scale is logarithmic, ranks of grey squares did not wait. Turn "
        "the wheel over the image to zoom, drag to move, double-click to go back."
    )


def matrix_table(summary: Summary) -> Table:
    """The pairs, the longest wait first."""
    pairs = sorted(_waits(summary).pairs, key=lambda pair: (-pair[2], pair[:2]))
    columns = ("Rank that waited", "Rank that was late", "Seconds", "Calls")
    shown, rest = cut(list(pairs), TABLE_ROWS)
    return Table("Waiting by pair of ranks", columns, shown, rest)


def _by_place(places: tuple[CriticalPlace, ...]) -> list[tuple[str, dict[str, float]]]:
    """Seconds of the critical path at each call and after it, the longest first."""
    found: dict[str, dict[str, float]] = {}
    for stretch in places:
        name = where(stretch.place) if stretch.place else "before the first call"
        parts = found.setdefault(name, {COMPUTING: 0.0, IN_MPI: 0.0})
        parts[COMPUTING if stretch.computing else IN_MPI] += stretch.seconds
    return sorted(found.items(), key=lambda item: -sum(item[1].values()))


def path_chart(summary: Summary) -> alt.TopLevelMixin:
    """A bar for each place of the critical path."""
    shown = _by_place(_waits(summary).critical_path)[:CHART_PLACES]
    return bars.across(
        [name for name, _ in shown], [parts for _, parts in shown], "Time on the critical path (s)"
    )


def path_caption(summary: Summary) -> str:
    waits = _waits(summary)
    computing = sum(one.seconds for one in waits.critical_path if one.computing)
    longest = max(waits.ranks, key=lambda rank: rank.critical_seconds)
    share = _share(longest.critical_seconds, waits.critical_path_seconds)
    return (
        "The critical path: what the run would have to do faster to end earlier, "
        f"{_when(waits)}{seconds_text(waits.critical_path_seconds)} from its first call to its "
        "last, "
        f"{percent_text(_share(computing, waits.critical_path_seconds))} of it computing, "
        f"{percent_text(share)} on rank {longest.rank}. A bar is a call and what the application "
        "did between it and the next one."
    )


def path_table(summary: Summary) -> Table:
    """Places of the critical path by rank, the longest first."""
    waits = _waits(summary)
    rows: list[tuple[Cell, ...]] = [
        (
            Short(where(one.place), in_full(one.place)) if one.place else "before the first call",
            COMPUTING if one.computing else IN_MPI,
            one.rank,
            one.seconds,
            percent_text(_share(one.seconds, waits.critical_path_seconds)),
        )
        for one in waits.critical_path
    ]
    shown, rest = cut(rows, TABLE_ROWS)
    columns = ("Call", "What", "Rank", "Seconds", "Of the path")
    return Table("The critical path by place and rank", columns, shown, rest)


def path_absent(summary: Summary) -> str:
    path = summary.waits is not None and summary.waits.critical_path
    return "" if path else "The trace has no critical path."
