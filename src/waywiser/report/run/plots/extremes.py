"""The rank that computes longest beside the rank that computes shortest."""

from __future__ import annotations

from typing import Any

import altair as alt

from waywiser.analyse.times import RankTime, by_time, rank_times, threads_note
from waywiser.analyse.times import extremes as times_of_extremes
from waywiser.model.summary import OUTSIDE_MPI_TIME, RankSummary, Summary
from waywiser.report.drawing.bars import WAITING, names_before
from waywiser.report.drawing.channels import above, coloured
from waywiser.report.drawing.plot import BLUE, ORANGE, Drawn, inline, table, tips
from waywiser.units import counted, seconds_text

CHART_FUNCTIONS = 8


def extremes(summary: Summary) -> Drawn:
    """The rank that computes longest beside the rank that computes shortest."""
    name, title, times = "extremes", "Slowest and fastest rank", rank_times(summary)
    ends = times_of_extremes(times)
    if ends is None:
        return Drawn(name, title, absent="There are no two ranks to compare.", topic="rest")
    if not any(time.whole > 0 for time in times):
        return Drawn(name, title, absent="No rank recorded any time.", topic="rest")
    slowest, fastest = ends
    caption = (
        f"Rank {slowest.rank} on {slowest.host} with the longest and rank {fastest.rank} on "
        f"{fastest.host} with the shortest application time of {counted(len(times), 'rank')}, "
        "each with its time in the MPI functions that took longest." + threads_note([*ends])
    )
    # No hosts: Vega-Lite would evaluate the names by which it sorts.
    labels = f"Slowest: rank {slowest.rank}", f"Fastest: rank {fastest.rank}"
    parts = compared(summary, *ends)
    columns = ("Time in", *(f"{label} (s)" for label in labels), "Difference (s)")
    rows = ((part, slow, fast, slow - fast) for part, slow, fast in parts)
    return Drawn(
        name,
        title,
        caption,
        lambda: _chart(labels, parts[: CHART_FUNCTIONS + 1]),
        table("The slowest and the fastest rank by application time", columns, rows),
        topic="rest",
    )


def compared(
    summary: Summary, slowest: RankTime, fastest: RankTime
) -> list[tuple[str, float, float]]:
    """(part, seconds on the slowest rank, seconds on the fastest), application first."""
    ranks = {rank.rank: rank for rank in summary.per_rank or ()}
    slow, fast = ranks[slowest.rank], ranks[fastest.rank]
    names = [name for name, _ in by_time(summary.functions) if name not in OUTSIDE_MPI_TIME]
    waiting = [(WAITING, slow.sync_seconds, fast.sync_seconds)] if summary.split_sync else []
    return [
        ("Application", slowest.application, fastest.application),
        *waiting,
        *((name, _seconds(slow, name), _seconds(fast, name)) for name in names),
        ("MPI_Init", slow.init_seconds, fast.init_seconds),
        ("MPI_Finalize", slow.finalize_seconds, fast.finalize_seconds),
    ]


def _seconds(rank: RankSummary, name: str) -> float:
    return rank.functions[name].seconds if name in rank.functions else 0.0


def _chart(labels: tuple[str, str], parts: list[tuple[str, float, float]]) -> alt.TopLevelMixin:
    """Two bars for the application and for each of the functions with the longest times."""
    rows: list[dict[str, Any]] = [
        {"what": part, "rank": label, "seconds": seconds, "time": seconds_text(seconds)}
        for part, *pair in parts
        for label, seconds in zip(labels, pair, strict=True)
    ]
    longest = max(row["seconds"] for row in rows)
    base = alt.Chart(inline(rows)).encode(
        y=names_before("what").scale(paddingInner=0.28),
        yOffset=alt.YOffset("rank:N", sort=list(labels)),
        x=alt.X("seconds:Q", title="Time (s)")
        .axis(tickCount=6)
        .scale(domain=[0, 1.14 * longest or 1], nice=False),
        tooltip=tips(what="Time in", rank="Rank", time="Time"),
    )
    legend = above(symbolType="square", labelLimit=340, columns=2)
    colours = dict(zip(labels, (BLUE, ORANGE), strict=True))
    bars = base.mark_bar().encode(color=coloured("rank", colours, legend, sort=list(labels)))
    texts = base.mark_text(align="left", baseline="middle", dx=5, fontSize=11).encode(
        text=alt.Text("time:N")
    )
    both: alt.LayerChart = (bars + texts).properties(
        width=590, height=alt.Step(17, **{"for": "offset"})
    )
    return both
