"""The efficiency tree: each efficiency with its depth, its name and its formula."""

from __future__ import annotations

from dataclasses import dataclass

from waywiser.model.efficiency_tree import Efficiencies
from waywiser.units import percent_text

_MPI = (
    (0, "load_balance", "Load balance", "mean / maximum useful computation"),
    (0, "communication", "Communication efficiency", "maximum useful computation / run time"),
    (
        *(1, "serialisation", "Serialisation"),
        "maximum useful computation / run time on an ideal network",
    ),
    (1, "transfer", "Transfer", "run time on an ideal network / run time"),
)
_OPENMP = (
    (1, "openmp", "OpenMP efficiency", "useful thread time / (threads × useful computation)"),
    (
        *(2, "openmp_load_balance", "OpenMP load balance"),
        "(useful + idle) / (useful + idle + waiting)",
    ),
    (
        *(2, "openmp_scheduling", "OpenMP scheduling"),
        "(useful + idle + waiting) / (threads × useful computation)",
    ),
    (
        *(2, "openmp_serialisation", "OpenMP serialisation"),
        "useful / (useful + idle outside regions)",
    ),
)
_FILES = (0, "io", "I/O efficiency", "time outside of files / time from MPI_Init to MPI_Finalize")


@dataclass(frozen=True)
class Efficiency:
    """One efficiency, below the efficiency of which it is a factor."""

    depth: int
    key: str
    """The efficiency's field of `Efficiencies`."""

    name: str
    meaning: str
    value: float | None
    """The efficiency; None if no replay gives it."""

    @property
    def text(self) -> str:
        """The efficiency as a share, or "-"."""
        return "-" if self.value is None else percent_text(self.value)


def efficiency_rows(tree: Efficiencies) -> list[Efficiency]:
    """Return the tree from its root; OpenMP and files only if their times are known."""
    if tree.openmp is None:
        head = [(0, "parallel", "Parallel efficiency", "mean useful computation / run time")]
    else:
        useful = "useful thread time / (threads × run time)"
        head = [
            (0, "parallel", "Parallel efficiency", useful),
            (1, "mpi", "MPI efficiency", "mean useful computation / run time"),
        ]
    mpi = [(depth + len(head), *rest) for depth, *rest in _MPI]
    openmp = () if tree.openmp is None else _OPENMP
    files = () if tree.io is None else (_FILES,)
    return [
        Efficiency(depth, key, name, meaning, getattr(tree, key))
        for depth, key, name, meaning in (*head, *mpi, *openmp, *files)
    ]
