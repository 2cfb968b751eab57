"""NAS Parallel Benchmarks: the results that each of them ends with (NPB 3.4, print_results)."""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import NUMBER, metric, quoted, whole_lines
from waywiser.model.reading import Metric, Reading, Section

START = "NAS Parallel Benchmarks"
RESULTS = re.compile(r"^ (\w\w) Benchmark Completed\.?$", re.MULTILINE)
KEYS = (
    *("Class", "Size", "Iterations", "Time in seconds", "Total processes", "Active processes"),
    *("Mop/s total", "Mop/s/process", "Verification"),
)
ROW = re.compile(rf"^ ({'|'.join(KEYS)}) *=(.*)$", re.MULTILINE)
TIMER = re.compile(
    rf"^ timer +\d+\( *([^\s()]+) *\) : +({NUMBER}) +({NUMBER}) +({NUMBER})$", re.MULTILINE
)
SUMS = ("total", "totcomp", "totcomm")
"""Timers that contain the other timers."""


def _metrics(values: dict[str, str]) -> tuple[Metric, ...]:
    missing = [key for key in KEYS if key != "Active processes" and key not in values]
    if missing:
        raise NoResult(f"NPB: the results have no '{missing[0]}'")
    return (
        metric("performance", values["Mop/s total"], "Mop/s", "higher"),
        metric("performance_per_process", values["Mop/s/process"], "Mop/s", "higher"),
        metric("time", values["Time in seconds"], "s", "lower"),
        metric("iterations", values["Iterations"], "", "neither"),
    )


def _remarks(name: str, values: dict[str, str], runs: int) -> tuple[str, ...]:
    size = " x ".join(re.findall(r"\d+", values["Size"]))
    total, active = values["Total processes"], values.get("Active processes")
    remarks = [f"The benchmark is {name}, class {values['Class']}, size {size}."]
    if active not in (None, total):
        remarks.append(
            f"Only {active} of {total} processes computed; the rate per process is that of all."
        )
    if runs > 1:
        remarks.append(f"NPB made {runs} runs; the metrics are those of the last.")
    return tuple(remarks)


def read(output: Output) -> Reading:
    text = whole_lines(output.stdout)
    runs = text.count(START)
    text = text[max(0, text.rfind(START)) :]
    results = RESULTS.search(text)
    if results is None:
        quote = quoted(text + output.stderr, r"^ *\*\*\* ERROR .*\n.*")
        raise NoResult(
            "NPB did not finish: the line 'XX Benchmark Completed' is missing from standard "
            f"output{quote}"
        )
    values = {key: value.strip() for key, value in ROW.findall(text, results.end())}
    verified = values.get("Verification", "not there")
    if verified != "SUCCESSFUL":
        raise NoResult(f"NPB: 'Verification' is {verified}, where SUCCESSFUL counts")
    return Reading(
        metrics=_metrics(values),
        sections=tuple(
            Section(name=name, seconds=float(mean), minimum=float(low), maximum=float(high))
            for name, low, high, mean in TIMER.findall(text, results.end())
            if name not in SUMS
        ),
        remarks=_remarks(results[1], values, runs),
    )


NAS = Application(
    name="nas",
    title="NAS Parallel Benchmarks",
    headline="performance",
    reader=read,
    version=r"^ Version {9}= +(\d\S*)",
    documents="standard output: rate, time, iterations, and with `NPB_TIMER_FLAG=1` the timers",
    success="`Verification = SUCCESSFUL`",
)
