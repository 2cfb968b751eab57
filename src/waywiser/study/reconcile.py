"""What became of a study's jobs, decided by what they left behind; the queue is a hint."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from waywiser.launch.batch import JobState, Reasons, Scheduler, fate, reason_in
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.model.run import Run
from waywiser.store.study import Place
from waywiser.study.campaign import Campaign
from waywiser.study.collect import collect, fail, is_lost
from waywiser.study.jobs import (
    Submitted,
    Task,
    files_of,
    records,
    remove_record,
    write_record,
)

ITS_OWN_DOING = {JobState.TIMEOUT, JobState.OUT_OF_MEMORY}
"""Ends that would come again: the run under way has failed. After others it is made again."""

FROM_OUTSIDE = {JobState.NODE_FAIL, JobState.PREEMPTED, JobState.CANCELLED, JobState.GONE}


@dataclass(frozen=True)
class Standing:
    """What there is of a batch study."""

    done: dict[Place, Run]
    active: set[Place]
    """Runs that jobs hold which are not over."""

    jobs: list[Submitted]


def reconcile(campaign: Campaign, *, retry_failed: bool = False) -> Standing:
    """Finds out what became of the jobs, and makes room for runs that have to be made again.

    Raises:
        InvalidRun: a job's record is damaged.
        ToolMissing: the batch system does not answer, and there are jobs that may not be over.
    """
    scheduler = SCHEDULERS[campaign.study.resources.scheduler]
    jobs = _jobs(campaign, scheduler)
    runs = {
        place: run
        if run is None or is_lost(campaign, place, run)
        else collect(campaign, place, run)
        for place, run in campaign.runs()
        if place.point in campaign.points
    }

    def said(place: Place, reasons: Reasons) -> JobState | None:
        return reason_in(campaign.directory.run(place) / "stderr", reasons)

    def ended_well(place: Place) -> bool:
        run = runs[place]
        counts = run is not None and run.result is not None and not run.result.failures
        return counts and said(place, scheduler.reasons) is None

    active: set[Place] = set()
    ended_badly: dict[Place, JobState] = {}
    for state, places in _last_tasks(jobs):
        if state.over:
            begun = [place for place in places if place in runs]
            late = {place: how for place in begun if (how := said(place, scheduler.too_late))}
            in_time = [place for place in begun if place not in late]
            ended_badly |= late | dict.fromkeys(_cut_short(state, in_time, ended_well), state)
        else:
            active.update(places)
    done: dict[Place, Run] = {}
    for place, run in runs.items():
        how = ended_badly.get(place)
        if run is not None and how in ITS_OWN_DOING:
            run = fail(campaign, place, run, f"it was ended by {scheduler.name}: {how.value}")
        elif how or run is None or run.result is None:
            if place not in active:
                campaign.directory.set_run_aside(place, "lost")
            continue
        if retry_failed and run.result is not None and run.result.failures:
            campaign.directory.set_run_aside(place, "failed")
        else:
            done[place] = run
    return Standing(done, active, jobs)


def _last_tasks(jobs: Sequence[Submitted]) -> Iterator[tuple[JobState, Task]]:
    """Of every task, its state, and the runs that no later one holds."""
    tasks = [(job, task) for job in jobs for task in range(len(job.tasks))]
    last = {place: at for at, (job, task) in enumerate(tasks) for place in job.places(task)}
    for at, (job, task) in enumerate(tasks):
        yield job.states[task], [place for place in job.places(task) if last[place] == at]


def _cut_short(state: JobState, begun: Task, ended_well: Callable[[Place], bool]) -> Task:
    """The runs of an ended task that its end spoilt, whatever their launchers said of it.

    The run under way is spoilt. Where the end came from outside, so are the runs just before it
    that have not ended well. A script that has lost its nodes can begin several runs before it
    ends.
    """
    if state not in ITS_OWN_DOING | FROM_OUTSIDE:
        return []
    latest = itertools.takewhile(lambda place: not ended_well(place), reversed(begun))
    return list(latest)[: 1 if state in ITS_OWN_DOING else None]


def _jobs(campaign: Campaign, scheduler: Scheduler) -> list[Submitted]:
    """Every job as it stands. The queue is asked once, for those that may not be over."""
    jobs = [job for record in records(campaign) if (job := _known(campaign, record))]
    ids = [job.id for job in jobs if not job.over]
    hints = scheduler.states(ids) if ids else {}
    return [_reconciled(campaign, scheduler, job, hints) for job in jobs]


def _known(campaign: Campaign, record: Submitted) -> Submitted | None:
    """A job with its id. Where `submit` did not live to learn the id, the job tells it when it
    begins. If it has not begun, it never will, and its record is removed: None.
    """
    if record.id:
        return record
    owner = files_of(campaign, record).take_back()
    if not owner:
        remove_record(campaign, record)
        return None
    record = record.replace(id=owner)
    write_record(campaign, record)
    return record


def _reconciled(
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
    now = record.replace(states=tuple(states))
    if now != record:
        write_record(campaign, now)
    return now
