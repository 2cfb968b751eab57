"""Two sets of made-up runs of studies, whose truth is known, from one system or two."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests import synthetic_study
from tests.synthetic_sets import SIZES, of_study, run_directory
from waywiser.analyse.compare_sets import compare_sets
from waywiser.analyse.sets import RunSet, study_set
from waywiser.errors import InvalidCommand
from waywiser.model.result import Scalar
from waywiser.model.run import Run
from waywiser.report.answers.comparison import comparison_text

OTHER_CPU = "AMD EPYC 9654"


def elsewhere(run: Run) -> Run:
    machine = run.machine.replace(cpu=OTHER_CPU, host="genoa7")
    return run.replace(machine=machine, environment={"UCX_TLS": "rc,sm"})


def faster(factor: float) -> Callable[[Mapping[str, Scalar]], float]:
    return lambda values: synthetic_study.amdahl(values) / factor


def test_a_gain_on_another_system_is_found_everywhere_and_the_systems_are_distinguished() -> None:
    compared = compare_sets(
        of_study("a"), of_study("b", seed=2, change=elsewhere, seconds=faster(1.08))
    )

    assert [comparison.label for comparison in compared.comparisons] == [
        "1 rank",
        "2 ranks",
        "4 ranks",
    ]
    for comparison in compared.comparisons:
        assert (comparison.metric, comparison.kind, comparison.n, comparison.paired) == (
            "loop_time",
            "faster",
            8,
            False,
        )
        assert comparison.low is not None
        assert comparison.high is not None
        assert comparison.low < 0.08 < comparison.high
        assert comparison.sentence.startswith(f"{comparison.label}: b is faster than a by ")
    cpu = next(row for row in compared.differences if row.name == "CPU")
    assert (cpu.b, cpu.configurations) == (OTHER_CPU, ())
    assert {row.name for row in compared.differences} == {"Node", "CPU", "UCX_TLS"} | variables()
    assert any("drift" in remark for remark in compared.remarks)


def variables() -> set[str]:
    """Variables that the made-up runs have set, and the other system has not."""
    study = synthetic_study.study(SIZES)
    return set(synthetic_study.runs(study, synthetic_study.Truth())[0].environment)


def test_equal_systems_are_not_distinguished_more_often_than_claimed() -> None:
    """Each of 60 pairs of sets has three configurations, and any verdict at 5 %: more than 9 wrong
    verdicts have a probability of 1 in 1,000."""
    wrong = 0
    for seed in range(60):
        compared = compare_sets(of_study("a", seed=2 * seed), of_study("b", seed=2 * seed + 1))
        wrong += any(comparison.kind in ("faster", "slower") for comparison in compared.comparisons)

    assert wrong <= 9


def test_configurations_of_one_study_are_paired_by_block() -> None:
    """A drift that is far above the gain hides it without the pairs, and not with them; the block
    of a failed run has no pair."""
    document = {**SIZES, "mpi": ["mpich", "impi"], "axes": {"ranks": 2}}
    failed = {("impi", 3): "there is no loop_time in stdout"}
    whole = of_study("s", document, slower={"mpich": 1.02}, drift=0.5, failures=failed)

    def configuration(name: str, study: str) -> RunSet:
        study_file = synthetic_study.study(document)
        runs = [sample.run for group in whole.groups for sample in group.samples]
        mine = [run for run in runs if run.result and run.result.configuration == name]
        root = Path("/studies") / study
        return study_set(
            name, root, root, study_file, [(run_directory(root, run), run) for run in mine]
        )

    (paired,) = compare_sets(configuration("mpich", "s"), configuration("impi", "s")).comparisons
    (apart,) = compare_sets(configuration("mpich", "s"), configuration("impi", "other")).comparisons

    assert (paired.paired, paired.kind, paired.n) == (True, "faster", 7)
    assert (apart.paired, apart.kind) == (False, "undecided")


def test_what_differs_on_purpose_is_left_out_of_matching() -> None:
    a, b = of_study("a"), of_study("b", {**SIZES, "mpi": ["impi"]}, seed=2)

    with pytest.raises(InvalidCommand, match=r"mpi is mpich in a and impi in b.*--ignore mpi"):
        compare_sets(a, b)
    compared = compare_sets(a, b, ignore=["mpi"])

    assert len(compared.comparisons) == 3
    assert "mpi" not in compared.matched_by
    assert "mpi" not in {row.name for row in compared.differences}
    row = next(row for row in compared.differences if row.name == "MPI library")
    assert (row.a, row.b) == ("MPICH 5.0.2", "Intel MPI 2021.18.1")


def test_configurations_without_a_counterpart_are_named() -> None:
    more = of_study("b", {**SIZES, "axes": {"ranks": [2, 4, 8]}}, seed=2)
    compared = compare_sets(of_study("a"), more)

    assert [comparison.label for comparison in compared.comparisons] == ["2 ranks", "4 ranks"]
    assert (compared.only_a, compared.only_b) == (("r1",), ("r8",))


def test_a_set_with_several_configurations_for_one_of_the_other_is_refused() -> None:
    several = of_study("b", {**SIZES, "axes": {"ranks": [1, 2], "order": [4, 8]}})

    with pytest.raises(
        InvalidCommand, match=r"b: .* match the same configuration .* give the directory of one"
    ):
        compare_sets(of_study("a"), several)


def test_the_single_configurations_of_two_sets_are_compared_whatever_they_differ_in() -> None:
    small, large = ({**SIZES, "axes": {"ranks": ranks}} for ranks in (1, 4))
    compared = compare_sets(of_study("a", small), of_study("b", large, seed=2))

    assert [comparison.kind for comparison in compared.comparisons] == ["faster"]
    assert next(row for row in compared.differences if row.name == "ranks").b == "4"


def test_few_runs_have_no_verdict_but_are_listed() -> None:
    few = {**SIZES, "axes": {"ranks": 1}, "repeats": {"blocks": 5}}
    compared = compare_sets(of_study("a", few), of_study("b", few, seed=2, seconds=faster(2)))
    (comparison,) = compared.comparisons

    assert (comparison.kind, comparison.reason) == ("refused", "n too small: 6 needed")
    listed = [value.value for value in comparison.b.values if not value.warm_up]
    assert len(listed) == 5
    assert all(f"{value:.4g}" in comparison_text(compared) for value in listed)


def test_unreliable_runs_take_the_verdict_away_and_say_why() -> None:
    single = {**SIZES, "axes": {"ranks": 1}}
    busy = frozenset(("rhodo", block) for block in (1, 2, 3))
    compared = compare_sets(
        of_study("a", single), of_study("b", single, unreliable=busy, seconds=faster(1.5))
    )
    (comparison,) = compared.comparisons

    assert comparison.kind == "refused"
    assert "3 of 8 runs of b failed the validity gate (8.0 other tasks" in comparison.sentence
    assert len(compared.b.unreliable) == 3
    assert "Runs that failed the validity gate" in comparison_text(compared)


def test_failed_and_warm_up_runs_enter_no_number_and_are_named() -> None:
    failed = of_study("b", failures={("r2", 3): "there is no loop_time in stdout"}, seed=2)
    compared = compare_sets(of_study("a"), failed)

    assert [comparison.n for comparison in compared.comparisons] == [8, 7, 8]
    assert compared.b.counted == 23
    assert {run.run for run in compared.b.excluded} == {"r1/b000", "r2/b000", "r4/b000", "r2/b003"}
    text = comparison_text(compared)
    assert "b: r2/b003: there is no loop_time in stdout" in text
    assert "b: warm-up: r1/b000, r2/b000, r4/b000" in text


def test_a_configuration_of_which_every_run_failed_has_no_counterpart() -> None:
    failures = {("r2", block): "no metric" for block in range(9)}
    compared = compare_sets(of_study("a"), of_study("b", failures=failures, seed=2))

    assert [comparison.label for comparison in compared.comparisons] == ["1 rank", "4 ranks"]
    assert compared.only_a == ("r2",)
    assert sum(run.configuration == "r2" for run in compared.b.excluded) == 9


def test_another_metric_and_one_of_the_profile() -> None:
    compared = compare_sets(
        of_study("a", mpi_share=0.06),
        of_study("b", seed=2),
        ["performance", "mpi_time", "mpi_share"],
    )
    by_metric = {name: [o for o in compared.comparisons if o.metric == name] for name in METRICS}

    assert {comparison.kind for comparison in by_metric["mpi_time"]} == {"faster"}
    assert all(
        "b is better than a by 50." in comparison.sentence for comparison in by_metric["mpi_share"]
    )
    assert "faster" not in comparison_text(compared).split("mpi_share")[1]


METRICS = ("performance", "mpi_time", "mpi_share")


def test_a_rate_is_compared_as_its_time_is() -> None:
    a, b = of_study("a"), of_study("b", seed=2, seconds=faster(1.05))
    times = compare_sets(a, b).comparisons
    rates = compare_sets(a, b, ["performance"]).comparisons

    for time, rate in zip(times, rates, strict=True):
        assert rate.kind == time.kind == "faster"
        assert rate.change == pytest.approx(time.change)


def in_minutes(run: Run) -> Run:
    assert run.result is not None
    reading = run.result.reading
    metrics = tuple(metric.replace(unit="min") for metric in reading.metrics)
    result = run.result.replace(reading=reading.replace(metrics=metrics))
    return run.replace(result=result)


def neither(run: Run) -> Run:
    text = run.model_dump_json().replace('"lower"', '"neither"')
    return Run.model_validate_json(text)


def test_metrics_that_cannot_be_compared_are_refused() -> None:
    a = of_study("a")
    with pytest.raises(
        InvalidCommand, match=r"loop_time differs between the two sets.*in s.*in min"
    ):
        compare_sets(a, of_study("b", change=in_minutes))
    with pytest.raises(InvalidCommand, match="neither higher nor lower is better"):
        compare_sets(of_study("a", change=neither), of_study("b", change=neither))
    with pytest.raises(InvalidCommand, match=r"--metric speed: .*both have loop_time, performance"):
        compare_sets(a, of_study("b"), ["speed"])
    with pytest.raises(
        InvalidCommand, match="headline metric of a is loop_time, that of b performance"
    ):
        compare_sets(a, of_study("b", rate=True))
    with pytest.raises(
        InvalidCommand, match=r"--ignore: there is no axis colour; there are application, mpi"
    ):
        compare_sets(a, of_study("b"), ignore=["colour"])


def test_a_set_is_not_compared_with_itself() -> None:
    with pytest.raises(InvalidCommand, match=r"share runs, such as /studies/same/runs/r1/b000"):
        compare_sets(of_study("a", directory="same"), of_study("b", directory="same"))
