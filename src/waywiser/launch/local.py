"""This machine as a batch system: a script runs at once, beside its caller, in its own session."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from waywiser.launch.batch import Job, JobState, Limits, Scheduler, refused
from waywiser.launch.job_script import script_text
from waywiser.model.study import Resources

# An array's tasks come one after another, each as a script with a marker of its own.
EACH_TASK = """\
if [ $# = 0 ]; then
    for task in $(seq {count}); do bash "$0" "$task" >{name}.$task.out 2>&1; done
    exit
fi"""


class Local(Scheduler):
    name = "this machine"

    def script(self, job: Job, resources: Resources, modules: Sequence[str] = ()) -> str:
        each = EACH_TASK.format(count=len(job.tasks), name=job.name)
        before = [each] if job.tasks else []
        return script_text(job, resources, modules, directives=(), task="$1", before=before)

    def submit(self, script: Path) -> str:
        output = str(script.with_suffix(".out"))
        files = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ]
        words = ["bash", str(script.absolute())]
        try:
            pid = os.posix_spawnp("bash", words, os.environ, file_actions=files, setsid=True)
        except OSError as error:
            message = str(error.strerror)
            raise refused(self.name, script, message, f"it needs bash and {output}") from error
        return f"{pid}.{_started(pid)}"

    def states(self, ids: Sequence[str]) -> dict[str, JobState]:
        return {job: JobState.RUNNING if _alive(job) else JobState.GONE for job in ids}

    def task_id(self, job: str, task: int) -> str:
        return job

    def cancel(self, ids: Sequence[str]) -> None:
        for job in filter(_alive, ids):
            with suppress(ProcessLookupError):
                os.killpg(int(job.split(".")[0]), signal.SIGTERM)

    def limits(self) -> Limits:
        return Limits()


def _started(pid: int) -> str:
    """The start time of a process in clock ticks since boot; "" if it does not exist or is dead.

    The process id alone can be reused by a later process.
    """
    try:
        fields = re.sub(r"^.*\)", "", Path(f"/proc/{pid}/stat").read_text()).split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def _alive(job: str) -> bool:
    pid, started = job.split(".")
    return bool(started) and _started(int(pid)) == started
