"""The classes of plots and tables, and the look that all plots share.

Colours and types are also used where nothing is drawn. Altair takes half a second to import, so
that only functions that make charts import it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from waywiser.analyse.wait_words import NAMES
from waywiser.model.waits import WaitKind

if TYPE_CHECKING:
    import altair as alt

Cell = str | int | float
"""The value of a table's cell; numbers are exact."""


class Short(str):
    """A shortened text of a table, which shows the whole text on hover."""

    full: str

    def __new__(cls, shown: str, full: str) -> Short:
        result = super().__new__(cls, shown)
        result.full = full
        return result


WIDTH_PX = 752
"""Width of a whole plot, which fits a window of 800 pixels unscaled."""

# Okabe and Ito, "Color Universal Design", 2008: colours that any colour vision distinguishes. They
# differ in lightness too, and every plot also says in text or by order what a colour means.
BLUE, ORANGE, GREEN, YELLOW = "#0072B2", "#E69F00", "#009E73", "#F0E442"
SKY, VERMILION, PURPLE, GREY = "#56B4E9", "#D55E00", "#CC79A7", "#999999"

PARTS = {
    "Application": BLUE,
    "MPI": ORANGE,
    "MPI_Init": GREEN,
    "MPI_Finalize": YELLOW,
}
"""The parts of a rank's time, in the order in which they are stacked, with their colours."""

WAIT_COLOURS: dict[WaitKind, str] = dict(
    zip(
        NAMES,
        (
            *(VERMILION, ORANGE, PURPLE, SKY, BLUE, GREEN, "#882255", YELLOW, GREY, "#332288"),
            *("#44AA99", "#999933", "#CC6677", "#661100"),
        ),
        strict=True,
    )
)

LONGEST_LABEL = 38
"""Longest name on an axis or in a legend, in characters; longer ones are shortened."""

NAME_LABEL = (
    "length(datum.label) > letters ? slice(datum.label, 0, letters / 2) + '…' + "
    "slice(datum.label, 1 - letters / 2) : datum.label"
)
"""Vega expression that shortens a label in its middle; a narrow page has fewer `letters`."""

AMOUNT_LABEL = (
    "datum.value == 0 ? '0 B' : "
    "replace(format(datum.value, '.3~s'), regexp('([A-Za-zµ]?)$'), ' $1') + 'B'"
)
"""Vega expression that labels an axis or legend in decimal bytes."""

INK, _MUTED, _RULE = "#1f2328", "#57606a", "#d8dee4"

