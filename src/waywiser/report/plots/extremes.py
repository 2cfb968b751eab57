"""The rank that computes longest beside the one that computes shortest."""

from __future__ import annotations

from typing import Any

import altair as alt

from waywiser.analyse.times import RankTime, by_time, extremes, rank_times, threads_note
from waywiser.model.summary import OUTSIDE_MPI_TIME, RankSummary, Summary
from waywiser.report.figure import BLUE, NAME_LABEL, ORANGE, Cell, Table, inline, tips
from waywiser.report.plots.bars import WAITING
from waywiser.units import counted, seconds_text

CHART_FUNCTIONS = 8


def compared(summary: Summary) -> list[tuple[str, float, float]]:
    """(what, seconds on the slowest rank, seconds on the fastest), application first."""
    found = extremes(rank_times(summary))
    if found is None:
        return []
    slowest, fastest = (_of_rank(summary, time.rank) for time in found)
    names = [name for name, _ in by_time(summary.functions) if name not in OUTSIDE_MPI_TIME]
    waits = (slowest.sync_seconds, fastest.sync_seconds)
    waiting = [(WAITING, *waits)] if summary.split_sync else []
    return [
        ("Application", found[0].application, found[1].application),
        *waiting,
        *((name, _seconds(slowest, name), _seconds(fastest, name)) for name in names),
        ("MPI_Init", slowest.init_seconds, fastest.init_seconds),
        ("MPI_Finalize", slowest.finalize_seconds, fastest.finalize_seconds),
    ]


def _of_rank(summary: Summary, rank: int) -> RankSummary:
    return next(entry for entry in summary.per_rank or () if entry.rank == rank)


def _seconds(rank: RankSummary, name: str) -> float:
    return rank.functions[name].seconds if name in rank.functions else 0.0


def _ends(summary: Summary) -> tuple[RankTime, RankTime]:
    found = extremes(rank_times(summary))
    assert found is not None, "absent() answers for runs of less than two ranks"
    return found


def rank_labels(summary: Summary) -> tuple[str, str]:
    """What the two ranks are called. No host: Vega-Lite makes expressions of what it sorts by."""
    slowest, fastest = _ends(summary)
    return f"Slowest: rank {slowest.rank}", f"Fastest: rank {fastest.rank}"


def chart(summary: Summary) -> alt.TopLevelMixin:
    """Two bars for the application and for each of the functions with the longest times."""
    labels = rank_labels(summary)
    parts = compared(summary)[: CHART_FUNCTIONS + 1]
    rows: list[dict[str, Any]] = [
        {"what": what, "rank": label, "seconds": seconds, "time": seconds_text(seconds)}
        for what, *pair in parts
        for label, seconds in zip(labels, pair, strict=True)
    ]
    longest = max(row["seconds"] for row in rows)
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y(
            "what:N",
            sort=None,
            title=None,
            axis=alt.Axis(
                ticks=False, domain=False, labelPadding=8, labelExpr=NAME_LABEL, labelLimit=0
            ),
            scale=alt.Scale(paddingInner=0.28),
        ),
        yOffset=alt.YOffset("rank:N", sort=list(labels)),
        x=alt.X(
            "seconds:Q",
            title="Time (s)",
            axis=alt.Axis(tickCount=6),
            scale=alt.Scale(domain=[0, 1.14 * longest or 1], nice=False),
        ),
        tooltip=tips(what="Time in", rank="Rank", time="Time"),
    )
    bars = base.mark_bar().encode(
        color=alt.Color(
            "rank:N",
            sort=list(labels),
            scale=alt.Scale(domain=list(labels), range=[BLUE, ORANGE]),
            legend=alt.Legend(
                title=None, orient="top", symbolType="square", labelLimit=340, columns=2
            ),
        )
    )
    texts = base.mark_text(align="left", baseline="middle", dx=5, fontSize=11).encode(
        text=alt.Text("time:N")
    )
    both: alt.LayerChart = (bars + texts).properties(
        width=590, height=alt.Step(17, **{"for": "offset"})
    )
    return both


def caption(summary: Summary) -> str:
    slowest, fastest = _ends(summary)
    ranks = len(rank_times(summary))
    return (
        f"Rank {slowest.rank} on {slowest.host} with the longest and rank {fastest.rank} on "
        f"{fastest.host} with the shortest application time of {counted(ranks, 'rank')}, "
        "each with its time in the MPI functions that took longest."
        + threads_note([slowest, fastest])
    )


def table(summary: Summary) -> Table:
    """Both ranks and their difference, in s."""
    rows: list[tuple[Cell, ...]] = [
        (what, slow, fast, slow - fast) for what, slow, fast in compared(summary)
    ]
    columns = ("Time in", *(f"{label} (s)" for label in rank_labels(summary)), "Difference (s)")
    return Table("The slowest and the fastest rank by application time", columns, tuple(rows))


def absent(summary: Summary) -> str:
    times = rank_times(summary)
    if len(times) < 2:
        return "There are no two ranks to compare."
    return "" if any(time.whole > 0 for time in times) else "No rank recorded any time."
