"""The interface of an MPI library for tuning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Environment = dict[str, str]


@dataclass(frozen=True)
class Algorithm:
    """An algorithm that a library has for a collective."""

    name: str
    value: str
    """Value that selects the algorithm in the library: a number or a name."""


@dataclass(frozen=True)
class Rule:
    """A range of message sizes and the algorithm that replaces the library's own choice."""

    collective: str
    ranks: int
    first: int
    """Bytes of the smallest message, from the count and datatype of one call."""

    last: int
    """Bytes of the largest message."""

    algorithm: Algorithm


@dataclass(frozen=True)
class Tuner:
    """A library's entry in the table."""

    library: str
    """Name of the library in study files."""

    algorithms: Callable[[Path, str], Sequence[Algorithm]]
    """(launcher, collective) -> algorithms to try; none if the collective cannot be tuned.

    Raises ToolMissing if the library's algorithms cannot be listed."""

    force: Callable[[str, Algorithm], Environment]
    """(collective, algorithm) -> variables that force the algorithm for every call."""

    write: Callable[[Path, Sequence[Rule], Path], Environment]
    """(program, rules, directory) -> the variables by which the program's library applies the
    rules. Rules that the library reads from files are written into the directory.

    Raises ToolMissing if the library is not found, or does not support rules."""

    covers: Literal["some", "every"]
    """Message sizes that rules must cover: some, where all others keep the library's own choice,
    or every size."""

    named: str
    """Part of the library's name as it reports it."""

    simulated: Mapping[str, Mapping[str, str]]
    """Collective -> the library's value -> the replay's algorithm."""

    nested: bool = False
    """True if other settings of the library decide on several nodes with several ranks each."""

    takes: Callable[[Path, str, Algorithm], bool] = lambda *_: True
    """(program, collective, algorithm) -> True if the program's library accepts rules for it."""

    unsized: frozenset[str] = frozenset()
    """Collectives with one rule for messages of all sizes."""


def joined(
    sizes: Sequence[int], chosen: Mapping[int, Algorithm]
) -> list[tuple[int, int, Algorithm]]:
    """Ranges of message sizes: an algorithm applies from the size where it won up to the next
    measured size.

    Sizes beyond the measured ones are in no range.

    Args:
        sizes: all measured sizes [B], ascending.
        chosen: size -> the algorithm that won there.

    Returns:
        (first, last, algorithm); adjacent sizes with the same algorithm form one range.
    """
    ranges: list[tuple[int, int, Algorithm]] = []
    for place, size in enumerate(sizes):
        if size not in chosen:
            continue
        last = sizes[place + 1] - 1 if place + 1 < len(sizes) else size
        if ranges and ranges[-1][1] == size - 1 and ranges[-1][2] == chosen[size]:
            ranges[-1] = (ranges[-1][0], last, chosen[size])
        else:
            ranges.append((size, last, chosen[size]))
    return ranges
