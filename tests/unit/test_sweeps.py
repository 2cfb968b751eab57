"""The best settings: which axes are settings, and what is best at each problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests import synthetic_study
from waywiser.analyse.study import analyse_study
from waywiser.errors import InvalidCommand
from waywiser.model.findings import Findings
from waywiser.model.result import Scalar
from waywiser.study.study_file import parse_study


def findings(document: dict[str, Any], seed: int = 1, **planted: Any) -> Findings:
    study = synthetic_study.study(document)
    return analyse_study(study, synthetic_study.runs(study, synthetic_study.Truth(**planted), seed))


def bowl(values: Any) -> float:
    """Best at ndiag 4, ntg 2."""
    return 3 + 0.1 * abs(float(values["ndiag"]) - 4) + 0.2 * abs(float(values["ntg"]) - 2)


def test_the_best_cell_of_a_sweep_is_found_and_distinguished_from_its_neighbours() -> None:
    sweep = findings(synthetic_study.SWEEP, seconds=bowl).sweeps[0]

    assert (sweep.best.x, sweep.best.y) == (4, 2)
    assert (sweep.better_than, sweep.neighbours) == (4, 4)
    assert len(sweep.cells) == 12
    assert "significantly faster than each of 4 neighbouring settings" in sweep.statement


def test_a_flat_sweep_has_a_best_cell_that_is_not_distinguished_from_the_others() -> None:
    for seed in range(5):
        sweep = findings(synthetic_study.SWEEP, seed, seconds=lambda _: 3.0).sweeps[0]

        assert sweep.better_than == 0
        assert "faster than none of" in sweep.statement


def test_inputs_of_different_size_are_no_settings() -> None:
    analysis = findings(synthetic_study.SWEEP, seconds=bowl, work=lambda v: 1e3 * float(v["ntg"]))

    assert analysis.sweeps == ()


MESHES = {
    "title": "Three meshes",
    "application": {"tpv33": {"program": "solver", "arguments": ["{mesh}.mesh"]}},
    "axes": {"mesh": ["5k", "15k", "45k"], "ranks": [1, 2, 4], "threads": [1, 2, 4]},
    "repeats": {"blocks": 10},
    "report": {"problem": ["mesh"]},
}
BEST = {"5k": (4, 1), "15k": (2, 2), "45k": (1, 4)}
"""Mesh -> ranks and threads."""


def on_one_node(values: Mapping[str, Scalar]) -> float:
    mesh = str(values["mesh"])
    ranks, threads = BEST[mesh]
    off = 0.2 * abs(float(values["ranks"]) - ranks) + 0.1 * abs(float(values["threads"]) - threads)
    return float(mesh.removesuffix("k")) * (1 + off)


def test_each_problem_has_its_best_settings() -> None:
    analysis = findings(MESHES, seconds=on_one_node)

    assert [(sweep.x_axis, sweep.y_axis) for sweep in analysis.sweeps] == [("ranks", "threads")] * 3
    assert {sweep.label: (sweep.best.x, sweep.best.y) for sweep in analysis.sweeps} == BEST
    assert analysis.compare == "", "one mesh is not faster than another"


def work(axis: str) -> dict[str, Any]:
    return {"application": {"app": {"program": "app", "work": f"{axis} * {axis}"}}}


def inputs(axis: str) -> dict[str, Any]:
    return {"application": {"app": {"program": "app", "inputs": [f"{{{axis}}}.dat"]}}}


@pytest.mark.parametrize("changes", [work("ndiag"), inputs("ndiag")], ids=["work", "inputs"])
def test_what_work_and_inputs_name_is_the_problem(changes: dict[str, Any]) -> None:
    axes = {"ndiag": [1, 4, 9, 16], "ntg": [1, 2, 4], "nb": [1, 2]}
    analysis = findings({**synthetic_study.SWEEP, **changes, "axes": axes}, seconds=bowl)

    assert {(sweep.x_axis, sweep.y_axis) for sweep in analysis.sweeps} == {("ntg", "nb")}
    assert [sweep.label for sweep in analysis.sweeps] == [f"ndiag {n}" for n in (1, 4, 9, 16)]
    assert all(sweep.best.x == 2 for sweep in analysis.sweeps)


def test_a_problem_is_no_setting_that_would_make_one_of_the_library() -> None:
    """Ranks and libraries alone are scaling and a comparison."""
    document = {
        **synthetic_study.LAMMPS,
        **work("nx"),
        "axes": {"ranks": [1, 2, 4], "nx": [48, 96]},
    }

    assert findings(document).sweeps == ()


def test_what_changes_with_the_problem_is_no_setting() -> None:
    """Weak scaling: the mesh grows with the ranks."""
    axes = {"mesh": ["5k", "15k", "45k"], "ranks": [1, 2, 4], "threads": [1, 2]}
    analysis = findings({**MESHES, "axes": axes, "zip": [["mesh", "ranks"]]}, seconds=on_one_node)

    assert analysis.sweeps == ()


def test_a_result_that_is_not_good_enough_has_no_good_settings() -> None:
    """The coarsest is the fastest of all, and is not drawn."""
    [sweep] = findings(
        synthetic_study.PROPAGATION,
        seconds=lambda v: float(v["order"]) / float(v["step"]),
        error=lambda v: 10 * float(v["step"]) / float(v["order"]) ** 2,
        profile=False,
        sections=False,
    ).sweeps

    good = {(o, s) for o in (2, 4, 8) for s in (1, 2, 4) if 10 * s / o**2 <= 1}
    assert {(cell.x, cell.y) for cell in sweep.cells} == good
    assert (sweep.best.x, sweep.best.y) == (8, 4)
    assert "among those within the limits" in sweep.statement


def test_limits_are_those_of_metrics_that_the_configurations_have() -> None:
    """One of two applications reports no error."""
    both = {"propa": {"program": "propa"}, "wave": {"program": "wave"}}
    study = synthetic_study.study({**synthetic_study.PROPAGATION, "application": both})
    runs = []
    for run in synthetic_study.runs(
        study, synthetic_study.Truth(error=lambda _: 0.5, seconds=lambda _: 3.0)
    ):
        assert run.result is not None
        if run.result.values["application"] == "wave":
            metrics = run.result.reading.metrics[:-1]
            reading = run.result.reading.replace(metrics=metrics)
            result = run.result.replace(reading=reading)
            run = run.replace(result=result)
        runs.append(run)

    propa, wave = analyse_study(study, runs).sweeps

    assert "among those within the limits" in propa.statement
    assert "limits" not in wave.statement


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        ("size", "there is no axis size; there are application, mpi"),
        ("ranks", "report.problem: ranks says how something is computed, not what"),
        ("mpi", "report.problem: mpi says how something is computed, not what"),
    ],
)
def test_a_problem_is_an_axis_of_ones_own(problem: str, sentence: str) -> None:
    text = 'title = "t"\n[application.app]\nprogram = "app"\n[axes]\nranks = [1, 2]\n'
    with pytest.raises(InvalidCommand, match=sentence):
        parse_study(f"{text}[report]\nproblem = ['{problem}']", "study.toml")


@pytest.mark.parametrize(("unit", "word"), [("s", "faster"), ("MB", "better")])
def test_only_times_and_rates_are_faster(unit: str, word: str) -> None:
    """Less memory is better, and has no speed-up."""
    study = synthetic_study.study(synthetic_study.SWEEP)
    runs = []
    for run in synthetic_study.runs(study, synthetic_study.Truth(seconds=bowl)):
        assert run.result is not None
        first, *others = run.result.reading.metrics
        metrics = (first.replace(unit=unit), *others)
        reading = run.result.reading.replace(metrics=metrics)
        result = run.result.replace(reading=reading)
        runs.append(run.replace(result=result))

    analysis = analyse_study(study, runs)

    assert f"significantly {word} than each of 4" in analysis.sweeps[0].statement
    sentences = [
        comparison.sentence
        for comparison in analysis.comparisons
        if comparison.metric == "loop_time"
    ]
    assert any(f"ndiag 4 is {word} than ndiag 1 by" in sentence for sentence in sentences)


def test_what_is_no_time_and_no_rate_has_no_scaling() -> None:
    document = {**synthetic_study.LAMMPS, "report": {"metrics": ["error"]}}

    assert {curve.metric for curve in findings(document, error=lambda _: 1.0).scaling} == {
        "loop_time"
    }


def test_a_neighbour_without_a_verdict_is_reported_to_be_without() -> None:
    busy = frozenset(("ndiag4-ntg2", block) for block in range(1, 11))
    sweep = findings(synthetic_study.SWEEP, seconds=bowl, unreliable=busy).sweeps[0]

    assert "faster than none of 4" in sweep.statement
    assert "(no verdict on 4: 10 of 10 runs" in sweep.statement
