"""The report as a PDF, set by Typst from the same contents as the page."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import typst

from waywiser.report.drawing.image_formats import FORMATS
from waywiser.report.drawing.plot import WIDTH_PX, Cell, Table, printable
from waywiser.report.frame import template
from waywiser.report.study.contents import Contents
from waywiser.report.study.page import shortened
from waywiser.report.study.study_plots import MOST_IN_TEXT

MOST_ROWS = 40
"""Largest number of rows of a table on paper; the page and the document of `--json` have all."""

TALLEST = 1.3
"""Largest height of a plot, as a multiple of the text's width; its caption is below it."""

LONGEST_TEXT = 32
"""Largest number of characters that widen a column; longer texts are broken."""


def pdf(contents: Contents) -> bytes:
    """The report as a PDF with embedded fonts.

    Raises:
        RuntimeError: Typst refuses the document, which is a bug of Waywiser.
    """
    with tempfile.TemporaryDirectory(prefix="waywiser-report-") as directory:
        source = prepare(contents, Path(directory))
        return typst.compile(str(source), root=directory, ignore_system_fonts=True)


def prepare(contents: Contents, directory: Path) -> Path:
    """Writes the files that Typst reads: study.typ, contents.json and the plots; returns
    study.typ."""
    for plot in contents.plots:
        (directory / f"{plot.name}.pdf").write_bytes(FORMATS["pdf"](plot.specification))
    described = json.dumps(_document(contents, directory), ensure_ascii=False)
    (directory / "contents.json").write_text(described, encoding="utf-8")
    source = directory / "study.typ"
    source.write_text(template("study.typ"), encoding="utf-8")
    return source


def _document(contents: Contents, directory: Path) -> dict[str, Any]:
    excluded = [table for table in (contents.failed, contents.unreliable) if table]
    plots = [
        {
            "file": f"{plot.name}.pdf",
            "title": plot.title,
            "caption": plot.caption,
            "width": _width_percent((directory / f"{plot.name}.pdf").read_bytes()),
        }
        for plot in contents.plots
    ]
    reproduction = contents.reproduction
    document: dict[str, Any] = printable(
        {
            "title": contents.title,
            "author": contents.author,
            "scores": _table(contents.scores) if contents.scores else None,
            "question": contents.question,
            "introduction": contents.introduction,
            "gate": list(contents.gate),
            "abstract": list(contents.abstract),
            "system": [row.model_dump() for row in contents.system],
            "method": list(contents.method),
            "results": contents.results,
            "plots": plots[:MOST_IN_TEXT],
            "further": plots[MOST_IN_TEXT:],
            "excluded": [_table(table) for table in excluded],
            "tables": [_table(plot.table) for plot in contents.plots if plot.table],
            "footnotes": list(contents.footnotes),
            "steps": "\n".join(reproduction.steps),
            "study_file": reproduction.study_file,
            "commands": _table(reproduction.commands),
            "scripts": [{"name": name, "text": text} for name, text in reproduction.scripts],
            "waywiser": contents.waywiser,
        }
    )
    return document


def _width_percent(drawn: bytes) -> float:
    """Width as a percentage of the text's width. A plot as wide as the page's fills it, so that
    all plots have one scale, but for those that would leave no room for their caption."""
    box = re.search(rb"/MediaBox\s*\[\s*[\d.]+\s+[\d.]+\s+([\d.]+)\s+([\d.]+)", drawn)
    if not box:
        return 100.0
    width, height = float(box[1]), float(box[2])
    return 100.0 * min(1.0, width / WIDTH_PX, TALLEST * width / height)


def _table(table: Table) -> dict[str, Any]:
    short = shortened(table, MOST_ROWS)
    rows = [[_text(cell) for cell in row] for row in short.rows]
    columns = list(zip(short.columns, *rows, strict=True))
    return {
        "caption": short.caption,
        "columns": list(short.columns),
        "rows": rows,
        "rest": short.rest,
        "numbers": list(short.numbers),
        "widths": [min(LONGEST_TEXT, max(8, *map(len, column))) for column in columns],
    }


def _text(cell: Cell) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:.5g}" if isinstance(cell, float) else cell
