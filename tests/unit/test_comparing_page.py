"""docs/comparing.md shows what the verb prints of the studies that are made here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests import synthetic_study
from tests.support import ROOT, printed
from waywiser.model.result import Scalar
from waywiser.model.run import Run
from waywiser.store.study import Place, StudyDirectory
from waywiser.study.configurations import configurations_of
from waywiser.study.study_file import parse_study

PAGE = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
STUDY = """\
title = "LAMMPS rhodopsin"
mpi = MPI
[application.rhodo]
reader = "lammps"
program = "lmp"
[axes]
ranks = RANKS
[repeats]
blocks = 8
"""

AS_AMDAHL_SAYS = synthetic_study.Truth()


def make_study(
    root: Path,
    mpi: str,
    ranks: str,
    *,
    seed: int,
    cpu: str = "",
    truth: synthetic_study.Truth = AS_AMDAHL_SAYS,
) -> None:
    """A study's directory as `study run` leaves it."""
    text = STUDY.replace("MPI", mpi).replace("RANKS", ranks)
    study = parse_study(text, "study.toml")
    directory = StudyDirectory(root)
    directory.create()
    directory.write_plan(text, dict.fromkeys((p.name for p in configurations_of(study)), ""), root)
    for run in synthetic_study.runs(study, truth, seed):
        assert run.result is not None
        place = Place(run.result.configuration, run.result.block)
        directory.run(place).mkdir(parents=True)
        directory.write(place, on(cpu, run) if cpu else run)


def on(cpu: str, run: Run) -> Run:
    machine = run.machine.replace(cpu=cpu, host=f"node-{cpu[-4:]}")
    return run.replace(machine=machine)


def milan_and_genoa() -> None:
    def faster(values: Mapping[str, Scalar]) -> float:
        return synthetic_study.amdahl(values) / (1.06 if values["ranks"] != 4 else 1.0)

    axes = '["mpich"]', "[1, 2, 4]"
    missing = {("r2", 3): "there is no loop_time in stdout"}
    make_study(Path("milan/rhodo.study"), *axes, seed=1, cpu="AMD EPYC 7763")
    make_study(
        Path("genoa/rhodo.study"),
        *axes,
        seed=2,
        cpu="AMD EPYC 9654",
        truth=synthetic_study.Truth(seconds=faster, failures=missing),
    )


def two_libraries() -> None:
    make_study(
        Path("rhodo.study"),
        '["mpich", "impi"]',
        "[2, 4]",
        seed=3,
        truth=synthetic_study.Truth(slower={"mpich": 1.03}),
    )


@pytest.mark.parametrize("make", [milan_and_genoa, two_libraries])
def test_the_page_shows_what_is_printed(
    make: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make()
    lines = re.findall(r"^\$ waywiser (compare .*)$", PAGE, re.MULTILINE)
    commands = [
        words
        for words in map(shlex.split, lines)
        if all(Path(path).exists() for path in words[1:3])
    ]
    assert commands

    for words in commands:
        output = printed(*words)
        assert f"$ waywiser {shlex.join(words)}\n{output}" in PAGE, output
