"""HPCG: the report that it leaves in its working directory (HPCG 3.1, ReportResults.cpp), or before
3.1 and from vendors' builds the same as YAML (3.0, YAML_Element.cpp)."""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import metric, number, whole_lines
from waywiser.model.reading import Metric, Reading, Section

FILES = (
    *("HPCG-Benchmark*.txt", "HPCG-Benchmark*.yaml"),
    *("n*-*p-*t[-_]V*.txt", "n*-*p-*t[-_]V*.yaml"),
)
RATING = "Final Summary::HPCG result is VALID with a GFLOP/s rating of"
SHORT = "Final Summary::Results are valid but execution time (sec) is"
OFFICIAL = "Final Summary::Official results execution time (sec) must be at least"
TIME = "Benchmark Time Summary::"
ALLREDUCE = "DDOT Timing Variations::{} DDOT MPI_Allreduce time"
PARTS = ("DDOT", "WAXPBY", "SpMV", "MG")
INTENSITY = (0.1, 0.2)
"""Range of operations per byte of HPCG's own counts, which have about 0.13."""


def _values(text: str) -> dict[str, str]:
    """Return the values by "Part::key". Version 3.1 prints `Part::key=value`, others print YAML, in
    which a line belongs to the last line before it that is indented less."""
    values: dict[str, str] = dict(re.findall(r"^(\S.*?)=(.*)$", text, re.MULTILINE))
    if any("::" in key for key in values):
        return values
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        key, colon, value = line.strip().partition(":")
        if colon:
            indent = len(line) - len(line.lstrip())
            above = [parent for parent in above if parent[0] < indent][:MOST_LEVELS]
            above.append((indent, key.strip("_# ")))
            values["::".join(name for _, name in above)] = value.strip()
    return values


MOST_LEVELS = 4


def _sections(values: dict[str, str]) -> list[Section]:
    times = {name: number(values.get(f"{TIME}{name}", "")) for name in PARTS}
    sections = [
        Section(name=name, seconds=time) for name, time in times.items() if time is not None
    ]
    least, mean, most = (
        number(values.get(ALLREDUCE.format(which), "")) for which in ("Min", "Avg", "Max")
    )
    if mean is not None:
        sections.append(
            Section(name="MPI_Allreduce", seconds=mean, minimum=least, maximum=most, parent="DDOT")
        )
    return sections


def _remarks(values: dict[str, str]) -> list[str]:
    remarks = []
    if SHORT in values:
        official = values.get(OFFICIAL, "1800")
        remarks.append(f"HPCG ran shorter than the {official} s that an official result takes.")
    rate, bandwidth = (
        number(values.get(key, ""))
        for key in ("GFLOP/s Summary::Raw Total", "GB/s Summary::Raw Total B/W")
    )
    least, most = INTENSITY
    if rate and bandwidth and not least <= rate / bandwidth <= most:
        remarks.append(
            f"HPCG counts {rate / bandwidth:.2g} operations per byte, where its algorithm has 0.13."
        )
    return remarks


def read(output: Output) -> Reading:
    reports = (output.last_file(pattern) for pattern in FILES)
    values = _values(whole_lines(next(filter(None, reports), output.stdout)))
    if any(key.startswith("Final Summary::HPCG result is INVALID") for key in values):
        raise NoResult("HPCG: the result is INVALID")
    if RATING not in values:
        raise NoResult(
            f"HPCG: no performance, because neither {FILES[0]} nor standard output says 'HPCG "
            "result is VALID with a GFLOP/s rating of'"
        )
    metrics: list[Metric] = [metric("performance", values[RATING], "GFLOP/s", "higher")]
    bandwidth = values.get("GB/s Summary::Raw Total B/W")
    if bandwidth is not None:
        metrics.append(metric("bandwidth", bandwidth, "GB/s", "higher"))
    total = values.get(f"{TIME}Total")
    if total is not None:
        metrics.append(metric("time", total, "s", "lower"))
    return Reading(
        metrics=tuple(metrics),
        sections=tuple(_sections(values)),
        remarks=tuple(_remarks(values)),
    )


HPCG = Application(
    name="hpcg",
    title="HPCG",
    headline="performance",
    reader=read,
    version=r"^(?:version=|HPCG-Benchmark version: V?)(\S+)",
    log="HPCG-Benchmark*",
    documents=f"the last `{FILES[0]}`, or of 3.0 and vendors the YAML file, or standard output: "
    "rating, bandwidth, times of the kernels",
    success="`HPCG result is VALID`",
)
