"""Flux: flux batch, flux jobs, flux cancel.

Source: flux-batch(1), flux-jobs(1) and flux-cancel(1) of flux-core 0.88.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.launch.batch import (
    Job,
    JobState,
    Limits,
    Scheduler,
    call,
    in_one_line,
    output_of,
    refused,
)
from waywiser.launch.job_script import option, script_text
from waywiser.model.study import Resources

STATES = {
    **dict.fromkeys(("DEPEND", "PRIORITY", "SCHED"), JobState.WAITING),
    **dict.fromkeys(("RUN", "CLEANUP"), JobState.RUNNING),
}
RESULTS = {
    "COMPLETED": JobState.ENDED,
    "CANCELED": JobState.CANCELLED,
    "TIMEOUT": JobState.TIMEOUT,
}
EXCEPTIONS = {
    "node-failure": JobState.NODE_FAIL,
    "timeout": JobState.TIMEOUT,
    "cancel": JobState.CANCELLED,
}

JOB_ID = "$(flux getattr jobid 2>/dev/null)"
"""Attribute of the Flux instance whose first program is the script."""


class Flux(Scheduler):
    name = "Flux"
    tools = (("flux", "Flux jobs"),)
    job_variable = "FLUX_JOB_ID"
    arrays = False
    own_options = (
        ("time_limit_minutes", r"--time-limit[= ]|-t\b"),
        ("partition", r"--queue[= ]|-q\b"),
        ("axes.nodes", r"--nodes[= ]|-N\b"),
        ("axes.ranks", r"--ntasks[= ]|-n\b"),
    )
    reasons = (
        (r"exception.*\btype=timeout\b", JobState.TIMEOUT),
        (r"exception.*\btype=node-failure\b", JobState.NODE_FAIL),
        (r"exception.*\btype=cancel\b", JobState.CANCELLED),
    )

    def script(self, job: Job, resources: Resources, modules: Sequence[str] = ()) -> str:
        if job.tasks:
            raise InvalidCommand(
                f'{job.name}: Flux has no arrays of batch scripts; write resources.jobs = "block" '
                'or "run"'
            )
        directives = [f"#flux: {words}" for words in _options(job, resources)]
        return script_text(job, resources, modules, directives=directives, job_id=JOB_ID)

    def submit(self, script: Path) -> str:
        done = call("flux", "batch", script, directory=script.parent)
        if done.returncode != 0:
            raise refused(self.name, script, done.stderr, "`flux queue list` lists the queues")
        return done.stdout.strip()

    def states(self, ids: Sequence[str]) -> dict[str, JobState]:
        # `flux jobs` with ids fails if Flux has dropped one of the jobs.
        output = output_of("flux", "jobs", "-a", "--count=0", "--json")
        try:
            jobs = json.loads(output)["jobs"]
        except (ValueError, KeyError) as error:
            raise ToolMissing(f"flux jobs does not answer with JSON: {output[:80]!r}") from error
        states = {
            str(job[key]): _state(job) for job in jobs for key in ("id", "jobid") if key in job
        }
        return {job: states.get(job, JobState.GONE) for job in ids}

    def task_id(self, job: str, task: int) -> str:
        return job

    def cancel(self, ids: Sequence[str]) -> None:
        done = call("flux", "cancel", *ids)
        if done.returncode != 0 and "inactive" not in done.stderr:
            raise ToolMissing(f"flux cancel: {in_one_line(done.stderr)}")

    def limits(self) -> Limits:
        return Limits(array=1)


def _state(job: dict[str, object]) -> JobState:
    state = STATES.get(str(job.get("state")))
    if state is not None:
        return state
    exception = job.get("exception")
    kind = str(exception.get("type")) if isinstance(exception, dict) else ""
    return RESULTS.get(str(job.get("result"))) or EXCEPTIONS.get(kind, JobState.FAILED)


def _options(job: Job, resources: Resources) -> Iterator[str]:
    shape = job.shape
    yield option("job-name", job.name)
    yield option("output", job.output())
    yield f"--nodes={shape.nodes}"
    yield f"--nslots={shape.ranks_per_node * shape.nodes}"
    yield f"--cores-per-slot={shape.cores_per_rank}"
    yield f"--time-limit={math.ceil(job.minutes * 60)}s"
    names = {"account": "bank", "partition": "queue", "constraint": "requires"}
    for name, flag in names.items():
        if value := getattr(resources, name):
            yield option(flag, value)
    yield from resources.options
