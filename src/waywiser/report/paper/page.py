"""The paper as one HTML file that loads nothing, in the look of the report of a run."""

from __future__ import annotations

import json
from dataclasses import dataclass

from markupsafe import Markup

from waywiser.report.figure import Table
from waywiser.report.page import (
    drawing_library,
    environment,
    json_for_script,
    script_hash,
    template,
)
from waywiser.report.paper.contents import Contents, Drawn

MOST_ROWS = 400


@dataclass(frozen=True)
class Section:
    """A figure, ready for the template."""

    number: int
    drawn: Drawn
    specification: Markup
    table: Table | None


def page(contents: Contents) -> str:
    """The whole paper as HTML.

    Args:
        contents: as `contents.contents_of` gathers it.
    """
    library, drawing = drawing_library(), template("paper.js")
    sections = [
        Section(
            number,
            drawn,
            Markup(json_for_script(json.loads(drawn.specification))),
            drawn.table and shortened(drawn.table, MOST_ROWS),
        )
        for number, drawn in enumerate(contents.figures, 1)
    ]
    return (
        environment()
        .get_template("paper.html.j2")
        .render(
            paper=contents,
            sections=sections,
            style=Markup(template("report.css") + template("paper.css")),
            library=Markup(library),
            drawing=Markup(drawing),
            script_hashes=Markup(" ".join(f"'{script_hash(text)}'" for text in (library, drawing))),
        )
    )


def shortened(table: Table, most: int) -> Table:
    """The first rows of a table, and where the others are."""
    if len(table.rows) <= most:
        return table
    rest = (
        f"The first {most} of {len(table.rows):,} rows. All of them: "
        "waywiser study report DIR --json"
    )
    return Table(table.caption, table.columns, table.rows[:most], rest)
