"""Texts for the numbers of the report's plots."""

from __future__ import annotations

import math

from waywiser.model.configuration_findings import Estimate
from waywiser.units import seconds_text, three_digits

MOST_DIGITS = 4


def value_text(value: float, unit: str) -> str:
    """A metric with its unit; times get the most readable unit."""
    if unit == "s" and value >= 0:
        return seconds_text(value)
    text = three_digits(value) if 1e-4 <= abs(value) < 1e15 or value == 0 else f"{value:.3g}"
    return f"{text} {unit}".rstrip()


def estimate_text(estimate: Estimate, unit: str = "", scale: float = 1.0) -> str:
    """ "2.31 s [2.30, 2.33]", with the digits that the interval's width leaves significant."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if unit == "s" and value < 1:
        unit, scale = ("ms", 1e3) if value >= 1e-3 else ("µs", 1e6)
    suffix = f" {unit}" if unit else ""
    if low is None or high is None:
        return f"{three_digits(scale * value)}{suffix}"
    decimals = decimals_for(scale * (high - low), scale * value)
    numbers = (f"{scale * number:,.{decimals}f}" for number in (value, low, high))
    middle, lower, upper = numbers
    return f"{middle}{suffix} [{lower}, {upper}]"


def rounded(estimate: Estimate, unit: str, scale: float = 1.0) -> str:
    """ "39.1 %", without its interval, and rounded to the interval's first digit."""
    value, low, high = scale * estimate.value, estimate.low, estimate.high
    if low is None or high is None:
        return f"{three_digits(value)} {unit}"
    return f"{value:,.{max(0, decimals_for(scale * (high - low), value) - 1)}f} {unit}"


def percent_estimate(estimate: Estimate) -> str:
    """A share as "78.3 % [77.9, 78.6]"."""
    return estimate_text(estimate, "%", 100)


def decimals_for(width: float, value: float) -> int:
    """Decimals that show two digits of an interval's width, but at most four of the value."""
    of_value = MOST_DIGITS - 1 - math.floor(math.log10(abs(value))) if value else 6
    of_width = 1 - math.floor(math.log10(width)) if 0 < width < math.inf else of_value
    return min(6, max(0, min(of_width, of_value)))


def name_text(name: str) -> str:
    """The name of a metric as words: "loop_time" is "loop time"."""
    return name.replace("_", " ")


def capital(text: str) -> str:
    """The text with an initial capital, as for a sentence; "GFLOP/s" stays unchanged."""
    return text[:1].upper() + text[1:]


def axis_name(axis: str) -> str:
    return "MPI library" if axis == "mpi" else name_text(axis)


def axis_title(name: str, unit: str) -> str:
    return f"{name_text(name)} ({unit})" if unit else name_text(name)


def listed(texts: list[str]) -> str:
    """Texts as a list in a sentence: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))
