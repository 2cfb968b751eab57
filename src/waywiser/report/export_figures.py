"""Figures as SVG, PNG and PDF files, drawn from the page's own descriptions without a browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import vl_convert

from waywiser.model.summary import Summary
from waywiser.report.figure import specification
from waywiser.report.figures import FIGURES

PNG_SCALE = 2
"""Pixels per unit, so that a figure is sharp in print at column width."""

NO_NETWORK: list[str] = []
"""Addresses that a description may load from."""

FORMATS: dict[str, Callable[[str], bytes]] = {
    "svg": lambda spec: vl_convert.vegalite_to_svg(spec, allowed_base_urls=NO_NETWORK).encode(
        "utf-8"
    ),
    "png": lambda spec: vl_convert.vegalite_to_png(
        spec, scale=PNG_SCALE, allowed_base_urls=NO_NETWORK
    ),
    "pdf": lambda spec: vl_convert.vegalite_to_pdf(spec, allowed_base_urls=NO_NETWORK),
}


def export_figures(summary: Summary, directory: Path) -> list[Path]:
    """Write `directory`/NAME.svg, .png and .pdf of every figure that has something to draw.

    Returns:
        The files, in the order of the page.

    Raises:
        OSError: the directory or a file could not be written.
    """
    written = []
    directory.mkdir(parents=True, exist_ok=True)
    for figure in FIGURES:
        if figure.chart is None or not figure.concerns(summary) or figure.absent(summary):
            continue
        spec = json.dumps(specification(figure, summary))
        for ending, draw in FORMATS.items():
            path = directory / f"{figure.name}.{ending}"
            path.write_bytes(draw(spec))
            written.append(path)
    return written
