"""Jobs of a batch system: a script that a user can read, and the fate of the job.

Every script writes a marker file when it ends, unless the shell itself is killed. The marker
decides; the state in the queue is a hint, since a job can leave the queue between two queries.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.launch.ask import ask
from waywiser.launch.shape import Shape
from waywiser.model.study import Resources

PATIENCE_SECONDS = 60.0
LAST_BYTES = 65536
NOBODY = "nobody"
MARKER = re.compile(r"code=(\d+) signal=(\w*) time=(\d+)")


class JobState(Enum):
    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"
    """The script reached its end."""

    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out of memory"
    NODE_FAIL = "node failed"
    PREEMPTED = "preempted"
    CANCELLED = "cancelled"
    FAILED = "failed"
    """The script stopped before its end."""

    GONE = "gone"
    """The batch system does not know the job any more, and there is no marker."""

    @property
    def over(self) -> bool:
        return self not in {JobState.WAITING, JobState.RUNNING}


TIME_IS_UP = frozenset({"ALRM", "XCPU"})
"""Flux sends SIGALRM at a job's time limit; the kernel sends SIGXCPU at the CPU time limit."""

KILLED = frozenset(
    {
        *(JobState.TIMEOUT, JobState.OUT_OF_MEMORY, JobState.NODE_FAIL),
        *(JobState.PREEMPTED, JobState.CANCELLED),
    }
)

Reasons = tuple[tuple[str, JobState], ...]
"""Regular expressions for a batch system's messages in the output of a job that it killed."""

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Job:
    """One script to submit."""

    name: str
    """Start of the names of the script's files in `directory`."""

    directory: Path
    shape: Shape
    minutes: float
    steps: tuple[str, ...] = ()
    """Shell text of each run, in order; none may end the script."""

    tasks: tuple[tuple[str, ...], ...] = ()
    """Shell text of each run, for each task of an array; replaces `steps`."""

    @property
    def script(self) -> Path:
        return self.directory / f"{self.name}.sh"

    def marker(self, task: int = 0) -> Path:
        """The file that shows that the job, or one of its tasks (counted from 1), has ended."""
        return self.directory / (
            f"{self.name}.{task}.ended" if self.tasks else f"{self.name}.ended"
        )

    def output(self, task: int = 0) -> Path:
        return self.directory / (f"{self.name}.{task}.out" if self.tasks else f"{self.name}.out")

    @property
    def owner(self) -> Path:
        """A symbolic link, made atomically, to the id of the job that runs the script."""
        return self.directory / f"{self.name}.owner"

    def started_by(self) -> str:
        """The id of the job that started the script; "" if none did."""
        try:
            owner = str(self.owner.readlink())
        except FileNotFoundError:
            return ""
        return "" if owner == NOBODY else owner

    def take_back(self) -> str:
        """Keeps the script from running if no job has started it: a job whose id is not known can
        be in the queue.

        Returns:
            The id of the job that has started; "" if none has and none will.
        """
        with suppress(FileExistsError):
            self.owner.symlink_to(NOBODY)
        return self.started_by()


@dataclass(frozen=True)
class Ended:
    """The contents of a marker."""

    code: int
    signal: str
    """Signal that made the script end; "" if there was none."""

    time_s: int
    """Time of the end, in seconds since the epoch."""


@dataclass(frozen=True)
class Limits:
    """Limits of the batch system for one user; None where it does not report a limit."""

    array: int | None = None
    """Largest number of tasks of an array; 1 where there are no arrays."""

    jobs: int | None = None
    """Largest number of jobs that were submitted and have not ended."""


