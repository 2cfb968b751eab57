"""Figures as SVG, PNG and PDF files, drawn from the page's own descriptions without a browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from waywiser.model.rupture_field import RuptureField
from waywiser.model.summary import Summary
from waywiser.model.timeline import Timeline
from waywiser.model.wave_field import WaveField
from waywiser.model.whatif import WhatIf
from waywiser.report.figures import drawn_figures
from waywiser.report.image_formats import FORMATS
from waywiser.store.durable import write_output


def export_figures(
    summary: Summary,
    directory: Path,
    timeline: Timeline | None = None,
    answers: Sequence[WhatIf] = (),
    fields: Sequence[WaveField] = (),
    ruptures: Sequence[RuptureField] = (),
) -> list[Path]:
    """Write `directory`/NAME.svg, .png and .pdf of every figure that has something to draw.

    Args:
        timeline, answers, fields, ruptures: as for `drawn_figures`.

    Returns:
        The files, in the order of the page.

    Raises:
        OSError: the directory or a file could not be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for drawn in drawn_figures(summary, timeline, answers, fields, ruptures):
        if drawn.chart is not None:
            written += _write(drawn.specification, directory / drawn.name)
    return written


def _write(specification: str, stem: Path) -> list[Path]:
    paths = [stem.with_name(f"{stem.name}.{ending}") for ending in FORMATS]
    for path, draw in zip(paths, FORMATS.values(), strict=True):
        write_output(path, draw(specification))
    return paths
