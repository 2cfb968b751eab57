"""HPCG: the report that it leaves in its working folder (HPCG 3.1, ReportResults.cpp)."""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import figure, number, whole_lines
from waywiser.model.reading import Reading, Section

FILES = "HPCG-Benchmark*.txt"
RATING = "Final Summary::HPCG result is VALID with a GFLOP/s rating of"
TIME = "Benchmark Time Summary::"
PARTS = ("DDOT", "WAXPBY", "SpMV", "MG")


def read(output: Output) -> Reading:
    text = whole_lines(output.last_file(FILES) or output.stdout)
    values = dict(re.findall(r"^(\S.*?)=(.*)$", text, re.MULTILINE))
    if any(key.startswith("Final Summary::HPCG result is INVALID") for key in values):
        raise NoResult("HPCG: the result is INVALID")
    if RATING not in values:
        raise NoResult(
            f"HPCG: no performance, for neither {FILES} nor standard output says 'HPCG result is "
            "VALID with a GFLOP/s rating of'"
        )
    figures = [figure("performance", values[RATING], "GFLOP/s", "higher")]
    bandwidth = values.get("GB/s Summary::Raw Total B/W")
    if bandwidth is not None:
        figures.append(figure("bandwidth", bandwidth, "GB/s", "higher"))
    total = values.get(f"{TIME}Total")
    if total is not None:
        figures.append(figure("time", total, "s", "lower"))
    official = values.get("Final Summary::Official results execution time (sec) must be at least")
    remark = f"HPCG ran shorter than the {official} s that an official result takes."
    times = {name: number(values.get(f"{TIME}{name}", "")) for name in PARTS}
    return Reading(
        figures=tuple(figures),
        sections=tuple(
            Section(name=name, seconds=time) for name, time in times.items() if time is not None
        ),
        remarks=(remark,) if official else (),
    )


HPCG = Application(
    name="hpcg",
    title="HPCG",
    headline="performance",
    reader=read,
    version=r"^version=(\S+)",
    log="HPCG-Benchmark*.txt",
    documents=f"the last `{FILES}`, or standard output: rating, bandwidth, times of the kernels",
    success="`HPCG result is VALID`",
)
