"""Names of hosts as Slurm writes them: "n[0-3,7],login1" and back.

Several brackets in one name count like digits: "r[1-2]i[0-1]" is r1i0, r1i1, r2i0, r2i1.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator

from waywiser.errors import InvalidCommand

MOST_NAMES = 1 << 20
"""Largest number of names in all hostlists of one input: six times the nodes of the largest machine
so far. Such names take less than 1 GB of memory."""

LONGEST_NAME = 255
"""Largest number of characters in a host name of the Domain Name System (RFC 1035)."""

TOO_LONG = f"a host's name has at most {LONGEST_NAME} characters"

MOST_SHOWN = 200
"""Characters of a text that is quoted in a message."""

_PART = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_LAST_NUMBER = re.compile(r"(?<!\d)\d++(?=\D*\Z)", re.ASCII)


class InvalidHostlist(InvalidCommand):
    """The error of a hostlist that cannot be read; the caller adds the name of the file."""


def expand(text: str, most: int = MOST_NAMES) -> list[str]:
    """The names of a hostlist, in its order.

    Args:
        most: largest number of names.

    Raises:
        InvalidHostlist: the text is not a hostlist, or has more names.
    """
    parts = [part.strip() for part in _PART.findall(text)]
    around = [comma.strip() for comma in _PART.split(text)]
    if not all(parts) or around != ["", *[","] * (len(parts) - 1), ""]:
        raise InvalidHostlist(
            f"{_shown(text)} is not a list of hosts: expected one like n[0-3,7],login1"
        )
    names: list[str] = []
    for part in parts:
        names += _names(part, text, most - len(names))
    return names


def expand_all(texts: Iterable[str]) -> list[str]:
    """The names of several hostlists, one after the other."""
    return list(itertools.chain.from_iterable(expand_each(texts)))


def expand_each(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the names of each of several hostlists, which together have at most `MOST_NAMES`."""
    left = MOST_NAMES
    for text in texts:
        names = expand(text, left)
        left -= len(names)
        yield names


def _names(part: str, text: str, most: int) -> Iterator[str]:
    """Yield the names of one part of a hostlist, which has no commas outside of brackets."""
    fixed, insides = _BRACKETS.split(part)[::2], _BRACKETS.findall(part)
    choices = [_ranges(inside, text) for inside in insides]
    count = math.prod(sum(last - first + 1 for first, last, _ in ranges) for ranges in choices)
    if count > most:
        count_text = str(count) if count < 10**12 else "more than 10^12"
        raise InvalidHostlist(
            f"{_shown(text)} names {count_text} hosts; at most {MOST_NAMES} are accepted in all"
        )
    if sum(map(len, fixed)) > LONGEST_NAME:
        raise InvalidHostlist(f"{_shown(part)}: {TOO_LONG}")
    return (
        "".join(itertools.chain(*zip(fixed, [*choice, ""], strict=True)))
        for choice in itertools.product(*map(_numbers, choices))
    )


def _ranges(inside: str, text: str) -> list[tuple[int, int, int]]:
    """Return first number, last number and digits of each range in a pair of brackets."""
    ranges = []
    for piece in inside.split(","):
        match = re.fullmatch(r"\s*(\d{1,12})(?:-(\d{1,12}))?\s*", piece, re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if match is None or first > last:
            raise InvalidHostlist(
                f"{_shown(text)}: [{_cut(inside)}] is not a list of numbers: expected one like "
                "[0-3,7]"
            )
        ranges.append((first, last, len(match[1])))
    return ranges


def _numbers(ranges: list[tuple[int, int, int]]) -> Iterator[str]:
    """Numbers of the ranges, with leading zeros."""
    for first, last, digits in ranges:
        for number in range(first, last + 1):
            yield str(number).zfill(digits)


def _shown(text: str) -> str:
    return repr(_cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def compress(names: Iterable[str]) -> list[str]:
    """Return hostlists that `expand` to the names, in the same order.

    Raises:
        InvalidHostlist: a name is longer than a host name may be.
    """
    lists: list[str] = []
    run: list[str] = []  # prefix, first and last number, suffix
    for name in names:
        if len(name) > LONGEST_NAME:
            raise InvalidHostlist(f"{_shown(name)}: {TOO_LONG}")
        match = _LAST_NUMBER.search(name)
        number = match[0] if match else ""
        prefix, suffix = (name[: match.start()], name[match.end() :]) if match else (name, "")
        if run and number and [prefix, suffix] == [run[0], run[3]]:
            following = str(int(run[2]) + 1).zfill(len(run[1]))
            if number == following:
                run[2] = number
                continue
        lists += _written(run)
        run = [prefix, number, number, suffix]
    return lists + _written(run)


def _written(run: list[str]) -> list[str]:
    if not run:
        return []
    prefix, first, last, suffix = run
    return [f"{prefix}{first if first == last else f'[{first}-{last}]'}{suffix}"]
