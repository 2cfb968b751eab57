"""The contents of the report, for the page and for the PDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from waywiser.model.findings import Findings, Setting
from waywiser.model.study import Study
from waywiser.report.drawing.plot import Drawn, Table
from waywiser.report.gate import gate_sentences
from waywiser.report.study.abstract import abstract, key_metrics
from waywiser.report.study.scores import scores_table
from waywiser.report.study.study_plots import drawn_plots
from waywiser.report.study.texts import (
    Reproduction,
    excluded_table,
    footnotes,
    method,
    reproduction,
    results,
)


@dataclass(frozen=True)
class Contents:
    """The contents of the report."""

    title: str
    author: str
    scores: Table | None
    """Table of the benchmarks' scores, at the start of the report; None if there are none."""

    question: str
    introduction: str
    """Text of the study file."""

    gate: tuple[str, ...]
    """Sentences before all others if runs did not have their CPUs, else empty."""

    abstract: tuple[str, ...]
    key_metrics: tuple[tuple[str, str], ...]
    system: tuple[Setting, ...]
    method: tuple[str, ...]
    results: str
    """Text before the plots; "" without plots."""

    plots: tuple[Drawn, ...]
    footnotes: tuple[str, ...]
    failed: Table | None
    unreliable: Table | None
    reproduction: Reproduction
    waywiser: str


def contents_of(
    findings: Findings,
    study: Study,
    study_file: str = "",
    scripts: Sequence[tuple[str, str]] = (),
) -> Contents:
    """The contents of a study's report.

    Args:
        study_file: the text of study.toml, for the appendix.
        scripts: (name, text) of scripts that ran it, for the appendix.
    """
    plots = tuple(drawn_plots(findings))
    return Contents(
        title=findings.title,
        author=study.report.author,
        scores=scores_table(findings),
        question=study.question,
        introduction=study.report.abstract,
        gate=gate_sentences(findings.gate),
        abstract=tuple(abstract(findings)),
        key_metrics=tuple(key_metrics(findings)),
        system=findings.system,
        method=tuple(method(findings)),
        results=results(findings, plots),
        plots=plots,
        footnotes=tuple(footnotes(findings)),
        failed=excluded_table("Runs that failed", findings.failed),
        unreliable=excluded_table("Runs that failed the validity gate", findings.unreliable),
        reproduction=reproduction(findings, study_file, tuple(scripts)),
        waywiser=findings.waywiser,
    )