CONFIG: dict[str, Any] = {
    "font": "system-ui, 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif",
    "background": "white",
    "view": {"stroke": None},
    # A screen reader reads a plot's label and table, not thousands of marks.
    "mark": {"aria": False},
    "axis": {
        "domainColor": _RULE,
        "gridColor": _RULE,
        "gridOpacity": 0.8,
        "tickColor": _RULE,
        "labelColor": _MUTED,
        "labelFontSize": 12,
        "labelLimit": 190,
        "titleColor": _MUTED,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 10,
    },
    "axisQuantitative": {"labelOverlap": "greedy", "labelSeparation": 4},
    "legend": {
        "labelColor": INK,
        "labelFontSize": 12,
        "titleColor": _MUTED,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "header": {"labelColor": INK, "titleColor": _MUTED, "titleFontWeight": "normal"},
    "title": {"color": INK, "fontSize": 13, "fontWeight": 600, "anchor": "start"},
    "text": {"color": INK, "fontSize": 12},
}


_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Table:
    """The numbers of a plot; `rest` is a sentence on rows that are left out, if any."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    rest: str = ""

    @property
    def decimals(self) -> tuple[int, ...]:
        """Decimals of the times in each column: microseconds, or nanoseconds if a value needs
        them."""
        return tuple(9 if any(map(_has_nanoseconds, cells)) else 6 for cells in self._by_column)

    @property
    def numbers(self) -> tuple[bool, ...]:
        """True for columns of numbers or percentages, which are aligned on the right."""
        return tuple(any(map(_is_number, cells)) for cells in self._by_column)

    @property
    def _by_column(self) -> Iterable[tuple[Cell, ...]]:
        return zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float) or bool(re.fullmatch(r"[<>+-]?\s?[\d.]+\s%", cell))


def _has_nanoseconds(value: Cell) -> bool:
    return isinstance(value, float) and f"{value:.9f}"[-3:] != "000"


@dataclass(frozen=True)
class Explored:
    """A matrix of which the page contains all pairs; templates/matrix.js draws it."""

    pairs: str
    """Name of the page's element with the pairs, which several plots share."""

    packed: str
    """The pairs from `matrix_data.packed`."""

    amount: Literal["bytes", "messages"]
    legend: str


@dataclass(frozen=True)
class Panel:
    """A panel above the timeline on its time axis, with the activity of all ranks together."""

    name: str
    """Name of the panel in the page's program."""

    title: str
    legend: tuple[tuple[str, str], ...]
    """Kinds with their colours, if they differ from the timeline's."""


@dataclass(frozen=True)
class TimelinePanels:
    """The data from which the page's program draws a timeline."""

    head: str
    packed: str
    legend: tuple[tuple[str, str], ...]
    """The kinds of the timeline, with their colours."""

    panels: tuple[Panel, ...]
    last_rank: int


Topic = Literal["run", "mpi", "openmp", "files", "rest"]
"""Topic of a plot: the whole run comes first, the rest last; the others are sorted by time."""


@dataclass(frozen=True)
class Drawn:
    """A plot of a run, a study, or an answer with its data, for pages, files and notebooks; or the
    reason why there is nothing to draw."""

    name: str
    """Name of its files and of its place in the page."""

    title: str
    caption: str = ""
    """Description of the plotted quantities, with units."""

    chart: Callable[[], alt.TopLevelMixin] | None = None
    """Function that makes the chart; None if the table is enough."""

    table: Table | None = None
    absent: str = ""
    """The sentence that replaces a plot with nothing to draw, else ""."""

    remarks: tuple[str, ...] = ()
    """Sentences below the caption."""

    pictured: bool = True
    """True if the page has the chart, False if it has the table alone."""

    zooms: bool = False
    """True if the chart has a parameter `zoom` for both axes; the page adds its buttons."""

    explored: Explored | None = None
    timeline: TimelinePanels | None = None
    """The timeline that the page draws in place of `chart`."""

    topic: Topic = "run"
    """Part of the run time by which the page is sorted."""

    @cached_property
    def specification(self) -> str:
        """The Vega-Lite description, as JSON."""
        from altair.utils.schemapi import debug_mode

        assert self.chart is not None, "a table alone has no description"
        # Altair validates each object as it is made, which takes most of a chart's time.
        with debug_mode(False):
            return json.dumps(described(self.chart()))


def described(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """The Vega-Lite description of a chart in the look of all plots."""
    description: dict[str, Any] = chart.to_dict(validate=False)
    datasets = description["datasets"]
    description["datasets"] = {name: json.loads(rows) for name, rows in datasets.items()}
    description["config"] = CONFIG
    letters = {"name": "letters", "value": LONGEST_LABEL}
    description["params"] = [*description.get("params", ()), letters]
    result: dict[str, Any] = printable(description)
    return result


def printable(value: Any) -> Any:
    """`value` with a replacement for each character that XML 1.0 (section 2.2) does not have, as
    vl-convert aborts the process at such a character."""
    if isinstance(value, str):
        return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return {key: printable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [printable(part) for part in value]
    return value


def inline(rows: Iterable[dict[str, Any]]) -> alt.InlineData:
    """Rows as data of a chart, inside its description.

    Altair copies and checks each value, which takes ten seconds for 16,384 ranks. It therefore gets
    a single text, which `described` converts back into rows.
    """
    import altair as alt

    return alt.InlineData(values=json.dumps(list(rows)))


def tips(**fields: str | tuple[str, str]) -> list[alt.Tooltip]:
    """Tooltips of a mark: fields of its row, a text with its title, a number with its title and
    format."""
    import altair as alt

    return [
        alt.Tooltip(f"{field}:N", title=tooltip)
        if isinstance(tooltip, str)
        else alt.Tooltip(f"{field}:Q", title=tooltip[0], format=tooltip[1])
        for field, tooltip in fields.items()
    ]


def page_wide(height: float) -> dict[str, Any]:
    """Properties of a chart [px] that, with its titles, is as wide as the page's column."""
    import altair as alt

    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    return {"width": WIDTH_PX, "height": height, "autosize": fit}


def table(
    caption: str,
    columns: tuple[str, ...],
    rows: Iterable[tuple[Cell, ...]],
    most: int | None = None,
) -> Table:
    """The rows as a table, or the first `most` of them."""
    every = tuple(rows)
    rest = "" if most is None else left_out(most, len(every))
    return Table(caption, columns, every[:most], rest)


def left_out(limit: int, rows: int) -> str:
    """The sentence below a table that shows `limit` of `rows` rows, "" if it shows them all."""
    if rows <= limit:
        return ""
    rest = f"The first {limit:,} of {rows:,} rows."
    return f"{rest} All of them: waywiser show RUN --json --per-rank"
