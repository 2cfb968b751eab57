"""`sacct --json`, job by job, as lines of `sacct -P`.

Source: Slurm's data_parser, whose numbers are objects from version 23.11 on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from waywiser.errors import InvalidCommand

HEADER = "JobIDRaw|Submit|Eligible|Start|End|ElapsedRaw|AllocNodes|AllocCPUS|ReqNodes|ReqCPUS|State"
MOST_CHARACTERS = 1 << 20
"""Largest number of characters in one job, which has about 10,000, and before the first job."""

_PIECE = 1 << 16
_JOBS = re.compile(r'"jobs"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")


def write_lines(path: Path, output: IO[str]) -> None:
    """
    Raises:
        InvalidCommand: the file has no list of jobs, or one of them is not valid.
    """
    output.write(f"{HEADER}\n")
    with path.open(encoding="utf-8", errors="replace") as file:
        for job in _jobs(file, path):
            output.write(f"{'|'.join(_fields(job))}\n")


def _jobs(file: IO[str], path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the jobs, one at a time in memory: a year of a large site has gigabytes."""
    text = file.read(MOST_CHARACTERS)
    begin = _JOBS.search(text)
    if begin is None:
        raise InvalidCommand(f'{path}: not the output of `sacct --json`; it has no "jobs": […]')
    decoder = json.JSONDecoder()
    at, needed = begin.end(), _PIECE
    while True:
        if len(text) - at < needed and (more := file.read(needed)):
            text, at = text[at:] + more, 0
        separator = _BETWEEN.match(text, at)
        at = separator.end() if separator else at
        if text.startswith("]", at):
            return
        try:
            job, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            if len(text) - at >= needed and needed < MOST_CHARACTERS:  # the file may have been cut
                needed *= 2
                continue
            raise InvalidCommand(f"{path}: a job of its JSON is not valid: {error}") from error
        needed = _PIECE
        if not isinstance(job, dict):
            raise InvalidCommand(f"{path}: a job in its JSON is not an object")
        yield job


def _fields(job: Mapping[str, Any]) -> tuple[str, ...]:
    time, tres = _part(job, "time"), _part(job, "tres")
    state = _part(job, "state").get("current")
    word = state[0] if isinstance(state, list) and state else state
    requested = _part(job, "required").get("CPUs")
    return (
        _number(job.get("job_id")),
        *(_number(time.get(key)) for key in ("submission", "eligible", "start", "end", "elapsed")),
        _number(job.get("allocation_nodes")),
        _count(tres.get("allocated"), "cpu"),
        _count(tres.get("requested"), "node"),
        _count(tres.get("requested"), "cpu") or _number(requested),
        re.sub(r"\W", " ", word)[:32] if isinstance(word, str) else "",
    )


def _part(job: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = job.get(key)
    return part if isinstance(part, dict) else {}


def _count(resources: object, kind: str) -> str:
    listed = resources if isinstance(resources, list) else []
    counts = (
        resource.get("count")
        for resource in listed
        if isinstance(resource, dict) and resource.get("type") == kind
    )
    return _number(next(counts, None))


def _number(value: object) -> str:
    """Return a number as text: "" if it is not set; the reader of lines refuses other text, of
    which half a UTF-16 pair could not be written."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set") else None
    if value is None:
        return ""
    text = str(value)[:32].encode(errors="replace").decode()
    return text.translate({ord("|"): " ", ord("\n"): " ", ord("\r"): " "})
