"""Texts of plots: captions, tables, remarks, and every text that is drawn."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from tests import synthetic
from tests.synthetic_sections import with_everything
from waywiser.model.summary import RankSummary, Summary
from waywiser.report.drawing.plot import Cell, Drawn, Table
from waywiser.report.run.run_plots import drawn_plots

END = "\n;\n"
"""Between texts: no sentence goes on beyond it."""

whole = cache(with_everything)
"""A run of four ranks that was measured with every option."""

plain = cache(lambda: synthetic.summary(4))
"""A run of four ranks, measured with none."""

Build = Callable[[], Summary]


def plot(name: str, summary_of: Build = whole, **change: Any) -> str:
    """A plot of the report's.

    Args:
        change: of the run.
    """
    return "".join(
        drawn_text(drawn_plot)
        for drawn_plot in drawn_plots(summary_of().replace(**change))
        if drawn_plot.name == name
    )


def report(summary_of: Build = whole) -> str:
    """All plots of the report's."""
    return END.join(map(drawn_text, drawn_plots(summary_of())))


def of_ranks(name: str, change: Callable[[RankSummary], Mapping[str, Any]]) -> str:
    """A plot of the whole run, each of whose ranks is other."""

    def summary_of() -> Summary:
        ranks = whole().per_rank or ()
        changed = tuple(rank.replace(**change(rank)) for rank in ranks)
        return whole().replace(per_rank=changed)

    return plot(name, summary_of)


def drawn_text(drawn: Drawn | None) -> str:
    """Text of a plot with its data in it; "" without a plot."""
    if drawn is None:
        return ""
    table = _table(drawn.table) if drawn.table else ()
    drawn_texts = _strings(json.loads(drawn.specification)) if _by_vega(drawn) else ()
    title = "" if drawn.absent else drawn.title
    return END.join((title, *drawn.remarks, drawn.absent, drawn.caption, *table, *drawn_texts))


def _by_vega(drawn: Drawn) -> bool:
    return drawn.chart is not None and drawn.explored is None and drawn.timeline is None


def drawn_as(name: str, summary: Summary) -> Drawn:
    """The plot of this name in the report of a run."""
    return next(drawn_plot for drawn_plot in drawn_plots(summary) if drawn_plot.name == name)


def rows_of(name: str, summary: Summary) -> tuple[tuple[Cell, ...], ...]:
    """The rows of its table."""
    table = drawn_as(name, summary).table
    assert table is not None
    return table.rows


def specification(drawn: Drawn) -> dict[str, Any]:
    """The Vega-Lite description of a plot."""
    description: dict[str, Any] = json.loads(drawn.specification)
    return description


def _table(table: Table) -> Iterator[str]:
    yield table.caption
    yield from table.columns
    yield from (str(cell) for row in table.rows for cell in row)
    yield table.rest


def _strings(value: object) -> Iterator[str]:
    """Strings of a specification, without its keys; pictures have no text."""
    if isinstance(value, str):
        yield "" if value.startswith("data:") else value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
