"""The progress of a study."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping

from waywiser.model.run import Run
from waywiser.model.status import ConfigurationStatus, FailedRun, JobStatus, StudyStatus
from waywiser.store.study import Place
from waywiser.study.campaign import Campaign
from waywiser.study.collect import headline_of
from waywiser.study.jobs import Submitted
from waywiser.study.local import spent
from waywiser.study.standing import Standing, runs_of
from waywiser.units import counted, seconds_text, three_digits


def finished(campaign: Campaign) -> dict[Place, Run]:
    """The finished runs with their results, including failed ones; nothing is written."""
    return {place: run for place, run in runs_of(campaign).items() if run and run.result}


def status_of(campaign: Campaign, standing: Standing) -> StudyStatus:
    """The number of runs of each configuration by state."""
    done = standing.done
    under_way = Counter(place.configuration for place in standing.under_way)
    lost = len(standing.lost) + len(campaign.directory.set_aside("lost"))
    not_made = Counter(place.configuration for place in campaign.not_made(done))
    configurations = tuple(
        _configuration(campaign, name, done, under_way[name], not_made[name])
        for name in campaign.configurations
    )
    repeats = campaign.study.repeats
    missing = sum(configuration.missing for configuration in configurations)
    seconds = [run.conditions.wall_seconds for run in done.values() if run.conditions]
    failures = tuple(
        FailedRun(run=str(place), reasons=run.result.failures, stderr=run.result.stderr)
        for place, run in sorted(done.items(), key=lambda item: str(item[0]))
        if run.result and run.result.failures
    )
    return StudyStatus(
        title=campaign.study.title,
        directory=str(campaign.directory.path),
        blocks=repeats.blocks,
        warm_up=int(repeats.warm_up),
        runs=len(configurations) * (repeats.blocks + repeats.warm_up),
        done=len(done) - len(failures),
        failed=len(failures),
        under_way=sum(under_way.values()),
        missing=missing,
        not_made=not_made.total(),
        core_hours=spent(campaign, done),
        seconds_left=statistics.mean(seconds) * missing if seconds else None,
        configurations=configurations,
        failures=failures,
        jobs=tuple(_job(job, done) for job in standing.jobs),
        lost_attempts=lost,
    )


def _job(job: Submitted, done: Mapping[Place, Run]) -> JobStatus:
    places = [place for task in range(len(job.tasks)) for place in job.places(task)]
    states = dict.fromkeys(state.value for state in job.states)
    return JobStatus(
        name=job.name,
        id=job.id,
        state=", ".join(states) or "not submitted",
        runs=len(places),
        undone=sum(place not in done for place in places),
    )


def _configuration(
    campaign: Campaign, name: str, done: dict[Place, Run], under_way: int, not_made: int
) -> ConfigurationStatus:
    blocks = range(campaign.first_block, campaign.study.repeats.blocks + 1)
    runs = {place: run for place, run in done.items() if place.configuration == name}
    results = [run.result for run in runs.values() if run.result]
    failed = sum(bool(result.failures) for result in results)
    metrics = [metric for r in results if r.counts and (metric := r.metric()) is not None]
    missing = sum(Place(name, block) not in runs for block in blocks)
    return ConfigurationStatus(
        configuration=name,
        done=len(results) - failed,
        failed=failed,
        under_way=under_way,
        missing=max(0, missing - under_way - not_made),
        not_made=not_made,
        unreliable=sum(bool(result.unreliable) for result in results if not result.failures),
        headline=next(
            (r.headline for r in results), headline_of(campaign.configurations[name].application)
        ),
        median=statistics.median(f.value for f in metrics) if metrics else None,
        unit=metrics[0].unit if metrics else "",
    )


def status_lines(status: StudyStatus) -> Iterator[str]:
    yield status.title
    stopped = f", {status.not_made} not made since a warm-up failed" if status.not_made else ""
    left = f" (about {_left(status.seconds_left)})" if status.seconds_left else ""
    yield (
        f"{status.done} of {counted(status.runs, 'run')} done, {status.failed} failed, "
        f"{status.under_way} under way, {status.missing} missing{left}{stopped}; "
        f"{three_digits(float(f'{status.core_hours:.3g}'))} core hours spent"
    )
    yield ""
    width = max(len(configuration.configuration) for configuration in status.configurations)
    yield f"{'configuration':<{width}}  done  failed  missing  median"
    for configuration in status.configurations:
        value = (
            "-"
            if configuration.median is None
            else f"{three_digits(configuration.median)} {configuration.unit}"
        )
        notes = (
            f"  ({configuration.unreliable} on a busy machine)" if configuration.unreliable else ""
        )
        if configuration.not_made:
            notes += f"  (stopped: its warm-up failed, {configuration.not_made} not made)"
        yield (
            f"{configuration.configuration:<{width}}  {configuration.done:>4}  "
            f"{configuration.failed:>6}  {configuration.missing:>7}  {value}{notes}"
        )
    for job in status.jobs:
        if job.undone:
            runs = f"{job.undone} of {counted(job.runs, 'run')} not done"
            yield f"{job.name} ({job.id or 'no id'}): {job.state}, {runs}"
    for failure in status.failures:
        yield f"failed: {failure.run}: {'; '.join(failure.reasons)}"
        yield from (f"    {line}" for line in failure.stderr)


def _left(seconds: float) -> str:
    return seconds_text(max(1.0, float(round(seconds))))
