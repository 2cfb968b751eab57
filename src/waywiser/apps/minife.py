"""ww-minife: its summary, or the samples that `--json minife.json` left beside it."""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import (
    DAMAGED,
    NUMBER,
    check_verified,
    metric,
    number,
    samples_in,
    version_of,
)
from waywiser.model.reading import Metric, Reading, Section

SAMPLES = "minife.json"
PARENTS = {
    **{"matvec": "cg", "dot": "cg", "update": "cg", "precondition": "cg"},
    **{"exchange": "matvec", "allreduce": "dot"},
}
ROW = re.compile(r"^(\w+) +(\S+) +(\S+) +(\S+) +\S+ +(\S+)$", re.MULTILINE)
ITERATIONS = re.compile(rf"^cg +(\d+) iterations, .*, ({NUMBER}) s per iteration$", re.MULTILINE)


def _of_summary(text: str) -> Reading:
    rows = {row[1]: row for row in ROW.finditer(text.partition("\nphase ")[2])}
    iterations = ITERATIONS.search(text)
    if "cg" not in rows or iterations is None:
        raise NoResult("ww-minife: no cg_time, because standard output has no row 'cg'")
    sections = []
    for name, row in rows.items():
        times = [metric(name, text, "s", "lower").value for text in row.group(2, 3, 4)]
        sections.append(_section(name, *times))
    metrics = [
        metric("cg_time", rows["cg"][4], "s", "lower"),
        metric("time_per_iteration", iterations[2], "s", "lower"),
        metric("iterations", iterations[1], "", "neither"),
    ]
    if number(rows["cg"][5]) is not None:
        metrics.append(metric("performance", rows["cg"][5], "GFLOP/s", "higher"))
    return Reading(metrics=tuple(metrics), sections=tuple(sections))


def _section(name: str, minimum: float, mean: float, maximum: float) -> Section:
    return Section(
        name=name, seconds=mean, minimum=minimum, maximum=maximum, parent=PARENTS.get(name)
    )


def _of_samples(text: str) -> Reading:
    """Read metrics and sections from the samples, which have all digits."""
    sections, metrics = [], []
    for sample in samples_in(text):
        name, seconds, details = sample["phase"], sample["seconds"], sample["details"]
        sections.append(_section(name, details["seconds_min"], details["seconds_average"], seconds))
        if name == "cg":
            iterations = sample["parameters"]["iterations"]
            rate = sample["flops"] / seconds * 1e-9
            metrics = [
                Metric(name="cg_time", value=seconds, unit="s", better="lower"),
                Metric(
                    name="time_per_iteration", value=seconds / iterations, unit="s", better="lower"
                ),
                Metric(name="iterations", value=iterations, unit="", better="neither"),
                Metric(name="performance", value=rate, unit="GFLOP/s", better="higher"),
            ]
    return Reading(metrics=tuple(metrics), sections=tuple(sections))


def read(output: Output) -> Reading:
    rounded = _of_summary(check_verified("ww-minife", output))
    samples = output.file(SAMPLES)
    if not samples:
        return rounded
    try:
        precise = _of_samples(samples)
    except DAMAGED as error:
        raise NoResult(f"ww-minife: {SAMPLES} is not what --json writes: {error!r}") from error
    missing = {section.name for section in rounded.sections} - {s.name for s in precise.sections}
    if missing:
        raise NoResult(f"ww-minife: {SAMPLES} has no {', '.join(sorted(missing))}")
    return precise


MINIFE = Application(
    name="minife",
    title="ww-minife",
    headline="cg_time",
    reader=read,
    documents=f"standard output, or with all digits `{SAMPLES}`: phases, CG time, iterations",
    success="`verified`",
    version=version_of("ww-minife"),
)
