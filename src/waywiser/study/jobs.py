"""The records of a study's jobs: jobs/NAME.json, written before a job is submitted."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from waywiser.errors import InvalidRun
from waywiser.launch.batch import Job, JobState
from waywiser.launch.shape import Shape
from waywiser.model.base import Model
from waywiser.store.durable import replace_text
from waywiser.store.study import Place
from waywiser.study.campaign import Campaign

RECORD = ".json"
Task = list[Place]


class Submitted(Model):
    """The record of a submitted job: jobs/NAME.json."""

    name: str
    id: str = ""
    """Id of the job; empty until the batch system has replied, as `submit` may be killed before."""

    array: bool = False
    tasks: tuple[tuple[tuple[str, int], ...], ...]
    """(configuration, block) of each task's runs, in order; a job without an array has one task."""

    states: tuple[JobState, ...] = ()
    """State of each task once the job is over; empty before."""

    @property
    def over(self) -> bool:
        return bool(self.states) and all(state.over for state in self.states)

    def places(self, task: int) -> list[Place]:
        return [Place(configuration, block) for configuration, block in self.tasks[task]]

    @classmethod
    def of(cls, number: int, tasks: Sequence[Task], *, array: bool) -> Self:
        """The record of a new job."""
        named = tuple(tuple((place.configuration, place.block) for place in task) for task in tasks)
        return cls(name=f"job{number:04}", array=array, tasks=named)


def job_of(campaign: Campaign, record: Submitted) -> Job:
    return campaign.job(
        record.name, [record.places(task) for task in range(len(record.tasks))], record.array
    )


def files_of(campaign: Campaign, record: Submitted) -> Job:
    """A job with the names of its files alone; its configurations may no longer be in the study."""
    tasks = ((),) * len(record.tasks) if record.array else ()
    return Job(record.name, campaign.directory.jobs, Shape(1, 1), 0, tasks=tasks)


def records(campaign: Campaign) -> Iterator[Submitted]:
    """Every submitted job, in order of submission.

    Raises:
        InvalidRun: a record is damaged.
    """
    paths = {_number(path): path for path in campaign.directory.jobs.glob(f"job*{RECORD}")}
    for _, path in sorted(paths.items()):
        try:
            yield Submitted.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise InvalidRun(f"{path} is not as `study submit` leaves it: {error}") from error


def free_numbers(campaign: Campaign) -> Iterator[int]:
    used = map(_number, campaign.directory.jobs.glob("job*.sh"))
    return itertools.count(max(used, default=0) + 1)


def _number(path: Path) -> int:
    """The number in jobNUMBER; 0 for any other name."""
    match = re.fullmatch(r"job(\d+)", path.stem)
    return int(match[1]) if match else 0


def _path(campaign: Campaign, name: str) -> Path:
    return campaign.directory.jobs / f"{name}{RECORD}"


def write_record(campaign: Campaign, record: Submitted) -> None:
    replace_text(_path(campaign, record.name), record.model_dump_json(indent=1) + "\n")


def remove_record(campaign: Campaign, record: Submitted) -> None:
    """Remove the record of a job that never existed."""
    _path(campaign, record.name).unlink()
