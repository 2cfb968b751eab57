"""The distribution of message sizes, one row of bars for each MPI function."""

from __future__ import annotations

from itertools import accumulate

import altair as alt

from waywiser.analyse.times import by_time
from waywiser.model.summary import Function, Summary
from waywiser.report.drawing.channels import above, coloured
from waywiser.report.drawing.plot import BLUE, ORANGE, Drawn, inline, table, tips
from waywiser.units import count_text, percent_text, seconds_text, size_text

CHART_FUNCTIONS = 10
"""Largest number of rows in the chart; the table has them all."""

MOST_LABELS = 11
"""Largest number of sizes that fit below the axis."""

MEASURES = {"Left: of the function's calls": BLUE, "Right: of the function's time": ORANGE}
"""The two bars of a bin; their position identifies them without the colour."""


def with_sizes(summary: Summary) -> list[tuple[str, Function]]:
    """Functions that moved bytes at least once, the longest time first."""
    return [
        (name, function)
        for name, function in by_time(summary.functions)
        if any(bound > 0 and calls > 0 for bound, calls, _ in function.sizes)
    ]


def axis_bounds(functions: list[tuple[str, Function]]) -> list[int]:
    """Zero and every power of two between the smallest and the largest bin in use, in bytes.

    Empty bins stay on the axis, so that equal distances mean equal ratios. Bounds that are not
    powers of two are kept as they are.
    """
    used = {bound for _, function in functions for bound, calls, _ in function.sizes if calls}
    powers = {0} | {
        1 << power
        for power in range(64)
        if min(used - {0}, default=1) <= 1 << power <= max(used, default=1)
    }
    return sorted(used | powers)


def sizes(summary: Summary) -> Drawn:
    """A row of bars for each function: the share of its calls beside the share of its time."""
    name, title, shown = "sizes", "Message sizes by function", with_sizes(summary)
    if not shown:
        why = "No MPI call with a payload was recorded."
        return Drawn(name, title, absent=why, topic="mpi")
    caption = _halves(summary) + (
        "A bar stands for the calls whose payload is larger than the bound before it and at most "
        "its own; 0 B are calls without payload."
    )
    if len(shown) > CHART_FUNCTIONS:
        caption += f" {CHART_FUNCTIONS} of {len(shown)} functions, those with the longest time."
    if len(summary.functions) > len(shown):
        caption += " Functions that never have a payload are left to the table."
    rows = (
        (name, bound, calls, percent_text(calls / max(function.calls, 1)), seconds)
        for name, function in by_time(summary.functions)
        for bound, calls, seconds in function.sizes
    )
    columns = ("Function", "Size up to (B)", "Calls", "Of its calls", "Seconds")
    return Drawn(
        name,
        title,
        caption,
        lambda: _chart(shown[:CHART_FUNCTIONS]),
        table("Calls and time by message size, summed over ranks", columns, rows),
        topic="mpi",
    )


def _halves(summary: Summary) -> str:
    """The sizes up to which calls with a payload have half of their number and of their time."""
    bins = sorted(
        size_bin
        for function in summary.functions.values()
        for size_bin in function.sizes
        if size_bin[0] > 0
    )
    calls, seconds = (
        _half([(size_bin[0], size_bin[column]) for size_bin in bins]) for column in (1, 2)
    )
    return (
        f"Half of the calls with a payload have at most {calls}; half of their time is in calls of "
        f"at most {seconds}. "
    )


def _half(parts: list[tuple[int, float]]) -> str:
    """The first size up to which parts have half of their sum."""
    sums = list(accumulate(part for _, part in parts))
    at = next(i for i, so_far in enumerate(sums) if so_far >= sums[-1] / 2)
    return size_text(parts[at][0])


def _chart(functions: list[tuple[str, Function]]) -> alt.TopLevelMixin:
    labels = [size_text(bound) for bound in axis_bounds(functions)]
    rows = [
        {
            "order": order,
            "name": name,
            "bound": size_text(bound),
            "measure": measure,
            "percent": round(100 * part / whole, 3),
            "calls": count_text(calls),
            "time": seconds_text(seconds),
        }
        for order, (name, function) in enumerate(functions)
        for bound, calls, seconds in function.sizes
        if calls
        for measure, part, whole in zip(
            MEASURES, (calls, seconds), (function.calls, function.seconds or 1.0), strict=True
        )
    ]
    every = -(-len(labels) // MOST_LABELS)
    bars = (
        alt.Chart(inline(rows))
        .mark_bar(clip=True)
        .encode(
            x=alt.X("bound:N", title="Message size, up to", sort=labels)
            .scale(domain=labels, paddingInner=0.25)
            .axis(
                values=labels[::every],
                labelAngle=0,
                labelOverlap="greedy",
                labelSeparation=4,
                ticks=False,
                labelPadding=6,
            ),
            xOffset=alt.XOffset("measure:N", sort=list(MEASURES)),
            y=alt.Y("percent:Q", title=None)
            .scale(domain=[0, 100])
            .axis(values=[0, 50, 100], labelExpr="datum.value + ' %'", ticks=False),
            color=coloured(
                "measure",
                MEASURES,
                above(symbolType="square", labelLimit=300),
                sort=list(MEASURES),
            ),
            tooltip=tips(
                name="Function", bound="Size, up to", calls="Calls", time="Time, all ranks"
            ),
        )
        .properties(width=560, height=44)
    )
    header = alt.Header(
        labelAngle=0, labelAlign="left", labelAnchor="middle", labelLimit=140, labelFontSize=12
    )
    facets: alt.FacetChart = bars.facet(
        # By number: Vega-Lite would evaluate a list of names, and names are foreign text.
        row=alt.Row("name:N", sort=alt.EncodingSortField("order"), title=None, header=header),
        spacing=16,
    )
    return facets
