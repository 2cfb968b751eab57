"""Time and calls by MPI function."""

from __future__ import annotations

from typing import Any

import altair as alt

from waywiser.analyse.times import by_time, rank_times, threads_note, total_time
from waywiser.model.summary import Summary
from waywiser.report.figure import BLUE, NAME_LABEL, ORANGE, Cell, Table, inline, tips
from waywiser.units import count_text, counted, percent_text, seconds_text

CHART_FUNCTIONS = 15
"""Most functions with a bar. The others take too little time for one; the table has them."""


def chart(summary: Summary) -> alt.TopLevelMixin:
    """Bars of time beside dots of calls, the longest time on top."""
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "seconds": function.seconds,
            "time": seconds_text(function.seconds),
            "calls": function.calls,
            "count": count_text(function.calls),
        }
        for name, function in by_time(summary.functions)[:CHART_FUNCTIONS]
    ]
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y(
            "name:N",
            sort=None,
            title=None,
            axis=alt.Axis(
                ticks=False, domain=False, labelPadding=8, labelExpr=NAME_LABEL, labelLimit=0
            ),
        ),
        tooltip=tips(name="Function", time="Time, all ranks", count="Calls"),
    )
    longest = max(row["seconds"] for row in rows)
    most = max(row["calls"] for row in rows)
    seconds = base.encode(
        x=alt.X(
            "seconds:Q",
            title="Time, summed over ranks (s)",
            # Room for the label of the longest bar.
            scale=alt.Scale(domain=[0, 1.25 * longest or 1], nice=False),
            axis=alt.Axis(tickCount=5),
        ),
    )
    calls = base.encode(
        x=alt.X(
            "calls:Q",
            title="Calls (logarithmic)",
            scale=alt.Scale(type="log", domain=[0.8, 12 * max(most, 1)], nice=False),
            # By itself a logarithmic axis draws nine lines a decade.
            axis=alt.Axis(
                format="~s", labelOverlap=True, values=[10**power for power in range(19)]
            ),
        ),
        y=alt.Y("name:N", sort=None, title=None, axis=None),
    )
    beside: dict[str, Any] = {"align": "left", "baseline": "middle", "dx": 7}
    size = alt.Step(26)
    return alt.hconcat(
        (
            seconds.mark_bar(color=ORANGE, height=15)
            + seconds.mark_text(**beside).encode(text=alt.Text("time:N"))
        ).properties(width=330, height=size),
        (
            calls.mark_point(color=BLUE, filled=True, size=70, opacity=1)
            + calls.mark_text(**beside).encode(text=alt.Text("count:N"))
        ).properties(width=220, height=size),
        spacing=30,
    )


def caption(summary: Summary) -> str:
    times = rank_times(summary)
    ranks = counted(len(times), "rank")
    text = f"Sums over {ranks}, the longest time first. Calls have a logarithmic axis."
    if summary.split_sync:
        text += " Waiting in the barriers of --split-sync is not in these times."
    text += threads_note(times)
    if len(summary.functions) > CHART_FUNCTIONS:
        text += f" {CHART_FUNCTIONS} of {len(summary.functions)} functions; the table has all."
    return text


def table(summary: Summary) -> Table:
    """Every function, with its exact integers."""
    total = total_time(rank_times(summary))
    rows: list[tuple[Cell, ...]] = [
        (name, f.calls, f.seconds, percent_text(total.share(f.seconds)), f.bytes, f.posted_bytes)
        for name, f in by_time(summary.functions)
    ]
    columns = ("Function", "Calls", "Seconds", "Of all time", "Bytes out", "Bytes posted")
    return Table("Calls, time and payload by function, summed over ranks", columns, tuple(rows))


def absent(summary: Summary) -> str:
    return "" if any(f.calls for f in summary.functions.values()) else "No MPI call was recorded."
