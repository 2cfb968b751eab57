"""Numbers for readers: three significant digits, a unit, and no false precision.

Amounts of data are decimal (1 MB = 1 000 000 B), as networks are rated. Message sizes and memory
are binary (1 KiB = 1024 B), as programs choose them. The prefix distinguishes them.
"""

from __future__ import annotations

import math
import re

INVISIBLE = 0.0005
"""Error of a metric, as a share of it, that three digits do not show."""

_RATES = ("k", "M", "G", "T", "P", "E")
_OF_RATES = ("FLOP/s", "TEPS", "op/s")
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_DECIMAL = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
_JOULES = ("J", "kJ", "MJ", "GJ", "TJ", "PJ", "EJ")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_UNITS = (
    *("%", "s", "ms", "µs", "us", "ns", "min", "h", "Hz", "kHz", "MHz", "GHz", "W", "kW"),
    *(*_DECIMAL, *_BINARY, *_JOULES),
    *(f"{prefix}{unit}" for prefix in ("", *_RATES) for unit in _OF_RATES),
)
_BEFORE_UNIT = re.compile(
    rf"(?<=\d) (?=(?:{'|'.join(map(re.escape, _UNITS))})(?![\w%]))|(?<=[<±]) (?=\d)|(?<=\d) (?=±)"
)
"""A space at which no line may end."""


def three_digits(value: float) -> str:
    """`value` with three significant digits, never in exponent form: 1234.5 -> "1,234".

    A whole number has no decimals: 8 -> "8", but 8.001 -> "8.00".
    """
    if value == int(value):
        return f"{value:,.0f}"
    # Round before counting digits: 0.9999 has as many as 1.
    decimals = max(0, 2 - math.floor(math.log10(abs(float(f"{value:.3g}")))))
    return f"{value:,.{decimals}f}"


def seconds_text(seconds: float) -> str:
    """A duration in s, as "12.3 ms"; from two minutes on as "2 min 05 s"."""
    if seconds >= 120:
        minutes, rest = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"
    for scale, unit in _SECONDS:
        if abs(seconds) >= scale * 0.9995:
            return f"{three_digits(seconds / scale)} {unit}"
    return "0 s"


def seconds_with_error_text(seconds: float, error: float) -> str:
    """A duration [s] and its error, with no more digits than the error has: "1.19 ± 0.05 s".

    Args:
        error: >= 0; omitted if three digits do not show it.
    """
    alone = f"{'-' if seconds < 0 else ''}{seconds_text(abs(seconds))}"
    if error == 0 or error < INVISIBLE * abs(seconds):
        return alone
    if max(abs(seconds), error) >= 120:
        return f"{alone} ± {seconds_text(error)}"
    # An error of 100 ms or more is shown in s, so that all digits are significant.
    larger = max(abs(seconds), 10 * error)
    scale, unit = next((row for row in _SECONDS if larger >= row[0] * 0.9995), _SECONDS[-1])
    value, error = seconds / scale, error / scale
    # One digit of the error, two if the first is a 1, as the Particle Data Group rounds.
    first = math.floor(math.log10(error))
    decimals = -first + (1 if error < 2 * 10.0**first else 0)
    shown = max(0, decimals)
    return f"{round(value, decimals):,.{shown}f} ± {round(error, decimals):,.{shown}f} {unit}"


def rate_text(value: float, unit: str) -> tuple[str, str]:
    """A rate in three digits and its unit with the matching prefix:
    (13930, "GFLOP/s") -> ("13.9", "TFLOP/s"). Units without a decimal prefix stay unchanged."""
    for at, prefix in enumerate(_RATES):
        if unit.startswith(prefix) and unit[1:] in _OF_RATES:
            while abs(value) >= 999.5 and at < len(_RATES) - 1:
                value, at = value / 1000, at + 1
            return three_digits(value), f"{_RATES[at]}{unit[1:]}"
    return three_digits(value), unit


def bytes_text(amount: float) -> str:
    """An amount of data in B, in decimal units: "1.21 GB"."""
    return _scaled(amount, 1000, _DECIMAL)


def joules_text(energy: float) -> str:
    """An energy in J: "1.21 kJ"."""
    return _scaled(energy, 1000, _JOULES)


def size_text(size: float) -> str:
    """A message size or an amount of memory in B, in binary units: "8 KiB"."""
    return _scaled(size, 1024, _BINARY)


def percent_text(share: float) -> str:
    """A share (1 is the whole) in percent; a small share above zero is not shown as 0."""
    percent = 100 * share
    if 0 < percent < 0.1:
        return "< 0.1 %"
    return f"{percent:.1f} %" if 0 < percent < 9.95 else f"{percent:.0f} %"


def signed_percent(share: float) -> str:
    """A change: "+12 %"; a change that rounds to zero has no sign."""
    size = percent_text(abs(share))
    return size if size.startswith("<") or share == 0 else f"{'-' if share < 0 else '+'}{size}"


def unbroken(text: str) -> str:
    """`text` without line breaks between "<" or "±", a number and its unit."""
    return _BEFORE_UNIT.sub("\u00a0", text)


def count_text(count: int) -> str:
    """An exact integer, in groups of three digits: "12,345,678"."""
    return f"{count:,}"


def counted(count: int, noun: str) -> str:
    """`count` with its noun in the right number: "1 rank", "1,024 ranks"."""
    return f"{count_text(count)} {noun}{'' if count == 1 else 's'}"


def _scaled(amount: float, base: int, units: tuple[str, ...]) -> str:
    power = 0
    # 999.95 rounds to 1,000 in three digits, which needs the next unit.
    while abs(amount) >= base * 0.9995 and power < len(units) - 1:
        amount /= base
        power += 1
    return f"{three_digits(amount)} {units[power]}"


def nanoseconds(window: str) -> tuple[int, int]:
    """The bounds [ns] of "1.5:2", in seconds since the trace's start.

    Raises:
        ValueError: the window is not valid.
    """
    begin, end = (float(seconds) for seconds in window.split(":"))
    if not 0 <= begin < end < 1e9:
        raise ValueError
    return round(begin * 1e9), round(end * 1e9)
