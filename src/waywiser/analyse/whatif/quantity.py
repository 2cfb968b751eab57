"""Values of the options of `waywiser whatif`: with a unit, or as multiples of recorded values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from waywiser.errors import InvalidCommand

NANOSECONDS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
BYTES_PER_SECOND = {
    "MB/s": 1e6,
    "GB/s": 1e9,
    "TB/s": 1e12,
    "Mbit/s": 1e6 / 8,
    "Gbit/s": 1e9 / 8,
    "Tbit/s": 1e12 / 8,
}
BYTES = {"B": 1, "": 1, "kB": 10**3, "MB": 10**6, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

UNLIMITED = 2**62
"""An eager limit above all messages."""

LARGEST_FACTOR = 1e6
LONGEST_NS = 1e15
FASTEST = 1e18
"""B/s; values beyond these bounds are typing errors, and sums of times would not be exact."""

_NUMBER = r"(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+)"


@dataclass(frozen=True)
class Change:
    """A new value, or a factor of the old one."""

    value: float
    relative: bool = False

    def factor_of(self, old: float) -> float:
        """Return the factor of the old value; `inf` if it was 0 and gets another value."""
        if self.relative:
            return self.value
        if old == 0:
            return 1.0 if self.value == 0 else math.inf
        return self.value / old


def latency_of(option: str, text: str) -> Change:
    """Convert "1.5us" to 1500 ns, "x0.5" to a factor.

    Raises:
        InvalidCommand: the text has neither form.
    """
    return _change(option, text, NANOSECONDS, "such as 1.5us", 0.0, LONGEST_NS)


def bandwidth_of(option: str, text: str) -> Change:
    """Convert "12.5GB/s" or "100Gbit/s" to B/s, "x2" to a factor.

    Raises:
        InvalidCommand: the text has neither form, or is not above 0.
    """
    return _change(option, text, BYTES_PER_SECOND, "such as 12.5GB/s or 100Gbit/s", 1.0, FASTEST)


def factor_of(option: str, text: str) -> float:
    """Convert "1.5" or "x1.5" to a factor.

    Raises:
        InvalidCommand: the text is not a number above 0, or is far too large.
    """
    match = re.fullmatch(f"x?{_NUMBER}", text.strip())
    value = float(match[1]) if match else 0.0
    if not 1 / LARGEST_FACTOR <= value <= LARGEST_FACTOR:
        raise InvalidCommand(f"{option} {text}: expected a factor from 1e-6 to 1e6, such as 1.5")
    return value


def noise_of(option: str, text: str) -> float:
    """Convert "5" or "5%" to a share.

    Raises:
        InvalidCommand: the text is not a share, or is far too large.
    """
    match = re.fullmatch(rf"{_NUMBER}\s*%?", text.strip())
    per_cent = float(match[1]) if match else math.inf
    if per_cent > LARGEST_FACTOR:
        raise InvalidCommand(
            f"{option} {text}: expected percent of computation, such as 5 (at most 1e6)"
        )
    return per_cent / 100


def whole_of(option: str, text: str, least: int = 1) -> int:
    """Convert a whole number of `least` or more.

    Raises:
        InvalidCommand: the text is not such a number.
    """
    if not re.fullmatch(r"\d{1,9}", text.strip()) or int(text) < least:
        raise InvalidCommand(
            f"{option} {text}: expected a whole number of {least} or more, with 9 digits at most"
        )
    return int(text)


def size_of(option: str, text: str) -> int:
    """Convert "64KiB" to B; "unlimited" is also accepted.

    Raises:
        InvalidCommand: the text is not a size.
    """
    if text.strip() == "unlimited":
        return UNLIMITED
    match = re.fullmatch(rf"{_NUMBER}\s*([A-Za-z]*)", text.strip())
    size = float(match[1]) * BYTES[match[2]] if match and match[2] in BYTES else math.inf
    if size >= UNLIMITED:
        raise InvalidCommand(f"{option} {text}: expected a size such as 64KiB, or `unlimited`")
    return round(size)


def _change(
    option: str, text: str, units: Mapping[str, float], like: str, least: float, most: float
) -> Change:
    """Convert a value from `least` to `most`; a factor may be 0 if a value may."""
    relative = re.fullmatch(f"x{_NUMBER}", text.strip())
    absolute = re.fullmatch(rf"{_NUMBER}\s*([A-Za-zµ/]+)", text.strip())
    if relative:
        change = Change(float(relative[1]), relative=True)
        least, most = min(least, 1 / LARGEST_FACTOR), LARGEST_FACTOR
    else:
        value = float(absolute[1]) * units.get(absolute[2], math.nan) if absolute else math.nan
        change = Change(value)
    if not least <= change.value <= most:
        raise InvalidCommand(
            f"{option} {text}: expected a value {like}, or a factor of what there is, such as x0.5"
        )
    return change
