"""Values of the options of `waywiser whatif`: with their unit, or as multiples of what is there."""

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
"""An eager limit that no message reaches."""

_NUMBER = r"(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+)"


@dataclass(frozen=True)
class Change:
    """A new value, or a factor of the old one."""

    value: float
    relative: bool = False

    def factor_of(self, old: float) -> float:
        """What an old value is to be multiplied with; `inf` where it was 0 and gets another."""
        if self.relative:
            return self.value
        if old == 0:
            return 1.0 if self.value == 0 else math.inf
        return self.value / old


def latency_of(option: str, text: str) -> Change:
    """ "1.5us" as 1500 ns, "x0.5" as a factor.

    Raises:
        InvalidCommand: it is neither.
    """
    return _change(option, text, NANOSECONDS, "such as 1.5us", least=0.0)


def bandwidth_of(option: str, text: str) -> Change:
    """ "12.5GB/s" or "100Gbit/s" in B/s, "x2" as a factor.

    Raises:
        InvalidCommand: it is neither, or not more than 0.
    """
    return _change(option, text, BYTES_PER_SECOND, "such as 12.5GB/s or 100Gbit/s")


def factor_of(option: str, text: str) -> float:
    """ "1.5" or "x1.5".

    Raises:
        InvalidCommand: it is no number that is more than 0.
    """
    found = re.fullmatch(f"x?{_NUMBER}", text.strip())
    value = float(found[1]) if found else 0.0
    if not 0 < value < math.inf:
        raise InvalidCommand(f"{option} {text}: expected a factor more than 0, such as 1.5")
    return value


def whole_of(option: str, text: str) -> int:
    """A whole number of 1 or more.

    Raises:
        InvalidCommand: it is none.
    """
    if not re.fullmatch(r"\d{1,9}", text.strip()) or int(text) < 1:
        raise InvalidCommand(f"{option} {text}: expected a whole number of 1 or more")
    return int(text)


def size_of(option: str, text: str) -> int:
    """ "64KiB" in B; "unlimited".

    Raises:
        InvalidCommand: it is no size.
    """
    if text.strip() == "unlimited":
        return UNLIMITED
    found = re.fullmatch(rf"{_NUMBER}\s*([A-Za-z]*)", text.strip())
    if found is None or found[2] not in BYTES:
        raise InvalidCommand(f"{option} {text}: expected a size such as 64KiB, or `unlimited`")
    return round(float(found[1]) * BYTES[found[2]])


def _change(
    option: str, text: str, units: Mapping[str, float], like: str, least: float | None = None
) -> Change:
    """Where `least` is None, a value must be more than 0."""
    wanted = f"{option} {text}: expected a value {like}, or a factor of what there is, such as x0.5"
    relative = re.fullmatch(f"x{_NUMBER}", text.strip())
    absolute = re.fullmatch(rf"{_NUMBER}\s*([A-Za-zµ/]+)", text.strip())
    if relative:
        change = Change(float(relative[1]), relative=True)
    elif absolute and absolute[2] in units:
        change = Change(float(absolute[1]) * units[absolute[2]])
    else:
        raise InvalidCommand(wanted)
    if not math.isfinite(change.value) or (least is None and change.value <= 0):
        raise InvalidCommand(wanted)
    return change
