"""Formats of accounts, each as a query that gives texts of a line the names of `COLUMNS`.

Only these columns are taken from a line: names of users, accounts and jobs stay in the file.

Sources: sacct(1), "--format" and "--parsable2"; Slurm's plugin jobcomp/filetxt (jobcomp_filetxt.c);
"PBS Professional 2021.1 Reference Guide", chapter "Accounting Log".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from waywiser.errors import InvalidCommand

COLUMNS = {
    "id": ("jobidraw", "jobid"),
    "cluster": ("cluster",),
    "submit": ("submit",),
    "eligible": ("eligible",),
    "start": ("start",),
    "finish": ("end",),
    "elapsed": ("elapsedraw", "elapsed"),
    "nodes": ("allocnodes",),
    "cores": ("alloccpus",),
    "asked_nodes": ("reqnodes", "nnodes"),
    "asked_cores": ("reqcpus",),
    "state": ("state",),
}
"""Our name of each column -> its names in `sacct`, the better one first."""

NEEDED = "Start, End or ElapsedRaw, and AllocNodes or AllocCPUS"
ACCEPTED = (
    "the output of `sacct -P` with its header or of `sacct --json`, a file of Slurm's"
    " jobcomp/filetxt, or accounting records of PBS"
)

JOBCOMP = {
    "submit": "SubmitTime",
    "eligible": "EligibleTime",
    "start": "StartTime",
    "finish": "EndTime",
    "nodes": "NodeCnt",
    "cores": "ProcCnt",
    "state": "JobState",
}
PBS = {
    "submit": "qtime",
    "eligible": "etime",
    "start": "start",
    "finish": "end",
    "nodes": "Resource_List[.]nodect",
    "cores": "Resource_List[.]ncpus",
}
_PBS_RECORD = r"^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;([A-Za-z]);([^;]*);(.*)$"


@dataclass(frozen=True)
class Form:
    """A format of accounts, and the query that reads its lines."""

    query: str
    """Query on `lines(number, line)`. It gives `number`, each of `COLUMNS`, and `refused`: NULL,
    "skipped", or the reason why a line cannot be read."""

    header_lines: int = 0
    tells_end: bool = True
    """True if lines give a job's end; else it is the start plus the elapsed time."""


def form_of(path: Path, head: str) -> Form:
    """Recognise the format of a file by its first line.

    Raises:
        InvalidCommand: the format is unknown, or lacks columns.
    """
    if re.match(_PBS_RECORD, head):
        return Form(_pbs())
    if head.startswith("JobId="):
        return Form(_jobcomp())
    if "|" in head:
        return _sacct(path, head)
    raise InvalidCommand(f"{path}: not an account; accepted are {ACCEPTED}")


def _sacct(path: Path, head: str) -> Form:
    titles = head.removesuffix("|").lower().split("|")
    places = {
        ours: next((titles.index(name) + 1 for name in theirs if name in titles), 0)
        for ours, theirs in COLUMNS.items()
    }
    ends = places["finish"] or places["elapsed"]
    if not (places["start"] and ends and (places["nodes"] or places["cores"])):
        raise InvalidCommand(
            f"{path}: columns are missing; needed are {NEEDED}, by `sacct -P --format=…`"
        )
    columns = {ours: f"part[{at}]" for ours, at in places.items() if at}
    if not places["finish"] and places["state"]:  # a running job has an Elapsed, too
        columns["elapsed"] = f"if(part[{places['state']}] = 'RUNNING', NULL, part[{ends}])"
    count = len(titles)
    whole = f"len(part) = {count} OR (len(part) = {count + 1} AND part[{count + 1}] = '')"
    if titles[-1] == "jobname":  # which may contain the separator
        whole = f"len(part) >= {count}"
    query = (
        f"SELECT number, {_named(columns)}, CASE WHEN ltrim(line) = '' THEN 'skipped'"
        f" WHEN NOT ({whole}) THEN 'fields'"
        f" WHEN regexp_matches({columns.get('id', 'NULL')}, '^[0-9_+]+[.]') THEN 'step'"
        " END AS refused"
        " FROM (SELECT number, line, string_split(line, '|') AS part FROM lines)"
    )
    return Form(query, header_lines=1, tells_end=bool(places["finish"]))


def _jobcomp() -> str:
    columns = _by_key(JOBCOMP) | {"id": "regexp_extract(line, '^JobId=([0-9]+) ', 1)"}
    return (
        f"SELECT number, {_named(columns)}, CASE WHEN ltrim(line) = '' THEN 'skipped'"
        f" WHEN told = '' OR {columns['id']} = '' THEN 'fields' END AS refused"
        # The names of job and user precede its state and may hold anything.
        " FROM (SELECT number, line, regexp_extract(line, ' JobState=.*$') AS told FROM lines)"
    )


def _pbs() -> str:
    """Return the query on PBS records: those of started (S) and of ended jobs (E)."""
    columns = _by_key(PBS) | {"id": "record.id"}
    return (
        f"SELECT number, {_named(columns)}, CASE WHEN ltrim(line) = '' THEN 'skipped'"
        " WHEN record.kind = '' THEN 'fields'"
        " WHEN record.kind NOT IN ('E', 'S') THEN 'skipped' END AS refused"
        " FROM (SELECT number, line, record, ' ' || record.told AS told FROM (SELECT number, line,"
        f" regexp_extract(line, '{_PBS_RECORD}', ['kind', 'id', 'told']) AS record FROM lines))"
    )


def _by_key(keys: Mapping[str, str]) -> dict[str, str]:
    return {ours: f"regexp_extract(told, ' {key}=(\\S*)', 1)" for ours, key in keys.items()}


def _named(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{columns.get(ours, 'NULL')} AS {ours}" for ours in COLUMNS)
