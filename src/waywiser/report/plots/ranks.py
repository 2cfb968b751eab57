"""Each rank's time as a stacked bar."""

from __future__ import annotations

import altair as alt

from waywiser.model.summary import Summary
from waywiser.report.figure import PARTS, WIDTH_PX, Cell, Table, cut, inline
from waywiser.report.times import rank_times
from waywiser.units import counted

WIDE_BAR_RANKS = 64
"""Up to so many ranks the bars stand apart; above they touch, and the axis can be zoomed."""

TABLE_ROWS = 64


def chart(summary: Summary) -> alt.TopLevelMixin:
    """Bars over rank, stacked from application at the bottom to MPI_Finalize on top."""
    times = rank_times(summary)
    few = len(times) <= WIDE_BAR_RANKS
    rows = [
        {
            "rank": time.rank,
            "host": time.host,
            "Application": round(time.application, 6),
            "MPI": round(time.mpi, 6),
            "MPI_Init": round(time.init, 6),
            "MPI_Finalize": round(time.finalize, 6),
        }
        for time in times
    ]
    half = 0.4 if few else 0.5
    scale = alt.Scale(domain=list(PARTS), range=list(PARTS.values()))
    colour = alt.Color(
        "part:N",
        sort=None,
        scale=scale,
        legend=alt.Legend(title=None, orient="top", symbolType="square"),
    )
    parts = list(PARTS)
    base = (
        alt.Chart(inline(rows))
        .transform_fold([*parts], as_=["part", "seconds"])
        .transform_calculate(
            order=f"indexof({parts!r}, datum.part)",
            left=f"datum.rank - {half}",
            right=f"datum.rank + {half}",
        )
        .transform_stack(
            stack="seconds",
            as_=["low", "high"],
            groupby=["rank"],
            sort=[alt.SortField("order", order="ascending")],
        )
    )
    ends = [-0.5, summary.ranks - 0.5]
    bars = base.mark_rect(
        # Neighbours that touch would show hairs of the background between them.
        strokeWidth=0 if few else 0.4,
        clip=True,
    ).encode(
        x=alt.X(
            "left:Q",
            title="Rank",
            scale=alt.Scale(domain=ends, nice=False, zero=False),
            axis=alt.Axis(grid=False, tickMinStep=1, format="d", tickCount=min(16, summary.ranks)),
        ),
        x2="right:Q",
        y=alt.Y("low:Q", title="Time (s)"),
        y2="high:Q",
        color=colour,
        tooltip=[
            alt.Tooltip("rank:Q", title="Rank"),
            alt.Tooltip("host:N", title="Host"),
            *(alt.Tooltip(f"{part}:Q", title=f"{part} (s)", format=".6~f") for part in parts),
        ],
    )
    if not few:
        bars = bars.encode(stroke=alt.Stroke("part:N", sort=None, scale=scale, title=None))
        bars = bars.add_params(alt.selection_interval(name="span", bind="scales", encodings=["x"]))
    sized: alt.Chart = bars.properties(
        width=WIDTH_PX, height=300, autosize=alt.AutoSizeParams(type="fit", contains="padding")
    )
    return sized


def caption(summary: Summary) -> str:
    """What is plotted, and of how many ranks."""
    times = rank_times(summary)
    text = f"Wall time of {counted(len(times), 'rank')} in s, divided as in the pie."
    if len(times) > WIDE_BAR_RANKS:
        text += " Turn the wheel over the bars to zoom, drag to move, double-click to go back."
    if any(time.mpi + time.init + time.finalize > time.wall for time in times):
        text += " A bar longer than its rank's wall time: several threads were in MPI at once."
    return text


def table(summary: Summary) -> Table:
    """The bars, in s."""
    rows: list[tuple[Cell, ...]] = [
        (time.rank, time.host, time.wall, time.application, time.mpi, time.init, time.finalize)
        for time in rank_times(summary)
    ]
    shown, rest = cut(rows, TABLE_ROWS)
    columns = (
        "Rank",
        "Host",
        "Wall (s)",
        "Application (s)",
        "MPI (s)",
        "MPI_Init (s)",
        "MPI_Finalize (s)",
    )
    return Table("Time by rank", columns, shown, rest)


def absent(summary: Summary) -> str:
    """Why there are no bars."""
    times = rank_times(summary)
    return "" if any(time.wall > 0 for time in times) else "No rank recorded any time."
