"""ww-rupture: the sample that `--json rupture.json` left in the working directory."""

from __future__ import annotations

import json

from pydantic import TypeAdapter

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import DAMAGED, Sample, check_verified, version_of, whole_lines
from waywiser.model.reading import Better, Metric, Reading, Section

SAMPLE = "rupture.json"
DAY_S = 86400.0


def _metrics(sample: Sample) -> list[Metric]:
    seconds, details = sample["seconds"], sample["details"]
    updates_per_s = details["updates_per_s"]
    seissol_flops_per_s = updates_per_s * details["seissol_flops_per_update"]
    simulated_s = sample["parameters"]["end_s"]
    rows: list[tuple[str, float, str, Better]] = [
        ("performance", sample["flops"] / seconds * 1e-9, "GFLOP/s", "higher"),
        ("elapsed_time", seconds, "s", "lower"),
        ("update_rate", updates_per_s * 1e-6, "M cells/s", "higher"),
        ("seissol_performance", seissol_flops_per_s * 1e-9, "GFLOP/s", "higher"),
        ("of_peak", 100 * details["fraction_of_peak"], "%", "higher"),
        ("simulated_per_day", simulated_s / seconds * DAY_S, "s/day", "higher"),
    ]
    if sample["error"] is not None:
        rows.append(("error", 100 * sample["error"], "%", "lower"))
    if "energies" in details:
        rows.append(("moment", details["energies"][-1]["moment_Nm"], "N m", "neither"))
    return [Metric(name=name, value=v, unit=unit, better=better) for name, v, unit, better in rows]


def _sections(sample: Sample) -> tuple[Section, ...]:
    phases = sample["details"]["phases"]
    return tuple(Section(name=name.removesuffix("_s"), seconds=s) for name, s in phases.items())


def read(output: Output) -> Reading:
    check_verified("ww-rupture", output, line=r"(?!\w+, order).*")
    if not (line := whole_lines(output.file(SAMPLE))):
        raise NoResult(
            f"ww-rupture: no complete {SAMPLE} found in the directory it ran in; start it with "
            f"'--json {SAMPLE}'"
        )
    try:
        sample = TypeAdapter(Sample).validate_python(json.loads(line))
        return Reading(metrics=tuple(_metrics(sample)), sections=_sections(sample))
    except DAMAGED as error:
        raise NoResult(f"ww-rupture: {SAMPLE} is not what --json writes: {error!r}") from error


RUPTURE = Application(
    name="rupture",
    title="ww-rupture",
    headline="performance",
    reader=read,
    documents=f"`{SAMPLE}`: GFLOP/s, cell updates, elapsed time, time by kernel, moment or error",
    success="`verified`",
    version=version_of("ww-rupture"),
)
