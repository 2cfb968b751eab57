"""What `compare` says of two sets of runs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from tests import synthetic_study as made
from tests.made_sets import SIZES, of_study, run_folder, write_plain
from tests.said import Cases, Said
from tests.said.studies import answered, in_result
from waywiser.analyse import sets
from waywiser.analyse.compare_sets import compare_sets
from waywiser.analyse.sets import RunSet, plain_set, study_set
from waywiser.model.run import Run
from waywiser.report.comparison import comparison_text
from waywiser.store.directory import RunDirectory

IMPI = {**SIZES, "mpi": ["impi"]}
BOTH = {**SIZES, "mpi": ["mpich", "impi"], "axes": {"ranks": 1}}
SINGLE = {**SIZES, "axes": {"ranks": 1}}
Change = Callable[[Run], Run]


def unchanged(run: Run) -> Run:
    return run


def in_figures(update: Mapping[str, Any], at: str = "", name: str = "") -> Change:
    """Figures of merit, at one of the points or of one name, are others."""

    def figures(run: Run) -> Mapping[str, Any]:
        assert run.result is not None
        reading = run.result.reading
        changed = tuple(
            one.replace(**update) if run.result.point.endswith(at) and name in one.name else one
            for one in reading.figures
        )
        return {"reading": reading.replace(figures=changed)}

    return in_result(figures)


def compared(
    *,
    document: Mapping[str, object] = SIZES,
    change: Change = unchanged,
    in_a: Change = unchanged,
    figures: Sequence[str] = (),
    ignore: Sequence[str] = (),
    folder: str = "b",
    **planted: Any,
) -> Said:
    """A study of three numbers of ranks, and another one."""

    def text() -> str:
        a = of_study("a", change=in_a)
        b = of_study("b", document, seed=2, folder=folder, change=change, **planted)
        return comparison_text(compare_sets(a, b, figures, ignore))

    return answered(text)


def of_library(library: str, folder: str) -> RunSet:
    """Runs of one library, in a study of two."""
    study = made.study(BOTH)
    runs = [run for run in made.runs(study, made.Truth()) if library in _point(run)]
    root = Path("/studies") / folder
    return study_set(library, root, root, study, [(run_folder(root, run), run) for run in runs])


def _point(run: Run) -> str:
    assert run.result is not None
    return run.result.point


def of_two_libraries(folder: str) -> Said:
    return lambda: comparison_text(
        compare_sets(of_library("mpich", "s"), of_library("impi", folder))
    )


def no_results() -> str:
    runs = [run.replace(result=None) for run in made.runs(made.study(SINGLE), ONE)]
    placed = [(Path(f"/studies/x/{number}"), run) for number, run in enumerate(runs)]
    return study_set("x", Path("/studies/x"), Path("/studies/x"), made.study(SINGLE), placed).name


def no_figures(run: Run) -> Run:
    """None that other runs have."""
    return in_result(lambda _: {"mpi": None})(in_figures({"name": "other"})(run))


ONE = made.Truth()
LACKING = in_figures({"name": "other"}, name="loop_time")
UNLIKE = compared(document=IMPI)

COMPARED: dict[str, tuple[Said, Said]] = {
    "runs of the same block of the study are paired": (
        of_two_libraries("s"),
        of_two_libraries("other"),
    ),
    "the sets share no blocks, so nothing guards the verdicts against drift between them": (
        of_two_libraries("other"),
        of_two_libraries("s"),
    ),
    "all points of a figure are decided together (Holm)": (
        compared(),
        compared(document=SINGLE),
    ),
    "{} is missing at {} of {} points": (
        compared(change=in_figures({"name": "x"}, "r2", "performance"), figures=["performance"]),
        compared(figures=["performance"]),
    ),
    "--figure {}: no point of both sets has it{}": (compared(figures=["speed"]), compared()),
    "; both have {}": (compared(figures=["speed"]), compared()),
    "; they have no figure in common": (
        compared(change=no_figures, figures=["speed"]),
        compared(figures=["speed"]),
    ),
    "the headline figure of {} is {}, that of {} {}; choose one with --figure{}": (
        compared(rate=True),
        compared(),
    ),
    "{} is missing in {}; choose another figure with --figure{}": (
        compared(change=LACKING),
        compared(rate=True),
    ),
    "{} differs between the two sets: {}": (
        compared(change=in_figures({"unit": "min"})),
        compared(),
    ),
    "{} is better, in {}": (compared(change=in_figures({"unit": "min"})), compared()),
    "{} cannot be compared: neither higher nor lower is better": (
        compared(in_a=in_figures({"better": "neither"}), change=in_figures({"better": "neither"})),
        compared(),
    ),
    "{} and {} share runs, such as {}": (compared(folder="a"), compared()),
}

MATCH: dict[str, tuple[Said, Said]] = {
    "--ignore {}: no point has it; they have {}": (
        compared(ignore=["colour"]),
        compared(ignore=["mpi"]),
    ),
    "no point of {} matches a point of {}{}": (UNLIKE, compared(document=IMPI, ignore=["mpi"])),
    ": {}; if that is intended, add {}": (UNLIKE, compared(document=IMPI, ignore=["mpi"])),
    "{} is {} in {} and {} in {}": (UNLIKE, compared(document=IMPI, ignore=["mpi"])),
    "{}: {} and {} match the same point of the other set; give the directory of one of them": (
        compared(document={**SIZES, "axes": {"ranks": [1, 2], "order": [4, 8]}}),
        compared(),
    ),
}


def held(*, runs: int = 1, hidden: str = "", most: int = 9, **change: Any) -> Said:
    """What is said of a folder with runs, some of which are so.

    Args:
        hidden: folder that holds a study.
    """

    def text() -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            write_plain(path, 1.0, runs)
            for directory in (path / "ranks2").iterdir():
                files = RunDirectory(directory)
                files.write_run(files.read_run().replace(**change))
            if hidden:
                (path / hidden).mkdir()
                for name in ("study.toml", "plan.json"):
                    (path / hidden / name).touch()
            with mock.patch.object(sets, "MOST_RUNS", most):
                found = plain_set("x", path)
            return "; ".join(reason for run in found.excluded for reason in run.reasons)

    return answered(text)


def held_nothing() -> str:
    with tempfile.TemporaryDirectory() as folder:
        return plain_set("x", Path(folder)).name


def warm_ups(blocks: int) -> Said:
    """A study of which so many runs have ended."""

    def text() -> str:
        runs = made.runs(made.study(SINGLE), ONE)[:blocks]
        placed = [(Path(f"/studies/x/{number}"), run) for number, run in enumerate(runs)]
        here = Path("/studies/x")
        return study_set("x", here, here, made.study(SINGLE), placed).name

    return answered(text)


FAILED = held(status="failed", exit_code=7)
SETS: dict[str, tuple[Said, Said]] = {
    "it ended with exit code {}": (FAILED, held(status="complete", exit_code=7)),
    "it has not ended": (held(status="running"), held()),
    "a rank is missing, or did not call MPI_Finalize": (
        held(status="partial", notes=()),
        held(status="partial", notes=("rank 1 was killed",)),
    ),
    "it was a warm-up": (warm_ups(1), warm_ups(2)),
    "{}: none of {} is valid{}": (FAILED, held()),
    ": their results were not recorded": (answered(no_results), FAILED),
    "{} holds no run that has ended; give the directory of a study, a run directory of `waywiser "
    "profile -o RUN`, or a directory of such": (answered(held_nothing), held()),
    "{}: directory not found; give one that holds runs": (
        answered(lambda: plain_set("x", Path("/nowhere")).name),
        held(),
    ),
    "{} holds a study; give {} itself": (held(hidden="x.study"), held()),
    "{} holds more than {} runs; give fewer": (held(runs=3, most=2), held(runs=2, most=2)),
}


def other(**program: str) -> Said:
    """Programs of the second set are like this."""

    def change(run: Run) -> Run:
        return run.replace(program=run.program.replace(**program))

    return compared(change=change)


def version(run: Run) -> Mapping[str, Any]:
    assert run.result is not None
    return {"reading": run.result.reading.replace(version="2 Aug 2023")}


def odd(run: Run) -> Run:
    """One of a point has another variable."""
    assert run.result is not None
    first = run.result.block == 3
    return run.replace(environment={"UCX_TLS": "tcp"}) if first else run


DIFFERENCES: dict[str, tuple[Said, Said]] = {
    "Build of the program": (other(build_id="ab12"), compared()),
    "File of the MPI library": (other(mpi_library="libmpi.so.40"), compared()),
    "Version of the program": (compared(change=in_result(version)), compared()),
    "Measured in addition": (
        compared(change=lambda run: run.replace(options=("trace",))),
        compared(),
    ),
    "the runs of {} are not alike at {}: they differ in {}": (compared(change=odd), compared()),
}

CASES: Cases = {
    "analyse.compare_sets": COMPARED,
    "analyse.differences": DIFFERENCES,
    "analyse.match": MATCH,
    "analyse.sets": SETS,
}
