"""Sentences of the report are true under their condition, and absent otherwise."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pypdf
import pytest

from tests import synthetic_study
from tests.synthetic_study_reports import drawn_as
from waywiser.analyse.study import analyse_study
from waywiser.errors import NotEnoughData
from waywiser.model.findings import Findings
from waywiser.model.run import Run
from waywiser.report.study.abstract import abstract, key_metrics
from waywiser.report.study.contents import Contents, contents_of
from waywiser.report.study.document import pdf
from waywiser.report.study.plots.sections import change_sentences
from waywiser.report.study.study_plots import drawn_plots
from waywiser.report.study.texts import excluded_table, footnotes

SMALL = synthetic_study.LAMMPS | {"axes": {"ranks": [1, 2]}, "repeats": {"blocks": 8}, "report": {}}
ALL = frozenset(
    (f"{mpi}-r{ranks}", block)
    for mpi in ("mpich", "impi")
    for ranks in (1, 2)
    for block in range(9)
)


def findings_of(**planted: Any) -> Findings:
    study = synthetic_study.study(SMALL)
    return analyse_study(study, synthetic_study.runs(study, synthetic_study.Truth(**planted)))


def everything(findings: Findings) -> str:
    """The running text of the report."""
    plots = [plot.caption for plot in drawn_plots(findings)]
    return " ".join([*abstract(findings), *plots, *footnotes(findings)])


def test_a_section_that_is_slower_is_named() -> None:
    sentence = change_sentences(findings_of(slower={"impi": 1.3}), 1)[0]

    slower = "Intel MPI is slower than MPICH in section Kspace"
    assert re.search(slower + r" by [\d.]+ s \(from .* to .*\)\.$", sentence)


@pytest.mark.parametrize(
    ("planted", "why"),
    [
        ({"noise": 0.3}, "not statistically significant"),
        ({"slower": {"impi": 1.3}, "unreliable": ALL}, "no verdict: 8 of 8 runs"),
    ],
)
def test_a_bar_without_a_verdict_is_not_reported_to_be_none(
    planted: dict[str, object], why: str
) -> None:
    """The chart draws +1 s; the caption says what it is, not that nothing got slower."""
    findings = findings_of(**planted)

    (sentence, *_) = change_sentences(findings, 2)
    assert re.search(r": \w+ took [\d.]+ m?s \(from .* to .*\) longer, ", sentence)
    assert why in sentence
    assert "got slower" not in everything(findings)
    assert not any(" in section" in text for text in abstract(findings))


def test_a_section_whose_medians_went_down_did_not_take_longer() -> None:
    """The median of the differences within blocks is another than the difference of medians."""
    findings = findings_of(noise=0.3)
    odd = {"difference_seconds": 1e-5, "base_seconds": 2.67e-3, "candidate_seconds": 2.61e-3}
    comparisons = tuple(
        comparison.replace(
            sections=tuple(s.replace(**odd, kind="undecided") for s in comparison.sections)
        )
        for comparison in findings.comparisons
    )

    sentence = change_sentences(findings.replace(comparisons=comparisons), 9)
    assert {text.partition(": Intel MPI against MPICH: ")[2] for text in sentence} == {
        "no section took longer."
    }


def test_efficiency_of_unreliable_runs_is_no_headline() -> None:
    quiet, busy = findings_of(), findings_of(unreliable=ALL)
    labels = [label for _, label in key_metrics(quiet)]
    assert any(label.startswith("efficiency on 2 ranks") for label in labels)
    assert any(label.startswith("best loop time") for label in labels)

    labels = [label for _, label in key_metrics(busy)]
    assert not [label for label in labels if label.startswith(("efficiency", "best"))]
    scaling = [text for text in abstract(busy) if text.startswith("Scaling")]
    assert scaling
    assert all("has no verdict (8 of 8 runs of" in text for text in scaling)
    assert "efficiency of" not in " ".join(abstract(busy))
    caption = drawn_as("efficiency", busy).caption
    assert "failed the validity gate" in caption
    assert "% efficiency" not in caption


def test_scaling_over_unlike_programs_has_no_verdict() -> None:
    study = synthetic_study.study(SMALL)

    def version(run: Run) -> Run:
        assert run.result is not None
        text = f"202{run.result.values['ranks']}"
        reading = run.result.reading.replace(version=text)
        return run.replace(result=run.result.replace(reading=reading))

    findings = analyse_study(
        study, [version(run) for run in synthetic_study.runs(study, synthetic_study.Truth())]
    )

    assert {curve.reason for curve in findings.scaling} == {"unlike versions of lmp: 2021 and 2022"}


def test_scaling_is_reported_once() -> None:
    study = synthetic_study.study(SMALL)
    runs = []
    for run in synthetic_study.runs(study, synthetic_study.Truth()):
        assert run.result is not None
        result = run.result.replace(work=None)
        runs.append(run.replace(result=result))

    sentence = everything(analyse_study(study, runs))
    assert (
        "strong scaling, assumed, since the study file gives neither scaling nor work" in sentence
    )
    assert "taken for strong" not in sentence


def test_jobs_of_seconds_are_no_jobs_a_day() -> None:
    assert "jobs a day" not in everything(findings_of(seconds=lambda values: 0.48)).lower()

    hours = findings_of(seconds=lambda values: 3600 / float(values["ranks"]))
    assert re.search(
        r"\b2[34]\.\d+ (\[[\d., ]+\] )?jobs a day on 1 rank", drawn_as("throughput", hours).caption
    )


def test_configurations_are_reported_by_their_values() -> None:
    """impi-r2 is the name of a directory."""
    unreliable = frozenset(("impi-r2", block) for block in range(1, 6))
    findings = findings_of(unreliable=unreliable, failures={("mpich-r1", 2): "no loop_time"})

    assert "of Intel MPI, 2 ranks failed the validity gate (" in everything(findings)
    assert not re.search(r"\b(impi|mpich)-r\d", everything(findings))


def test_a_configuration_without_a_valid_run_is_reported_with_the_reason() -> None:
    failures = {("impi-r2", block): "it ended with exit code 255" for block in range(9)}
    sentence = abstract(findings_of(failures=failures))

    expected = (
        "Configurations without valid runs: Intel MPI, 2 ranks (first failure: it ended with exit "
        "code 255)."
    )
    assert expected in sentence


def test_a_study_without_any_valid_run_says_why() -> None:
    failures = {place: "it ended with exit code 255" for place in ALL}

    with pytest.raises(NotEnoughData, match=r"\(mpich-r1/b000: it ended with exit code 255\)"):
        findings_of(failures=failures)


def test_standard_error_stands_beside_a_failed_run() -> None:
    study = synthetic_study.study(SMALL)
    runs = []
    for run in synthetic_study.runs(
        study, synthetic_study.Truth(failures={("impi-r2", 3): "it ended with code 255"})
    ):
        assert run.result is not None
        stderr = ("duplicate setting: bind-to", "usage") if run.result.failures else ()
        result = run.result.replace(stderr=stderr)
        runs.append(run.replace(result=result))
    findings = analyse_study(study, runs)

    table = excluded_table("Runs that failed", findings.failed)
    assert table is not None
    assert table.columns[-1] == "Last lines of standard error"
    assert table.rows[0][-1] == "duplicate setting: bind-to\nusage"
    assert "duplicate setting: bind-to" in _text(_contents(findings, plots=()))
    plain = excluded_table("Runs", tuple(failed.replace(stderr=()) for failed in findings.failed))
    assert plain is not None
    assert plain.columns == ("Run", "Warm-up", "Why")


def test_no_heading_stands_without_text() -> None:
    findings = findings_of()
    contents = _contents(findings)
    text = _text(contents)

    after = re.search(r"Results\n(.*)", text)
    assert after is not None
    assert "6 plots show the results of 32 valid runs: what differs" in after[1]
    assert "MPI time by function" in text.replace("\n", " ")
    assert contents.results.endswith("further plots and tables of their numbers.")


def _contents(findings: Findings, **change: Any) -> Contents:
    return replace(contents_of(findings, synthetic_study.study(SMALL)), **change)


def _text(contents: Contents) -> str:
    document = io.BytesIO(pdf(contents))
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(document).pages)
