"""Slurm: sbatch, squeue, sacct, scancel.

Source: sbatch(1), squeue(1) and scontrol(1) of Slurm 22.05.
"""

from __future__ import annotations

import getpass
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from waywiser.errors import ToolMissing
from waywiser.launch.batch import Job, JobState, Limits, Scheduler, call, output_of, refused
from waywiser.launch.job_script import option, script_text
from waywiser.model.study import Resources

STATES = {
    name: state
    for state, names in {
        JobState.WAITING: "PENDING CONFIGURING REQUEUED REQUEUE_HOLD SPECIAL_EXIT RESV_DEL_HOLD",
        JobState.RUNNING: "RUNNING COMPLETING STAGE_OUT SIGNALING SUSPENDED STOPPED RESIZING",
        JobState.ENDED: "COMPLETED",
        JobState.TIMEOUT: "TIMEOUT DEADLINE",
        JobState.OUT_OF_MEMORY: "OUT_OF_MEMORY",
        JobState.NODE_FAIL: "NODE_FAIL BOOT_FAIL",
        JobState.PREEMPTED: "PREEMPTED",
        JobState.CANCELLED: "REVOKED CANCELLED",
        JobState.FAILED: "FAILED",
    }.items()
    for name in names.split()
}

THREADS_PER_CORE = re.compile(r"--(hint|threads-per-core|ntasks-per-core|extra-node-info)\b|-B")


class Slurm(Scheduler):
    name = "Slurm"
    tools = (("sbatch", "submitting studies to Slurm"),)
    job_variable = "SLURM_JOB_ID"
    own_options = (
        ("time_limit_minutes", r"--time[= ]|-t\b"),
        ("account", r"--account[= ]|-A\b"),
        ("partition", r"--partition[= ]|-p\b"),
        ("constraint", r"--constraint[= ]|-C\b"),
        ("axes.nodes", r"--nodes[= ]|-N\b"),
        ("axes.ranks", r"--ntasks(-per-node)?[= ]|-n\b"),
        ("axes.threads", r"--cpus-per-task[= ]|-c\b"),
    )
    too_late = ((r"^srun: error: Slurm job \d+ has expired", JobState.CANCELLED),)
    reasons = (
        (r"\*\*\* JOB .* DUE TO TIME LIMIT \*\*\*", JobState.TIMEOUT),
        (r"\*\*\* JOB .* DUE TO PREEMPTION \*\*\*", JobState.PREEMPTED),
        (r"\*\*\* JOB .* DUE TO NODE FAILURE|^srun: error: Node failure on ", JobState.NODE_FAIL),
        (r"(?i)oom[-_]kill|exceeded (job )?memory limit", JobState.OUT_OF_MEMORY),
        (r"\*\*\* JOB .* CANCELLED AT ", JobState.CANCELLED),
    )

    def script(self, job: Job, resources: Resources, modules: Sequence[str] = ()) -> str:
        directives = [f"#SBATCH {words}" for words in _options(job, resources)]
        return script_text(
            job,
            resources,
            modules,
            directives=directives,
            job_id="${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}",
            task="${SLURM_ARRAY_TASK_ID:-1}",
        )

    def submit(self, script: Path) -> str:
        done = call("sbatch", "--parsable", script, directory=script.parent)
        if done.returncode != 0:
            raise refused(
                self.name,
                script,
                done.stderr,
                "`sinfo` lists the partitions, `sacctmgr show associations` the accounts",
            )
        return done.stdout.strip().split(";")[0]  # a cluster's name may follow

    def states(self, ids: Sequence[str]) -> dict[str, JobState]:
        # A job stays in the queue for MinJobAge after its end, by default five minutes. squeue
        # with job ids fails if the queue has dropped one of them.
        queue = output_of(
            "squeue", "--me", "--states=all", "--array", "--noheader", "--format=%i|%A|%F|%T"
        )
        states = dict(_states(queue, ids))
        forgotten = [job for job in ids if job not in states]
        if forgotten:
            done = call(
                *("sacct", "--allocations", "--noheader", "--parsable2"),
                *("--format=JobID,JobIDRaw,JobID,State", f"--jobs={','.join(forgotten)}"),
            )
            # Without accounting, sacct says so and fails.
            states |= dict(_states(done.stdout, forgotten)) if done.returncode == 0 else {}
        return dict.fromkeys(ids, JobState.GONE) | states

    def task_id(self, job: str, task: int) -> str:
        return f"{job}_{task}"

    def cancel(self, ids: Sequence[str]) -> None:
        done = call("scancel", *ids)
        if done.returncode != 0:
            raise ToolMissing(f"scancel: {done.stderr.strip()}")

    def limits(self) -> Limits:
        output = output_of("scontrol", "show", "config")
        array = re.search(r"^MaxArraySize\s*=\s*(\d+)", output, re.MULTILINE)
        # The largest index is one less than MaxArraySize, and our first is 1.
        return Limits(array=int(array[1]) - 1 if array else None, jobs=_jobs_of_user())


def _options(job: Job, resources: Resources) -> Iterator[str]:
    directory = str(job.directory).replace("%", "%%")
    yield option("job-name", job.name)
    yield option("output", f"{directory}/{job.name}{'.%a' if job.tasks else ''}.out")
    yield f"--nodes={job.shape.nodes}"
    yield f"--ntasks-per-node={job.shape.ranks_per_node}"
    yield f"--cpus-per-task={job.shape.cores_per_rank}"
    if not any(map(THREADS_PER_CORE.match, resources.options)):
        yield "--threads-per-core=1"  # else its CPUs are hardware threads where there are several
    yield f"--time={math.ceil(job.minutes)}"
    yield "--no-requeue"
    if job.tasks:
        yield f"--array=1-{len(job.tasks)}"
    for name in ("account", "partition", "constraint"):
        if value := getattr(resources, name):
            yield option(name, value)
    yield from resources.options


def _states(listing: str, ids: Sequence[str]) -> Iterator[tuple[str, JobState]]:
    """The states of jobs and of array tasks, from lines `id|job|array|state`."""
    tasks: dict[str, list[JobState]] = {}
    for line in listing.splitlines():
        task, number, array, state = line.strip().split("|")
        array = array.split("_")[0]
        job = array if array in ids else number
        if job in ids:
            job_state = STATES.get(state.split()[0].rstrip("+"), JobState.FAILED)
            tasks.setdefault(job, []).append(job_state)
            if task != job:
                yield task, job_state
    for job, task_states in tasks.items():
        yield job, of_all(task_states)


def of_all(states: Sequence[JobState]) -> JobState:
    """The state of an array: over only when every task is, and ended only if all have."""
    for state in (JobState.RUNNING, JobState.WAITING):
        if state in states:
            return state
    return next((state for state in states if state is not JobState.ENDED), JobState.ENDED)


def _jobs_of_user() -> int | None:
    """MaxSubmitJobs of the user's associations; None without accounting."""
    try:
        output = call(
            *("sacctmgr", "--noheader", "--parsable2", "show", "associations"),
            *("where", f"user={getpass.getuser()}", "format=MaxSubmitJobs"),
        ).stdout
    except ToolMissing:
        return None
    limits = [int(line) for line in output.split() if line.isdigit()]
    return min(limits, default=None)
