"""Reads the output and profile of a run, and decides whether the run is valid."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from waywiser.analyse.gate import gate_of_launch
from waywiser.analyse.profiled import share_of
from waywiser.apps.application import Output
from waywiser.apps.pattern import checked, read_patterns
from waywiser.apps.table import find
from waywiser.apps.text import SAYS
from waywiser.errors import InvalidRun
from waywiser.model.reading import Metric, Reading
from waywiser.model.result import Result
from waywiser.model.run import Run
from waywiser.model.study import Application
from waywiser.model.summary import Summary
from waywiser.store.read import summary_of
from waywiser.store.study import Place
from waywiser.study.campaign import Campaign
from waywiser.study.condition import evaluate

LOST = "the run was interrupted by"
TAIL_LINES, TAIL_CHARACTERS, LONGEST_LINE = 8, 65536, 200
RUN_TIME = "run_time"
"""Metric for the time from the start of the command to its end."""


def is_lost(campaign: Campaign, place: Place, run: Run | None) -> bool:
    """True if a run without a result was cut short from outside and has to be repeated."""
    if run is None:
        return True
    if (
        run.result is not None
        or run.status in ("running", "complete")
        or campaign.directory.out_of_time(place).exists()
    ):
        return False
    return run.exit_code is None or any(note.startswith(LOST) for note in run.notes)


def collect(campaign: Campaign, place: Place, run: Run) -> Run:
    """Saves the run with its result and outputs, unless that is saved already, and removes its
    working directory."""
    with_result = collected(campaign, place, run)
    if with_result != run:
        keep(campaign, place, with_result)
    return with_result


def keep(campaign: Campaign, place: Place, run: Run) -> None:
    for file, kept in _outputs(campaign, place):
        if file.exists():
            kept.parent.mkdir(exist_ok=True)
            shutil.move(file, kept)
    campaign.directory.write(place, run)
    shutil.rmtree(campaign.directory.work(place), ignore_errors=True)


def collected(campaign: Campaign, place: Place, run: Run) -> Run:
    """Return the run with its result; an existing result stays unchanged. Nothing is written."""
    if run.result is not None or run.status == "running":
        return run
    configuration = campaign.configurations[place.configuration]
    application = configuration.application
    output = output_of(campaign.directory.run(place), campaign.directory.work(place))
    reading = read_output(application, output)
    summary, problem = _summary(campaign, place, run)
    wall = run.conditions.wall_seconds if run.conditions else None
    if wall is not None:
        metric = Metric(name=RUN_TIME, value=wall, unit="s", better="lower")
        reading = reading.replace(metrics=(*reading.metrics, metric))
    headline = headline_of(application, reading)
    failures = _bad_end(campaign, place, run)
    if not failures or SAYS in reading.failure:  # a bad end explains missing output
        failures += [reading.failure] if reading.failure else []
    failures += [problem] if problem else []
    failures += [] if failures else _without_outputs(campaign, place)
    if not failures and all(metric.name != headline for metric in reading.metrics):
        failures.append(f"its output has no {headline}")
    gate = gate_of_launch(
        run, summary, configuration.ranks, configuration.threads, configuration.nodes
    )
    result = Result(
        configuration=place.configuration,
        values=configuration.values,
        block=place.block,
        warm_up=place.block == 0,
        headline=headline,
        reading=reading,
        failures=tuple(failures),
        stderr=last_lines(output.stderr) if failures else (),
        unreliable=gate.unreliable,
        remedies=gate.remedies,
        work=_work(campaign, place),
        mpi=share_of(summary) if summary else None,
    )
    return run.replace(result=result)


def _outputs(campaign: Campaign, place: Place) -> Iterator[tuple[Path, Path]]:
    """The files that a study keeps of a run: where the run leaves them, and where they are kept."""
    work, kept = campaign.directory.work(place), campaign.directory.outputs(place)
    for name in campaign.configurations[place.configuration].application.outputs:
        yield work / name, kept / name


def _without_outputs(campaign: Campaign, place: Place) -> list[str]:
    missing = [
        file.name
        for file, kept in _outputs(campaign, place)
        if not (file.exists() or kept.exists())
    ]
    return [f"it left no {' and no '.join(missing)} in its directory"] if missing else []


def _bad_end(campaign: Campaign, place: Place, run: Run) -> list[str]:
    """Failures from a run's time limit and exit code, independent of its output."""
    failures = []
    if campaign.directory.out_of_time(place).exists():
        limit = campaign.study.resources.time_limit_minutes
        failures.append(f"it did not end within {limit:g} min (resources.time_limit_minutes)")
    return failures + ([f"it ended with exit code {run.exit_code}"] if run.exit_code else [])


def last_lines(text: str) -> tuple[str, ...]:
    """The last lines with letters or digits of a program and its launcher, without control
    characters."""
    lines = [line for line in text[-TAIL_CHARACTERS:].splitlines() if any(map(str.isalnum, line))]
    printable = ("".join(c if c.isprintable() else " " for c in line) for line in lines)
    return tuple(line.strip()[:LONGEST_LINE] for line in [*printable][-TAIL_LINES:])


def failed(campaign: Campaign, place: Place, run: Run, reason: str) -> Run:
    """Return a run as failed: the batch system ended it and would end a repetition too."""
    if reason in run.notes:
        return run
    ended = run.replace(status="failed", process=None, notes=(*run.notes, reason))
    with_result = collected(campaign, place, ended)
    assert with_result.result is not None
    result = with_result.result.replace(failures=(reason, *with_result.result.failures))
    return with_result.replace(result=result)


def headline_of(application: Application, reading: Reading | None = None) -> str:
    """The headline metric of an application; it may depend on the metrics of a run's output."""
    if application.headline:
        return application.headline
    if application.reader:
        reader = find(application.reader)
        return reader.headline_in(reading) if reading else reader.headline
    return next(iter(application.metrics), RUN_TIME)


def read_output(application: Application, output: Output) -> Reading:
    """The reader's result, with the study file's own metrics, success and correct values."""
    reading = find(application.reader).read(output) if application.reader else Reading()
    own = read_patterns(application.metrics, application.success, output)
    both = Reading(
        metrics=(*reading.metrics, *own.metrics),
        sections=reading.sections,
        series=reading.series,
        failure="; ".join(filter(None, (reading.failure, own.failure))),
        remarks=reading.remarks,
        transport=reading.transport,
        version=reading.version,
    )
    return checked(both, application.correct)


def output_of(run: Path, work: Path) -> Output:
    """The output of a run.

    Args:
        run: directory of the run.
        work: working directory of the run.
    """
    return Output(stdout=_text(run / "stdout"), stderr=_text(run / "stderr"), directory=work)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _summary(campaign: Campaign, place: Place, run: Run) -> tuple[Summary | None, str]:
    """The summary of a run's profile, and why a profile is missing or has the wrong number of
    ranks; "" if all is well."""
    if not run.profiler:
        return None, ""
    try:
        summary = summary_of(campaign.directory.run(place), run)
    except InvalidRun as error:
        return None, str(error)
    requested = campaign.configurations[place.configuration].ranks
    if summary.ranks and summary.ranks != requested:
        return summary, f"{summary.ranks} ranks called MPI_Init where {requested} were requested"
    return (summary, "") if summary.ranks else (None, "")


def _work(campaign: Campaign, place: Place) -> float | None:
    configuration = campaign.configurations[place.configuration]
    work = configuration.application.work
    return float(evaluate(configuration.fill(work), configuration.values)) if work else None
