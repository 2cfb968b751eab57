"""Collectives by name, with the algorithms that a replay can simulate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from waywiser.errors import InvalidCommand
from waywiser.native import _native as native

_FUNCTION = re.compile(
    r"MPI_I?(?P<name>[a-z]+?(?:_scatter)?)(?:_block)?[vw]?(?:_init)?", re.IGNORECASE
)


def algorithms(*, switches: bool) -> Mapping[str, tuple[str, ...]]:
    """Return names of the algorithms of each collective.

    Args:
        switches: with algorithms in switches, which not every network has.
    """
    by_collective: dict[str, tuple[str, ...]] = {}
    for collective, name, _ in native.collective_algorithms(switches=switches):
        by_collective[collective] = (*by_collective.get(collective, ()), name)
    return by_collective


def collective_of(function: str) -> str | None:
    """Return "MPI_Iallreduce" -> "allreduce"; None for functions that are not collectives."""
    match = _FUNCTION.fullmatch(function)
    name = match["name"].lower() if match else ""
    name = "scan" if name == "exscan" else name
    return name if name in algorithms(switches=False) else None


def collective_choices(texts: Sequence[str]) -> Mapping[str, str]:
    """["allreduce=In-Network"] -> {"allreduce": "in network"}

    Raises:
        InvalidCommand: the collective is unknown, or does not have the algorithm.
    """
    known, chosen = algorithms(switches=True), {}
    for text in texts:
        collective, separator, algorithm = (part.strip() for part in text.partition("="))
        if not separator or collective not in known:
            raise InvalidCommand(
                f"--collective {text}: expected NAME=ALGORITHM, such as allreduce=ring; NAME is "
                f"one of {', '.join(known)}"
            )
        if collective in chosen:
            raise InvalidCommand(
                f"--collective {text}: {collective} already has an algorithm; give each only one"
            )
        try:
            chosen[collective] = native.collective_algorithm(collective, algorithm)
        except native.InvalidInput as error:
            raise InvalidCommand(
                f"--collective {text}: {collective} has the algorithms "
                f"{'; '.join(known[collective])}"
            ) from error
    return chosen
