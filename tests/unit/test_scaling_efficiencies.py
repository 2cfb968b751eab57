"""Global efficiency along a count, against what made-up studies plant in their runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests import synthetic_study
from tests.synthetic_sections import with_everything
from tests.synthetic_study_reports import drawn_as
from waywiser.analyse.profiled import share_of
from waywiser.analyse.study import analyse_study
from waywiser.model.curves import Scaling, ScalingEfficiencies
from waywiser.model.efficiencies import efficiencies
from waywiser.report.study.plots.efficiencies import global_efficiency

ONE_LIBRARY = {**synthetic_study.LAMMPS, "mpi": ["mpich"]}


def scaling(document: dict[str, Any], changes: dict[str, Any] | None = None, **t: Any) -> Scaling:
    """Scaling of a study without noise; `changes` are changes of the efficiencies of each run."""
    study = synthetic_study.study(document)
    runs = synthetic_study.runs(study, synthetic_study.Truth(noise=0.0, **t))
    changed = [
        run.replace(result=run.result.replace(mpi=mpi))
        for run in runs
        if run.result is not None and run.result.mpi is not None
        for recorded in (run.result.mpi.efficiencies,)
        if recorded is not None
        for mpi in (run.result.mpi.replace(efficiencies=recorded.replace(**(changes or {}))),)
    ]
    return analyse_study(study, changed).scaling[0]


def at(curve: Scaling, count: int) -> ScalingEfficiencies:
    pop = next(point.pop for point in curve.points if point.count == count)
    assert pop is not None
    return pop


def test_computation_scaling_of_one_problem_by_hand() -> None:
    """One rank takes 10 s, 4 % of it MPI and 1 % MPI_Init; four take 2.875 s, 12 % of it MPI."""
    curve = scaling(ONE_LIBRARY)
    base, four = at(curve, 1), at(curve, 4)

    assert base.computation.value == pytest.approx(1.0)
    assert four.computation.value == pytest.approx(9.5 / (4 * 2.875 * 0.87))
    assert four.parallel.value == pytest.approx(0.87 / 0.99)
    assert four.global_efficiency == pytest.approx(9.5 / (4 * 2.875 * 0.99))
    assert four.load_balance == pytest.approx(1.0)
    assert (four.openmp, four.io) == (None, None)
    assert four.communication == pytest.approx(four.parallel.value)


def test_of_a_problem_that_grows_the_work_of_a_rank_is_compared() -> None:
    """Every rank computes 9.5 s of 10 alone, and 8.7 s of four."""
    weak = {**ONE_LIBRARY, "report": {"scaling": "weak"}}
    four = at(scaling(weak, seconds=lambda _: 10.0), 4)

    assert four.computation.value == pytest.approx(9.5 / 8.7)


def test_what_is_not_measured_is_none_and_reported() -> None:
    study = synthetic_study.study(ONE_LIBRARY)
    findings = analyse_study(study, synthetic_study.runs(study, synthetic_study.Truth()))

    table = drawn_as("global-efficiency", findings).table
    assert table is not None
    assert {(row[6], row[7]) for row in table.rows} == {("–",) * 2}
    bare = analyse_study(study, synthetic_study.runs(study, synthetic_study.Truth(profile=False)))
    assert bare.scaling[0].base.pop is None
    assert global_efficiency(bare) is None


def test_openmp_and_files_are_medians_where_every_run_has_them() -> None:
    curve = scaling(ONE_LIBRARY, {"openmp": 0.5, "io": 0.75})

    assert (at(curve, 4).openmp, at(curve, 4).io) == (0.5, 0.75)


def test_along_threads_useful_time_is_known_with_openmp_only() -> None:
    threads = {**ONE_LIBRARY, "axes": {"ranks": 2, "threads": [1, 2, 4]}}
    amdahl: dict[str, Any] = {"seconds": lambda values: 1 + 8 / float(values["threads"])}

    assert scaling(threads, **amdahl).base.pop is None
    assert scaling(threads, {"openmp": 0.5}, **amdahl).base.pop is not None


def test_a_run_keeps_the_efficiencies_of_its_profile() -> None:
    summary = with_everything()
    expected = efficiencies(summary.replace(advice=None))

    assert expected is not None
    assert share_of(summary).efficiencies == expected
