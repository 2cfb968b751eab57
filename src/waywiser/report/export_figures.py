"""Figures as SVG, PNG and PDF files, drawn from the page's own descriptions without a browser."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from waywiser.model.rupture_field import RuptureField
from waywiser.model.sample import Sample
from waywiser.model.summary import Summary
from waywiser.model.timeline import Timeline
from waywiser.model.wave_field import WaveField
from waywiser.model.whatif import WhatIf
from waywiser.report.figure import charted, described, specification
from waywiser.report.figures import FIGURES, drawn_kernels
from waywiser.report.image_formats import FORMATS
from waywiser.report.plots import timeline as timeline_plot
from waywiser.report.whatif_figures import drawn_answers
from waywiser.store.durable import write_output


def export_figures(
    summary: Summary,
    directory: Path,
    timeline: Timeline | None = None,
    answers: Sequence[WhatIf] = (),
    samples: Sequence[Sample] = (),
    fields: Sequence[WaveField] = (),
    ruptures: Sequence[RuptureField] = (),
) -> list[Path]:
    """Write `directory`/NAME.svg, .png and .pdf of every figure that has something to draw.

    Args:
        timeline: of a run that was traced.
        answers: about the run on other machines.
        samples: of the kernels that the run measured.
        fields: of the waves that it modelled.
        ruptures: that it computed.

    Returns:
        The files, in the order of the page; timeline, answers, roofline, waves and
        rupture come last.

    Raises:
        OSError: the directory or a file could not be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in charted(FIGURES, summary):
        written += _write(json.dumps(specification(figure, summary)), directory / figure.name)
    if timeline is not None and timeline.grids:
        chart = described(timeline_plot.chart(timeline))
        written += _write(json.dumps(chart), directory / "timeline")
    for drawn in (*drawn_answers(answers), *drawn_kernels(samples, fields, ruptures)):
        written += _write(drawn.specification, directory / drawn.name)
    return written


def _write(specification: str, stem: Path) -> list[Path]:
    paths = [stem.with_name(f"{stem.name}.{ending}") for ending in FORMATS]
    for path, draw in zip(paths, FORMATS.values(), strict=True):
        write_output(path, draw(specification))
    return paths
