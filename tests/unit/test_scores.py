"""The table of scores that opens the report of a study of benchmarks."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest

from tests import synthetic_study
from tests.synthetic_study_reports import visible
from waywiser.analyse.study import analyse_study
from waywiser.errors import InvalidCommand
from waywiser.model.findings import Findings
from waywiser.model.reading import Metric, Reading
from waywiser.model.run import Run
from waywiser.native import MACHINES
from waywiser.report.study.contents import Contents, contents_of
from waywiser.report.study.document import pdf
from waywiser.report.study.page import page
from waywiser.study.peak import with_peak
from waywiser.units import rate_text

CAPTION = "Scores: the median of the best configuration"
READERS = {"linpack": "hpl", "cg": "hpcg", "graph": "graph500", "storage": "io500"}
STUDY: dict[str, object] = {
    "title": "Benchmarks",
    "application": {
        name: {"reader": reader, "program": name}
        for name, reader in {**READERS, "md": "lammps"}.items()
    },
    "axes": {"nodes": [2, 4], "ranks_per_node": 1},
    "repeats": {"blocks": 2},
    "profile": "never",
}
PER_NODE = {
    "linpack": {"performance": (1704.0, "GFLOP/s")},
    "cg": {"performance": (46.8, "GFLOP/s")},
    "graph": {"bfs": (364.0, "GTEPS"), "sssp": (84.25, "GTEPS")},
    "storage": {"score": (70.6125, "")},
    "md": {"loop_time": (1.0, "s")},
}

REMARKS = {
    "graph": ("Graph500 has not checked its results.",),
    "storage": ("IO500 calls the result invalid.", "The output has no result of find."),
}


def with_metrics(run: Run) -> Run:
    assert run.result is not None
    values = run.result.values
    metrics = tuple(
        Metric(name=name, value=rate * float(values["nodes"]), unit=unit, better="higher")
        for name, (rate, unit) in PER_NODE[str(values["application"])].items()
    )
    remarks = REMARKS.get(str(values["application"]), ())
    reading = Reading(metrics=metrics, remarks=remarks)
    result = run.result.replace(reading=reading, headline=metrics[-1].name)
    return run.replace(result=result)


def scored(report: Mapping[str, object]) -> tuple[Findings, Contents]:
    study = synthetic_study.study(STUDY, report=report)
    findings = analyse_study(
        study, [with_metrics(run) for run in synthetic_study.runs(study, synthetic_study.Truth())]
    )
    return findings, contents_of(findings, study)


def test_a_score_is_that_of_the_best_configuration_and_its_share_of_the_peak() -> None:
    findings, _ = scored({"node_peak_GFLOPps": 3000.0})

    hpl, hpcg, bfs, sssp, io500 = findings.scores
    assert (hpl.benchmark, hpl.nodes, hpl.score, hpl.unit) == ("HPL", 4, 6816.0, "GFLOP/s")
    assert hpl.of_peak == pytest.approx(1704 / 3000)
    assert hpcg.of_peak == pytest.approx(46.8 / 3000)
    assert [(score.benchmark, score.score) for score in (bfs, sssp, io500)] == [
        ("Graph500 BFS", 1456.0),
        ("Graph500 SSSP", 337.0),
        ("IO500", 282.45),
    ]
    assert {score.of_peak for score in (bfs, sssp, io500)} == {None}


def test_a_report_opens_with_the_scores_of_its_benchmarks() -> None:
    _, contents = scored({"node_peak_GFLOPps": 3000.0})

    assert contents.scores is not None
    assert contents.scores.columns == ("Benchmark", "Nodes", "Score", "Unit", "Of peak")
    assert contents.scores.rows == (
        ("HPL", 4, "6.82", "TFLOP/s", "57 %"),
        ("HPCG", 4, "187", "GFLOP/s", "1.6 %"),
        ("Graph500 BFS", 4, "1.46", "TTEPS", ""),
        ("Graph500 SSSP", 4, "337", "GTEPS", ""),
        ("IO500", 4, "282", "", ""),
    )
    html = page(contents)
    assert html.index("<h1>") < html.index(CAPTION) < html.index('<ul class="abstract">')
    text = pypdf.PdfReader(io.BytesIO(pdf(replace(contents, plots=())))).pages[0].extract_text()
    assert "TFLOP/s" in text


def test_remarks_on_scores_are_notes_of_the_report() -> None:
    """Each once, though both scores of Graph500 and all runs have it."""
    findings, contents = scored({})

    assert [len(score.remarks) for score in findings.scores] == [0, 0, 1, 1, 2]
    notes = [note for note in contents.footnotes if note.startswith(("graph: ", "storage: "))]
    assert notes == [
        "graph: Graph500 has not checked its results.",
        "storage: IO500 calls the result invalid.",
        "storage: The output has no result of find.",
    ]
    assert all(note in page(contents) for note in notes)


def test_the_peak_is_that_of_the_machine(tmp_path: Path) -> None:
    """Shipped, or in a file beside the study's; the study file may say it itself instead."""
    shipped = (MACHINES / "nurion.toml").read_text()
    (tmp_path / "ours.toml").write_text(shipped.replace("3046.4", "2000"))

    for name, peak in (("nurion", 3046.4), ("ours.toml", 2000.0)):
        study = with_peak(synthetic_study.study(STUDY, report={"machine": name}), tmp_path)
        assert study.report.node_peak_GFLOPps == peak
    with pytest.raises(ValueError, match="give one of machine, node_peak_GFLOPps"):
        synthetic_study.study(STUDY, report={"machine": "nurion", "node_peak_GFLOPps": 3000.0})
    plain = synthetic_study.study(STUDY, report={})
    assert with_peak(plain, tmp_path) is plain


def test_a_machine_without_a_peak_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidCommand, match=r"report.machine: rig-3 has no node.peak_GFLOPps"):
        with_peak(synthetic_study.study(STUDY, report={"machine": "rig-3"}), tmp_path)


def test_without_a_peak_there_is_no_column_of_it() -> None:
    _, contents = scored({})

    assert contents.scores is not None
    assert contents.scores.columns == ("Benchmark", "Nodes", "Score", "Unit")
    assert contents.scores.rows[0] == ("HPL", 4, "6.82", "TFLOP/s")


def test_a_report_without_benchmarks_has_no_scores() -> None:
    study = synthetic_study.study(
        synthetic_study.LAMMPS, axes={"ranks": [1, 2]}, repeats={"blocks": 2}
    )
    findings = analyse_study(study, synthetic_study.runs(study, synthetic_study.Truth()))

    assert findings.scores == ()
    assert CAPTION not in visible(page(contents_of(findings, study)))


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (13.93e6, "GFLOP/s", ("13.9", "PFLOP/s")),
        (385_900, "GFLOP/s", ("386", "TFLOP/s")),
        (999.6, "Mop/s", ("1.00", "Gop/s")),
        (999.4, "Mop/s", ("999", "Mop/s")),
        (22.03, "TFLOP/s", ("22.0", "TFLOP/s")),
        (5e21, "GFLOP/s", ("5,000,000,000,000", "EFLOP/s")),
        (282.45, "", ("282", "")),
        (1234.5, "GiB/s", ("1,234", "GiB/s")),
    ],
)
def test_rates_have_the_prefix_of_three_digits(
    value: float, unit: str, text: tuple[str, str]
) -> None:
    assert rate_text(value, unit) == text
