"""The state of a study's runs and jobs, from their files and the queue. Nothing is written."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from waywiser.launch.batch import JobState, Reasons, Scheduler, fate, reason_in
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.model.run import Run
from waywiser.progress import steps
from waywiser.store.study import Place
from waywiser.study.campaign import Campaign
from waywiser.study.collect import collected, failed, is_lost
from waywiser.study.jobs import Submitted, Task, files_of, records

ITS_OWN_DOING = {JobState.TIMEOUT, JobState.OUT_OF_MEMORY}
"""States that would recur: the run under way has failed. After other states it is repeated."""

FROM_OUTSIDE = {JobState.NODE_FAIL, JobState.PREEMPTED, JobState.CANCELLED, JobState.GONE}


@dataclass(frozen=True)
class Standing:
    done: dict[Place, Run]
    """The finished runs with their results, including failed ones."""

    under_way: list[Place]
    lost: list[Place]
    """Runs that were cut short and must be repeated."""

    active: frozenset[Place] = frozenset()
    """Runs of jobs that are not over."""

    jobs: Sequence[Submitted] = ()


def runs_of(campaign: Campaign, *, finish: bool = False) -> dict[Place, Run | None]:
    """The study's runs in their present state, with results if they have ended; None for a run
    without a record; `finish` as for `StudyDirectory.read`."""
    runs: dict[Place, Run | None] = {}
    places = [
        place
        for place in campaign.directory.places()
        if place.configuration in campaign.configurations
    ]
    for place in steps("reading runs", places, len(places)):
        run = campaign.directory.read(place, finish=finish)
        if run is not None and not is_lost(campaign, place, run):
            run = collected(campaign, place, run)
        runs[place] = run
    return runs


def standing_of(campaign: Campaign, *, finish: bool = False) -> Standing:
    """The state of a study, from its runs and, in a batch system, its jobs. The queue is a hint.

    Raises:
        InvalidRun: a job's record is damaged.
        ToolMissing: the batch system does not answer, and jobs may not be over.
    """
    if campaign.study.resources.local:
        runs = runs_of(campaign, finish=finish)
        done = {place: run for place, run in runs.items() if run and run.result}
        under_way = [place for place, run in runs.items() if run and run.status == "running"]
        lost = [place for place in runs if place not in done and place not in under_way]
        return Standing(done, under_way, lost)
    scheduler = SCHEDULERS[campaign.study.resources.scheduler]
    jobs = _jobs(campaign, scheduler)
    runs = runs_of(campaign, finish=finish)
    ended_badly, active = _ended_badly(campaign, scheduler, jobs, runs)
    standing = Standing({}, [], [], active, jobs)
    for place, run in runs.items():
        how = ended_badly.get(place)
        if run is not None and how in ITS_OWN_DOING:
            why = f"it was ended by {scheduler.name}: {how.value}"
            standing.done[place] = failed(campaign, place, run, why)
        elif run is not None and run.result is not None and not how:
            standing.done[place] = run
        elif place not in active:
            standing.lost.append(place)
        elif run is not None and run.status == "running":
            standing.under_way.append(place)
    return standing


def _ended_badly(
    campaign: Campaign,
    scheduler: Scheduler,
    jobs: Sequence[Submitted],
    runs: Mapping[Place, Run | None],
) -> tuple[dict[Place, JobState], frozenset[Place]]:
    """The runs that the end of their job spoilt, and the runs of jobs that are not over."""

    def stated_reason(place: Place, reasons: Reasons) -> JobState | None:
        return reason_in(campaign.directory.run(place) / "stderr", reasons)

    def ended_well(place: Place) -> bool:
        run = runs[place]
        counts = run is not None and run.result is not None and not run.result.failures
        return counts and stated_reason(place, scheduler.reasons) is None

    active: set[Place] = set()
    states: dict[Place, JobState] = {}
    for state, places in _last_tasks(jobs):
        if state.over:
            started = [place for place in places if place in runs]
            late = {
                place: how for place in started if (how := stated_reason(place, scheduler.too_late))
            }
            in_time = [place for place in started if place not in late]
            states |= late | dict.fromkeys(_cut_short(state, in_time, ended_well), state)
        else:
            active.update(places)
    return states, frozenset(active)


def _last_tasks(jobs: Sequence[Submitted]) -> Iterator[tuple[JobState, Task]]:
    """The state of every task, and those of its runs that no later task has."""
    tasks = [(job, task) for job in jobs for task in range(len(job.tasks))]
    last = {place: at for at, (job, task) in enumerate(tasks) for place in job.places(task)}
    for at, (job, task) in enumerate(tasks):
        yield job.states[task], [place for place in job.places(task) if last[place] == at]


def _cut_short(state: JobState, started: Task, ended_well: Callable[[Place], bool]) -> Task:
    """The runs of an ended task that its end spoilt, independent of their launchers' messages.

    The last run is spoilt. If the task was ended from outside, so are the runs directly before it
    that did not end well. A script that has lost its nodes can start several runs before it ends.
    """
    if state not in ITS_OWN_DOING | FROM_OUTSIDE:
        return []
    latest = itertools.takewhile(lambda place: not ended_well(place), reversed(started))
    return list(latest)[: 1 if state in ITS_OWN_DOING else None]


def _jobs(campaign: Campaign, scheduler: Scheduler) -> list[Submitted]:
    """Every job in its present state. The queue is queried once, for jobs that may not be over."""
    jobs = [job for record in records(campaign) if (job := _known(campaign, record))]
    ids = [job.id for job in jobs if not job.over]
    hints = scheduler.states(ids) if ids else {}
    return [_as_it_stands(campaign, scheduler, job, hints) for job in jobs]


def _known(campaign: Campaign, record: Submitted) -> Submitted | None:
    """A job with its id. If `submit` was killed before the reply, the started job has recorded its
    id; None if it has not started."""
    id = record.id or files_of(campaign, record).started_by()
    return record.replace(id=id) if id else None


def _as_it_stands(
    campaign: Campaign, scheduler: Scheduler, record: Submitted, hints: Mapping[str, JobState]
) -> Submitted:
    if record.over:
        return record
    files = files_of(campaign, record)
    states = list[JobState]()
    for task in range(1, len(record.tasks) + 1):
        number = task if record.array else 0
        own = scheduler.task_id(record.id, task) if record.array else record.id
        hint = hints.get(own, hints.get(record.id, JobState.GONE))
        states.append(fate(scheduler, files.marker(number), files.output(number), hint))
    return record.replace(states=tuple(states))
