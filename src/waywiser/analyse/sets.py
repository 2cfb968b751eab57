"""Sets of runs to compare: the runs of a study, or those in a directory."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from waywiser.analyse.gate import gate_of_launch
from waywiser.analyse.profiled import share_of
from waywiser.analyse.programs import OF_PROGRAMS, program_axes
from waywiser.analyse.samples import Group, Sample, Samples
from waywiser.errors import InvalidCommand, NotEnoughData, not_found
from waywiser.model.configuration_findings import ExcludedRun
from waywiser.model.reading import Metric, Reading
from waywiser.model.result import Result, Scalar
from waywiser.model.run import Run
from waywiser.model.study import Study
from waywiser.model.summary import Summary
from waywiser.progress import steps
from waywiser.store.directory import RunDirectory
from waywiser.store.finish import finish_if_abandoned
from waywiser.store.summary import summarise
from waywiser.units import counted

RUN_TIME = "run_time"
DEEPEST = 8
MOST_RUNS = 20_000


@dataclass(frozen=True)
class PlainSample(Sample):
    """A run without a study."""

    directory: str
    """Directory of the run, relative to that of the set."""

    @property
    def name(self) -> str:
        return self.directory


@dataclass(frozen=True)
class RunSet:
    """One of the two compared sets."""

    name: str
    """Short name for sentences."""

    path: Path
    groups: tuple[Group, ...]
    """The configurations with a run that counts."""

    excluded: tuple[ExcludedRun, ...]
    directories: frozenset[Path]
    """Directories of all its runs, resolved."""

    runs: int
    title: str = ""
    study: Path | None = None
    """The directory of the study whose blocks contain the set's runs."""

    margin: float | None = None
    """Margin of the set's study; None if it has no study."""

    program_axes: frozenset[str] = OF_PROGRAMS
    """Names of the values that choose the program."""


def study_set(
    name: str, path: Path, root: Path, study: Study, runs: Sequence[tuple[Path, Run]]
) -> RunSet:
    """Build a set from the runs of a study, or some of them.

    Args:
        root: the study's directory.
        runs: runs that have ended, each with its directory.
    """
    samples = Samples(study, [with_profile_metrics(run) for _, run in runs])
    taken = [sample for group in samples.groups for sample in group.samples]
    return _checked(
        RunSet(
            name=name,
            path=path,
            groups=tuple(group for group in samples.groups if group.counted),
            excluded=tuple(_excluded(sample) for sample in taken if not sample.result.counts),
            directories=frozenset(directory.resolve() for directory, _ in runs),
            runs=len(runs),
            title=study.title,
            study=root.resolve(),
            margin=study.repeats.margin,
            program_axes=program_axes(study),
        )
    )


def plain_set(
    name: str, path: Path, version_of: Callable[[Path], str] = lambda directory: ""
) -> RunSet:
    """Build a set from the runs in a directory, or from a single run's directory.

    Args:
        version_of: the version that the program of a run printed, by the run's directory.

    Raises:
        InvalidRun: a run is damaged.
        InvalidCommand: there is no run, or the directory holds whole studies or too many runs.
        NotEnoughData: no run counts.
    """
    directories = list(_run_directories(path))
    groups: dict[str, Group] = {}
    excluded: list[ExcludedRun] = []
    for directory in steps("reading runs", directories, len(directories)):
        inside = directory.relative_to(path)
        sample = _plain_sample(directory, str(inside) if inside.parts else name, version_of)
        if not sample.result.counts:
            excluded.append(_excluded(sample))
            continue
        values = sample.result.values
        group = groups.setdefault(repr(values), Group(sample.result.configuration, values))
        group.samples.append(sample)
    for group in groups.values():
        group.samples.sort(key=lambda sample: sample.run.started)
    return _checked(
        RunSet(
            name=name,
            path=path,
            groups=tuple(groups.values()),
            excluded=tuple(excluded),
            directories=frozenset(directory.resolve() for directory in directories),
            runs=len(directories),
        )
    )


def _checked(run_set: RunSet) -> RunSet:
    if not run_set.runs:
        raise InvalidCommand(
            f"{run_set.path} holds no run that has ended; give the directory of a study, a run "
            "directory of `waywiser profile -o RUN`, or a directory of such"
        )
    if not run_set.groups:
        raise NotEnoughData(
            f"{run_set.path}: none of {counted(run_set.runs, 'run')} is valid{_why(run_set)}"
        )
    return run_set


def _why(run_set: RunSet) -> str:
    """Return the first reason why no run counts; "" if no run has a result."""
    if not run_set.excluded:
        return ": their results were not recorded"
    first = run_set.excluded[0]
    return f": {first.run}: {'; '.join(first.reasons) or 'it was a warm-up'}"


