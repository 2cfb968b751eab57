"""Submits a study's runs to a batch system."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from waywiser.errors import WaywiserError
from waywiser.launch.batch import JobState
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.store.durable import replace_text
from waywiser.store.study import Place
from waywiser.study.campaign import Campaign
from waywiser.study.jobs import (
    Submitted,
    Task,
    free_numbers,
    job_of,
    remove_record,
    write_record,
)
from waywiser.study.outlook import outlook
from waywiser.study.standing import Standing


def submit(campaign: Campaign, standing: Standing) -> tuple[list[Submitted], int]:
    """Submits the runs that no job has, as far as the batch system's limits allow.

    Returns:
        The new jobs, and the number of runs that still wait for a place in the queue.

    Raises:
        InvalidCommand: the batch system refused a job; earlier jobs are submitted.
        ToolMissing: the batch system is not installed.
    """
    resources = campaign.study.resources
    scheduler = SCHEDULERS[resources.scheduler]
    limits = scheduler.limits()
    next_blocks = outlook(campaign, standing.done)
    due = [
        place
        for place in campaign.missing_runs(next_blocks.blocks, standing.done)
        if place not in standing.active
    ]
    held = sum(not state.over for job in standing.jobs for state in job.states)
    allowed = min(filter(None, (resources.jobs_at_once, limits.jobs)), default=held + len(due))
    free = allowed - held
    array_limit = min(filter(None, (resources.array_limit, limits.array, max(1, free))))
    new: list[Submitted] = []
    waiting = 0
    numbers = free_numbers(campaign)
    for tasks in _grouped(campaign, due, array_limit):
        if len(tasks) > free:
            waiting += sum(map(len, tasks))
            continue
        free -= len(tasks)
        record = Submitted.of(next(numbers), tasks, array=resources.arrays)
        for place in itertools.chain.from_iterable(tasks):
            campaign.prepare(place)
        job = job_of(campaign, record)
        replace_text(job.script, scheduler.script(job, resources))
        write_record(campaign, record)
        try:
            number = scheduler.submit(job.script)
        except WaywiserError:
            # Slurm's controller can take a job and yet not answer sbatch in time.
            if not (number := job.take_back()):
                remove_record(campaign, record)
                raise
        states = (JobState.WAITING,) * len(tasks)
        record = record.replace(id=number, states=states)
        write_record(campaign, record)
        new.append(record)
    return new, waiting


def scripts(campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Name and text of every script that `submit` would write for a new study; for a study on this
    machine, of the first script alone."""
    resources = campaign.study.resources
    scheduler = SCHEDULERS[resources.scheduler]
    due = list(campaign.due(campaign.study.repeats.blocks))
    if resources.local:
        place = due[0]
        job = campaign.job(f"{place.configuration}-{place.name}", [[place]])
        yield f"{job.name}.sh, the first of {len(due)}", scheduler.script(job, resources)
        return
    array_limit = min(filter(None, (resources.array_limit, resources.jobs_at_once)))
    for number, tasks in enumerate(_grouped(campaign, due, array_limit), start=1):
        record = Submitted.of(number, tasks, array=resources.arrays)
        yield f"{record.name}.sh", scheduler.script(job_of(campaign, record), resources)


def first_scripts(campaign: Campaign, many: int = 2) -> list[tuple[str, str]]:
    """Name and text of the first scripts of the study's runs."""
    paths = sorted(campaign.directory.jobs.glob("*.sh"))[:many]
    return [(path.name, path.read_text(encoding="utf-8", errors="replace")) for path in paths]


def _grouped(campaign: Campaign, due: list[Place], array_limit: int) -> Iterator[list[Task]]:
    """The runs of each job, as tasks; all runs of a job need the same number of nodes."""
    how = campaign.study.resources.jobs
    if how == "run":
        yield from ([[place]] for place in due)
        return

    def kind(numbered: tuple[int, Place]) -> tuple[int, int]:
        number, place = numbered
        nodes = campaign.configurations[place.configuration].nodes
        if how == "block":
            return place.block, nodes
        return nodes, place.block if how == "array" else number

    ordered = sorted(enumerate(due), key=kind)
    groups = {
        key: [place for _, place in numbered]
        for key, numbered in itertools.groupby(ordered, key=kind)
    }
    if how == "block":
        yield from ([places] for places in groups.values())
        return
    for _, keys in itertools.groupby(groups, key=lambda key: key[0]):
        tasks = [groups[key] for key in keys]
        for first in range(0, len(tasks), array_limit):
            yield tasks[first : first + array_limit]