class Scheduler(Protocol):
    name: str
    tools: Pairs = ()
    """The batch system's commands, and the purpose of each."""

    job_variable: str = ""
    """Environment variable with the job's id."""

    arrays: bool = True
    """True if the batch system has arrays of batch scripts."""

    own_options: Pairs = ()
    """Keys of the study file, each with a pattern of the equivalent option of the batch system."""

    reasons: Reasons = ()

    too_late: Reasons = ()
    """Messages of its launcher about a run that a script started after its job was over."""

    def script(self, job: Job, resources: Resources, modules: Sequence[str] = ()) -> str:
        """The script's text.

        Args:
            modules: environment modules to load after those of `resources`.

        Raises:
            InvalidCommand: the script or the batch system cannot express a setting.
        """

    def submit(self, script: Path) -> str:
        """Submits a script and returns the job's id.

        Raises:
            InvalidCommand: the batch system refused the script; the message quotes it.
            ToolMissing: there is no such batch system here, or it does not answer.
        """

    def states(self, ids: Sequence[str]) -> dict[str, JobState]:
        """The states of jobs in the queue, from one query; a hint. Tasks of arrays have entries of
        their own (see `task_id`) where the queue lists them.

        Raises:
            ToolMissing: the batch system does not answer.
        """

    def task_id(self, job: str, task: int) -> str:
        """The id of an array's task."""

    def cancel(self, ids: Sequence[str]) -> None: ...

    def limits(self) -> Limits: ...


def call(*words: str | Path, directory: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a batch system's command; the caller judges its exit code.

    Raises:
        ToolMissing: the command is not installed, or does not answer in time.
    """
    try:
        return ask(words, PATIENCE_SECONDS, cwd=directory)
    except OSError as error:
        raise ToolMissing(f"{words[0]} cannot be started: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise ToolMissing(f"{words[0]} did not answer in {PATIENCE_SECONDS:.0f} s") from error


def output_of(*words: str) -> str:
    """The stdout of a batch system's command.

    Raises:
        ToolMissing: the command fails.
    """
    done = call(*words)
    if done.returncode != 0:
        raise ToolMissing(f"{words[0]} does not answer: {in_one_line(done.stderr)}")
    return done.stdout


def refused(scheduler: str, script: Path, message: str, help: str) -> InvalidCommand:
    return InvalidCommand(f"{scheduler} refused {script}: {in_one_line(message)}; {help}")


def in_one_line(message: str) -> str:
    """A tool's error message, without the tool's name before each line."""
    lines = [re.sub(r"^\w+: (error: )?", "", line.strip()) for line in message.splitlines()]
    return "; ".join(filter(None, lines)).rstrip(".;") or "it gave no reason"


def read_marker(path: Path) -> Ended | None:
    """The contents of a script's marker; None if the script has not written it (yet)."""
    try:
        match = MARKER.search(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return Ended(int(match[1]), match[2], int(match[3])) if match else None


def fate(scheduler: Scheduler, marker: Path, output: Path, hint: JobState) -> JobState:
    """The state of a job or a task.

    The marker decides whether the job has ended. The queue, or the batch system's message in the
    job's output, gives the reason for a kill. A script whose node was lost or whose steps were
    killed can still finish.
    """
    ended = read_marker(marker)
    if ended is None and not hint.over:
        return hint
    if hint in KILLED:
        return hint
    if reason := reason_in(output, scheduler.reasons):
        return reason
    if ended is None:
        return JobState.FAILED if hint is JobState.FAILED else JobState.GONE
    if ended.signal:
        return JobState.TIMEOUT if ended.signal in TIME_IS_UP else JobState.CANCELLED
    return JobState.ENDED if ended.code == 0 else JobState.FAILED


def reason_in(output: Path, reasons: Reasons) -> JobState | None:
    """Why a job, or a program in it, was killed; None if the output gives no reason."""
    try:
        with output.open("rb") as file:
            file.seek(max(0, output.stat().st_size - LAST_BYTES))
            message = file.read().decode("utf-8", errors="replace")
    except OSError:
        return None
    return next(
        (state for pattern, state in reasons if re.search(pattern, message, re.MULTILINE)), None
    )
