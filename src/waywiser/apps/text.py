"""Small helpers to read numbers and durations in what programs print."""

from __future__ import annotations

import math
import re

from waywiser.apps.application import NoResult
from waywiser.model.reading import Better, Figure

NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eEdD][-+]?\d+)?"


def number(text: str) -> float | None:
    """A finite number as C, C++ or Fortran (1.5D+02) print it; None for anything else."""
    if not re.fullmatch(NUMBER, text, re.ASCII):
        return None
    value = float(re.sub("[dD]", "e", text))
    return value if math.isfinite(value) else None


def figure(name: str, text: str, unit: str, better: Better) -> Figure:
    """A figure of merit.

    Raises:
        NoResult: the text is not a finite number.
    """
    value = number(text)
    if value is None:
        raise NoResult(f"{name} is {text!r}, which is not a finite number")
    return Figure(name=name, value=value, unit=unit, better=better)


def version_of(program: str) -> str:
    """The regular expression for the version in the first line of Waywiser's own programs."""
    return rf"^{program} (\d\S*): "


def whole_lines(text: str) -> str:
    """The text up to the last line feed: the rest was cut off, maybe within a number."""
    return text[: text.rfind("\n") + 1]


SAYS = "; it says: "
"""Words before a quotation of a program's own error message."""


def quoted(text: str, pattern: str) -> str:
    """The program's own words on its end, for a failure's sentence; "" if it said nothing."""
    said = re.search(pattern, text, re.MULTILINE)
    return f"{SAYS}{' '.join(said[0].split())[:300]}" if said else ""
