"""Any other program: metrics by regular expression, and checks of a result."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

from waywiser.apps.application import NoResult, Output, read_safely
from waywiser.apps.text import number
from waywiser.model.reading import Expected, Metric, MetricPattern, Reading

CHOICES: dict[str, Callable[[Sequence[float]], float]] = {
    "last": lambda values: values[-1],
    "first": lambda values: values[0],
    "sum": sum,
    "mean": lambda values: sum(values) / len(values),
    "minimum": min,
    "maximum": max,
}


SECONDS = 5.0
"""CPU time limit for all patterns of an output; a sensible pattern reads 100 MB in that time."""


@contextmanager
def _in_time() -> Iterator[None]:
    """Stop a search that would go through each of 2^n ways to match n characters.

    The engine looks for signals while it searches. The timer counts this process's own time on the
    processor, so that a busy machine ends nothing; it works in the main thread only, where all
    outputs are read.

    Raises:
        NoResult: the time is over.
    """

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise NoResult(
            f"a pattern takes more than {SECONDS:g} s of CPU time to search the output; "
            "nested repetitions, as in '(a+)+', may never end: write it without them"
        )

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _text(place: str, output: Output) -> str:
    streams = {"stdout": output.stdout, "stderr": output.stderr}
    return streams[place] if place in streams else output.file(place)


def _metric(name: str, pattern: MetricPattern, output: Output) -> Metric:
    text = _text(pattern.file, output)
    texts = [match[1] for match in re.finditer(pattern.pattern, text, re.MULTILINE)]
    if not texts:
        raise NoResult(f"no {name}: nothing in {pattern.file} matches {pattern.pattern!r}")
    values = []
    for each in texts:
        value = number((each or "").strip())
        if value is None:
            raise NoResult(
                f"no {name}: what {pattern.pattern!r} matches in {pattern.file} is {each!r}, which "
                "is not a finite number"
            )
        values.append(value)
    chosen = CHOICES[pattern.which](values)
    return Metric(name=name, value=chosen, unit=pattern.unit, better=pattern.better)


def read_patterns(metrics: Mapping[str, MetricPattern], success: str, output: Output) -> Reading:
    """Return the metrics that regular expressions find, or the reason why one is missing.

    Args:
        metrics: name -> pattern.
        success: a regular expression that standard output must match; "" for none.
    """

    def read(output: Output) -> Reading:
        with _in_time():
            if not re.search(success, output.stdout, re.MULTILINE):
                raise NoResult(f"nothing in stdout matches {success!r}")
            return Reading(
                metrics=tuple(_metric(name, pattern, output) for name, pattern in metrics.items())
            )

    return read_safely("the program", read, output)


def checked(reading: Reading, correct: Mapping[str, Expected]) -> Reading:
    """Return the reading, as a failure if a metric differs from its expected value."""
    if reading.failure:
        return reading
    for name, expected in correct.items():
        metric = reading.metric(name)
        if metric is None:
            known = ", ".join(metric.name for metric in reading.metrics)
            return Reading(failure=f"no {name} to check; the output has {known or 'no metrics'}")
        allowed = max(expected.absolute, expected.relative * abs(expected.value))
        if abs(metric.value - expected.value) > allowed:
            shown = f"{name} is {metric.value!r} {metric.unit}".rstrip()
            return Reading(
                failure=f"the result is wrong: {shown}, not {expected.value!r} within {allowed:.3g}"
            )
    return reading
