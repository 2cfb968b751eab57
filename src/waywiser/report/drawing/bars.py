"""Stacked bars: horizontal bars of named items, and vertical bars of ranks."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import altair as alt
import numpy as np

from waywiser.report.drawing.channels import above, names_of_rows
from waywiser.report.drawing.plot import (
    BLUE,
    GREEN,
    GREY,
    LONGEST_LABEL,
    NAME_LABEL,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    YELLOW,
    inline,
    page_wide,
    tips,
)
from waywiser.units import seconds_text

APPLICATION, WAITING, OTHERS = "Application", "Waiting (barrier before)", "Other MPI"

WAITING_IS = "; waiting is that of --split-sync"
"""Part of the captions of tables with waiting times."""

NAMED_COLOURS = {APPLICATION: BLUE, WAITING: VERMILION, OTHERS: GREY}
FUNCTION_COLOURS = (ORANGE, GREEN, SKY, PURPLE, YELLOW)
"""Colours of the functions with the longest time; the others are grey."""

WIDE_BAR_RANKS = 64
"""Largest number of ranks whose bars are separate."""

BAR_PX = 30
LINE_PX = 14
LINE_LETTERS = 32
"""Number of characters in a line of the names before horizontal bars."""

ROW_LETTERS, SYMBOL_LETTERS = 100, 5
"""Number of characters that fit in a row of a legend, and those that a symbol takes."""

BLANK = "\N{NO-BREAK SPACE}"
"""Text of a blank line, as an empty line has no height."""

MOST_STEPS = 2048
"""Largest number of steps, as a screen has no more columns; more ranks share steps."""

Stack = Mapping[str, float]
"""Seconds by part."""


class Timed(Protocol):
    """A function with time in the call itself, and in the barrier of --split-sync before it [s]."""

    @property
    def seconds(self) -> float: ...
    @property
    def sync_seconds(self) -> float: ...


def by_function(bars: Sequence[Mapping[str, Timed]], divisor: float = 1.0) -> list[Stack]:
    """Each bar's time: waiting, the functions that take longest in all bars, and the others.

    Args:
        divisor: number by which all times are divided.
    """
    sums: dict[str, float] = {}
    for bar in bars:
        for name, function in bar.items():
            sums[name] = sums.get(name, 0.0) + function.seconds
    longest = sorted(sums, key=lambda name: (-sums[name], name))[: len(FUNCTION_COLOURS)]
    stacks: list[Stack] = []
    for bar in bars:
        others = sum(function.seconds for name, function in bar.items() if name not in longest)
        seconds = {
            WAITING: sum(function.sync_seconds for function in bar.values()),
            **{name: bar[name].seconds if name in bar else 0.0 for name in longest},
            OTHERS: others,
        }
        stacks.append({part: value / divisor for part, value in seconds.items()})
    return stacks


@dataclass(frozen=True)
class Names:
    """Long names before horizontal bars, wrapped into lines."""

    shown: tuple[str, ...]
    lines: int
    """Number of lines of the longest name; shorter names are centred on it."""

    @property
    def height_px(self) -> float:
        """Height of all bars together."""
        return len(self.shown) * max(BAR_PX, LINE_PX * (self.lines + 1))

    @property
    def axis(self) -> alt.Y:
        """Axis of the names in the order of their rows, each name's middle beside its bar."""
        return names_before(
            labelExpr="split(datum.label, '\\n')",
            labelLineHeight=LINE_PX,
            labelOffset=-LINE_PX * (self.lines - 1) / 2,
        )


