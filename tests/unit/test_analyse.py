"""The findings of made-up studies are what was planted in them."""

from __future__ import annotations

import dataclasses
import random
import re
from typing import Any

import numpy as np
import pytest

from tests import synthetic, synthetic_study
from tests.synthetic_sections import with_everything
from waywiser.analyse.profiled import facts_of, share_of
from waywiser.analyse.study import analyse_study
from waywiser.errors import NotEnoughData
from waywiser.model.findings import Findings
from waywiser.model.judged import Comparison

NO_LOOP_TIME = "there is no loop_time in stdout"


def findings(
    document: dict[str, Any] = synthetic_study.LAMMPS, seed: int = 1, **planted: Any
) -> Findings:
    study = synthetic_study.study(document)
    return analyse_study(study, synthetic_study.runs(study, synthetic_study.Truth(**planted), seed))


def headlines(analysis: Findings) -> list[Comparison]:
    return [comparison for comparison in analysis.comparisons if comparison.metric == "loop_time"]


def test_a_planted_gain_is_found_at_every_configuration() -> None:
    comparisons = headlines(findings(slower={"mpich": 1.06}))

    assert [comparison.at["ranks"] for comparison in comparisons] == [1, 2, 4, 8, 16, 32]
    for comparison in comparisons:
        assert (comparison.base, comparison.candidate, comparison.kind, comparison.n) == (
            "mpich",
            "impi",
            "faster",
            10,
        )
        assert comparison.low is not None
        assert comparison.high is not None
        assert comparison.low < 0.06 < comparison.high
        match = re.search(r"Intel MPI is faster than MPICH by ([\d.]+) % \[", comparison.sentence)
        assert match is not None
        assert float(match[1]) == pytest.approx(100 * (comparison.change or 0), abs=0.05)


def test_no_gain_is_found_where_none_was_planted() -> None:
    kinds = {comparison.kind for comparison in headlines(findings())}

    assert kinds <= {"equivalent", "undecided"}


def test_a_drift_neither_feigns_a_gain_nor_hides_one() -> None:
    drifting = findings(slower={"impi": 1.05}, drift=0.2)

    assert {comparison.kind for comparison in headlines(drifting)} == {"slower"}
    assert {comparison.kind for comparison in headlines(findings(drift=0.2))} <= {
        "equivalent",
        "undecided",
    }


def test_a_rate_is_compared_as_its_time_is() -> None:
    analysis = findings(slower={"impi": 1.05})
    by_metric = {
        name: [comparison for comparison in analysis.comparisons if comparison.metric == name]
        for name in ("loop_time", "performance")
    }

    for time, rate in zip(by_metric["loop_time"], by_metric["performance"], strict=True):
        assert rate.kind == time.kind
        assert rate.change == pytest.approx(time.change)


def test_the_base_is_the_one_that_the_study_file_names() -> None:
    study = synthetic_study.study(synthetic_study.LAMMPS, report={"base": "impi"})
    comparisons = headlines(
        analyse_study(
            study, synthetic_study.runs(study, synthetic_study.Truth(slower={"impi": 1.05}))
        )
    )

    assert {
        (comparison.base, comparison.candidate, comparison.kind) for comparison in comparisons
    } == {("impi", "mpich", "faster")}


def test_a_failed_run_is_listed_and_enters_no_number() -> None:
    place = ("mpich-r4", 3)
    analysis = findings(failures={place: NO_LOOP_TIME})
    whole = findings()
    configuration, same = analysis.configuration("mpich-r4"), whole.configuration("mpich-r4")

    assert [(run.run, run.reasons) for run in analysis.failed] == [
        ("mpich-r4/b003", (NO_LOOP_TIME,))
    ]
    assert (configuration.runs, configuration.failed, analysis.counted) == (9, 1, whole.counted - 1)
    summary, before = configuration.metric("loop_time"), same.metric("loop_time")
    assert summary is not None
    assert before is not None
    left = [value for value in before.values if value.run != "mpich-r4/b003"]
    assert list(summary.values) == [
        value.replace(outlier=flag.outlier)
        for value, flag in zip(left, summary.values, strict=True)
    ]
    assert summary.median == np.median([value.value for value in left if not value.warm_up])
    assert (
        next(comparison for comparison in headlines(analysis) if comparison.at["ranks"] == 4).n == 9
    )


