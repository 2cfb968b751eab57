"""Names of hosts as Slurm writes them: "n[0-3,7],login1" and back.

Several brackets in one name count like digits: "r[1-2]i[0-1]" is r1i0, r1i1, r2i0, r2i1.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from waywiser.errors import InvalidCommand

MOST_NAMES = 1 << 24
"""As many as a topology may have nodes."""

_PART = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_LAST_NUMBER = re.compile(r"(.*?)(\d+)(\D*)")


def expand(text: str) -> list[str]:
    """The names of a hostlist, in its order.

    Raises:
        InvalidCommand: it is none.
    """
    parts = [part.strip() for part in _PART.findall(text)]
    around = [comma.strip() for comma in _PART.split(text)]
    if not all(parts) or around != ["", *[","] * (len(parts) - 1), ""]:
        raise InvalidCommand(f"{text!r} is no list of hosts: expected one like n[0-3,7],login1")
    names: list[str] = []
    for part in parts:
        names += _names(part, text)
    return names


def expand_all(texts: Iterable[str]) -> list[str]:
    """The names of several hostlists, one after the other."""
    return [name for text in texts for name in expand(text)]


def _names(part: str, text: str) -> Iterator[str]:
    """What one part of a hostlist, without commas outside of brackets, stands for."""
    fixed, numbers = _BRACKETS.split(part)[::2], _BRACKETS.findall(part)
    choices = [list(_numbers(inside, text)) for inside in numbers]
    if not choices:
        return iter(fixed)
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MOST_NAMES:
        raise InvalidCommand(f"{text!r} names {count} hosts; at most {MOST_NAMES} are accepted")
    return (
        "".join(itertools.chain(*zip(fixed, [*choice, ""], strict=True)))
        for choice in itertools.product(*choices)
    )


def _numbers(inside: str, text: str) -> Iterator[str]:
    """The numbers of a pair of brackets, with their leading zeros."""
    for piece in inside.split(","):
        found = re.fullmatch(r"\s*(\d{1,12})(?:-(\d{1,12}))?\s*", piece, re.ASCII)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if found is None or first > last or last - first >= MOST_NAMES:
            raise InvalidCommand(
                f"{text!r}: [{inside}] is no list of numbers: expected one like [0-3,7]"
            )
        for number in range(first, last + 1):
            yield str(number).zfill(len(found[1]))


def compress(names: Iterable[str]) -> list[str]:
    """Hostlists of which `expand` makes the names again, in the same order."""
    lists: list[str] = []
    run: list[str] = []  # prefix, first and last number, suffix
    for name in names:
        found = _LAST_NUMBER.fullmatch(name)
        prefix, number, suffix = found.groups() if found else (name, "", "")
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