def on_lines(names: Iterable[str]) -> Names:
    """Wrap each name into as many lines as it needs."""
    wrapped = [textwrap.wrap(name, LINE_LETTERS) for name in names]
    most = max(map(len, wrapped))
    centred = [[BLANK] * ((most - len(lines)) // 2) + lines for lines in wrapped]
    return Names(tuple(map("\n".join, centred)), most)


def names_before(field: str = "name", **look: Any) -> alt.Y:
    """The axis of names of horizontal bars, in the order of their rows.

    Args:
        look: properties of the axis, beside those of all axes of names.
    """
    return names_of_rows(field, **{"labelExpr": NAME_LABEL, "labelLimit": 0, **look})


def legend_above(names: Iterable[str]) -> alt.Legend:
    """A legend with the fewest rows in which its names fit."""
    letters = [min(len(name), LONGEST_LABEL) + SYMBOL_LETTERS for name in names]
    columns = len(letters) if sum(letters) <= ROW_LETTERS else ROW_LETTERS // max(letters)
    return above(symbolType="square", columns=columns, labelExpr=NAME_LABEL, labelLimit=0)


def across(names: Sequence[str], stacks: Sequence[Stack], title: str) -> alt.TopLevelMixin:
    """A horizontal bar for each name, with the parts of its stack from left to right."""
    parts = [part for part in stacks[0] if any(stack[part] > 0 for stack in stacks)]
    rows: list[dict[str, Any]] = []
    for name, stack in zip(names, stacks, strict=True):
        low = 0.0
        for part in parts:
            high = low + stack[part]
            time = seconds_text(stack[part])
            rows.append({"name": name, "part": part, "low": low, "high": high, "time": time})
            low = high
    longest = max(row["high"] for row in rows)
    bars: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_bar(height=18)
        .encode(
            y=names_before(),
            x=alt.X("low:Q", title=title)
            .scale(domain=[0, longest or 1], nice=False)
            .axis(tickCount=6),
            x2=alt.X2("high:Q"),
            # No list of parts: Vega-Lite would evaluate it, and names are foreign text.
            color=alt.Color("part:N", sort=None, legend=legend_above(parts)).scale(
                range=_colours(parts)
            ),
            tooltip=tips(name="Of", part="Time in", time="Time"),
        )
        .properties(**page_wide(BAR_PX * len(names)))
    )
    return bars


def _colours(parts: Iterable[str]) -> list[str]:
    of_functions = iter(FUNCTION_COLOURS)
    return [NAMED_COLOURS.get(part) or next(of_functions) for part in parts]


def ranks_together(ranks: int) -> int:
    """The number of ranks that share a step of `upright`, whose height is then their mean."""
    return -(-ranks // MOST_STEPS)


def upright(
    values: Sequence[tuple[int, tuple[float, ...]]],
    parts: Mapping[str, str],
    title: str,
    ranks: int,
) -> alt.Chart:
    """A plot of bars over rank; the arguments are those of `steps`."""
    return steps(values, parts, title, ranks).properties(**page_wide(220))


def steps(
    values: Sequence[tuple[int, tuple[float, ...]]],
    parts: Mapping[str, str],
    title: str,
    ranks: int,
) -> alt.Chart:
    """Bars over rank, which touch if there are many.

    Args:
        values: (rank, a value for each part), in rank order.
        parts: part -> colour, from the bottom to the top.
        ranks: number of ranks of the run.
    """
    few = ranks <= WIDE_BAR_RANKS
    half = 0.4 if few else 0.5
    rows: list[dict[str, Any]] = []
    for first, last, levels in _steps(values, ranks_together(ranks)):
        for part, (low, high) in zip(parts, levels, strict=True):
            ends = {"left": first - half, "right": last + half}
            rows.append({**ends, "low": low, "high": high, "part": part})
    top = max((row["high"] for row in rows), default=0.0)
    bars: alt.Chart = (
        alt.Chart(inline(rows))
        .transform_calculate(
            ranks=f"round(datum.left + {half}) + (datum.right - datum.left > 1 ? "
            f"' to ' + round(datum.right - {half}) : '')",
            value="format(datum.high - datum.low, '.4~g')",
        )
        .mark_rect(clip=True, strokeWidth=0 if few else 0.4)
        .encode(
            x=over_ranks(ranks),
            x2=alt.X2("right:Q"),
            y=alt.Y("low:Q", title=title).scale(domain=[0, 1.05 * top or 1], nice=False),
            y2=alt.Y2("high:Q"),
            color=_by_part(alt.Color, parts),
            tooltip=tips(ranks="Rank", part="What", value=title),
        )
    )
    return bars if few else bars.encode(stroke=_by_part(alt.Stroke, parts))


def over_ranks(ranks: int) -> alt.X:
    """The axis of ranks, for bars whose left end is the field `left`."""
    return (
        alt.X("left:Q", title="Rank")
        .scale(domain=[-0.5, ranks - 0.5], nice=False, zero=False)
        .axis(grid=False, tickMinStep=1, format="d", tickCount=min(16, ranks))
    )


def _by_part(channel: Any, parts: Mapping[str, str]) -> Any:
    legend = legend_above(parts) if len(parts) > 1 else None
    scale = alt.Scale(domain=list(parts), range=list(parts.values()))
    return channel("part:N", sort=None, scale=scale, legend=legend)


def _steps(
    values: Sequence[tuple[int, tuple[float, ...]]], together: int
) -> Iterable[tuple[int, int, list[tuple[float, float]]]]:
    """(first rank, last rank, low and high end of each part) for each `together` ranks."""
    for start in range(0, len(values), together):
        group = values[start : start + together]
        means = np.mean([parts for _, parts in group], axis=0)
        ends = [0.0, *(float(f"{end:.6g}") for end in np.cumsum(means))]
        yield group[0][0], group[-1][0], list(pairwise(ends))


def steps_note(ranks: int) -> str:
    """The sentence for a caption if ranks share steps, else ""."""
    together = ranks_together(ranks)
    return f" Each step is the mean of up to {together} ranks." if together > 1 else ""