def _run_directories(path: Path) -> Iterator[Path]:
    """Yield directories with a run.json, in the order of their names; links are not followed."""
    if not path.is_dir():
        raise InvalidCommand(f"{not_found(path, 'directory')}; give one that holds runs")
    count = 0
    for here, directories, files in os.walk(path):
        directory = Path(here)
        if "study.toml" in files and "plan.json" in files:
            raise InvalidCommand(f"{path} holds a study; give {directory} itself")
        if "run.json" in files:
            directories.clear()
            count += 1
            if count > MOST_RUNS:
                raise InvalidCommand(f"{path} holds more than {MOST_RUNS:,} runs; give fewer")
            yield directory
        if len(directory.relative_to(path).parts) >= DEEPEST:
            directories.clear()
        directories.sort()


def _plain_sample(directory: Path, name: str, version_of: Callable[[Path], str]) -> PlainSample:
    files = RunDirectory(directory)
    run = finish_if_abandoned(files, files.read_run())
    if run.result is None:  # else the run was moved out of a study
        profiled = run.status == "complete" and run.profiler
        summary = summarise(run, files.read_profile(run)) if profiled else None
        run = run.replace(result=_result(run, summary, version_of(directory)))
    run = with_profile_metrics(run)
    assert run.result is not None
    return PlainSample(run, run.result, name)


def _result(run: Run, summary: Summary | None, version: str) -> Result:
    values = _values(run, summary)
    wall = run.conditions.wall_seconds if run.conditions else None
    metrics = [Metric(name=RUN_TIME, value=wall, unit="s", better="lower")] if wall else []
    threads = values.get("threads", 1)
    each = (summary.per_rank if summary is not None else None) or ()
    gate = gate_of_launch(
        run,
        summary,
        ranks=len(each),
        threads=threads if isinstance(threads, int) else 1,
        nodes=len({rank.host for rank in each}),
    )
    return Result(
        configuration=", ".join(str(value) for value in values.values()),
        values=values,
        block=0,
        warm_up=False,
        headline=RUN_TIME,
        reading=Reading(metrics=tuple(metrics), version=version),
        failures=_failures(run),
        unreliable=gate.unreliable,
        remedies=gate.remedies,
        mpi=share_of(summary) if summary is not None else None,
    )


def _failures(run: Run) -> tuple[str, ...]:
    match run.status:
        case "complete":
            return ()
        case "running":
            return ("it has not ended",)
        case "failed":
            return (f"it ended with exit code {run.exit_code}",)
        case "partial":
            return ("; ".join(run.notes) or "a rank is missing, or did not call MPI_Finalize",)


def _values(run: Run, summary: Summary | None) -> dict[str, Scalar]:
    """Return the values that distinguish a run, like those of a study's configuration."""
    values: dict[str, Scalar] = {
        "application": Path(run.program.path).name,
        "mpi": run.mpi.library,
        "arguments": shlex.join(run.program.arguments),
    }
    if summary is not None:
        values["ranks"] = summary.ranks
    else:
        values["launcher"] = launcher_text(run)
    threads = run.environment.get("OMP_NUM_THREADS", "").split(",")[0]
    if threads.isdecimal():
        values["threads"] = int(threads)
    return values


def launcher_text(run: Run) -> str:
    """Return the words before the program, e.g. "mpirun -n 4"."""
    words = run.command[: max(0, len(run.command) - len(run.program.arguments) - 1)]
    return shlex.join([Path(words[0]).name, *words[1:]]) if words else ""


def with_profile_metrics(run: Run) -> Run:
    """Add metrics of the profile to those that the application reports."""
    result = run.result
    if result is None or result.mpi is None:
        return run
    known = {metric.name for metric in result.reading.metrics}
    more = [metric for metric in _profile_metrics(result) if metric.name not in known]
    reading = result.reading.replace(metrics=(*result.reading.metrics, *more))
    return run.replace(result=result.replace(reading=reading))


def _profile_metrics(result: Result) -> Iterator[Metric]:
    mpi = result.mpi
    if mpi is None or not mpi.ranks or mpi.wall_seconds <= 0:
        return
    seconds = mpi.mpi_seconds / mpi.ranks
    share = seconds / mpi.wall_seconds
    yield Metric(name="mpi_time", value=seconds, unit="s", better="lower")
    yield Metric(name="mpi_share", value=share, unit="", better="lower")


def _excluded(sample: Sample) -> ExcludedRun:
    result = sample.result
    return ExcludedRun(
        run=sample.name,
        configuration=result.configuration,
        block=result.block,
        warm_up=result.warm_up,
        reasons=result.failures,
    )
