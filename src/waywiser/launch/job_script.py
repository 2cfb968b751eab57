"""The text of a job's script: the parts that all batch systems share."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from waywiser.errors import InvalidCommand
from waywiser.launch.batch import Job
from waywiser.model.study import Resources

SIGNALS = {"INT": 2, "ALRM": 14, "TERM": 15, "XCPU": 24}
"""Signals by which batch systems end a job before they kill it; Flux sends ALRM at its time
limit."""


def script_text(
    job: Job,
    resources: Resources,
    modules: Sequence[str],
    *,
    directives: Sequence[str],
    job_id: str = "",
    task: str = "",
    before: Sequence[str] = (),
) -> str:
    """A job's script: directives, marker, modules, setup, steps.

    Args:
        job_id: shell text that expands to the job's id, as the submit command reports it.
        task: shell text that expands to the number of an array's task.
        before: lines that the batch system needs before everything else.
    """
    modules = [*resources.modules, *modules]
    ended = shlex.quote(job.name) + (".$task.ended" if job.tasks else ".ended")
    steps = [*_cases(job)] if job.tasks else [*job.steps]
    # Only login shells know `module` everywhere.
    login = bool(modules) or any("module load" in step for step in steps)
    lines = [
        "#!/bin/bash -l" if login else "#!/bin/bash",
        *(one_line(directive) for directive in directives),
        "",
        f"cd {shlex.quote(str(job.directory))} || exit",
        *(_owned(job, job_id) if job_id else []),
        *before,
        *([f"task={task}"] if job.tasks else []),
        "# This file says that the job has ended, whatever the queue says.",
        f"ended={ended}",
        'rm -f "$ended"',
        "signal=",
        # Written by the shell itself: a program that did it could be killed with the job.
        """trap 'printf "code=%d signal=%s time=%(%s)T\\n" $? "$signal" -1 >"$ended"' EXIT""",
        *(f"trap 'signal={name}; exit {128 + number}' {name}" for name, number in SIGNALS.items()),
        "",
        *(f"module load {shlex.quote(module)} || exit" for module in modules),
        *resources.setup,
        *([""] if modules or resources.setup else []),
        *steps,
        "# Failed: the batch system, which may have ended the step first, is about to say why.",
        "[ $? -eq 0 ] || sleep 3",
        "exit 0",
    ]
    return "\n".join(lines) + "\n"


def _owned(job: Job, job_id: str) -> Iterator[str]:
    yield "# The first job takes the runs, unless `study submit` has given them to another."
    yield f"job={job_id}"
    yield f'ln -sn "$job" {shlex.quote(job.owner.name)} 2>/dev/null'
    yield (
        f'if [ "$(readlink {shlex.quote(job.owner.name)})" != "$job" ]; then '
        'echo "another job has these runs"; exit; fi'
    )


def _cases(job: Job) -> Iterator[str]:
    yield "case $task in"
    for number, steps in enumerate(job.tasks, start=1):
        yield f"{number})"
        yield from steps
        yield ";;"
    yield "esac"


def one_line(text: str) -> str:
    """Return a directive's text if it is one line: a line break would start a shell command."""
    if not text.isprintable():
        raise InvalidCommand(
            f"{text!r} has a line break or a control character; a line of a batch "
            "script takes printable characters only"
        )
    return text


def option(name: str, value: object) -> str:
    """`--name=value` with shell quotes, as batch systems read it."""
    return f"--{name}={shlex.quote(str(value))}"
