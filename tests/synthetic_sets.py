"""Made-up sets of runs, whose truth is known: those of a study, and plain run directories."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests import synthetic_study
from waywiser.analyse.sets import RunSet, study_set
from waywiser.model.run import Run
from waywiser.store.directory import RunDirectory

SIZES: dict[str, Any] = {
    "title": "one library, three numbers of ranks",
    "mpi": ["mpich"],
    "application": {"rhodo": {"reader": "lammps", "program": "lmp"}},
    "axes": {"ranks": [1, 2, 4]},
    "repeats": {"blocks": 8},
}


def of_study(
    name: str = "a",
    document: Mapping[str, object] = SIZES,
    *,
    seed: int = 1,
    directory: str = "",
    change: Callable[[Run], Run] = lambda run: run,
    **planted: Any,
) -> RunSet:
    """A set of all runs of a made-up study, in a directory of its own if none is given."""
    study = synthetic_study.study(document)
    runs = [
        change(run) for run in synthetic_study.runs(study, synthetic_study.Truth(**planted), seed)
    ]
    root = Path("/studies") / (directory or name)
    placed = [(run_directory(root, run), run) for run in runs]
    return study_set(name, root, root, study, placed)


def run_directory(root: Path, run: Run) -> Path:
    assert run.result is not None
    return root / "runs" / run.result.configuration / f"b{run.result.block:03}"


def write_plain(
    directory: Path, seconds: float, runs: int = 8, *, seed: int = 1, ranks: int = 2, nx: int = 20
) -> None:
    """Run directories without the profiler, as `waywiser profile --bare` makes them."""
    random_ = random.Random(seed)
    study = synthetic_study.study({**SIZES, "axes": {"ranks": ranks}, "repeats": {"blocks": runs}})
    for number, run in enumerate(synthetic_study.runs(study, synthetic_study.Truth())[1:]):
        assert run.conditions is not None
        wall = seconds * random_.lognormvariate(0, 0.005)
        busy = {"wall_seconds": wall, "cpu_seconds": wall, "busy_seconds": wall}
        program = run.program.replace(arguments=("--nx", str(nx)))
        plain = run.replace(
            result=None,
            profiler=False,
            command=("mpirun", "-n", str(ranks), "lmp", "--nx", str(nx)),
            program=program,
            conditions=run.conditions.replace(**busy),
        )
        files = RunDirectory(directory / f"ranks{ranks}" / f"{number:02}")
        files.create()
        files.write_run(plain)
