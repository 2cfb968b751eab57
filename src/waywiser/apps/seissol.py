"""SeisSol: rates and times from its log, in the forms of its versions from 2019 on.

Sources: SeisSol's documentation, "Performance measurement", and what its FlopCounter and Stopwatch
print. The oldest logs have the operations alone, which the documentation divides by the elapsed
time; later ones have GFLOP/s, the newest FLOP/s with an SI prefix.
"""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import NUMBER, quoted, whole_lines
from waywiser.model.reading import Better, Metric, Reading

END = re.compile(r"Simulation done\.|calc_SeisSol successfully finished")
PREFIXES = {"": 1e-9, "k": 1e-6, "M": 1e-3, "G": 1.0, "T": 1e3, "P": 1e6, "E": 1e9}
SECONDS = {
    **{"d": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0, "seconds": 1.0},
    **{"ms": 1e-3, "µs": 1e-6, "ns": 1e-9},
}
TIME = rf"((?:{NUMBER} (?:d|h|min|s|seconds|ms|µs|ns)\b ?)+)"
ELAPSED = rf"Elapsed time \(via clock_gettime\): *{TIME}"
KERNELS = rf"Total time spent in compute kernels: *({NUMBER})(?: s|$)"
PER_RANK = (
    rf"Performance since the start: .*average over ranks: *({NUMBER}) (G)FLOP/s\)",
    rf"HW-FLOP/s since start: .*\(per rank: *\(?({NUMBER})(?: ± {NUMBER}\))? ([kMGTPE]?)FLOP/s",
)


def _last(pattern: str, text: str) -> re.Match[str] | None:
    matches = list(re.finditer(pattern, text, re.MULTILINE))
    return matches[-1] if matches else None


def _seconds(text: str) -> float:
    parts = re.findall(rf"({NUMBER}) (\S+)", text)
    return sum(float(value) * SECONDS[unit.rstrip(".")] for value, unit in parts)


def _rate(kind: str, text: str, elapsed_s: float) -> float | None:
    """Return GFLOP/s of all ranks; `kind` is HW (all operations) or NZ (without known zeros)."""
    old = _last(rf"Total calculated {kind}-GFLOP/s: +({NUMBER})$", text)
    if old:
        return float(old[1])
    new = _last(rf"Total calculated {kind}-FLOP/s: +({NUMBER}) ([kMGTPE]?)FLOP/s$", text)
    if new:
        return float(new[1]) * PREFIXES[new[2]]
    operations = _last(rf"Total calculated {kind}-GFLOP: +({NUMBER})$", text)
    return float(operations[1]) / elapsed_s if operations and elapsed_s > 0 else None


def read(output: Output) -> Reading:
    text = whole_lines(output.stdout)
    if not END.search(text):
        quote = quoted(text + output.stderr, r"(?<=[, ])Error: .*")
        raise NoResult(
            "SeisSol did not finish: there is neither 'Simulation done.' nor "
            f"'calc_SeisSol successfully finished' in standard output{quote}"
        )
    elapsed = _last(ELAPSED, text)
    if elapsed is None:
        raise NoResult(
            "SeisSol: no elapsed_time, because there is no line 'Elapsed time (via clock_gettime):'"
        )
    elapsed_s = _seconds(elapsed[1])
    performance = _rate("HW", text, elapsed_s)
    if performance is None:
        raise NoResult(
            "SeisSol: no performance, because there is no line 'Total calculated HW-GFLOP/s:'"
        )
    metrics = [
        Metric(name="performance", value=performance, unit="GFLOP/s", better="higher"),
        Metric(name="elapsed_time", value=elapsed_s, unit="s", better="lower"),
    ]

    def add(name: str, value: float, unit: str, better: Better) -> None:
        metrics.append(Metric(name=name, value=value, unit=unit, better=better))

    nonzero = _rate("NZ", text, elapsed_s)
    if nonzero is not None:
        add("nonzero_performance", nonzero, "GFLOP/s", "higher")
    per_rank = next(filter(None, (_last(pattern, text) for pattern in PER_RANK)), None)
    if per_rank:
        value = float(per_rank[1]) * PREFIXES[per_rank[2]]
        add("performance_per_rank", value, "GFLOP/s", "higher")
    kernels = _last(KERNELS, text)
    if kernels:
        add("kernel_time", float(kernels[1]), "s", "lower")
    return Reading(metrics=tuple(metrics))


SEISSOL = Application(
    name="seissol",
    title="SeisSol",
    headline="performance",
    reader=read,
    documents="standard output: GFLOP/s of all ranks and per rank, elapsed time, time in kernels",
    success="`Simulation done.`, or of older versions `calc_SeisSol successfully finished`",
)
