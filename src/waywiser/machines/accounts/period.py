"""Periods as users write them: 2020, 2020-06, 2020-06-15, and 2020-01..2020-06, both inclusive."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from waywiser.errors import InvalidCommand

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")


@dataclass(frozen=True)
class Period:
    """[begin, end) in s since 1970, in the time of the account."""

    begin: int
    end: int


def period_of(text: str, option: str) -> Period:
    """
    Raises:
        InvalidCommand: the text is not a period.
    """
    first, dots, last = text.partition("..")
    try:
        period = Period(_seconds(first, after=0), _seconds(last if dots else first, after=1))
    except ValueError as error:
        raise InvalidCommand(
            f"{option} {text}: expected a year, month or day, or two of them, as 2020-01..2020-06"
        ) from error
    if period.end <= period.begin or period.begin < 0:
        raise InvalidCommand(f"{option} {text}: it ends before it begins, or begins before 1970")
    return period


def _seconds(date: str, after: int) -> int:
    """Return the start of the date's year, month or day, or of the next one [s since the epoch]."""
    if not _DATE.fullmatch(date):
        raise ValueError(date)
    return int((np.datetime64(date) + after).astype("datetime64[s]").astype(np.int64))


def months(begin: int, end: int) -> tuple[tuple[str, int, int], ...]:
    """Return name, begin and end of each calendar month of [begin, end), cut to it."""
    first, last = (np.datetime64(at, "s").astype("datetime64[M]") for at in (begin, end - 1))
    names = np.arange(first, last + 1)
    edges = np.arange(first, last + 2).astype("datetime64[s]").astype(np.int64)
    return tuple(
        (str(name), max(begin, int(edges[at])), min(end, int(edges[at + 1])))
        for at, name in enumerate(names)
    )


def moment_text(seconds: int) -> str:
    return str(np.datetime64(seconds, "s"))
