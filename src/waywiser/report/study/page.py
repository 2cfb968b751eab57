"""The report as one HTML file that loads nothing, in the look of the report of a run."""

from __future__ import annotations

from dataclasses import replace

from waywiser.report.drawing.plot import Table
from waywiser.report.frame import framed, sections
from waywiser.report.study.contents import Contents
from waywiser.report.study.study_plots import MOST_IN_TEXT

MOST_ROWS = 400


def page(contents: Contents) -> str:
    """The whole report as HTML.

    Args:
        contents: contents from `contents.contents_of`.
    """
    shown = sections(contents.plots)
    short = [
        replace(
            section.drawn, table=section.drawn.table and shortened(section.drawn.table, MOST_ROWS)
        )
        for section in shown
    ]
    return framed(
        "study.html.j2",
        ["report.css", "study.css"],
        ["charts.js", "study.js"],
        report=contents,
        in_text=MOST_IN_TEXT,
        sections=[
            replace(section, drawn=drawn) for section, drawn in zip(shown, short, strict=True)
        ],
    )


def shortened(table: Table, most: int) -> Table:
    """The first rows of a table, with a sentence on where the others are."""
    if len(table.rows) <= most:
        return table
    rest = (
        f"The first {most} of {len(table.rows):,} rows. All of them: "
        "waywiser study report DIR --json"
    )
    return Table(table.caption, table.columns, table.rows[:most], rest)
