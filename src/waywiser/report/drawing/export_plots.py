"""Plots as SVG, PNG and PDF files, drawn from the page's own descriptions without a browser."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from waywiser.report.drawing.image_formats import FORMATS
from waywiser.report.drawing.plot import Drawn
from waywiser.store.durable import write_output


def export_plots(plots: Iterable[Drawn], directory: Path) -> list[Path]:
    """Write `directory`/NAME.svg, .png and .pdf of every plot that has something to draw.

    Returns:
        The files, in the order of the page.

    Raises:
        OSError: the directory or a file could not be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for drawn in plots:
        for ending, draw in FORMATS.items() if drawn.chart is not None else ():
            written.append(directory / f"{drawn.name}.{ending}")
            write_output(written[-1], draw(drawn.specification))
    return written
