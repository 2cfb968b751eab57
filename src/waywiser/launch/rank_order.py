"""The file by which a job's ranks, or those of its topologies, are renumbered in MPI_Init.

The file has one integer a line: line r, counted from 0, is the launcher's rank of the process that
becomes rank r. Text after `#` is a comment. A file NAME.places describes a machine
(machines/places.py): topologies with reorder = true get the best rank order for that machine.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.inputs import read_text
from waywiser.launch.command import Command

PLACES_WORDS = ("title", "topology", "number", "word", "list", "row", "failed", "level", "hosts")


def is_places(path: Path) -> bool:
    """True if the file describes a machine."""
    return path.suffix == ".places"


def ordered_topologies(machine: Path | None) -> str:
    """A sentence that tells the user about reordered topologies."""
    return f"topologies with reorder = true get the rank order that is best on {machine}"


def read_rank_order(path: Path) -> tuple[int, ...]:
    """Maps each new rank to the launcher's rank.

    Raises:
        InvalidCommand: the file cannot be read, or is not a permutation of 0, 1, 2, …
    """
    text = read_text(path, "an order of ranks")
    lines: dict[int, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        word = line.partition("#")[0].strip()
        if not word:
            continue
        if not re.fullmatch(r"\d{1,9}", word, re.ASCII):
            got = word if len(word) <= 40 else f"{word[:40]}…"
            raise InvalidCommand(f"{path}:{number}: expected the number of a rank, got '{got}'")
        if (rank := int(word)) in lines:
            raise InvalidCommand(
                f"{path}:{number}: rank {rank} is a duplicate of line {lines[rank]}"
            )
        lines[rank] = number
    for rank, number in lines.items():
        if rank >= len(lines):
            raise InvalidCommand(
                f"{path}:{number}: there is no rank {rank} among {len(lines)}, which are numbered "
                "from 0"
            )
    if not lines:
        raise InvalidCommand(f"{path}: orders no ranks; each line should be the number of one")
    return tuple(lines)


def _ranks_started(command: Command) -> int | None:
    """The number of ranks in the command's options; None if the launcher decides it."""
    if command.launcher is None:
        return 1
    options = command.words[1 : command.programs[0]]
    names = "|".join(command.launcher.kind.rank_options)
    for option, following in pairwise((*options, "")):
        match = re.fullmatch(rf"--?(?:{names})(?:=?(\d+))?", option)
        number = (match[1] or following) if match else ""
        if number.isdigit():
            return int(number)
    return None


def check_rank_order(path: Path, command: Command) -> tuple[tuple[int, ...], str]:
    """Checks that the order fits the command, as far as possible before the start.

    Returns:
        The order, empty if it is the launcher's own or only topologies are ordered, and a sentence
        for the user.

    Raises:
        InvalidCommand: the order does not fit the command.
    """
    if is_places(path):
        _check_places(path)
        return (), ordered_topologies(path)
    order = read_rank_order(path)
    if len(command.programs) > 1:
        raise InvalidCommand(
            "the command starts several programs, which share the ranks; "
            "give a command that starts one"
        )
    started = _ranks_started(command)
    if started is not None and started != len(order):
        raise InvalidCommand(f"{path} orders {len(order)} ranks, but the command starts {started}")
    if order == tuple(range(len(order))):
        return (), f"{path} is the launcher's own order, and changes nothing"
    variables = command.launcher.kind.rank_variables if command.launcher else ""
    return order, (
        f"the program's ranks are in the order of {path}; the launcher's variables, such as "
        f"{variables}, keep the old ones"
    )


def _check_places(path: Path) -> None:
    """Check the file as far as possible before ranks read it; native/place/places.hpp defines its
    lines."""
    lines = read_text(path, "the places of a machine").splitlines()
    words = [line.partition(" ")[0] for line in lines]
    for number, word in enumerate(words, 1):
        if word not in PLACES_WORDS:
            raise InvalidCommand(
                f"{path}:{number}: expected a line as `waywiser machine places` writes it"
            )
    for word in ("topology", "hosts"):
        if word not in words:
            raise InvalidCommand(
                f"{path} has no line '{word}'; `waywiser machine places` writes such files"
            )
