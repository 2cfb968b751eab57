"""What ranks waited for, whose fault it was, and the critical path: trace/waits.json of a run.

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
    """Where the delay arose."""

    computing: bool
    """The delay lies between `before` and `after` of that rank; else within `after`."""

    before: CallPlace | None
    """None before the rank's first call."""

    after: CallPlace
    seconds: float
    """Summed over the ranks that waited."""

    mpi_share: float
    """`seconds` of the time that all ranks spent in MPI."""

    calls: int
    """That waited."""

    direct_seconds: float
    """Caused by that rank itself; the rest came by others that it made late."""

    most_waiting_rank: int


class RankWaits(Model):
    """Waiting of one rank."""

    rank: int
    wall_seconds: float
    mpi_seconds: float
    """Without MPI_Init and MPI_Finalize, and with what lies between the polls of a spin; less the
    waits, it is transfer."""

    seconds: dict[WaitKind, float]
    """Waiting by kind; kinds without any are left out."""

    caused_seconds: float
    """Waiting of others that arose here."""

    critical_seconds: float
    """Of the critical path."""


class CriticalPlace(Model):
    """Time that the critical path spends in one place of one rank."""

    rank: int
    computing: bool
    """Between `place` and the rank's next call; else within it."""

    place: CallPlace | None
    """None before the rank's first call."""

    seconds: float


class HostClock(Model):
    """The clock of a host against that of the first."""

    host: str
    offset_seconds: float
    drift: float
    """Seconds per second."""

    uncertainty_seconds: float
    method: str


class Iterations(Model):
    """Iterations of the main loop, as the call sequence of a rank shows them."""

    rank: int
    calls: int
    """Of one iteration."""

    first: CallPlace
    """The call that begins one."""

    begin_seconds: tuple[float, ...]
    """Of each since the trace began, and the end of the last."""


class WaitsOverTime(Model):
    """Waiting of all ranks in bins of equal width, the last of which may be shorter."""

    begin_seconds: float
    """Start of the first bin, from the start of the trace."""

    bin_seconds: float
    seconds: dict[WaitKind, tuple[float, ...]]
    """Of all ranks in each bin, by kind."""


WaitingPair = tuple[int, int, float, int]
"""(waiting rank, rank that it waited for, seconds, calls)."""


class Waits(Model):
    """Waiting of all ranks, apart from transfer."""

    format_version: Literal[3] = 3
    window_seconds: tuple[float, float] | None = None
    """What counts are calls that begin in this time of the trace; None: all."""

    seconds: dict[WaitKind, float]
    """Of all ranks."""

    functions: dict[str, float] = Field(default_factory=dict)
    """Of all ranks, by the MPI function that waited."""

    mpi_seconds: float
    """Of all ranks, without MPI_Init and MPI_Finalize."""

    wall_seconds: float
    """Of all ranks."""

    ranks: tuple[RankWaits, ...]
    causes: tuple[WaitCause, ...]
    """The largest first."""

    pairs: tuple[WaitingPair, ...]
    """By ranks."""

    over_time: WaitsOverTime | None = None
    critical_path_seconds: float
    critical_path: tuple[CriticalPlace, ...]
    """The largest first."""

    unmatched_sends: int
    unmatched_receives: int
    clocks: tuple[HostClock, ...] = ()
    """Empty where all ranks were on one host."""

    iterations: Iterations | None = None
    remarks: tuple[str, ...] = ()
    """One sentence for each thing that is left out or assumed."""
