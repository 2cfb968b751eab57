"""GROMACS: the cycle and time accounting at the end of mdrun (GROMACS 2022 manual, "Getting good
performance from mdrun")."""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import metric, number, quoted, whole_lines
from waywiser.model.reading import Reading, Section

LOG = "md.log"
ACCOUNTING = "R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G"
LOG_END = re.compile(r"^Finished mdrun on rank 0", re.MULTILINE)
SCREEN_END = re.compile(r"^GROMACS reminds you:", re.MULTILINE)
TIME = re.compile(r"^ +Time: +(\S+) +(\S+) +\S+$", re.MULTILINE)
COUNTS = re.compile(r"\d+ +\d+ +\d{1,18}")
TIMES = re.compile(r"\d+\.\d+ +\d+\.\d+ +\d+\.\d")
PERFORMANCE = re.compile(r"^ +\(ns/day\) +\(hour/ns\)\nPerformance: +(\S+) +(\S+)$", re.MULTILINE)
BREAKDOWN = re.compile(r"^ Breakdown of (.+?) (?:computation|activities)$", re.MULTILINE)


def _row(line: str) -> tuple[str, int | None, str] | None:
    """Split a row into name, calls and wall time: behind the name come ranks, threads and calls,
    which `Rest` lacks, then wall time, Giga-cycles and percent. The row is split from its end,
    since an expression with the name in it takes the square of the length of a damaged line."""
    if not re.match(r" \S", line):
        return None
    before, *times = line.rsplit(maxsplit=3)
    if not TIMES.fullmatch(" ".join(times)):
        return None
    name, *counts = before.rsplit(maxsplit=3)
    counted = COUNTS.fullmatch(" ".join(counts))
    name = (name if counted else before).strip().removesuffix(" *").rstrip()
    return name, int(counts[2]) if counted else None, times[0]


def _sections(text: str) -> list[Section]:
    sections: list[Section] = []
    parent: str | None = None
    for line in text.splitlines():
        breakdown = BREAKDOWN.match(line)
        if breakdown:
            parent = breakdown[1]
        row = _row(line)
        if row is None or row[0] == "Total":
            continue
        name, calls, wall = row
        seconds = number(wall)
        if seconds is not None:
            sections.append(Section(name=name, seconds=seconds, parent=parent, calls=calls))
    return sections


def read(output: Output) -> Reading:
    log = whole_lines(output.file(LOG))
    text, end = (log, LOG_END) if log else (whole_lines(output.stderr), SCREEN_END)
    _, _, accounting = text.rpartition(ACCOUNTING)  # a continued run appends to its log
    if not end.search(accounting):
        quote = quoted(text + output.stderr, r"^(?:Fatal error|Error in user input):\n.*")
        raise NoResult(
            "GROMACS did not finish: there is neither 'Finished mdrun on rank 0' in "
            f"{LOG}, nor, without that file, 'GROMACS reminds you:' in standard error{quote}"
        )
    performance, time = PERFORMANCE.search(accounting), TIME.search(accounting)
    if performance is None or time is None:
        raise NoResult(
            "GROMACS: no performance, because its log has no lines 'Time:' and 'Performance:' with "
            "ns/day"
        )
    return Reading(
        metrics=(
            metric("performance", performance[1], "ns/day", "higher"),
            metric("time_per_length", performance[2], "hours/ns", "lower"),
            metric("wall_time", time[2], "s", "lower"),
            metric("core_time", time[1], "s", "lower"),
        ),
        sections=tuple(_sections(accounting)) if log else (),
    )


GROMACS = Application(
    name="gromacs",
    title="GROMACS",
    headline="performance",
    reader=read,
    version=r":-\) GROMACS - gmx \w+, (\S+) \(-:",
    log="md.log",
    documents="`md.log`: performance and the time accounting; without that file, standard error",
    success="`Finished mdrun on rank 0` (standard error: `GROMACS reminds you:`)",
)
