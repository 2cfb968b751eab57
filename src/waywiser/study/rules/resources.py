"""Rules that the runs get enough time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from waywiser.launch.schedulers import SCHEDULERS
from waywiser.study.plan import plan_of
from waywiser.study.remark import Remark, error, warning
from waywiser.study.rules.subject import Subject
from waywiser.units import seconds_text, three_digits


def time_limit(subject: Subject) -> Iterator[Remark]:
    resources = subject.study.resources
    limit_s = 60 * resources.time_limit_minutes
    if resources.expected_seconds > limit_s:
        yield error(
            "resources.time_limit_minutes",
            f"a run is expected to take {seconds_text(resources.expected_seconds)}, and is ended "
            f"after {seconds_text(limit_s)}",
        )


def budget(subject: Subject) -> Iterator[Remark]:
    allowed = subject.study.repeats.core_hours
    needed = plan_of(subject.study, subject.configurations).core_hours
    if allowed and needed and needed > allowed:
        yield warning(
            "repeats.core_hours",
            f"the {subject.study.repeats.blocks} blocks take about {three_digits(needed)} "
            f"core-hours, and {three_digits(allowed)} are allowed: the last ones are not run",
        )


def arrays(subject: Subject) -> Iterator[Remark]:
    resources = subject.study.resources
    scheduler = SCHEDULERS[resources.scheduler]
    if resources.arrays and not scheduler.arrays:
        yield error(
            "resources.jobs",
            f'{scheduler.name} has no arrays of batch scripts; write jobs = "block" or "run"',
        )


def own_options(subject: Subject) -> Iterator[Remark]:
    resources = subject.study.resources
    for option in resources.options:
        for key, pattern in SCHEDULERS[resources.scheduler].own_options:
            if re.match(pattern, option):
                place = key if key.startswith("axes.") else f"resources.{key}"
                yield error("resources.options", f"{option} is what {place} says; leave it out")
