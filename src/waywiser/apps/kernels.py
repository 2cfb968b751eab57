"""The kernels ww-memory, ww-grid, ww-comm, ww-fd and ww-propa, and ww-npb, ww-tbl, ww-lattice and
ww-shallow and ww-spectral: the samples that `--json NAME.json` left.

A metric is the rate of a kernel's fastest variant; each variant has another metric with the
variant's name at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import DAMAGED, Sample, check_verified, samples_in, version_of, whole_lines
from waywiser.model.reading import Metric, Reading, Section

END = r"^(?:verified|not checked: .*)$"
"""Pattern of an output's last line. The second form says that nothing could be compared: the
velocity varies (ww-propa), or the size is not a published class (ww-npb)."""

TABLE = re.compile(rf"^\S.* median .*\n((?:.*\n)*?){END[1:]}", re.MULTILINE)
"""The rows below the heading, one a sample."""

RATE = "rate"
"""Metric of ww-propa: the fastest of all, be it an eigenmode's propagation or modelling. Metric of
ww-lattice: sites and iterations a second; of ww-shallow: cells, levels and steps a second. Metric
of ww-spectral: points and levels a second of round trips.
"""

SOLUTION = "performance"
"""Metric of ww-npb for every benchmark, and of ww-tbl for every flow."""

EXCHANGE = "exchange"
"""Metric of ww-comm: the fastest of all."""


def _name(*parts: str) -> str:
    return "_".join(parts).replace("-", "_")


def _per_second(amount: str, unit: str, factor: float = 1e-9) -> Callable[[Sample], Metric]:
    """Return the function that computes the rate of each variant of a phase."""

    def metric(sample: Sample) -> Metric:
        name = _name(sample["phase"], sample["variant"])
        value = sample[amount] / sample["seconds"] * factor
        return Metric(name=name, value=value, unit=unit, better="higher")

    return metric


_bandwidth = _per_second("bytes", "GB/s")
_rate = _per_second("points", "GPoint/s")
_operations = _per_second("flops", "Mop/s", 1e-6)
_site_rate = _per_second("points", "MSite/s", 1e-6)
_cell_rate = _per_second("points", "MCell-levels/s", 1e-6)


def _exchange(sample: Sample) -> Metric:
    of = sample["parameters"]
    where = f"{of['p1']}x{of['p2']}x{of['p3']}"
    name = _name(f"exchange_o{of['order']}", where, sample["variant"])
    return Metric(name=name, value=sample["seconds"] * 1e6, unit="us", better="lower")


def _samples(output: Output, name: str) -> list[Sample]:
    """Read all samples: a missing one could be the fastest."""
    file = f"{name}.json"
    samples = samples_in(whole_lines(output.file(file)))
    table = TABLE.search(whole_lines(output.stdout))
    rows = table[1].splitlines() if table else []
    printed = len([row for row in rows if not row.startswith("NOTE")])
    if len(samples) != printed:
        raise NoResult(
            f"ww-{name}: {file} in the directory it ran in has {len(samples)} samples, and "
            f"{printed} were printed; start it with '--json {file}'"
        )
    return samples


def _metrics(samples: list[Sample], metric_of: Callable[[Sample], Metric]) -> list[Metric]:
    """Return the best variant of every kernel, and then every sample."""
    best: dict[str, Metric] = {}
    every = [metric_of(sample) for sample in samples]
    for sample, metric in zip(samples, every, strict=True):
        name = metric.name.removesuffix("_" + _name(sample["variant"]))
        sign = 1 if metric.better == "higher" else -1
        if name not in best or sign * metric.value > sign * best[name].value:
            best[name] = metric.replace(name=name)
    return [*best.values(), *every]


def _costs(samples: list[Sample], name: str) -> list[Metric]:
    """Return time and error of the fastest variant of propagating: the cost of accuracy."""
    if name != "propa":
        return []
    fastest = min(samples, key=lambda sample: float(sample["seconds"]))
    metrics = [Metric(name="time", value=fastest["seconds"], unit="s", better="lower")]
    if fastest["error"] is not None:
        percent = 100 * fastest["error"]
        metrics.append(Metric(name="error", value=percent, unit="%", better="lower"))
    return metrics


def _averages(samples: list[Sample]) -> list[Metric]:
    """Return what a channel's averages of ww-tbl are compared by: the shear Reynolds number, the
    friction coefficient and the mean velocity in the centre, in wall units."""
    metrics = []
    for sample in samples:
        if averages := sample["details"].get("statistics"):
            velocity = averages["friction_velocity"]
            centre = averages["u"][len(averages["u"]) // 2]
            values = {
                "shear_reynolds": velocity * sample["parameters"]["re"],
                "friction_coefficient": 2 * (velocity / averages["bulk_velocity"]) ** 2,
                "centre_velocity": centre / velocity,
            }
            metrics += [
                Metric(name=name, value=value, unit="", better="neither")
                for name, value in values.items()
            ]
    return metrics


def _sections(samples: list[Sample]) -> tuple[Section, ...]:
    """Return parts of the time of the slowest rank, where a program reports them."""
    return tuple(
        Section(name=str(part).removesuffix("_s").replace("_", " "), seconds=seconds)
        for sample in samples
        if "sections" in sample["details"]
        for part, seconds in dict(sample["details"]["sections"]).items()
    )


def _read(
    name: str, headline: str, metric_of: Callable[[Sample], Metric], output: Output
) -> Reading:
    check_verified(f"ww-{name}", output, END)
    try:
        samples = _samples(output, name)
        metrics = _metrics(samples, metric_of) + _costs(samples, name) + _averages(samples)
        sections = _sections(samples)
    except DAMAGED as error:
        raise NoResult(f"ww-{name}: {name}.json is not what --json writes: {error!r}") from error
    if headline == EXCHANGE and metrics:
        fastest = min(metrics, key=lambda metric: metric.value)
        metrics.insert(0, fastest.replace(name=headline))
    if headline in (RATE, SOLUTION) and metrics:
        metrics.insert(0, metrics[0].replace(name=headline))
    return Reading(metrics=tuple(metrics), sections=sections)


def _kernel(
    name: str,
    headline: str,
    metric_of: Callable[[Sample], Metric],
    documents: str,
    success: str = "`verified`",
) -> Application:
    return Application(
        name=name,
        title=f"ww-{name}",
        headline=headline,
        reader=partial(_read, name, headline, metric_of),
        documents=documents,
        success=success,
        version=version_of(f"ww-{name}"),
    )


MEMORY = _kernel("memory", "triad", _bandwidth, "`memory.json`: bandwidth of every sweep")
GRID = _kernel("grid", "sum_abs", _bandwidth, "`grid.json`: bandwidth of every kernel")
FD = _kernel("fd", "laplacian", _rate, "`fd.json`: points a second of every operator")
PROPA = _kernel(
    "propa",
    RATE,
    _rate,
    "`propa.json`: points a second, time and error of the propagation",
    "`verified`, or `not checked` and why",
)
COMM = _kernel(
    "comm", EXCHANGE, _exchange, "`comm.json`: time of every decomposition, order and variant"
)
NPB = _kernel(
    "npb",
    SOLUTION,
    _operations,
    "`npb.json`: operations a second, as NPB counts them",
    "`verified`, or `not checked` and why",
)
TBL = _kernel(
    "tbl", SOLUTION, _rate, "`tbl.json`: points and steps a second, and the time of four sections"
)
LATTICE = _kernel(
    "lattice",
    RATE,
    _site_rate,
    "`lattice.json`: sites and iterations a second, those of hops, and the time of five sections",
)
SHALLOW = _kernel(
    "shallow",
    RATE,
    _cell_rate,
    "`shallow.json`: cells, levels and steps a second, and the time of three sections",
)
SPECTRAL = _kernel(
    "spectral",
    RATE,
    _rate,
    "`spectral.json`: points and levels a second of round trips and steps, and the time of five "
    "sections",
)
