"""Submits a study's runs to a batch system, and finds out later what became of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from waywiser.errors import InvalidRun, WaywiserError
from waywiser.launch.batch import Job, JobState, Scheduler, fate, reason_in
from waywiser.launch.binding import Shape
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.model.base import Model
from waywiser.model.run import Run
from waywiser.store.directory import replace_text
from waywiser.store.study import Place
from waywiser.study.campaign import Campaign
from waywiser.study.collect import collect, fail, is_lost
from waywiser.study.outlook import outlook

RECORD = ".json"
Task = list[Place]
ITS_OWN_DOING = {JobState.TIMEOUT, JobState.OUT_OF_MEMORY}
"""Ends that would come again: the run under way has failed. After others it is made again."""

FROM_OUTSIDE = {JobState.NODE_FAIL, JobState.PREEMPTED, JobState.CANCELLED, JobState.GONE}


class Submitted(Model):
    """A job as it was submitted: jobs/NAME.json."""

    name: str
    id: str = ""
    """Empty until it is known: who asks the batch system for one may be killed meanwhile."""

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

    def ended_well(place: Place) -> bool:
        run, errors = runs[place], campaign.directory.run(place) / "stderr"
        counts = run is not None and run.result is not None and not run.result.failures
        return counts and reason_in(errors, scheduler.reasons) is None

    active: set[Place] = set()
    ended_badly: dict[Place, JobState] = {}
    for state, places in _last_tasks(jobs):
        if state.over:
            begun = [place for place in places if place in runs]
            ended_badly |= dict.fromkeys(_cut_short(state, begun, ended_well), state)
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

    The one under way is one. Where the end came from outside, those before it that have not ended
    well either are others: a script that has lost its nodes can begin several runs before it ends.
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
    """A job with its id. One whose `submit` did not live to learn it tells its id by itself when it
    begins; one that has not begun will not begin any more, and is no job."""
    if record.id:
        return record
    owner = _files(campaign, record).take_back()
    if not owner:
        _path(campaign, record.name).unlink()
        return None
    record = record.model_copy(update={"id": owner})
    _write(campaign, record)
    return record


def _reconciled(
    campaign: Campaign, scheduler: Scheduler, record: Submitted, hints: Mapping[str, JobState]
) -> Submitted:
    if record.over:
        return record
    files = _files(campaign, record)
    states = list[JobState]()
    for task in range(1, len(record.tasks) + 1):
        number = task if record.array else 0
        own = scheduler.task_id(record.id, task) if record.array else record.id
        hint = hints.get(own, hints.get(record.id, JobState.GONE))
        states.append(fate(scheduler, files.marker(number), files.output(number), hint))
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
    held = sum(not state.over for job in standing.jobs for state in job.states)
    allowed = min(filter(None, (resources.jobs_at_once, limits.jobs)), default=held + len(due))
    free = allowed - held
    array_limit = min(filter(None, (resources.array_limit, limits.array, max(1, free))))
    new: list[Submitted] = []
    waiting = 0
    numbers = _numbers(campaign)
    for tasks in _grouped(campaign, due, array_limit):
        if len(tasks) > free:
            waiting += sum(map(len, tasks))
            continue
        free -= len(tasks)
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
        except WaywiserError:
            # Slurm's controller can take a job and yet not answer sbatch in time.
            if not (number := job.take_back()):
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
    array_limit = min(filter(None, (resources.array_limit, resources.jobs_at_once)))
    for number, tasks in enumerate(_grouped(campaign, due, array_limit), start=1):
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


def _files(campaign: Campaign, record: Submitted) -> Job:
    """A job as far as the names of its files go, also of points that the study has no longer."""
    tasks = ((),) * len(record.tasks) if record.array else ()
    return Job(record.name, campaign.directory.jobs, Shape(1, 1), 0, tasks=tasks)


def records(campaign: Campaign) -> Iterator[Submitted]:
    """Every job that was submitted, in that order.

    Raises:
        InvalidRun: a record is damaged.
    """
    paths = {_number(path): path for path in campaign.directory.jobs.glob(f"job*{RECORD}")}
    for _, path in sorted(paths.items()):
        try:
            yield Submitted.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise InvalidRun(f"{path} is not as `study submit` leaves it: {error}") from error


def _numbers(campaign: Campaign) -> Iterator[int]:
    used = map(_number, campaign.directory.jobs.glob("job*.sh"))
    return itertools.count(max(used, default=0) + 1)


def _number(path: Path) -> int:
    """The number in jobNUMBER; 0 in a name that is not ours."""
    match = re.fullmatch(r"job(\d+)", path.stem)
    return int(match[1]) if match else 0


def _path(campaign: Campaign, name: str) -> Path:
    return campaign.directory.jobs / f"{name}{RECORD}"


def _write(campaign: Campaign, record: Submitted) -> None:
    replace_text(_path(campaign, record.name), record.model_dump_json(indent=1) + "\n")