def test_a_warm_up_is_kept_and_not_counted() -> None:
    analysis = findings(outliers={(f"mpich-r{ranks}", 0): 5.0 for ranks in (1, 2)})
    summary = analysis.configuration("mpich-r1").metric("loop_time")

    assert summary is not None
    warm = [value for value in summary.values if value.warm_up]
    assert [value.run for value in warm] == ["mpich-r1/b000"]
    assert warm[0].value > 4 * summary.median
    assert (
        summary.n,
        analysis.configuration("mpich-r1").runs,
        analysis.configuration("mpich-r1").warm_up,
    ) == (10, 10, 1)
    assert {comparison.n for comparison in headlines(analysis)} == {10}
    assert summary.maximum < 1.1 * summary.median


def test_an_outlier_is_flagged_by_its_run_and_counted() -> None:
    analysis = findings(outliers={("impi-r8", 5): 1.5})
    summary = analysis.configuration("impi-r8").metric("loop_time")

    assert summary is not None
    assert [value.run for value in summary.values if value.outlier] == ["impi-r8/b005"]
    assert summary.n == 10
    assert summary.maximum > 1.4 * summary.median


def test_a_unreliable_machine_has_no_verdict() -> None:
    unreliable = frozenset(("impi-r2", block) for block in range(1, 5))
    analysis = findings(slower={"impi": 1.3}, unreliable=unreliable)
    kinds = {comparison.at["ranks"]: comparison.kind for comparison in headlines(analysis)}

    assert kinds[2] == "refused"
    assert {kind for ranks, kind in kinds.items() if ranks != 2} == {"slower"}
    refused = next(comparison for comparison in headlines(analysis) if comparison.kind == "refused")
    assert "4 of 10 runs of Intel MPI, 2 ranks failed the validity gate (" in refused.reason
    assert {change.kind for change in refused.sections} == {"refused"}
    assert [run.run for run in analysis.unreliable] == [f"impi-r2/b{b:03}" for b in range(1, 5)]


def test_one_unreliable_run_of_ten_does_not_refuse_the_verdict() -> None:
    analysis = findings(slower={"impi": 1.1}, unreliable=frozenset({("impi-r2", 3)}))

    assert {comparison.kind for comparison in headlines(analysis)} == {"slower"}
    assert len(analysis.unreliable) == 1


def test_the_section_that_got_slower_is_named() -> None:
    for comparison in headlines(findings(slower={"impi": 1.1})):
        slower = [change for change in comparison.sections if change.kind == "slower"]

        assert [change.name for change in slower] == ["Kspace"]
        truth = 0.1 * synthetic_study.amdahl({"ranks": comparison.at["ranks"]})
        assert slower[0].difference_seconds == pytest.approx(truth, rel=0.2)
        assert comparison.sections[0].name == "Kspace"


def test_scaling_is_that_of_the_truth() -> None:
    analysis = findings(noise=0.001)

    assert [curve.label for curve in analysis.scaling] == ["MPICH", "Intel MPI"]
    for scaling in analysis.scaling:
        assert (scaling.kind, scaling.axis, scaling.base.count) == ("strong", "ranks", 1)
        assert scaling.warning == ""
        for point in scaling.points:
            speedup = 10 / synthetic_study.amdahl({"ranks": point.count})
            assert point.speedup.value == pytest.approx(speedup, rel=0.005)
            assert point.efficiency.value == pytest.approx(speedup / point.count, rel=0.005)
        assert scaling.fit is not None
        ahead = scaling.fit.forecast[0]
        assert ahead.count == 64
        assert ahead.metric.value == pytest.approx(synthetic_study.amdahl({"ranks": 64}), rel=0.05)


