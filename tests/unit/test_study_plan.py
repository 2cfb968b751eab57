"""The cost of a study, before it is run."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from tests import synthetic
from waywiser.model.reading import Reading
from waywiser.model.result import Result
from waywiser.model.run import Conditions, Run
from waywiser.model.study import Study
from waywiser.study.configurations import configurations_of
from waywiser.study.plan import Plan, plan_lines, plan_of, summary, typical_seconds

BASE = """
title = "plan"
mpi = ["openmpi"]
[application.app]
program = "app"
[axes]
ranks = [1, 4]
threads = [2]
"""


def plan(changes: str = "", **run_seconds: float) -> Plan:
    study = Study.model_validate(tomllib.loads(BASE + changes))
    return plan_of(study, configurations_of(study), run_seconds)


def run_of(configuration: str, seconds: float, **changes: Any) -> Run:
    result = Result(
        configuration=configuration,
        values={},
        block=1,
        warm_up=False,
        headline="",
        reading=Reading(),
        failures=(),
    )
    conditions = Conditions(
        wall_seconds=seconds,
        cpu_seconds=0,
        busy_seconds=0,
        stolen_seconds=0,
        involuntary_switches=0,
        load_average=0,
    )
    fields = {"result": result, "conditions": conditions, "status": "complete"} | changes
    return synthetic.run(1).replace(**fields)


def test_runs_are_configurations_times_blocks_and_a_warm_up() -> None:
    assert plan().runs == 2 * 7
    assert plan("[repeats]\nwarm_up = false\nblocks = 8").runs == 2 * 8
    assert plan("[repeats]\nblocks = 8\nat_most = 20").runs_at_most == 2 * 21


def test_time_and_core_hours_follow_from_the_expected_time() -> None:
    study_plan = plan("[resources]\nexpected_seconds = 60")

    assert study_plan.seconds == 14 * 60
    assert study_plan.core_hours == pytest.approx(7 * 60 * (2 + 8) / 3600)


def test_free_cores_are_occupied_too() -> None:
    study_plan = plan("[application.app.environment]\n[resources]\nexpected_seconds = 3600")
    with_free = Study.model_validate(
        tomllib.loads(BASE.replace('"app"\n', '"app"\nfree_cores = 1\n'))
    )

    assert [planned.run_cores for planned in study_plan.configurations] == [2, 8]
    assert [
        p.run_cores for p in plan_of(with_free, configurations_of(with_free)).configurations
    ] == [3, 12]


def test_a_scheduler_gives_out_whole_nodes() -> None:
    study_plan = plan('nodes = [2]\n[resources]\nscheduler = "slurm"\ncores_per_node = 64')

    assert [planned.run_cores for planned in study_plan.configurations] == [128, 128]


def test_runs_that_are_done_tell_better_than_the_file() -> None:
    study_plan = plan("[resources]\nexpected_seconds = 60", r1=10.0)

    assert [planned.run_seconds for planned in study_plan.configurations] == [10.0, 60]
    assert study_plan.seconds == 7 * 70


def test_the_typical_time_is_the_median_of_complete_runs() -> None:
    runs = [
        *(run_of("r1", seconds) for seconds in (1.0, 2.0, 90.0)),
        run_of("r1", 1000.0, status="failed"),
        run_of("r1", 1000.0, status="partial"),
        run_of("r1", 1000.0, result=None),
        run_of("r1", 1000.0, conditions=None),
        run_of("r4", 5.0),
    ]

    assert typical_seconds(runs) == {"r1": 2.0, "r4": 5.0}


def test_what_is_unknown_is_not_summed() -> None:
    study_plan = plan(r1=10.0)

    assert study_plan.seconds is None
    assert study_plan.core_hours is None
    assert "resources.expected_seconds would tell" in summary(study_plan)


def test_the_plan_is_a_table_and_a_sentence() -> None:
    study_plan = plan("[repeats]\nat_most = 20\n[resources]\nexpected_seconds = 36", r1=1800.0)

    assert plan_lines(study_plan) == [
        "configuration  nodes  ranks  threads  cores  runs         each      in all  core-hours",
        "r1                 1      1        2      2     7  30 min 00 s  3 h 30 min           7",
        "r4                 1      4        2      8     7         36 s  4 min 12 s       0.560",
        "",
        "2 configurations x 6 blocks and one to warm up: 14 runs, 3 h 34 min one after the other, "
        "7.56 core-hours; up to 42 runs if no interval gets narrow before",
    ]
