"""Answers as files: a page, a figure, or their data as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.model.advice import Advice
from waywiser.model.base import Model
from waywiser.model.whatif import WhatIf
from waywiser.report.advice_figures import drawn_advice
from waywiser.report.answer_page import advice_page, whatif_page
from waywiser.report.export_figures import FORMATS
from waywiser.report.whatif_figures import drawn_whatif

PAGE, LINES = ".html", ".jsonl"
ENDINGS = (PAGE, LINES, *(f".{ending}" for ending in FORMATS))


def check_ending(output: Path) -> None:
    """
    Raises:
        InvalidCommand: it is no file that an answer can be written to.
    """
    if output.suffix not in ENDINGS:
        raise InvalidCommand(f"-o {output}: expected a file that ends in {', '.join(ENDINGS)}")


def write_whatif(found: WhatIf, output: Path) -> None:
    """
    Raises:
        OSError: it could not be written.
    """
    if output.suffix == PAGE:
        output.write_text(whatif_page(found), encoding="utf-8")
    elif output.suffix == LINES:
        points = found.sweep.points if found.sweep else (found.base, *found.predictions)
        output.write_text("".join(_lines(points)), encoding="utf-8")
    else:
        output.write_bytes(FORMATS[output.suffix[1:]](drawn_whatif(found).specification))


def write_advice(found: Advice, output: Path) -> None:
    """
    Raises:
        OSError: it could not be written.
    """
    if output.suffix == PAGE:
        output.write_text(advice_page(found), encoding="utf-8")
    elif output.suffix == LINES:
        output.write_text("".join(_lines(found.levers)), encoding="utf-8")
    else:
        levers = drawn_advice(found)[-1]
        output.write_bytes(FORMATS[output.suffix[1:]](levers.specification))


def _lines(rows: Sequence[Model]) -> Iterator[str]:
    return (row.model_dump_json() + "\n" for row in rows)
