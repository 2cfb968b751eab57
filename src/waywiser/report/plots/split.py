"""The whole run as a pie: application against MPI, with set-up and end as slices of their own."""

from __future__ import annotations

from typing import Any

import altair as alt

from waywiser.analyse.times import rank_times, threads_note, total_time
from waywiser.model.summary import Summary
from waywiser.report.figure import PARTS, Table, inline, tips
from waywiser.units import counted, percent_text, seconds_text

LABELLED_SHARE = 0.06
"""Smaller slices have no room for their label; the legend has it anyway."""


def parts(summary: Summary) -> list[tuple[str, float, float]]:
    """(part, seconds summed over ranks, share), in the order of `PARTS`."""
    total = total_time(rank_times(summary))
    seconds = (total.application, total.mpi, total.init, total.finalize)
    return list(zip(PARTS, seconds, map(total.share, seconds), strict=True))


def chart(summary: Summary) -> alt.TopLevelMixin:
    """A pie whose legend carries the numbers."""
    rows: list[dict[str, Any]] = [
        {
            "order": order,
            "part": f"{part}: {percent_text(share)}, {seconds_text(seconds)}",
            "name": part,
            "seconds": seconds,
            "share": percent_text(share) if share >= LABELLED_SHARE else "",
        }
        for order, (part, seconds, share) in enumerate(parts(summary))
    ]
    base = alt.Chart(inline(rows)).encode(
        theta=alt.Theta("seconds:Q", stack=True),
        order=alt.Order("order:Q"),
    )
    slices = base.mark_arc(outerRadius=118, stroke="white", strokeWidth=1.5).encode(
        color=alt.Color(
            "part:N",
            sort=None,
            scale=alt.Scale(domain=[row["part"] for row in rows], range=list(PARTS.values())),
            legend=alt.Legend(
                title=None,
                symbolType="square",
                symbolSize=160,
                labelFontSize=13,
                labelLimit=0,
                rowPadding=6,
                orient="bottom",
                columns=1,
            ),
        ),
        tooltip=tips(part="Time"),
    )
    labels = base.mark_text(radius=140, fontSize=13, fontWeight=600).encode(
        text=alt.Text("share:N")
    )
    pie: alt.LayerChart = (slices + labels).properties(width=330, height=300)
    return pie


def caption(summary: Summary) -> str:
    times = rank_times(summary)
    ranks = counted(len(times), "rank")
    return (
        f"Time from the start of MPI_Init to the end of MPI_Finalize, summed over {ranks}. "
        "MPI is the time inside all other MPI functions, application is the rest."
        + threads_note(times)
    )


def table(summary: Summary) -> Table:
    rows = [(part, seconds, percent_text(share)) for part, seconds, share in parts(summary)]
    return Table("Time by part", ("Part", "Seconds, all ranks", "Share"), tuple(rows))


def absent(summary: Summary) -> str:
    return "" if total_time(rank_times(summary)).whole > 0 else "No time was recorded."
