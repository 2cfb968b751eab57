"""Graph500: the statistics that its codes print as `key: value` (reference 3.0 and 2.1)."""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import metric, number, quoted, whole_lines
from waywiser.model.reading import Better, Metric, Reading

ROW = re.compile(r"^[ \t]*(?:(bfs|sssp)[ \t]+)?(\w+):[ \t]*!?[ \t]*([^\s!]+)", re.MULTILINE)
FAILED = r"Validation failed.*|^No results printed for invalid run.*|^Error\b.*"
RATES = {
    "firstquartile_TEPS": "first_quartile",
    "median_TEPS": "median",
    "thirdquartile_TEPS": "third_quartile",
    "harmonic_stddev_TEPS": "error",
}
ROOTS = 64
"""Number of search roots that the rules require."""

UNCHECKED = "{} was run without validation, which an official result has."
OUTSIDE = "The harmonic mean of {} does not lie between its minimum and maximum."
FEW_ROOTS = "There were {:.0f} roots; an official result has 64."


class _Values(dict[tuple[str, str], str]):
    """Values by kernel and key; versions before 3.0 have one kernel without a name."""

    def __init__(self, output: Output) -> None:
        super().__init__()
        for text in (output.stderr, output.stdout):
            for kernel, key, value in ROW.findall(whole_lines(text)):
                self[kernel or "bfs", key] = value.removesuffix("TEPS")

    def number(self, kernel: str, key: str) -> float | None:
        return number(self.get((kernel, key), ""))


def _of_kernel(kernel: str, values: _Values) -> list[Metric]:
    """Return the rates in GTEPS; none if the kernel was not run."""
    mean = values.get((kernel, "harmonic_mean_TEPS"))
    if mean is None:
        return []
    metrics = [_rate(kernel, metric(kernel, mean, "TEPS", "higher").value, "higher")]
    for key, name in RATES.items():
        value = values.number(kernel, key)
        if value is not None:
            metrics.append(
                _rate(f"{kernel}_{name}", value, "lower" if name == "error" else "higher")
            )
    return metrics


def _rate(name: str, teps: float, better: Better) -> Metric:
    return Metric(name=name, value=teps * 1e-9, unit="GTEPS", better=better)


def _remarks(kernel: str, values: _Values) -> list[str]:
    remarks = []
    low, mean, high = (
        values.number(kernel, f"{key}_TEPS") for key in ("min", "harmonic_mean", "max")
    )
    if low is not None and mean is not None and high is not None and not low <= mean <= high:
        remarks.append(OUTSIDE.format(kernel.upper()))
    if values.number(kernel, "min_validate") == -1:
        remarks.append(UNCHECKED.format(kernel.upper()))
    return remarks


def read(output: Output) -> Reading:
    quote = quoted(output.stdout + output.stderr, FAILED)
    if quote:
        raise NoResult(f"Graph500 failed{quote}")
    values = _Values(output)
    kernels = {kernel: _of_kernel(kernel, values) for kernel in ("bfs", "sssp")}
    rates = [each for kernel_rates in kernels.values() for each in kernel_rates]
    if not rates:
        raise NoResult("Graph500: the output lacks the line 'harmonic_mean_TEPS:'")
    metrics = list(rates)
    for key, name, unit in (
        *(("construction_time", "construction_time", "s"), ("SCALE", "scale", "")),
        *(("edgefactor", "edge_factor", ""), ("NBFS", "roots", "")),
    ):
        value = values.number("bfs", key)
        if value is not None:
            better: Better = "lower" if unit else "neither"
            metrics.append(Metric(name=name, value=value, unit=unit, better=better))
    remarks = [
        each
        for kernel, kernel_rates in kernels.items()
        if kernel_rates
        for each in _remarks(kernel, values)
    ]
    roots = values.number("bfs", "NBFS")
    if roots is not None and roots < ROOTS:
        remarks.append(FEW_ROOTS.format(roots))
    return Reading(metrics=tuple(metrics), remarks=tuple(remarks))


GRAPH500 = Application(
    name="graph500",
    title="Graph500",
    headline="bfs",
    otherwise="sssp",
    reader=read,
    documents="standard output or error: TEPS of BFS and SSSP (the headline if there is no BFS), "
    "construction, scale, roots",
    success="`harmonic_mean_TEPS:`, and nowhere `Validation failed`",
)
