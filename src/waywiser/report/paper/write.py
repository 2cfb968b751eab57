"""Writes the paper: HTML, PDF, and its figures as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from waywiser.model.findings import Findings
from waywiser.model.study import Study
from waywiser.report.export_figures import export_figures
from waywiser.report.paper.contents import contents_of
from waywiser.report.paper.document import pdf
from waywiser.report.paper.page import page
from waywiser.store.durable import write_output


def write_paper(
    findings: Findings,
    study: Study,
    output: Path,
    *,
    study_file: str = "",
    scripts: Sequence[tuple[str, str]] = (),
    pdf_output: Path | None = None,
    figures: Path | None = None,
) -> list[Path]:
    """Write the paper of a study.

    Args:
        output: of the HTML page.
        study_file: the text of study.toml, for the appendix.
        scripts: (name, text) of scripts that ran it, for the appendix.
        pdf_output: of the PDF; None writes none.
        figures: a directory for NAME.svg, .png and .pdf of each figure; None writes none.

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
    if figures is not None:
        written += export_figures(contents.figures, figures)
    return written
