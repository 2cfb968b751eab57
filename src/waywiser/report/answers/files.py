"""Answers as files: a page, a plot, their document, or its rows as JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.model.advice import Advice
from waywiser.model.base import Model
from waywiser.model.whatif import WhatIf
from waywiser.report.drawing.image_formats import FORMATS
from waywiser.report.drawing.plot import Drawn
from waywiser.store.durable import STDOUT, write_output

PAGE, DOCUMENT, LINES = ".html", ".json", ".jsonl"
ENDINGS = (PAGE, DOCUMENT, LINES, *(f".{ending}" for ending in FORMATS))


def check_output(output: Path) -> None:
    """
    Raises:
        InvalidCommand: answers cannot be written in the file's format.
    """
    if output == STDOUT:
        return
    if output.suffix not in ENDINGS:
        raise InvalidCommand(f"-o {output}: expected a file that ends in {', '.join(ENDINGS)}")
    if output.is_dir() or not output.parent.is_dir():
        raise InvalidCommand(f"-o {output}: expected a file in a directory that exists")


def write_whatif(answer: WhatIf, output: Path) -> None:
    """
    Raises:
        OSError: it could not be written.
    """
    from waywiser.report.answers.page import whatif_page
    from waywiser.report.answers.whatif_plots import drawn_whatif

    points = answer.sweep.points if answer.sweep else (answer.base, *answer.predictions)
    _write(output, answer, points, drawn_whatif(answer), lambda: whatif_page(answer))


def write_advice(advice: Advice, output: Path) -> None:
    """
    Raises:
        OSError: it could not be written.
    """
    from waywiser.report.answers.advice_plots import drawn_advice
    from waywiser.report.answers.page import advice_page

    opportunities = drawn_advice(advice)[-1]
    _write(output, advice, advice.opportunities, opportunities, lambda: advice_page(advice))


def _write(
    output: Path, document: Model, rows: Sequence[Model], drawn: Drawn, page: Callable[[], str]
) -> None:
    if output == STDOUT or output.suffix == PAGE:
        write_output(output, page())
    elif output.suffix == DOCUMENT:
        write_output(output, document_text(document))
    elif output.suffix == LINES:
        write_output(output, "".join(f"{row.model_dump_json()}\n" for row in rows))
    else:
        write_output(output, FORMATS[output.suffix[1:]](drawn.specification))


def document_text(document: Model) -> str:
    """The document as `--json` prints it."""
    return document.model_dump_json(indent=1) + "\n"
