"""PBS (OpenPBS, PBS Professional): qsub, qstat, qdel.

Source: qsub(1B), qstat(1B) and src/include/job.h of OpenPBS 23.06.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.launch.batch import Job, JobState, Limits, Scheduler, call, in_one_line, refused
from waywiser.launch.job_script import script_text
from waywiser.model.study import Resources

STATES = {
    **dict.fromkeys("QHWTM", JobState.WAITING),
    **dict.fromkeys("RBESU", JobState.RUNNING),
}
"""State of a job by its letter. All other letters mean a finished job: F, and X for a task of an
array."""

EXIT_STATUS = {
    0: JobState.ENDED,
    -20: JobState.NODE_FAIL,  # JOB_EXEC_RERUN_MS_FAIL: the first node does not answer
    -26: JobState.OUT_OF_MEMORY,  # JOB_EXEC_KILL_VMEM
    -27: JobState.OUT_OF_MEMORY,  # JOB_EXEC_KILL_MEM
    -29: JobState.TIMEOUT,  # JOB_EXEC_KILL_WALLTIME
}
TERMINATED = 91
"""The substate of a job that was deleted."""

# Open MPI without PBS's own library finds the nodes by these; the names are those of 4 and 5.
HOSTS = """\
export OMPI_MCA_orte_default_hostfile=$PBS_NODEFILE PRTE_MCA_prte_default_hostfile=$PBS_NODEFILE"""


class Pbs(Scheduler):
    name = "PBS"
    tools = (("qsub", "PBS jobs"),)
    job_variable = "PBS_JOBID"
    own_options = (
        ("time_limit_minutes", r"-l\s*walltime="),
        ("account", r"-A\b"),
        ("partition", r"-q\b"),
        ("axes.nodes", r"-l\s*(select|nodes)="),
    )
    reasons = (
        (r"=>> PBS: job killed: (walltime|cput) .*exceeded limit", JobState.TIMEOUT),
        (r"=>> PBS: job killed: v?mem .*exceeded limit", JobState.OUT_OF_MEMORY),
        (r"=>> PBS: job killed: node (EOF \d+|\d+ .* requested job die)", JobState.NODE_FAIL),
    )

    def script(self, job: Job, resources: Resources, modules: Sequence[str] = ()) -> str:
        directives = [f"#PBS {words}" for words in _options(job, resources)]
        return script_text(
            job,
            resources,
            modules,
            directives=directives,
            job_id="${PBS_JOBID/\\[*]/[]}",  # a task's has its number in the brackets
            task="${PBS_ARRAY_INDEX:-1}",
            before=[HOSTS],
        )

    def submit(self, script: Path) -> str:
        done = call("qsub", script, directory=script.parent)
        if done.returncode != 0:
            raise refused(self.name, script, done.stderr, "`qstat -Q` lists the queues")
        return done.stdout.strip()

    def states(self, ids: Sequence[str]) -> dict[str, JobState]:
        # qstat answers for the jobs that it knows and then fails for those that it does not.
        done = call("qstat", "-x", "-t", "-f", "-F", "json", *ids)
        try:
            jobs = json.loads(done.stdout, strict=False).get("Jobs", {})
        except ValueError:
            if "Unknown Job" not in done.stderr:
                raise ToolMissing(f"qstat does not answer: {in_one_line(done.stderr)}") from None
            jobs = {}
        states = {_short(name): _state(job) for name, job in jobs.items()}
        # A task has its own entry, under its array's number.
        tasks = {name: state for name, state in states.items() if not name.endswith("[]")}
        return {name: states.get(_short(name), JobState.GONE) for name in ids} | {
            name: state for name, state in tasks.items() if "[" in name
        }

    def task_id(self, job: str, task: int) -> str:
        return _short(job).replace("[]", f"[{task}]")

    def cancel(self, ids: Sequence[str]) -> None:
        done = call("qdel", *ids)
        if done.returncode != 0 and "Job has finished" not in done.stderr:
            raise ToolMissing(f"qdel: {in_one_line(done.stderr)}")

    def limits(self) -> Limits:
        return Limits()


def _short(name: str) -> str:
    """A job's number, without the server's name: 12.pbs, and 12[3].pbs of an array."""
    return name.split(".")[0]


def _state(job: dict[str, object]) -> JobState:
    letter = str(job.get("job_state", ""))
    if letter in STATES:
        return STATES[letter]
    status = job.get("Exit_status")
    if isinstance(status, int) and status in EXIT_STATUS:
        return EXIT_STATUS[status]
    return JobState.CANCELLED if job.get("substate") == TERMINATED else JobState.FAILED


def _options(job: Job, resources: Resources) -> Iterator[str]:
    shape = job.shape
    several = len(job.tasks) > 1
    output = job.directory / (f"{job.name}.^array_index^.out" if several else job.output(1).name)
    chunk = (
        f"{shape.nodes}:ncpus={shape.ranks_per_node * shape.cores_per_rank}"
        f":mpiprocs={shape.ranks_per_node}:ompthreads={shape.threads}"
    )
    if resources.constraint:
        if "=" not in resources.constraint:
            raise InvalidCommand(
                f"resources.constraint: expected a resource of a PBS chunk, as cpu_type=milan; "
                f"got {resources.constraint}"
            )
        chunk += f":{resources.constraint}"
    seconds = math.ceil(job.minutes * 60)
    yield f"-N {shlex.quote(job.name)}"
    yield f"-o {shlex.quote(str(output))}"
    yield "-j oe"
    yield f"-l select={shlex.quote(chunk)}"
    yield "-l place=scatter"
    yield f"-l walltime={seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    # An array is refused unless it may be run again, and has at least two tasks.
    yield f"-J 1-{len(job.tasks)}" if several else "-r n"
    if resources.account:
        yield f"-A {shlex.quote(resources.account)}"
    if resources.partition:
        yield f"-q {shlex.quote(resources.partition)}"
    yield from resources.options