def test_throughput_comes_from_the_median_time() -> None:
    """The command's time counts, 0.4 s more than the loop's; a command of seconds is not a job."""
    for configuration in findings(
        seconds=lambda values: 60 * synthetic_study.amdahl(values)
    ).configurations:
        summary = configuration.metric("loop_time")

        assert summary is not None
        if summary.minimum < 59:
            assert configuration.jobs_per_day is None
            continue
        assert configuration.jobs_per_day is not None
        assert configuration.jobs_per_day.value == pytest.approx(86_400 / (summary.median + 0.4))
        assert configuration.job_time == "wall time of the command"


def seissol(**report: str) -> Findings:
    study = synthetic_study.study(synthetic_study.SEISSOL, report=report)
    truth = synthetic_study.Truth(
        seconds=lambda v: 2 + 40 / float(v["nodes"]), rate=True, profile=False, sections=False
    )
    return analyse_study(study, synthetic_study.runs(study, truth))


def test_a_rate_over_nodes_has_its_rate_per_node() -> None:
    analysis = seissol()
    scaling = analysis.scaling[0]

    assert (scaling.axis, scaling.metric, scaling.better) == ("nodes", "performance", "higher")
    for point in scaling.points:
        node = analysis.configuration(point.configuration).per_node
        assert node is not None
        assert node.value == pytest.approx(point.metric.value / point.count)
    assert scaling.points[-1].efficiency.value == pytest.approx(42 / 7 / 8, rel=0.02)


def test_weak_scaling_that_is_not_weak_is_called_so() -> None:
    warning = seissol(scaling="weak").scaling[0].warning

    assert "not weak scaling" in warning


def test_weak_scaling_is_recognised_by_its_work() -> None:
    study = synthetic_study.study(synthetic_study.SEISSOL)
    truth = synthetic_study.Truth(
        seconds=lambda v: 20 + 0.5 * float(v["nodes"]), work=lambda v: 1e6 * float(v["nodes"])
    )
    scaling = analyse_study(study, synthetic_study.runs(study, truth)).scaling[0]

    assert (scaling.kind, scaling.warning) == ("weak", "")
    assert scaling.points[-1].efficiency.value == pytest.approx(20.5 / 24, rel=0.02)


def test_the_shares_of_a_profile_are_the_planted_ones() -> None:
    for configuration in findings(mpi_share=0.05).configurations:
        profile = configuration.profile

        assert profile is not None
        planted = 0.05 * np.log2(2 * float(configuration.values["ranks"]))
        assert profile.mpi_share == pytest.approx(planted)
        whole = profile.application_seconds + profile.mpi_seconds + profile.init_seconds
        assert whole == pytest.approx(profile.total_seconds)
        assert next(iter(profile.functions)) == "MPI_Wait"
        assert configuration.cpu_use == pytest.approx(0.99)


def test_the_order_in_which_runs_are_read_changes_nothing() -> None:
    study = synthetic_study.study(synthetic_study.LAMMPS)
    runs = synthetic_study.runs(
        study, synthetic_study.Truth(slower={"impi": 1.03}, outliers={("impi-r8", 5): 1.5})
    )
    shuffled = random.Random(3).sample(runs, len(runs))

    assert analyse_study(study, shuffled) == analyse_study(study, runs)


def test_a_configuration_of_which_every_run_failed_is_listed_without_numbers() -> None:
    failures = {("impi-r16", block): NO_LOOP_TIME for block in range(11)}
    analysis = findings(failures=failures)
    configuration = analysis.configuration("impi-r16")

    assert (configuration.runs, configuration.failed, configuration.metrics) == (0, 11, ())
    assert 16 not in [comparison.at["ranks"] for comparison in headlines(analysis)]
    assert [p.count for p in analysis.scaling[1].points] == [1, 2, 4, 8, 32]


def test_without_a_run_that_counts_there_are_no_findings() -> None:
    study = synthetic_study.study(
        synthetic_study.LAMMPS, axes={"ranks": [1]}, mpi=["mpich"], repeats={"blocks": 1}
    )
    runs = synthetic_study.runs(study, synthetic_study.Truth(failures={("rhodo", 1): NO_LOOP_TIME}))

    with pytest.raises(NotEnoughData, match="no valid run: all of 2 runs failed or were warm-ups"):
        analyse_study(study, runs)
    with pytest.raises(NotEnoughData, match="no runs yet"):
        analyse_study(study, [])


