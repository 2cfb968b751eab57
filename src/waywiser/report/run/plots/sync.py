"""Collectives with --split-sync: waiting for other ranks, and transfer."""

from __future__ import annotations

from waywiser.analyse.times import rank_times, total_time
from waywiser.model.summary import Summary
from waywiser.report.drawing import bars
from waywiser.report.drawing.plot import VERMILION, Drawn, table
from waywiser.units import percent_text, seconds_text

CHART_FUNCTIONS = 12
TABLE_ROWS = 64
TRANSFER = "Transfer"


def sync(summary: Summary) -> Drawn | None:
    """A bar for each collective, its wait and then its transfer; None if collectives are not
    divided and could not have been, or a trace shows waiting itself."""
    name, title = "sync", "Synchronisation and transfer"
    if not summary.split_sync:
        if summary.waits is not None or not any(c.functions for c in summary.communicators):
            return None
        why = (
            "The times of collectives include waiting for the last rank; "
            "waywiser profile --split-sync separates the two."
        )
        return Drawn(name, title, absent=why, topic="mpi")
    collectives = sorted(
        (item for item in summary.functions.items() if item[1].sync_seconds > 0),
        key=lambda item: (-item[1].sync_seconds - item[1].seconds, item[0]),
    )
    if not collectives:
        why = "No rank waited in a barrier before a collective."
        return Drawn(name, title, absent=why, topic="mpi")
    waited = sum(summary.sync_seconds)
    share = total_time(rank_times(summary)).share(waited)
    caption = (
        "Each blocking collective divided into the wait until all ranks had come, measured by a "
        f"barrier before it, and the transfer after that. Waiting takes {percent_text(share)} of "
        f"the time, {seconds_text(waited)} of all ranks; a faster network would shorten the "
        "transfer alone."
    )
    shown = collectives[:CHART_FUNCTIONS]
    stacks = [{bars.WAITING: f.sync_seconds, TRANSFER: f.seconds} for _, f in shown]
    rows = (
        (
            *(name, f.calls, f.sync_seconds, f.seconds),
            percent_text(f.sync_seconds / (f.sync_seconds + f.seconds)),
            str(f.most.rank) if f.most else "not known",
            str(f.least.rank) if f.least else "not known",
        )
        for name, f in collectives
    )
    columns = (
        *("Function", "Calls", "Waiting (s)", "Transfer (s)", "Waiting of both"),
        *("Rank with most", "Rank with least"),
    )
    return Drawn(
        name,
        title,
        caption,
        lambda: bars.across([name for name, _ in shown], stacks, "Time, summed over ranks (s)"),
        table("Waiting and transfer by function, summed over ranks", columns, rows),
        topic="mpi",
    )


def waits(summary: Summary) -> Drawn | None:
    """Each rank's wait in collectives; in the table the shortest first."""
    ranks = sorted(summary.per_rank or (), key=lambda rank: (rank.sync_seconds, rank.rank))
    if len(ranks) < 2 or not any(summary.sync_seconds):
        return None
    least = ranks[0]
    most = max(ranks, key=lambda rank: (rank.sync_seconds, rank.rank))
    caption = (
        f"Time of each rank in the barriers before collectives: rank {least.rank} on {least.host} "
        f"waits least ({seconds_text(least.sync_seconds)}), rank {most.rank} on {most.host} most "
        f"({seconds_text(most.sync_seconds)})." + bars.steps_note(summary.ranks)
    )
    values = [(rank.rank, (rank.sync_seconds,)) for rank in summary.per_rank or ()]
    rows = (
        (rank.rank, rank.host, rank.sync_seconds, rank.mpi_seconds - rank.sync_seconds)
        for rank in ranks
    )
    columns = ("Rank", "Host", "Waiting (s)", "Other MPI (s)")
    return Drawn(
        "waits",
        "Wait time by rank",
        caption,
        lambda: bars.upright(values, {"Waiting": VERMILION}, "Waiting (s)", summary.ranks),
        table("Waiting by rank, the shortest first", columns, rows, TABLE_ROWS),
        topic="mpi",
    )
