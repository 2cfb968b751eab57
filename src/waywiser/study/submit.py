"""Submits a study's runs to a batch system, and finds out later what became of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from waywiser.errors import InvalidRun
from waywiser.launch.batch import Job, JobState, Scheduler, fate
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.model.base import Model
from waywiser.model.run import Run
from waywiser.store.directory import replace_text
from waywiser.store.study import Place
from waywiser.study.campaign import Campaign
from waywiser.study.collect import collect, fail, is_lost
from waywiser.study.outlook import outlook

RECORD = ".json"
ITS_OWN_DOING = {JobState.TIMEOUT, JobState.OUT_OF_MEMORY}
"""Ends that would come again: the run under way has failed. After others it is made again."""


class Submitted(Model):
    """A job as it was submitted: jobs/NAME.json."""

    name: str
    id: str = ""
    """Empty until the batch system has given one."""

    array: bool = False
    tasks: tuple[tuple[tuple[str, int], ...], ...]
    """Of each task, (point, block) of its runs, in order; a job that is no array has one task."""

    states: tuple[JobState, ...] = ()
    """Of each task, once it is over."""

    @property
    def over(self) -> bool:
        return bool(self.states) and all(state.over for state in self.states)

    def places(self, task: int) -> list[Place]:
        return [Place(point, block) for point, block in self.tasks[task]]


@dataclass(frozen=True)
class Standing:
    """What there is of a batch study."""

    done: dict[Place, Run]
    active: dict[Place, str]
    """Runs that jobs hold which are not over, and the job's state."""

    jobs: list[Submitted]


def reconcile(campaign: Campaign, *, retry_failed: bool = False) -> Standing:
    """Finds out what became of the jobs, and makes room for runs that have to be made again.

    Raises:
        InvalidRun: a job's record is damaged.
        ToolMissing: the batch system does not answer, and there are jobs that may not be over.
    """
    scheduler = SCHEDULERS[campaign.study.resources.scheduler]
    jobs = [_reconciled(campaign, scheduler, job) for job in _asked(campaign, scheduler)]
    active: dict[Place, str] = {}
    ended: dict[Place, JobState] = {}
    for job in jobs:
        for task, state in enumerate(job.states):
            for place in job.places(task):
                if state.over:
                    ended[place] = state
                else:
                    active[place] = state.value
    done: dict[Place, Run] = {}
    for place, run in campaign.runs():
        if place.point not in campaign.points:
            continue
        if run is not None and run.status != "running" and not is_lost(campaign, place, run):
            run = collect(campaign, place, run)
            if retry_failed and run.result is not None and run.result.failures:
                campaign.directory.set_run_aside(place, "failed")
            else:
                done[place] = run
        elif place not in active:
            how = ended.get(place)
            if run is not None and how in ITS_OWN_DOING:
                done[place] = fail(campaign, place, run, f"its job ended: {how.value}")
            else:
                campaign.directory.set_run_aside(place, "lost")
    for place in done:
        active.pop(place, None)
    return Standing(done, active, jobs)


def _asked(campaign: Campaign, scheduler: Scheduler) -> list[tuple[Submitted, dict[str, JobState]]]:
    """Every job's record, with what the queue says of those that are not over, asked once."""
    jobs = list(records(campaign))
    ids = [job.id for job in jobs if job.id and not job.over]
    hints = scheduler.states(ids) if ids else {}
    return [(job, hints) for job in jobs]


def _reconciled(
    campaign: Campaign, scheduler: Scheduler, asked: tuple[Submitted, dict[str, JobState]]
) -> Submitted:
    record, hints = asked
    if record.over:
        return record
    if not record.id:  # killed before the batch system answered
        states = [JobState.GONE] * len(record.tasks)
    else:
        job = _job(campaign, record)
        states = list[JobState]()
        for task in range(1, len(record.tasks) + 1):
            number = task if record.array else 0
            own = scheduler.task_id(record.id, task) if record.array else record.id
            hint = hints.get(own, hints.get(record.id, JobState.GONE))
            states.append(fate(scheduler, job.marker(number), job.output(number), hint))
    now = record.model_copy(update={"states": tuple(states)})
    if now != record:
        _write(campaign, now)
    return now


