"""Guidelines that made-up libraries break are found, and no others."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests import synthetic_mpibench as bench
from tests import synthetic_study
from tests.support import ROOT
from waywiser.analyse.guidelines import PATTERNS
from waywiser.analyse.study import analyse_study
from waywiser.model.findings import Findings
from waywiser.model.result import Scalar
from waywiser.report.study.contents import contents_of
from waywiser.report.study.guidelines import guideline_lines

STUDY = synthetic_study.study(bench.LIBRARIES)


def findings(factor: bench.Factor) -> Findings:
    return analyse_study(STUDY, bench.runs(STUDY, factor))


def slow_allreduce(values: Mapping[str, Scalar], benchmark: str, size: int) -> float:
    """MPICH's Allreduce of 1 KiB takes twice as long as it should."""
    slow = values["mpi"] == "mpich" and (benchmark, size) == ("allreduce", 1024)
    return 2.0 if slow else 1.0


@pytest.fixture(scope="module")
def broken() -> Findings:
    return findings(slow_allreduce)


def test_a_library_that_keeps_every_guideline_breaks_none() -> None:
    analysis = findings(lambda *_: 1.0)
    measured = [
        pattern for pattern in PATTERNS if set(bench.KEPT) >= {pattern[0], *dict(pattern[1])}
    ]

    assert not [guideline.sentence for guideline in analysis.guidelines if guideline.violated]
    assert {(g.benchmark, g.configuration) for g in analysis.guidelines if g.rule == "pattern"} == {
        (benchmark, configuration)
        for benchmark, _ in measured
        for configuration in ("openmpi", "mpich")
    }
    assert len(guideline_lines(analysis)) == 1


def test_a_slow_allreduce_is_named_with_what_is_faster(broken: Findings) -> None:
    violated = [guideline for guideline in broken.guidelines if guideline.violated]

    assert {guideline.configuration for guideline in violated} == {"mpich"}
    assert {guideline.call for guideline in violated} == {"MPI_Allreduce of 1 KiB"}
    assert {(guideline.rule, guideline.alternative) for guideline in violated} == {
        ("pattern", "MPI_Reduce + MPI_Bcast"),
        ("pattern", "MPI_Reduce_scatter_block + MPI_Allgather of 256 B"),
        ("monotony", "MPI_Allreduce of 4 KiB"),
    }


def test_the_interval_has_the_truth_in_it(broken: Findings) -> None:
    guideline = next(g for g in broken.guidelines if g.violated and "Reduce +" in g.alternative)
    call, instead = (
        2 * bench.KEPT["allreduce"](1024),
        sum(bench.KEPT[name](1024) for name in ("reduce", "bcast")),
    )

    assert guideline.low is not None
    assert guideline.high is not None
    assert guideline.low < instead / call - 1 < guideline.high
    assert guideline.value == pytest.approx(call, rel=0.01)
    assert guideline.alternative_value == pytest.approx(instead, rel=0.01)


def test_message_sizes_of_the_other_side_follow_the_ranks() -> None:
    """Scatter of n against Bcast of 4 n tells here, at one size; the other guidelines do not."""
    slow = 1.5 * bench.KEPT["bcast"](4096) / bench.KEPT["scatter"](1024)
    analysis = findings(
        lambda _, benchmark, size: slow if (benchmark, size) == ("scatter", 1024) else 1.0
    )
    patterns = [
        guideline
        for guideline in analysis.guidelines
        if guideline.violated and guideline.rule == "pattern"
    ]

    assert {(guideline.call, guideline.alternative) for guideline in patterns} == {
        ("MPI_Scatter of 1 KiB", "MPI_Bcast of 4 KiB")
    }


def test_many_smaller_messages_that_are_faster_are_a_violation() -> None:
    """Each byte of a large message costs ten times as much, from 16 KiB on."""
    analysis = findings(lambda _, name, size: 10.0 if name == "bcast" and size >= 16384 else 1.0)
    split = [
        guideline
        for guideline in analysis.guidelines
        if guideline.violated and guideline.rule == "split"
    ]

    assert {(guideline.call, guideline.alternative) for guideline in split} == {
        ("MPI_Bcast of 16 KiB", "4 times MPI_Bcast of 4 KiB")
    }


def test_a_unreliable_machine_breaks_no_guideline() -> None:
    runs = bench.runs(STUDY, slow_allreduce)
    unreliable = [
        run.replace(result=run.result.replace(unreliable=("8 other tasks",)))
        for run in runs
        if run.result
    ]
    analysis = analyse_study(STUDY, unreliable)

    assert {guideline.kind for guideline in analysis.guidelines} == {"refused"}
    assert "could be judged" in guideline_lines(analysis)[0]


def test_terminal_and_report_list_each_violation(broken: Findings) -> None:
    violated = [guideline for guideline in broken.guidelines if guideline.violated]
    lines = guideline_lines(broken)
    report = contents_of(broken, STUDY)
    table = next(plot.table for plot in report.plots if plot.name == "guidelines")

    assert lines[0].startswith(f"{len(violated)} violations in {len(broken.guidelines)} checks")
    assert table is not None
    assert len(table.rows) == len(lines) - 1 == len(violated)
    for guideline in violated:
        assert any(guideline.sentence in line for line in lines)
        assert any(guideline.alternative in row for row in table.rows)
    worst = min(violated, key=lambda guideline: guideline.change or 0)
    assert any(worst.sentence in sentence for sentence in report.abstract)


def test_the_page_shows_what_is_printed(broken: Findings) -> None:
    page = (ROOT / "docs/libraries.md").read_text(encoding="utf-8")

    assert "\n".join(guideline_lines(broken)[:2]) in page


def test_sizes_of_one_benchmark_are_decided_together() -> None:
    analysis = findings(slow_allreduce)
    allreduce = [
        comparison
        for comparison in analysis.comparisons
        if comparison.metric.startswith("allreduce_")
    ]
    undecided = [comparison for comparison in allreduce if comparison.metric != "allreduce_1024_b"]

    assert {comparison.metric for comparison in allreduce if comparison.kind == "slower"} == {
        "allreduce_1024_b"
    }
    # Holm: 1 of 8 is closed, each of the others has 0.05/7.
    assert [comparison.confidence for comparison in undecided] == pytest.approx([1 - 0.05 / 7] * 7)
    assert np.all([comparison.kind in ("equivalent", "undecided") for comparison in undecided])
