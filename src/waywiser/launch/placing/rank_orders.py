"""The rank of each slot, or the slot of each rank: for launchers that start processes in their
default order and renumber them."""

from __future__ import annotations

from collections.abc import Sequence

from waywiser.launch.placing.form import Form
from waywiser.launch.placing.placed import Placed

CRAY_RANKS_PER_LINE = 16
CRAY_MAP_BYTES = 1023
REORDERED = "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={placement}"
"""The variables that the library reads under any launcher."""


def _inverse(order: Sequence[int]) -> list[int]:
    inverse = [0] * len(order)
    for rank, slot in enumerate(order):
        inverse[slot] = rank
    return inverse


def _write_cray(placed: Placed) -> str:
    ranks = _inverse(placed.order)
    lines = [
        ",".join(map(str, ranks[first : first + CRAY_RANKS_PER_LINE]))
        for first in range(0, len(ranks), CRAY_RANKS_PER_LINE)
    ]
    return "".join(f"{line}\n" for line in lines)


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


CRAY = Form(
    name="cray",
    about="MPICH_RANK_ORDER of Cray MPICH, MPICH_RANK_REORDER_METHOD=3",
    write=_write_cray,
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
        command="waywiser rerank {placement} -- mpirun -n {ranks}",
        permutes=True,
    ),
)
