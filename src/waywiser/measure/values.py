"""Values of the options of `waywiser profile`, from text; a ValueError says what is expected."""

from __future__ import annotations

import re

from waywiser.units import nanoseconds


def seconds_of(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds <= 300:
        raise ValueError(f"expected 0.1 to 300 seconds, got {text}")
    return seconds


def factor_of(text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 0 < factor < float("inf"):
        raise ValueError(f"expected a number more than 0, got {text}")
    return factor


def count_of(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"expected a number of 1 or more, got {text}")
    return int(text)


def phase_of(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"expected the number of a phase, 0 or more, got {text}")
    return int(text)


def size_of(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kMGT]?)B?", text)
    size = int(float(match[1]) * 1000 ** " kMGT".index(match[2] or " ")) if match else 0
    if size < 1:
        raise ValueError(f"expected a size such as 500M or 2G, got {text}")
    return size


def window_of(text: str) -> tuple[int, int]:
    try:
        return nanoseconds(text)
    except ValueError:
        raise ValueError(f"expected BEGIN:END in seconds, such as 1.5:2, got {text}") from None
