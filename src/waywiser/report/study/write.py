"""Writes the report: HTML, PDF, and its plots as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from waywiser.model.findings import Findings
from waywiser.model.study import Study
from waywiser.report.drawing.export_plots import export_plots
from waywiser.report.study.contents import contents_of
from waywiser.report.study.document import pdf
from waywiser.report.study.page import page
from waywiser.store.durable import write_output


def write_study_report(
    findings: Findings,
    study: Study,
    output: Path,
    *,
    study_file: str = "",
    scripts: Sequence[tuple[str, str]] = (),
    pdf_output: Path | None = None,
    plots: Path | None = None,
) -> list[Path]:
    """Write the report of a study.

    Args:
        output: path of the HTML page.
        study_file: the text of study.toml, for the appendix.
        scripts: (name, text) of scripts that ran it, for the appendix.
        pdf_output: path of the PDF; None writes none.
        plots: a directory for NAME.svg, .png and .pdf of each plot; None writes none.

    Returns:
        The files that were written.

    Raises:
        OSError: a file could not be written.
    """
    contents = contents_of(findings, study, study_file, scripts)
    write_output(output, page(contents))
    written = [output]
    if pdf_output is not None:
        write_output(pdf_output, pdf(contents))
        written.append(pdf_output)
    if plots is not None:
        written += export_plots(contents.plots, plots)
    return written
