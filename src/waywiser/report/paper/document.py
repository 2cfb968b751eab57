"""The paper as a PDF, set by Typst from the same contents as the page."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import typst

from waywiser.report.figure import WIDTH_PX, Cell, Table, printable
from waywiser.report.frame import template
from waywiser.report.image_formats import FORMATS
from waywiser.report.paper.contents import Contents
from waywiser.report.paper.figures import MOST_IN_TEXT
from waywiser.report.paper.page import shortened

MOST_ROWS = 40
"""Largest number of rows of a table on paper; the page and the document of `--json` have all."""

LONGEST_TEXT = 32
"""Signs that count for the width of a column; longer texts are broken."""


def pdf(contents: Contents) -> bytes:
    """The paper as a PDF with embedded fonts.

    Raises:
        RuntimeError: Typst refuses the document, which is a fault of Waywiser's.
    """
    with tempfile.TemporaryDirectory(prefix="waywiser-paper-") as directory:
        source = prepare(contents, Path(directory))
        return typst.compile(str(source), root=directory, ignore_system_fonts=True)


def prepare(contents: Contents, directory: Path) -> Path:
    """Writes what Typst reads: paper.typ, contents.json and the figures; returns paper.typ."""
    for figure in contents.figures:
        (directory / f"{figure.name}.pdf").write_bytes(FORMATS["pdf"](figure.specification))
    described = json.dumps(_document(contents, directory), ensure_ascii=False)
    (directory / "contents.json").write_text(described, encoding="utf-8")
    source = directory / "paper.typ"
    source.write_text(template("paper.typ"), encoding="utf-8")
    return source


def _document(contents: Contents, directory: Path) -> dict[str, Any]:
    excluded = [table for table in (contents.failed, contents.contended) if table]
    figures = [
        {
            "file": f"{figure.name}.pdf",
            "title": figure.title,
            "caption": figure.caption,
            "width": _width_percent((directory / f"{figure.name}.pdf").read_bytes()),
        }
        for figure in contents.figures
    ]
    reproduction = contents.reproduction
    found: dict[str, Any] = printable(
        {
            "title": contents.title,
            "author": contents.author,
            "scores": _table(contents.scores) if contents.scores else None,
            "question": contents.question,
            "introduction": contents.introduction,
            "gate": list(contents.gate),
            "abstract": list(contents.abstract),
            "configuration": [row.model_dump() for row in contents.configuration],
            "method": list(contents.method),
            "results": contents.results,
            "figures": figures[:MOST_IN_TEXT],
            "further": figures[MOST_IN_TEXT:],
            "excluded": [_table(table) for table in excluded],
            "tables": [_table(figure.table) for figure in contents.figures if figure.table],
            "footnotes": list(contents.footnotes),
            "steps": "\n".join(reproduction.steps),
            "study_file": reproduction.study_file,
            "commands": _table(reproduction.commands),
            "scripts": [{"name": name, "text": text} for name, text in reproduction.scripts],
            "waywiser": contents.waywiser,
        }
    )
    return found


def _width_percent(drawn: bytes) -> float:
    """Width as a percentage of the text's width. A figure as wide as the page's fills it, so that
    all figures have one scale."""
    box = re.search(rb"/MediaBox\s*\[\s*[\d.]+\s+[\d.]+\s+([\d.]+)", drawn)
    return min(100.0, 100.0 * float(box[1]) / WIDTH_PX) if box else 100.0


def _table(table: Table) -> dict[str, Any]:
    short = shortened(table, MOST_ROWS)
    rows = [[_text(cell) for cell in row] for row in short.rows]
    columns = list(zip(short.columns, *rows, strict=True))
    return {
        "caption": short.caption,
        "columns": list(short.columns),
        "rows": rows,
        "rest": short.rest,
        "numbers": [
            bool(short.rows) and isinstance(short.rows[0][i], int | float)
            for i in range(len(short.columns))
        ],
        "widths": [min(LONGEST_TEXT, max(6, *map(len, column))) for column in columns],
    }


def _text(cell: Cell) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:.5g}" if isinstance(cell, float) else cell
