"""Numbers of the report whose condition its text alone does not show."""

from __future__ import annotations

from typing import Any

import pytest

from tests import synthetic_study
from tests.sentence_runs.study_plots import LAW, LAW_BUSY
from tests.sentence_runs.study_report import NODES, QUIET, TRADE
from tests.synthetic_plots import specification
from tests.synthetic_study_reports import SMALL, StudyReport, drawn_as, everywhere, of
from waywiser.model.configuration_findings import Estimate
from waywiser.model.findings import Findings
from waywiser.report.study.abstract import abstract, key_metrics
from waywiser.report.study.numbers import capital
from waywiser.report.study.plots.curve_panels import by_panel, names
from waywiser.report.study.plots.scaling import per_node
from waywiser.report.study.study_plots import drawn_plots

FITTED = '"strokeDash": [1, 3]'
JOB = Estimate(value=24.0)


def best(report: StudyReport) -> list[str]:
    return [label for _, label in key_metrics(report.findings) if label.startswith("best")]


def test_the_best_configuration_is_one_that_is_good_enough() -> None:
    """Order 2 at step 4 is the fastest, with ten times the error that the study file allows."""
    assert best(TRADE) == ["best loop time, order 8, step 4"]


def test_what_has_less_to_do_is_not_best() -> None:
    unlike = of(work=lambda values: 1000.0 * float(values["ranks"]))

    assert best(QUIET) == ["best loop time, MPICH, 2 ranks"]
    assert best(unlike) == []


def curves(**change: Any) -> StudyReport:
    """The second curve, changed."""

    def changed(findings: Findings) -> dict[str, Any]:
        first, second = findings.scaling
        return {"scaling": (first, second.replace(**change))}

    return QUIET.but(changed)


def two_codes(**change: Any) -> StudyReport:
    """Each code, bt and dns, under two libraries."""

    def changed(findings: Findings) -> dict[str, Any]:
        result = [
            curve.replace(
                unit=unit, at={"application": code, **curve.at}, label=f"{code}, {curve.label}"
            )
            for code, unit in (("bt", "Mop/s"), ("dns", "GPoint/s"))
            for curve in findings.scaling
        ]
        return {"scaling": tuple(result), **change}

    return QUIET.but(changed)


def test_each_code_has_a_panel_with_the_libraries_in_the_same_colours() -> None:
    panels = by_panel(two_codes().findings)

    assert [panel.application for panel in panels] == ["bt", "dns"]
    named = [tuple(panel.name(curve) for curve in panel.curves) for panel in panels]
    assert named == [names(panels)] * 2 == [("MPICH", "Intel MPI")] * 2
    drawn = specification(drawn_as("scaling", two_codes().findings))
    assert [panel["title"]["text"] for panel in drawn["concat"]] == ["bt", "dns"]


def test_codes_that_are_compared_share_a_panel_unless_their_units_differ() -> None:
    together = two_codes(compare="application").findings

    assert [len(group.curves) for group in by_panel(together)] == [2, 2]
    same = tuple(curve.replace(unit="s") for curve in together.scaling)
    (panel,) = by_panel(together.replace(scaling=same))
    assert panel.name(panel.first) == "bt, MPICH"


def test_sections_of_each_code_have_their_own_axis() -> None:
    findings = QUIET.findings
    assert "vconcat" not in specification(drawn_as("sections", findings))
    first, *others = findings.configurations
    dns = first.replace(values={**first.values, "application": "dns"})
    two = findings.replace(configurations=(dns, *others))

    assert len(specification(drawn_as("sections", two))["vconcat"]) == 2


def test_of_many_configurations_those_with_the_most_ranks_have_their_calls_drawn() -> None:
    findings = QUIET.findings
    many = findings.replace(configurations=findings.configurations * 4)
    drawn = specification(drawn_as("calls-pies", many))["concat"]

    most = [
        configuration.label
        for configuration in many.configurations
        if configuration.values["ranks"] == 2
    ]
    titles = [" ".join(pie["title"]["text"]) for pie in drawn]
    assert len(drawn) == 12 < len(many.configurations)
    assert titles.count("MPICH, 2 ranks") + titles.count("Intel MPI, 2 ranks") == len(most)


