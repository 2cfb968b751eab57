"""A sweep of counterfactuals through a real Slurm: one array, and the answer of one command."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.rigs import slurm as rig
from tests.support import Waywiser, environment
from tests.synthetic_jobs import rounds

PATIENCE_SECONDS = 180.0
SWEEP = ("whatif", "run", "--sweep", "latency=1us:1ms:4", "--sweep", "cpu=1,2", "--balanced")


@pytest.fixture
def slurm() -> Iterator[rig.Slurm]:
    with rig.started(2) as slurm:
        yield slurm


def test_an_array_of_parts_answers_what_one_command_does(slurm: rig.Slurm) -> None:
    directory = slurm.directory / "sweep"
    rounds(["n0", "n0", "n1", "n1"], (2.0, 2.0, 6.0, 2.0)).run(directory / "run")
    variables = environment({"PATH": f"{slurm.commands()}:{environment()['PATH']}"})

    def waywiser(*words: str) -> str:
        done = Waywiser(directory).succeeds(*words, env=variables)
        return done.stdout

    whole = waywiser(*SWEEP, "--json")
    waywiser(*SWEEP, "--study", "grid.toml", "--scheduler", "slurm", "--parts", "4")

    assert waywiser("study", "submit", "grid.toml").count("\n") == 1, "more than one array"
    end = time.monotonic() + PATIENCE_SECONDS
    while "4 of 4 runs done" not in (output := waywiser("study", "status", "grid.toml")):
        assert time.monotonic() < end, output
        time.sleep(1.0)

    assert waywiser("whatif", "grid.toml", "--json") == whole
    assert "nothing to submit" in waywiser("study", "submit", "grid.toml")
    assert sorted(path.name for path in (directory / "grid.study" / "jobs").glob("*.ended")) == [
        f"job0001.{task}.ended" for task in range(1, 5)
    ]