def test_a_study_of_one_configuration_has_neither_comparison_nor_scaling() -> None:
    study = synthetic_study.study(synthetic_study.LAMMPS, axes={"ranks": [4]}, mpi=["mpich"])
    analysis = analyse_study(study, synthetic_study.runs(study, synthetic_study.Truth()))

    assert (analysis.comparisons, analysis.scaling, analysis.sweeps, analysis.compare) == (
        (),
        (),
        (),
        "",
    )
    assert len(analysis.configurations) == 1


def test_too_few_runs_have_no_interval_and_no_verdict() -> None:
    study = synthetic_study.study(synthetic_study.LAMMPS, repeats={"blocks": 3})
    analysis = analyse_study(
        study, synthetic_study.runs(study, synthetic_study.Truth(slower={"impi": 2.0}))
    )

    assert {comparison.kind for comparison in analysis.comparisons} == {"refused"}
    assert all("n too small" in comparison.reason for comparison in analysis.comparisons)
    assert all(
        metric.low is None
        for configuration in analysis.configurations
        for metric in configuration.metrics
    )


def test_a_run_without_a_result_is_listed_as_failed() -> None:
    study = synthetic_study.study(synthetic_study.LAMMPS)
    runs = synthetic_study.runs(study, synthetic_study.Truth())
    lost = runs[30].replace(result=None, status="partial")
    analysis = analyse_study(study, [*runs[:30], lost, *runs[31:]])

    assert "its status is partial" in analysis.failed[0].reasons[0]
    assert analysis.runs == len(runs)


def test_the_document_can_be_read_again() -> None:
    analysis = findings(slower={"impi": 1.05}, failures={("mpich-r4", 3): NO_LOOP_TIME})

    assert Findings.model_validate_json(analysis.model_dump_json()) == analysis


def test_what_is_planted_is_what_the_runs_hold() -> None:
    """The made-up study itself: without noise each run takes its configuration's time."""
    study = synthetic_study.study(synthetic_study.LAMMPS)
    exact = dataclasses.replace(synthetic_study.Truth(slower={"impi": 1.1}), noise=0.0)

    for run in synthetic_study.runs(study, exact):
        assert run.result is not None
        metric = run.result.metric()
        assert metric is not None
        factor = 1.1 if run.result.values["mpi"] == "impi" else 1.0
        assert metric.value == pytest.approx(factor * synthetic_study.amdahl(run.result.values))


def test_threads_that_only_make_progress_are_not_the_ranks_time() -> None:
    """Such threads spin beside the work: with them a pie would have more than the ranks' time."""
    summary = with_everything()
    share = share_of(summary)

    assert share.progress_mpi_seconds == pytest.approx(1.9)
    of_rank_2 = [rank.mpi_seconds for rank in summary.per_rank or ()][2]
    in_mpi = sum(rank.mpi_seconds for rank in summary.per_rank or ())
    assert share.mpi_seconds == pytest.approx(in_mpi - min(of_rank_2, 1.9))
    assert "MPI_Test" not in share.functions
    assert share.functions["MPI_Send"].seconds > 0

    run = synthetic_study.runs(
        synthetic_study.study(synthetic_study.LAMMPS), synthetic_study.Truth()
    )[0]
    assert facts_of(run, summary.per_rank or (), 1, 1).progress_threads == 1


@pytest.mark.parametrize(
    ("threads", "bind", "known"), [(1, "close", True), (2, "close", False), (2, "false", True)]
)
def test_a_place_that_openmp_gave_one_thread_is_not_taken_for_its_ranks(
    threads: int, bind: str, known: bool
) -> None:
    """GNU's runtime binds the first thread when it is loaded, before the profiler asks."""
    run = synthetic_study.runs(
        synthetic_study.study(synthetic_study.LAMMPS), synthetic_study.Truth()
    )[0]
    bound = run.replace(environment={"OMP_PROC_BIND": bind})

    facts = facts_of(bound, synthetic.summary(2).per_rank or (), threads)

    assert facts.bound_cpus == ((frozenset({0}), frozenset({1})) if known else None)
