"""Waits of ranks, the causes, and the critical path: trace/waits.json of a run.

Definitions are Scalasca's but for `last_ranks`; docs/design/011-traces.md cites them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from waywiser.model.base import Model

WaitKind = Literal[
    "late_sender",
    "late_receiver",
    "barrier",
    "all_to_all",
    "late_root",
    "early_root",
    "last_ranks",
    "earlier_ranks",
    "rma",
    "make_object",
    "late_post",
    "early_wait",
    "late_complete",
    "lock",
]


class CallPlace(Model):
    """A call in the program."""

    function: str
    place: str | None = None
    """ "solve at cg.c:131", or module and address; None if not known."""


class WaitCause(Model):
    """Time that ranks waited in one call because of what one rank did elsewhere."""

    wait: WaitKind
    waiting: CallPlace
    causing_rank: int
    """Rank on which the delay arose."""

    computing: bool
    """The delay lies between `before` and `after` of that rank; else within `after`."""

    before: CallPlace | None
    """Call before the delay; None before the rank's first call."""

    after: CallPlace
    seconds: float
    """Waiting, summed over the ranks that waited."""

    mpi_share: float
    """`seconds` of the time that all ranks spent in MPI."""

    calls: int
    """Number of calls that waited."""

    direct_seconds: float
    """Waiting that the causing rank caused itself; other ranks that it made late caused the
    rest."""

    most_waiting_rank: int


class RankWaits(Model):
    """Waiting of one rank."""

    rank: int
    wall_seconds: float
    mpi_seconds: float
    """MPI time with the time between the polls of a spin, without MPI_Init and MPI_Finalize. The
    rest beside the waits is transfer."""

    seconds: dict[WaitKind, float]
    """Waiting by kind; kinds without any are left out."""

    caused_seconds: float
    """Waiting of others that arose here."""

    critical_seconds: float
    """Time of the critical path on this rank."""


class CriticalPlace(Model):
    """Time that the critical path spends in one place of one rank."""

    rank: int
    computing: bool
    """True if the path is between `place` and the rank's next call; else it is within `place`."""

    place: CallPlace | None
    """Call at or after which the path is; None before the rank's first call."""

    seconds: float


class HostClock(Model):
    """The clock of a host against that of the first."""

    host: str
    offset_seconds: float
    drift: float
    """Drift in seconds per second."""

    uncertainty_seconds: float
    method: str


class Iterations(Model):
    """Iterations of the main loop, as the call sequence of a rank shows them."""

    rank: int
    calls: int
    """Number of calls in one iteration."""

    first: CallPlace
    """The call that begins an iteration."""

    begin_seconds: tuple[float, ...]
    """Start of each iteration and end of the last one, from the start of the trace."""


class WaitsOverTime(Model):
    """Waiting of all ranks in bins of equal width, the last of which may be shorter."""

    begin_seconds: float
    """Start of the first bin, from the start of the trace."""

    bin_seconds: float
    seconds: dict[WaitKind, tuple[float, ...]]
    """Waiting of all ranks by kind, one value for each bin."""


WaitingPair = tuple[int, int, float, int]
"""(waiting rank, rank that it waited for, seconds, calls)."""


class Waits(Model):
    """Waiting of all ranks, apart from transfer."""

    format_version: Literal[3] = 3
    window_seconds: tuple[float, float] | None = None
    """Window of the trace: only calls that begin in it count; None: all calls count."""

    seconds: dict[WaitKind, float]
    """Waiting by kind, summed over all ranks."""

    functions: dict[str, float] = Field(default_factory=dict)
    """Waiting by MPI function, summed over all ranks."""

    mpi_seconds: float
    """MPI time summed over all ranks, without MPI_Init and MPI_Finalize."""

    wall_seconds: float
    """Wall time summed over all ranks."""

    ranks: tuple[RankWaits, ...]
    causes: tuple[WaitCause, ...]
    """Causes, the largest first."""

    pairs: tuple[WaitingPair, ...]
    """Pairs of ranks, in rank order."""

    over_time: WaitsOverTime | None = None
    critical_path_seconds: float
    critical_path: tuple[CriticalPlace, ...]
    """Places of the critical path, the largest first."""

    unmatched_sends: int
    unmatched_receives: int
    clocks: tuple[HostClock, ...] = ()
    """Clocks of the hosts; empty where all ranks were on one host."""

    iterations: Iterations | None = None
    remarks: tuple[str, ...] = ()
    """One sentence for each thing that is left out or assumed."""
