"""The rank of each slot, or the slot of each rank: for launchers that start processes in their
default order and renumber them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from waywiser.launch.placing.form import Form, InvalidPlacement, lines_of
from waywiser.launch.placing.placed import Placed

CRAY_RANKS_PER_LINE = 16
CRAY_MAP_BYTES = 1023
REORDERED = "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={placement}"
"""The variables that the library reads under any launcher."""

NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def _hosts(order: list[int], placed: Placed) -> tuple[str, ...]:
    """The host of each rank, from the slot of each rank."""
    if len(order) > len(placed.slots):
        raise InvalidPlacement(f"{len(order)} ranks for the {len(placed.slots)} slots of the job")
    return tuple(placed.names[placed.slots[slot]] for slot in order)


def _permutation(numbers: list[int]) -> list[int]:
    """
    Raises:
        InvalidPlacement: a number of 0 to n-1 is missing.
    """
    missing = set(range(len(numbers))).difference(numbers)
    if missing:
        raise InvalidPlacement(
            f"it has {len(numbers)} numbers but not {min(missing)}; it needs each of 0 to "
            f"{len(numbers) - 1} once"
        )
    return numbers


def _inverse(order: Sequence[int]) -> list[int]:
    inverse = [0] * len(order)
    for rank, slot in enumerate(order):
        inverse[slot] = rank
    return inverse


def _number(word: str, line: int) -> int:
    if not NUMBER.fullmatch(word):
        raise InvalidPlacement(f"line {line}: '{word}' is not a rank")
    return int(word)


def _write_cray(placed: Placed) -> str:
    ranks = _inverse(placed.order)
    lines = [
        ",".join(map(str, ranks[first : first + CRAY_RANKS_PER_LINE]))
        for first in range(0, len(ranks), CRAY_RANKS_PER_LINE)
    ]
    return "".join(f"{line}\n" for line in lines)


def _read_cray(text: str, placed: Placed) -> tuple[str, ...]:
    """intro_mpi(3) of Cray MPICH, MPICH_RANK_REORDER_METHOD: ranks and ranges of them ("0-3")."""
    ranks: list[int] = []
    for line, words in lines_of(text):
        for word in words.rstrip(",").split(","):
            first, dash, last = word.strip().partition("-")
            begin = _number(first, line)
            end = (_number(last, line) if dash else begin) + 1
            if len(ranks) + end - begin > len(placed.slots):
                raise InvalidPlacement(
                    f"line {line}: more ranks than the {len(placed.slots)} slots of the job"
                )
            ranks += range(begin, end)
    return _hosts(_inverse(_permutation(ranks)), placed)


def _long_map(placed: Placed) -> str:
    """Cray MPICH 9.1.0 aborts in MPI_Init if the map of ranks to nodes exceeds 1,023 bytes; 252
    ranks on two nodes pass and 254 do not. Each block of ranks takes some four bytes of the map."""
    if 4 * len(placed.blocks) <= CRAY_MAP_BYTES:
        return ""
    return (
        f"Cray MPICH 9.1.0 ends in MPI_Init where its map of ranks to nodes exceeds "
        f"{CRAY_MAP_BYTES:,} bytes, which {len(placed.blocks):,} blocks of ranks may do; 9.0 "
        "takes it"
    )


def _read_rerank(text: str, placed: Placed) -> tuple[str, ...]:
    order = _permutation([_number(word, line) for line, word in lines_of(text)])
    return _hosts(order, placed)


CRAY = Form(
    name="cray",
    about="MPICH_RANK_ORDER of Cray MPICH, MPICH_RANK_REORDER_METHOD=3",
    write=_write_cray,
    read=_read_cray,
    command=f"{REORDERED} srun -n {{ranks}}",
    families=("mpich", "standard"),
    warn=_long_map,
    permutes=True,
)

FORMS = (
    CRAY,
    Form(
        name="rerank",
        about="for any launcher: the ranks are renumbered inside MPI_Init",
        write=lambda placed: "".join(f"{slot}\n" for slot in placed.order),
        read=_read_rerank,
        command="waywiser rerank {placement} -- mpirun -n {ranks}",
        permutes=True,
    ),
)