def test_every_curves_caution_is_reported() -> None:
    sentence = abstract(curves(warning="not strong scaling: the work differs, 1 to 2").findings)

    assert "Caution: not strong scaling: the work differs, 1 to 2." in sentence


def test_scaling_of_several_metrics_says_of_which() -> None:
    sentences = [
        s for s in abstract(curves(metric="performance").findings) if s.startswith("Scaling")
    ]

    assert [s.partition(":")[0] for s in sentences] == [
        "Scaling of loop time, MPICH",
        "Scaling of performance, Intel MPI",
    ]


def test_a_law_is_drawn_only_where_its_curve_has_a_verdict() -> None:
    assert FITTED in LAW.charts()
    assert FITTED not in LAW_BUSY.charts()


def test_jobs_a_day_of_a_unreliable_curve_have_no_verdict() -> None:
    busy = of(SMALL, unreliable=everywhere("mpich-r1 mpich-r2")).configurations(jobs_per_day=JOB)

    sentence = drawn_as("throughput", busy.findings).caption
    assert "MPICH: no verdict (" in sentence
    assert "failed the validity gate" in sentence
    assert "Intel MPI: 24 jobs a day on 1 rank, 24 on 2 ranks" in sentence


def test_curves_of_short_jobs_are_left_out_of_throughput() -> None:
    """One of two axes has no job of a minute."""
    short = curves(axis="threads", points=QUIET.findings.scaling[1].points).configurations(
        jobs_per_day=lambda configuration: JOB if configuration.name.startswith("mpich") else None
    )

    assert specification(drawn_as("throughput", short.findings))["layer"]
    assert "impi" not in drawn_as("throughput", short.findings).caption


def test_the_rate_of_a_node_is_that_of_the_headline() -> None:
    bandwidth = NODES.but(
        lambda findings: {
            "scaling": tuple(
                curve.replace(metric="bandwidth", unit="GB/s") for curve in findings.scaling
            )
        }
    )

    assert per_node(NODES.findings) is not None
    assert per_node(bandwidth.findings) is None


@pytest.mark.parametrize("change", ["functions", "sections"])
def test_a_last_configuration_that_has_nothing_of_a_metric_stops_no_report(change: str) -> None:
    """A run on one rank that calls nothing; an application whose timers all show 0."""

    def emptied(original: Findings) -> dict[str, Any]:
        *others, last = original.configurations
        assert last.profile is not None
        changes: dict[str, dict[str, Any]] = {
            "functions": {"profile": last.profile.replace(functions={})},
            "sections": {"sections": tuple(s.replace(seconds=0.0) for s in last.sections)},
        }
        return {"configurations": (*others, last.replace(**changes[change]))}

    findings = QUIET.but(emptied).findings
    assert len(drawn_plots(findings)) == len(drawn_plots(QUIET.findings))
    assert QUIET.but(emptied).charts()


def test_the_longest_calls_are_those_that_are_drawn() -> None:
    """Six functions are drawn, the most called; a rare one that takes longer is not spoken of."""
    many = synthetic_study.FUNCTIONS | {"MPI_Comm_split": 0.0}
    shares = QUIET.findings.configurations[0].profile
    assert shares is not None
    functions = dict(shares.functions)
    rare = functions["MPI_Wait"].replace(calls=1, seconds=9.0)
    report = QUIET.configurations(
        profile=lambda configuration: configuration.profile.replace(
            functions={"MPI_Comm_split": rare, **functions}
        )
    )

    assert f"The 6 most called of {len(many)} functions are drawn." in report.words()
    assert "The longest are those of MPI_Wait" in report.words()


def test_an_rsd_has_no_interval_for_another_reason_than_few_runs() -> None:
    assert "too few runs" not in QUIET.charts()


def test_a_sentence_keeps_the_capitals_of_names() -> None:
    assert capital("performance of GEMM") == "Performance of GEMM"


def test_costs_of_several_applications_have_their_heads() -> None:
    (by_time,) = TRADE.findings.cheapest
    by_performance = by_time.replace(metric="performance", unit="GFLOP/s")
    findings = TRADE.findings.replace(cheapest=(by_time, by_performance))

    table = drawn_as("cheapest", findings).table
    assert table is not None
    assert table.columns[1] == "loop time (s) or performance (GFLOP/s)"
