"""What tuning asks of an MPI library."""

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
    """Messages that get another algorithm than the library's own choice."""

    collective: str
    ranks: int
    first: int
    """Bytes of the smallest message, as MPI's own count of one call says it."""

    last: int
    """Bytes of the largest message."""

    algorithm: Algorithm


@dataclass(frozen=True)
class Tuner:
    """One library, as an entry of the table."""

    library: str
    """Name of the library in study files."""

    algorithms: Callable[[Path, str], Sequence[Algorithm]]
    """(launcher, collective) -> those to try; none where the collective cannot be told.

    Raises ToolMissing where the library cannot be asked."""

    force: Callable[[str, Algorithm], Environment]
    """What makes every call of a collective take an algorithm."""

    write: Callable[[Path, Sequence[Rule], Path], Environment]
    """(program, rules, directory) -> the variables that make the library that the program loads
    keep rules, which it writes into files of the directory where the library reads such.

    Raises ToolMissing where the library is not found, or cannot be told."""

    covers: Literal["some", "every"]
    """Messages of which sizes rules are for: of some, the others keep the library's own choice; or
    of every size."""

    named: str
    """A word of what the library calls itself."""

    played: Mapping[str, Mapping[str, str]]
    """Collective -> the library's value -> the algorithm that a replay has for it."""

    nested: bool = False
    """Whether settings of its own decide where several nodes have several ranks."""

    takes: Callable[[Path, str, Algorithm], bool] = lambda *_: True
    """(program, collective, algorithm) -> whether the library that the program loads takes rules
    for it."""

    unsized: frozenset[str] = frozenset()
    """Collectives of which one rule is for messages of all sizes alike."""


def joined(
    sizes: Sequence[int], chosen: Mapping[int, Algorithm]
) -> list[tuple[int, int, Algorithm]]:
    """Ranges of messages: an algorithm holds from the size where it won to the next measured one.

    Nothing is said of messages beyond the sizes that were measured.

    Args:
        sizes: all that were measured [B], rising.
        chosen: size -> the algorithm that won there.

    Returns:
        (first, last, algorithm), without gaps where neighbours have the same.
    """
    found: list[tuple[int, int, Algorithm]] = []
    for place, size in enumerate(sizes):
        if size not in chosen:
            continue
        last = sizes[place + 1] - 1 if place + 1 < len(sizes) else size
        if found and found[-1][1] == size - 1 and found[-1][2] == chosen[size]:
            found[-1] = (found[-1][0], last, chosen[size])
        else:
            found.append((size, last, chosen[size]))
    return found
