"""OSU micro-benchmarks: the table of one benchmark (OMB 7.4, osu_util.c and osu_util_mpi.c).

The benchmarks print nothing at their end, so that a run that was cut off cannot be recognised. A
metric therefore carries its message size in its name, and is there or is not.
"""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.benchmark_tables import HEADLINE, Table
from waywiser.apps.text import whole_lines
from waywiser.model.reading import Reading

TITLE = re.compile(r"^# OSU MPI(?:-\w+)?[ _](.+?) Test(?: v[\d.]+)?$", re.MULTILINE)
HEAD = re.compile(r"^# (?:Size .*|.*\(us\))$", re.MULTILINE)
COLUMN = re.compile(r"(.+?) ?\(([^)]+)\)")  # "Avg Latency(us)", "Bandwidth (MB/s)", "Overlap(%)"
BARE = {"MB/s": ("Bandwidth", "MB/s"), "Messages/s": ("Message rate", "messages/s")}
VALIDATION = ("Validation", "")


def _columns(header: str) -> list[tuple[str, str]]:
    columns = []
    for cell in re.split(" {2,}", header.removeprefix("# Size").strip("# ")):
        named = COLUMN.fullmatch(cell)
        columns.append((named[1], named[2]) if named else BARE.get(cell, (cell, "")))
    return columns


def read(output: Output) -> Reading:
    text = whole_lines(output.stdout)
    title = TITLE.search(text)
    header = HEAD.search(text, title.end()) if title else None
    if title is None or header is None:
        raise NoResult(
            "OSU benchmarks: standard output has no line '# OSU MPI … Test' with a table after it"
        )
    columns = _columns(header[0])
    results = [column for column in columns if column != VALIDATION]
    if not results:
        raise NoResult(f"OSU benchmarks: the table's head reads {header[0]!r}")
    table = Table(title[1], results)
    has_sizes = header[0].startswith("# Size")
    for line in text[header.end() :].splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        size = words.pop(0) if has_sizes else "0"
        if VALIDATION in columns and words and words.pop() != "Pass":
            raise NoResult(f"OSU benchmarks: {title[1]} of {size} B did not pass its validation")
        if len(words) != len(results):
            raise NoResult(f"OSU benchmarks: a row of {title[1]} reads {line.strip()[:80]!r}")
        table.add(size, words)
    return Reading(
        metrics=(table.small_message(0), *table.metrics(0)), series=tuple(table.series())
    )


OSU = Application(
    name="osu",
    title="OSU micro-benchmarks",
    headline=HEADLINE,
    reader=read,
    version=r"^# OSU MPI.* v(\d\S*)$",
    documents="standard output: the table, its first column as metrics `allreduce_latency_8_b`, …",
    success="a table with a row, and no validation that failed",
)
