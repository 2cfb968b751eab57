"""Everything that the paper says, once, for the page and for the PDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from waywiser.model.findings import Findings, Setting
from waywiser.model.study import Study
from waywiser.report.figure import Drawn, Table
from waywiser.report.gate import gate_sentences
from waywiser.report.paper.abstract import abstract, key_figures
from waywiser.report.paper.figures import drawn_figures
from waywiser.report.paper.scores import scores_table
from waywiser.report.paper.texts import (
    Reproduction,
    excluded_table,
    footnotes,
    method,
    reproduction,
    results,
)


@dataclass(frozen=True)
class Contents:
    """The paper."""

    title: str
    author: str
    scores: Table | None
    """Table of the benchmarks' scores, at the start of the paper; None if there are none."""

    question: str
    introduction: str
    """The study file's own words."""

    gate: tuple[str, ...]
    """What comes before all that is said of the runs; none where they had their CPUs."""

    abstract: tuple[str, ...]
    key_figures: tuple[tuple[str, str], ...]
    configuration: tuple[Setting, ...]
    method: tuple[str, ...]
    results: str
    """Text before the figures; "" where there are none."""

    figures: tuple[Drawn, ...]
    footnotes: tuple[str, ...]
    failed: Table | None
    contended: Table | None
    reproduction: Reproduction
    waywiser: str


def contents_of(
    findings: Findings,
    study: Study,
    study_file: str = "",
    scripts: Sequence[tuple[str, str]] = (),
) -> Contents:
    """The paper of a study.

    Args:
        study_file: the text of study.toml, for the appendix.
        scripts: (name, text) of scripts that ran it, for the appendix.
    """
    figures = tuple(drawn_figures(findings))
    return Contents(
        title=findings.title,
        author=study.report.author,
        scores=scores_table(findings),
        question=study.question,
        introduction=study.report.abstract,
        gate=gate_sentences(findings.gate, several=True),
        abstract=tuple(abstract(findings)),
        key_figures=tuple(key_figures(findings)),
        configuration=findings.configuration,
        method=tuple(method(findings)),
        results=results(findings, figures),
        figures=figures,
        footnotes=tuple(footnotes(findings)),
        failed=excluded_table("Runs that failed", findings.failed),
        contended=excluded_table("Runs on a contended machine", findings.contended),
        reproduction=reproduction(findings, study_file, tuple(scripts)),
        waywiser=findings.waywiser,
    )
