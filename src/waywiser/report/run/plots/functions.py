"""Time and calls by MPI function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from waywiser.analyse.times import by_time, rank_times, threads_note, total_time
from waywiser.model.summary import FunctionTotal, Summary
from waywiser.report.drawing.bars import names_before
from waywiser.report.drawing.plot import BLUE, ORANGE, Drawn, inline, table, tips
from waywiser.units import count_text, counted, percent_text, seconds_text

CHART_FUNCTIONS = 15
"""Largest number of functions with a bar; the table has the others, which take little time."""


def functions(summary: Summary) -> Drawn:
    """Bars of time beside dots of calls, the longest time on top; the table has every function."""
    name, title, longest = "functions", "Time and calls by function", by_time(summary.functions)
    if not any(function.calls for _, function in longest):
        return Drawn(name, title, absent="No MPI call was recorded.", topic="mpi")
    times = rank_times(summary)
    total = total_time(times)
    caption = (
        f"Sums over {counted(len(times), 'rank')}, the longest time first. Calls have a "
        "logarithmic axis."
    )
    if summary.split_sync:
        caption += " Waiting in the barriers of --split-sync is not in these times."
    caption += threads_note(times)
    if len(longest) > CHART_FUNCTIONS:
        caption += f" {CHART_FUNCTIONS} of {len(longest)} functions; the table has all."
    rows = (
        (name, f.calls, f.seconds, percent_text(total.share(f.seconds)), f.bytes, f.receive_bytes)
        for name, f in longest
    )
    columns = ("Function", "Calls", "Seconds", "Of all time", "Bytes out", "Receive bytes")
    return Drawn(
        name,
        title,
        caption,
        lambda: _chart(longest),
        table("Calls, time and payload by function, summed over ranks", columns, rows),
        topic="mpi",
    )


def _chart(longest: Sequence[tuple[str, FunctionTotal]]) -> alt.TopLevelMixin:
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "seconds": function.seconds,
            "time": seconds_text(function.seconds),
            "calls": function.calls,
            "count": count_text(function.calls),
        }
        for name, function in longest[:CHART_FUNCTIONS]
    ]
    base = alt.Chart(inline(rows)).encode(
        y=names_before(),
        tooltip=tips(name="Function", time="Time, all ranks", count="Calls"),
    )
    most_seconds = max(row["seconds"] for row in rows)
    most = max(row["calls"] for row in rows)
    seconds = base.encode(
        # Room for the label of the longest bar.
        x=alt.X("seconds:Q", title="Time, summed over ranks (s)")
        .scale(domain=[0, 1.25 * most_seconds or 1], nice=False)
        .axis(tickCount=5)
    )
    calls = base.encode(
        # By default, a logarithmic axis has nine lines a decade.
        x=alt.X("calls:Q", title="Calls (logarithmic)")
        .scale(type="log", domain=[0.8, 12 * max(most, 1)], nice=False)
        .axis(format="~s", labelOverlap=True, values=[10**power for power in range(19)]),
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
