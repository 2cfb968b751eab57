"""Whether the runs get the time that they need."""

from __future__ import annotations

import re
from collections.abc import Iterator

from waywiser.study.plan import plan_of
from waywiser.study.remark import Remark, error, warning
from waywiser.study.rules.subject import Subject
from waywiser.units import seconds_text, three_digits

OWN_OPTIONS = {
    "slurm": {
        "time_limit_minutes": r"--time[= ]|-t\b",
        "account": r"--account[= ]|-A\b",
        "partition": r"--partition[= ]|-p\b",
        "constraint": r"--constraint[= ]|-C\b",
        "axes.nodes": r"--nodes[= ]|-N\b",
        "axes.ranks": r"--ntasks(-per-node)?[= ]|-n\b",
        "axes.threads": r"--cpus-per-task[= ]|-c\b",
    },
    "pbs": {
        "time_limit_minutes": r"-l\s*walltime=",
        "account": r"-A\b",
        "partition": r"-q\b",
        "axes.nodes": r"-l\s*(select|nodes)=",
    },
    "flux": {
        "time_limit_minutes": r"--time-limit[= ]|-t\b",
        "partition": r"--queue[= ]|-q\b",
        "axes.nodes": r"--nodes[= ]|-N\b",
        "axes.ranks": r"--ntasks[= ]|-n\b",
    },
}
"""Key of the study file -> the scheduler's option for the same, from sbatch(1), qsub(1B) of
OpenPBS and flux-batch(1)."""


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
    needed = plan_of(subject.study, subject.points).core_hours
    if allowed and needed and needed > allowed:
        yield warning(
            "repeats.core_hours",
            f"the {subject.study.repeats.blocks} blocks take about {three_digits(needed)} "
            f"core-hours, and {three_digits(allowed)} are allowed: the last ones are not run",
        )


def arrays(subject: Subject) -> Iterator[Remark]:
    resources = subject.study.resources
    if resources.scheduler == "flux" and resources.arrays:
        yield error(
            "resources.jobs", 'Flux has no arrays of batch scripts; write jobs = "block" or "run"'
        )


def own_options(subject: Subject) -> Iterator[Remark]:
    resources = subject.study.resources
    for option in resources.options:
        for key, pattern in OWN_OPTIONS.get(resources.scheduler, {}).items():
            if re.match(pattern, option):
                place = key if key.startswith("axes.") else f"resources.{key}"
                yield error("resources.options", f"{option} is what {place} says; leave it out")
