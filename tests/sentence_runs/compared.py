"""Sentences of `compare` on two sets of runs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from tests import synthetic_study
from tests.sentence_runs.studies import answered, in_result
from tests.synthetic_sets import SIZES, of_study, run_directory, write_plain
from waywiser.analyse import sets
from waywiser.analyse.compare_sets import compare_sets
from waywiser.analyse.sets import RunSet, plain_set, study_set
from waywiser.model.run import Run
from waywiser.report.answers.comparison import comparison_text
from waywiser.store.directory import RunDirectory

IMPI = {**SIZES, "mpi": ["impi"]}
BOTH = {**SIZES, "mpi": ["mpich", "impi"], "axes": {"ranks": 1}}
SINGLE = {**SIZES, "axes": {"ranks": 1}}
Change = Callable[[Run], Run]


def unchanged(run: Run) -> Run:
    return run


def in_metrics(update: Mapping[str, Any], at: str = "", name: str = "") -> Change:
    """Metrics, at one of the configurations or of one name, are others."""

    def metrics(run: Run) -> Mapping[str, Any]:
        assert run.result is not None
        reading = run.result.reading
        changed = tuple(
            metric.replace(**update)
            if run.result.configuration.endswith(at) and name in metric.name
            else metric
            for metric in reading.metrics
        )
        return {"reading": reading.replace(metrics=changed)}

    return in_result(metrics)


@answered
def compared(
    *,
    document: Mapping[str, object] = SIZES,
    change: Change = unchanged,
    in_a: Change = unchanged,
    metrics: Sequence[str] = (),
    ignore: Sequence[str] = (),
    directory: str = "b",
    **planted: Any,
) -> str:
    """A study of three numbers of ranks, and another one."""
    a = of_study("a", change=in_a)
    b = of_study("b", document, seed=2, directory=directory, change=change, **planted)
    return comparison_text(compare_sets(a, b, metrics, ignore))


def of_library(library: str, directory: str) -> RunSet:
    """Runs of one library, in a study of two."""
    study = synthetic_study.study(BOTH)
    runs = [
        run
        for run in synthetic_study.runs(study, synthetic_study.Truth())
        if library in _configuration(run)
    ]
    root = Path("/studies") / directory
    return study_set(library, root, root, study, [(run_directory(root, run), run) for run in runs])


def _configuration(run: Run) -> str:
    assert run.result is not None
    return run.result.configuration


def of_two_libraries(directory: str) -> str:
    return comparison_text(compare_sets(of_library("mpich", "s"), of_library("impi", directory)))


def no_results() -> str:
    runs = [
        run.replace(result=None) for run in synthetic_study.runs(synthetic_study.study(SINGLE), ONE)
    ]
    placed = [(Path(f"/studies/x/{number}"), run) for number, run in enumerate(runs)]
    return study_set(
        "x", Path("/studies/x"), Path("/studies/x"), synthetic_study.study(SINGLE), placed
    ).name


def no_metrics(run: Run) -> Run:
    """The run with no metric that other runs have."""
    return in_result(lambda _: {"mpi": None})(in_metrics({"name": "other"})(run))


ONE = synthetic_study.Truth()
LACKING = in_metrics({"name": "other"}, name="loop_time")
UNLIKE = partial(compared, document=IMPI)


@answered
def held(*, runs: int = 1, hidden: str = "", most: int = 9, **change: Any) -> str:
    """The sentences on a directory with runs, some of which are changed.

    Args:
        hidden: directory that holds a study.
    """
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary)
        write_plain(path, 1.0, runs)
        for directory in (path / "ranks2").iterdir():
            files = RunDirectory(directory)
            files.write_run(files.read_run().replace(**change))
        if hidden:
            (path / hidden).mkdir()
            for name in ("study.toml", "plan.json"):
                (path / hidden / name).touch()
        with mock.patch.object(sets, "MOST_RUNS", most):
            run_set = plain_set("x", path)
        return "; ".join(reason for run in run_set.excluded for reason in run.reasons)


def held_nothing() -> str:
    with tempfile.TemporaryDirectory() as directory:
        return plain_set("x", Path(directory)).name


@answered
def warm_ups(blocks: int) -> str:
    """A study of which so many runs have ended."""
    runs = synthetic_study.runs(synthetic_study.study(SINGLE), ONE)[:blocks]
    placed = [(Path(f"/studies/x/{number}"), run) for number, run in enumerate(runs)]
    here = Path("/studies/x")
    return study_set("x", here, here, synthetic_study.study(SINGLE), placed).name


FAILED = partial(held, status="failed", exit_code=7)


def other(**program: str) -> str:
    """Programs of the second set are like this."""

    def change(run: Run) -> Run:
        return run.replace(program=run.program.replace(**program))

    return compared(change=change)


def version(run: Run) -> Mapping[str, Any]:
    assert run.result is not None
    return {"reading": run.result.reading.replace(version="2 Aug 2023")}


def odd(run: Run) -> Run:
    """The run, with another variable if it is in block 3."""
    assert run.result is not None
    first = run.result.block == 3
    return run.replace(environment={"UCX_TLS": "tcp"}) if first else run
