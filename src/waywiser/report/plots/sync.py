"""Collectives with --split-sync: the wait for the others apart from the transfer."""

from __future__ import annotations

import altair as alt

from waywiser.analyse.times import rank_times, total_time
from waywiser.model.summary import FunctionTotal, Summary
from waywiser.report.figure import VERMILION, Cell, Table, cut
from waywiser.report.plots import bars
from waywiser.units import percent_text, seconds_text

CHART_FUNCTIONS = 12
TABLE_ROWS = 64
TRANSFER = "Transfer"


def _collectives(summary: Summary) -> list[tuple[str, FunctionTotal]]:
    waited = [item for item in summary.functions.items() if item[1].sync_seconds > 0]
    return sorted(waited, key=lambda item: (-item[1].sync_seconds - item[1].seconds, item[0]))


def chart(summary: Summary) -> alt.TopLevelMixin:
    """A bar for each collective, its wait and then its transfer."""
    shown = _collectives(summary)[:CHART_FUNCTIONS]
    stacks = [{bars.WAITING: f.sync_seconds, TRANSFER: f.seconds} for _, f in shown]
    return bars.across([name for name, _ in shown], stacks, "Time, summed over ranks (s)")


def caption(summary: Summary) -> str:
    waited = sum(summary.sync_seconds)
    share = total_time(rank_times(summary)).share(waited)
    return (
        "Each blocking collective divided into the wait until all ranks had come, measured by a "
        f"barrier before it, and the transfer after that. Waiting takes {percent_text(share)} of "
        f"the time, {seconds_text(waited)} of all ranks; a faster network would shorten the "
        "transfer alone."
    )


def table(summary: Summary) -> Table:
    """The bars, with the ranks that had the longest and the shortest time in each."""
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            f.calls,
            f.sync_seconds,
            f.seconds,
            percent_text(f.sync_seconds / (f.sync_seconds + f.seconds)),
            str(f.most.rank) if f.most else "not known",
            str(f.least.rank) if f.least else "not known",
        )
        for name, f in _collectives(summary)
    ]
    columns = (
        *("Function", "Calls", "Waiting (s)", "Transfer (s)", "Waiting of both"),
        *("Rank with most", "Rank with least"),
    )
    return Table("Waiting and transfer by function, summed over ranks", columns, tuple(rows))


def absent(summary: Summary) -> str:
    if not summary.split_sync:
        return (
            "The times of collectives include waiting for the last rank; "
            "waywiser profile --split-sync separates the two."
        )
    return "" if _collectives(summary) else "No rank waited in a barrier before a collective."


def concern(summary: Summary) -> bool:
    """Whether collectives are divided, or could have been: a trace tells waiting by itself."""
    collectives = any(c.functions for c in summary.communicators)
    return summary.split_sync or (collectives and summary.waits is None)


def waits_chart(summary: Summary) -> alt.TopLevelMixin:
    """Each rank's wait in collectives."""
    values = [(rank.rank, (rank.sync_seconds,)) for rank in summary.per_rank or ()]
    return bars.upright(values, {"Waiting": VERMILION}, "Waiting (s)", summary.ranks)


def waits_caption(summary: Summary) -> str:
    waits = [(rank.sync_seconds, rank.rank, rank.host) for rank in summary.per_rank or ()]
    least, most = min(waits), max(waits)
    return (
        f"Time of each rank in the barriers before collectives: rank {least[1]} on {least[2]} "
        f"waits least ({seconds_text(least[0])}), rank {most[1]} on {most[2]} most "
        f"({seconds_text(most[0])})." + bars.steps_note(summary.ranks)
    )


def waits_table(summary: Summary) -> Table:
    """The ranks, the shortest wait first."""
    ranks = sorted(summary.per_rank or (), key=lambda rank: (rank.sync_seconds, rank.rank))
    rows: list[tuple[Cell, ...]] = [
        (rank.rank, rank.host, rank.sync_seconds, rank.mpi_seconds - rank.sync_seconds)
        for rank in ranks
    ]
    shown, rest = cut(rows, TABLE_ROWS)
    columns = ("Rank", "Host", "Waiting (s)", "Other MPI (s)")
    return Table("Waiting by rank, the shortest first", columns, shown, rest)


def nobody_waits(summary: Summary) -> str:
    return "" if waits_concern(summary) else "No rank waited in a barrier before a collective."


def waits_concern(summary: Summary) -> bool:
    return len(summary.per_rank or ()) > 1 and any(summary.sync_seconds)
