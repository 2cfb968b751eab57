"""Stacked bars, pies and grouped bars of named parts."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from waywiser.report.drawing.channels import above, names_of_rows, small_title
from waywiser.report.drawing.plot import GREY, inline, tips
from waywiser.report.study.plots.marks import COLOURS, Drawing

OTHER = "Other"

TITLE_CHARACTERS = 24
"""Largest number of characters of a title in the width of a pie."""

Stack = Mapping[str, float]


def largest(stacks: Sequence[Stack], most: int) -> list[str]:
    """The names of the largest parts in all stacks."""
    sums: dict[str, float] = {}
    for stack in stacks:
        for name, value in stack.items():
            sums[name] = sums.get(name, 0.0) + value
    return sorted(sums, key=lambda name: (-sums[name], name))[:most]


def cut_to(stack: Stack, names: Sequence[str], rest_name: str = OTHER) -> dict[str, float]:
    """The named parts, and the sum of all others."""
    rest = sum(value for name, value in stack.items() if name not in names)
    return {name: stack.get(name, 0.0) for name in names} | {rest_name: rest}


def bars(
    stacks: Sequence[tuple[str, Stack]],
    colours: Mapping[str, str],
    title: str,
    *,
    share: bool = False,
) -> Drawing:
    """A bar for each name, with its parts from left to right in the order of the first stack."""
    rows: list[dict[str, Any]] = []
    for name, stack in stacks:
        low = 0.0
        for part, value in stack.items():
            rows.append({"name": name, "part": part, "low": low, "high": low + value, "v": value})
            low += value
    form = ".1%" if share else ".4~g"
    top = max((row["high"] for row in rows), default=1.0)
    return (
        alt.Chart(inline(rows))
        .mark_bar(height=15)
        .encode(
            y=names_of_rows("name", labelLimit=230),
            x=alt.X("low:Q", title=title)
            .scale(domain=[0, top or 1], nice=False)
            .axis(tickCount=6, format=".0%" if share else ",~f"),
            x2=alt.X2("high:Q"),
            color=_colour(stacks, colours),
            tooltip=tips(name="Of", part="Part", v=(title, form)),
        )
        .properties(width=540, height=alt.Step(22))
    )


def pies(
    stacks: Sequence[tuple[str, Stack]], colours: Mapping[str, str], *, columns: int = 4
) -> Drawing:
    """A pie for each name."""
    colour = _colour(stacks, colours)
    charts = []
    for name, stack in stacks:
        whole = sum(stack.values()) or 1.0
        rows = [
            {"part": part, "value": value / whole, "order": i}
            for i, (part, value) in enumerate(stack.items())
        ]
        lines = textwrap.wrap(name, TITLE_CHARACTERS)
        charts.append(
            alt.Chart(inline(rows), title=small_title(lines, anchor="middle", limit=165))
            .mark_arc(outerRadius=62, stroke="white", strokeWidth=1)
            .encode(
                theta=alt.Theta("value:Q", stack=True),
                order=alt.Order("order:Q"),
                color=colour,
                tooltip=tips(part="Part", value=("Share", ".1%")),
            )
            .properties(width=165, height=135)
        )
    return alt.concat(*charts, columns=columns, spacing=14).resolve_scale(theta="independent")


def _colour(stacks: Sequence[tuple[str, Stack]], colours: Mapping[str, str]) -> alt.Color:
    """Colours by the parts' order, without a list of parts, which Vega-Lite would evaluate."""
    parts = dict.fromkeys(part for _, stack in stacks for part in stack)
    legend = above(symbolType="square", columns=6, labelLimit=180)
    scale = alt.Scale(range=[colours[part] for part in parts])
    return alt.Color("part:N", sort=None, scale=scale, legend=legend)


def coloured(names: Sequence[str], fixed: Mapping[str, str]) -> dict[str, str]:
    """A colour for each name: fixed colours first, then the palette."""
    free = iter([colour for colour in COLOURS if colour not in fixed.values()])
    return {name: fixed.get(name) or next(free, GREY) for name in names}
