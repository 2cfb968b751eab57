"""Helpers to read numbers and durations in the output of programs."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from pydantic import TypeAdapter

from waywiser.apps.application import NoResult, Output
from waywiser.model.reading import Better, Metric

NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eEdD][-+]?\d+)?"


def number(text: str) -> float | None:
    """A finite number as C, C++ or Fortran (1.5D+02) print it; None for anything else."""
    if not re.fullmatch(NUMBER, text, re.ASCII):
        return None
    value = float(re.sub("[dD]", "e", text))
    return value if math.isfinite(value) else None


def metric(name: str, text: str, unit: str, better: Better) -> Metric:
    """A metric.

    Raises:
        NoResult: the text is not a finite number.
    """
    value = number(text)
    if value is None:
        raise NoResult(f"{name} is {text!r}, which is not a finite number")
    return Metric(name=name, value=value, unit=unit, better=better)


def version_of(program: str) -> str:
    """Return the pattern of the version in the first line of Waywiser's own programs."""
    return rf"^{program} (\d\S*): "


DAMAGED = (
    *(ValueError, LookupError, TypeError, AttributeError),
    *(ArithmeticError, RecursionError),
)
"""Exceptions of samples that are not those of Waywiser's programs."""

Sample = dict[str, Any]
_SAMPLE = TypeAdapter(Sample)


def samples_in(text: str) -> list[Sample]:
    """Parse the samples of `--json FILE`."""
    return [_SAMPLE.validate_python(json.loads(line)) for line in text.splitlines()]


def check_verified(
    program: str, output: Output, end: str = "^verified$", line: str = r"(?!\d).*"
) -> str:
    """Return the output of one of Waywiser's programs after checking its end.

    Args:
        end: pattern of the last line of a run whose result is right.
        line: pattern of the program's error message, after its name.

    Raises:
        NoResult: that line is missing.
    """
    text = whole_lines(output.stdout)
    if not re.search(end, text, re.MULTILINE):
        quote = quoted(text + output.stderr, rf"^(?:NOT VERIFIED.*|{program}: {line})")
        raise NoResult(
            f"{program} did not verify its result: standard output has no line 'verified'{quote}"
        )
    return text


def whole_lines(text: str) -> str:
    """The text up to the last line feed: the rest was cut off, maybe within a number."""
    return text[: text.rfind("\n") + 1]


SAYS = "; it says: "
"""Words before a quotation of a program's own error message."""


def quoted(text: str, pattern: str) -> str:
    """Return the program's own error message, for a failure's sentence; "" if it printed none."""
    quote = re.search(pattern, text, re.MULTILINE)
    return f"{SAYS}{' '.join(quote[0].split())[:300]}" if quote else ""
