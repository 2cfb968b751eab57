"""Each rank's time as a stacked bar."""

from __future__ import annotations

from typing import Any

import altair as alt

from waywiser.analyse.times import RankTime, extremes, rank_times, threads_note
from waywiser.model.summary import Summary
from waywiser.report.drawing.bars import over_ranks
from waywiser.report.drawing.channels import above, coloured
from waywiser.report.drawing.plot import INK, PARTS, WIDTH_PX, Drawn, inline, table
from waywiser.units import counted

WIDE_BAR_RANKS = 64
"""Largest number of ranks whose bars are separate; more bars touch, and the axis can be zoomed."""

TABLE_ROWS = 64

PLOT_PX = 690
"""Approximate width between the axes."""

LABEL_PX = 130
"""Room that the label of a marked rank needs beside its rule."""

HEADROOM = 1.2
"""Ratio of the time axis' end to the longest bar: two lines of labels fit between."""

UPPER, LOWER = 1.15, 1.07
"""Ratio of the height of each line of labels to the longest bar."""


def marked_ranks(times: list[RankTime], ranks: int) -> list[dict[str, Any]]:
    """The slowest and the fastest rank with the places of their labels above the bars.

    Labels point away from each other. A label without room for that points inwards and takes the
    upper line, above the end of the other's rule.
    """
    ends = extremes(times)
    if ends is None or ranks < 2:
        return []
    names = ("slowest", "fastest")
    marks: list[dict[str, Any]] = [
        {"rank": time.rank, "label": f"{name}: rank {time.rank}", "top": time.whole}
        for name, time in zip(names, ends, strict=True)
    ]
    left, right = sorted(marks, key=lambda mark: mark["rank"])
    room_left = (left["rank"] + 0.5) / ranks * PLOT_PX > LABEL_PX
    room_right = (ranks - right["rank"] - 0.5) / ranks * PLOT_PX > LABEL_PX
    longest = max(time.whole for time in times)
    left["line"] = longest * (LOWER if room_left else UPPER)
    right["line"] = longest * (UPPER if room_left else LOWER)
    left["align"] = "right" if room_left else "left"
    right["align"] = "left" if room_right else "right"
    return marks


def ranks(summary: Summary) -> Drawn:
    """Bars over rank, stacked from application at the bottom to MPI_Finalize on top."""
    name, title, times = "ranks", "Time by rank", rank_times(summary)
    if not any(time.whole > 0 for time in times):
        return Drawn(name, title, absent="No rank recorded any time.")
    caption = (
        f"Wall time of {counted(len(times), 'rank')} from the start of MPI_Init to the end of "
        "MPI_Finalize. MPI is the time inside all other MPI functions, application is the rest."
    )
    if len(times) > 1:
        caption += " Slowest and fastest are those with the longest and shortest application time."
    if len(times) > WIDE_BAR_RANKS:
        caption += " Turn the wheel over the bars to zoom, drag to move, double-click to go back."
    columns = (
        *("Rank", "Host", "Wall (s)", "MPI threads", "Application (s)", "MPI (s)"),
        *("MPI_Init (s)", "MPI_Finalize (s)"),
    )
    rows = (
        (*(t.rank, t.host, t.wall, t.threads), *(t.application, t.mpi, t.init, t.finalize))
        for t in times
    )
    return Drawn(
        name,
        title,
        caption + threads_note(times),
        lambda: _chart(times, summary.ranks),
        table("Time by rank", columns, rows, TABLE_ROWS),
    )


def _chart(times: list[RankTime], ranks: int) -> alt.TopLevelMixin:
    few = len(times) <= WIDE_BAR_RANKS
    rows = [
        {
            "rank": time.rank,
            "host": time.host,
            "Application": round(time.application, 9),
            "MPI": round(time.mpi, 9),
            "MPI_Init": round(time.init, 9),
            "MPI_Finalize": round(time.finalize, 9),
        }
        for time in times
    ]
    half = 0.4 if few else 0.5
    parts = list(PARTS)
    colour = coloured("part", PARTS, above(symbolType="square"))
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
    longest = max(time.whole for time in times)
    bars = base.mark_rect(
        # Else, thin lines of the background would show between touching neighbours.
        strokeWidth=0 if few else 0.4,
        clip=True,
    ).encode(
        x=over_ranks(ranks),
        x2=alt.X2("right:Q"),
        y=alt.Y("low:Q", title="Time (s)").scale(domain=[0, HEADROOM * longest or 1], nice=False),
        y2=alt.Y2("high:Q"),
        color=colour,
        tooltip=[
            alt.Tooltip("rank:Q", title="Rank"),
            alt.Tooltip("host:N", title="Host"),
            *(alt.Tooltip(f"{part}:Q", title=f"{part} (s)", format=".9~f") for part in parts),
        ],
    )
    if not few:
        bars = bars.encode(
            stroke=alt.Stroke("part:N", sort=None, title=None).scale(
                domain=parts, range=list(PARTS.values())
            )
        )
        bars = bars.add_params(alt.selection_interval(name="span", bind="scales", encodings=["x"]))
    both = alt.layer(bars, *_marks(marked_ranks(times, ranks)))
    sized: alt.TopLevelMixin = both.properties(
        width=WIDTH_PX, height=300, autosize=alt.AutoSizeParams(type="fit", contains="padding")
    )
    return sized


def _marks(rows: list[dict[str, Any]]) -> list[alt.Chart]:
    """A rule from the top of the bar up to the label, so that one bar of 1,024 can be seen."""
    layers = []
    for row in rows:
        base = alt.Chart(inline([row])).encode(x=alt.X("rank:Q"), y=alt.Y("line:Q"))
        rule = base.mark_rule(clip=True, color=INK, strokeWidth=1.5).encode(y2=alt.Y2("top:Q"))
        text = base.mark_text(
            clip=True,
            align=row["align"],
            baseline="middle",
            dx=-5 if row["align"] == "right" else 5,
        ).encode(text=alt.Text("label:N"))
        layers += [rule, text]
    return layers
