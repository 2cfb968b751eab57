"""What is known of a profiled run: the document that `waywiser show --json` prints.

`functions` sums over ranks; `per_rank` holds the same for each rank. `bytes` is the outgoing
payload that a call's own arguments describe on the calling rank, `posted_bytes` the same for
receives. The matrix holds point-to-point payload in world ranks, by sender.
"""

from __future__ import annotations

from typing import Literal

from waywiser.model.run import Model

OUTSIDE_MPI_TIME = frozenset({"MPI_Init", "MPI_Init_thread", "MPI_Finalize"})
"""Functions whose time has keys of its own and is not in `mpi_seconds`."""

SizeBin = tuple[int, int, float]
"""(inclusive upper bound in bytes, calls, seconds)."""

Pair = tuple[int, int, int]
"""(source world rank, destination world rank, bytes or messages)."""


class Function(Model):
    """One MPI function's totals."""

    calls: int
    seconds: float
    bytes: int
    posted_bytes: int
    sizes: tuple[SizeBin, ...]
    """Over the message size of a call: its outgoing payload, else what it posted to receive."""


class SummaryMpi(Model):
    library: str
    version: str
    abi: str


class Matrix(Model):
    bytes: tuple[Pair, ...]
    messages: tuple[Pair, ...]


class Thread(Model):
    """One thread that called MPI, of a rank where several did."""

    thread: int
    """In the order of their first MPI calls; 0 called MPI first."""

    mpi_seconds: float
    functions: dict[str, Function]


class RankSummary(Model):
    rank: int
    host: str
    cpus: str
    """The CPUs that the rank may run on, as the kernel lists them, e.g. "0-3,8"."""

    wall_seconds: float
    mpi_seconds: float
    init_seconds: float
    finalize_seconds: float
    cpu_seconds: float
    voluntary_switches: int
    involuntary_switches: int
    peak_memory_bytes: int
    functions: dict[str, Function]
    threads: tuple[Thread, ...]
    """Empty where one thread made every MPI call."""


class Summary(Model):
    waywiser: str
    status: Literal["complete", "partial"]
    """Partial: a rank is missing or did not finalise, or the program did not end with 0."""

    mpi: SummaryMpi
    ranks: int
    wall_seconds: float
    """Longest time of a rank from the start of MPI_Init to the end of MPI_Finalize."""

    mpi_seconds: tuple[float, ...]
    """Per rank, in rank order; without MPI_Init and MPI_Finalize."""

    init_seconds: tuple[float, ...]
    finalize_seconds: tuple[float, ...]
    functions: dict[str, Function]
    matrix: Matrix
    per_rank: tuple[RankSummary, ...] | None = None
    lost: tuple[str, ...]
    """One sentence for each thing that is missing from the profile."""