def submit(campaign: Campaign, standing: Standing) -> tuple[list[Submitted], int]:
    """Submits the runs that no job has, as far as the limits allow.

    Returns:
        The new jobs, and how many runs still wait for a place in the queue.

    Raises:
        InvalidCommand: the batch system refused a job; those before it are submitted.
        ToolMissing: it is not here.
    """
    resources = campaign.study.resources
    scheduler = SCHEDULERS[resources.scheduler]
    limits = scheduler.limits()
    wanted = outlook(campaign, standing.done)
    due = [
        place
        for place in campaign.due(wanted.blocks)
        if place not in standing.done and place not in standing.active
    ]
    allowed = min(filter(None, (resources.jobs_at_once, limits.jobs)), default=0)
    free = allowed - sum(not job.over for job in standing.jobs) if allowed else len(due)
    array_limit = min(filter(None, (resources.array_limit, limits.array)))
    new: list[Submitted] = []
    waiting = 0
    numbers = _numbers(campaign)
    for tasks in _grouped(campaign, due, array_limit):
        if len(new) >= max(0, free):
            waiting += sum(map(len, tasks))
            continue
        record = Submitted(
            name=f"job{next(numbers):04}",
            array=resources.jobs == "array",
            tasks=tuple(tuple((place.point, place.block) for place in task) for task in tasks),
        )
        for place in itertools.chain.from_iterable(tasks):
            campaign.prepare(place)
        job = _job(campaign, record)
        replace_text(job.script, scheduler.script(job, resources))
        _write(campaign, record)
        try:
            number = scheduler.submit(job.script)
        except BaseException:
            _path(campaign, record.name).unlink()
            raise
        states = (JobState.WAITING,) * len(tasks)
        record = record.model_copy(update={"id": number, "states": states})
        _write(campaign, record)
        new.append(record)
    return new, waiting


def scripts(campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Name and text of every script that `submit` would write for a study that was not begun; of
    those of a study on this machine, the first one's."""
    resources = campaign.study.resources
    scheduler = SCHEDULERS[resources.scheduler]
    due = list(campaign.due(campaign.study.repeats.blocks))
    if resources.scheduler == "local":
        place = due[0]
        job = campaign.job(f"{place.point}-{place.name}", [[place]])
        yield f"{job.name}.sh, the first of {len(due)}", scheduler.script(job, resources)
        return
    for number, tasks in enumerate(_grouped(campaign, due, resources.array_limit), start=1):
        record = Submitted(
            name=f"job{number:04}",
            array=resources.jobs == "array",
            tasks=tuple(tuple((place.point, place.block) for place in task) for task in tasks),
        )
        yield f"{record.name}.sh", scheduler.script(_job(campaign, record), resources)


def first_scripts(campaign: Campaign, many: int = 2) -> list[tuple[str, str]]:
    """Name and text of the first scripts that the study was run by."""
    paths = sorted(campaign.directory.jobs.glob("*.sh"))[:many]
    return [(path.name, path.read_text(encoding="utf-8", errors="replace")) for path in paths]


Task = list[Place]


def _grouped(campaign: Campaign, due: list[Place], array_limit: int) -> Iterator[list[Task]]:
    """The runs of each job, as tasks; what one job holds needs equally many nodes."""
    how = campaign.study.resources.jobs
    if how == "run":
        yield from ([[place]] for place in due)
        return

    def kind(place: Place) -> tuple[int, int]:
        nodes = campaign.points[place.point].nodes
        return (nodes, place.block) if how == "array" else (place.block, nodes)

    blocks = {
        key: list(places) for key, places in itertools.groupby(sorted(due, key=kind), key=kind)
    }
    if how == "block":
        yield from ([places] for places in blocks.values())
        return
    for _, keys in itertools.groupby(blocks, key=lambda key: key[0]):
        tasks = [blocks[key] for key in keys]
        for first in range(0, len(tasks), array_limit):
            yield tasks[first : first + array_limit]


def _job(campaign: Campaign, record: Submitted) -> Job:
    return campaign.job(
        record.name, [record.places(task) for task in range(len(record.tasks))], record.array
    )


def records(campaign: Campaign) -> Iterator[Submitted]:
    """Every job that was submitted, in that order.

    Raises:
        InvalidRun: a record is damaged.
    """
    for path in sorted(campaign.directory.jobs.glob(f"job*{RECORD}")):
        try:
            yield Submitted.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise InvalidRun(f"{path} is not as `study submit` leaves it: {error}") from error


def _numbers(campaign: Campaign) -> Iterator[int]:
    used = [
        int(match[1])
        for path in campaign.directory.jobs.glob("job*.sh")
        if (match := re.fullmatch(r"job(\d+)\.sh", path.name))
    ]
    return itertools.count(max(used, default=0) + 1)


def _path(campaign: Campaign, name: str) -> Path:
    return campaign.directory.jobs / f"{name}{RECORD}"


def _write(campaign: Campaign, record: Submitted) -> None:
    replace_text(_path(campaign, record.name), record.model_dump_json(indent=1) + "\n")
