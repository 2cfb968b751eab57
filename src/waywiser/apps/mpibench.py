"""ww-mpibench: the samples that `--json mpibench.json` left in the working directory.

ww-mpibench writes one line for each benchmark and size as soon as it is measured. A metric carries
its message size in its name, so that the missing metrics of a run that was cut off are noticed.
"""

from __future__ import annotations

from collections.abc import Sequence

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.benchmark_tables import HEADLINE, Table
from waywiser.apps.text import DAMAGED, Sample, samples_in, version_of, whole_lines
from waywiser.model.reading import Reading
from waywiser.units import size_text

SAMPLES = "mpibench.json"
ORDER_STATISTICS = {
    "minimum": "minimum_ns",
    "median": "median_ns",
    "90th percentile": "p90_ns",
    "99th percentile": "p99_ns",
    "99.9th percentile": "p999_ns",
    "maximum": "maximum_ns",
}
DRAWN = {
    "counter": ("draws", "draws/s", "draws_per_second", 1),
    "dynamic": ("efficiency", "%", "efficiency", 100),
}
"""Main metric of the benchmarks of tasks from a counter, by their detail, and its scale."""


def _headline(sample: Sample) -> tuple[str, str, float]:
    """Return name, unit and value of the benchmark's main metric."""
    seconds = sample["seconds"]
    if sample["variant"] == "message_rate":
        return "message rate", "messages/s", sample["details"]["messages_per_second"]
    if sample["variant"] in DRAWN:
        name, unit, detail, scale = DRAWN[sample["variant"]]
        return name, unit, scale * sample["details"][detail]
    if sample["bytes"] is not None:
        return "bandwidth", "MB/s", sample["bytes"] / seconds * 1e-6
    return "time", "us", seconds * 1e6


def _add(tables: dict[str, Table], sample: Sample) -> None:
    name, details = sample["variant"], sample["details"]
    result, unit, value = _headline(sample)
    values = {(result, unit): value}
    if details["median_ns"] is not None:
        values |= {(title, "us"): details[key] * 1e-3 for title, key in ORDER_STATISTICS.items()}
    if details["overlap"] is not None:
        values["overlap", "%"] = 100 * details["overlap"]
    table = tables.setdefault(name, Table(name, list(values), sample["ranks"]))
    if table.columns != list(values):
        raise NoResult(f"ww-mpibench: samples of {name} in {SAMPLES} differ in their columns")
    table.add(str(sample["parameters"]["bytes"] or 0), [repr(value) for value in values.values()])


def _transport(samples: Sequence[Sample]) -> str:
    """Return the transports with their message sizes: "shared memory (64 B to 4 KiB)"."""
    sizes: dict[str, list[int]] = {}
    for sample in samples:
        details = sample["details"]
        if details.get("carriers"):  # absent in older files
            sizes.setdefault(details["carriers"], []).append(sample["parameters"]["bytes"] or 0)
    if len(sizes) < 2:
        return "".join(sizes)
    return "; ".join(f"{name} ({_range(lengths)})" for name, lengths in sizes.items())


def _range(sizes: Sequence[int]) -> str:
    first, last = size_text(min(sizes)), size_text(max(sizes))
    return first if first == last else f"{first} to {last}"


def _tables(samples: Sequence[Sample]) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    for sample in samples:
        if sample["verified"] is False:
            size = sample["parameters"]["bytes"]
            raise NoResult(
                f"ww-mpibench: {sample['variant']} of {size} B did not pass its validation"
            )
        _add(tables, sample)
    return tables


def read(output: Output) -> Reading:
    try:
        samples = samples_in(whole_lines(output.file(SAMPLES)))
        tables, transport = _tables(samples), _transport(samples)
        metrics = [metric for table in tables.values() for metric in table.metrics(0)]
    except DAMAGED as error:
        raise NoResult(f"ww-mpibench: {SAMPLES} is not what --json writes: {error!r}") from error
    if not tables:
        raise NoResult(
            f"ww-mpibench: the directory it ran in has no {SAMPLES} with a sample; start "
            f"it with '--json {SAMPLES}'"
        )
    first = next(iter(tables.values()))
    return Reading(
        metrics=(first.small_message(0), *metrics),
        series=tuple(series for table in tables.values() for series in table.series()),
        transport=transport,
    )


MPIBENCH = Application(
    name="mpibench",
    title="ww-mpibench",
    headline=HEADLINE,
    reader=read,
    documents=f"`{SAMPLES}`: medians of every benchmark and size as metrics `allreduce_8_b`, …",
    success="a sample, and no validation that failed",
    version=version_of("ww-mpibench"),
)
