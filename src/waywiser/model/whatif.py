"""A recorded run replayed on another network, machine or placement: `waywiser whatif --json`."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.gate import OPEN, Gate

Progress = Literal["in-calls", "asynchronous"]
"""Progress of long messages: only while their two ranks are in MPI calls, or at any time."""


class Spread(Model):
    """Seconds of the ranks."""

    least: float
    mean: float
    most: float
    most_rank: int


class RankTimes(Model):
    """Seconds of each rank, in rank order."""

    computing: tuple[float, ...]
    mpi: tuple[float, ...]
    """Sum of waiting, transfer and overhead."""

    waiting: tuple[float, ...]
    transfer: tuple[float, ...]
    overhead: tuple[float, ...]


class FunctionTime(Model):
    """An MPI function in a replay, summed over ranks."""

    name: str
    calls: int
    seconds: float
    waiting_seconds: float
    """Part of `seconds` that is waiting for other ranks."""


class PathPart(Model):
    """A part of the critical path, such as computation or waiting."""

    part: str
    seconds: float


class LinkSharing(Model):
    """The sharing of the topology's links by messages between nodes."""

    topology: str
    """Title of the machine whose topology it is."""

    busiest: float
    """Use of the busiest link: its bytes over its capacity in that time."""

    mean: float
    """Mean use of all links that carried messages."""

    delayed_seconds: float
    """Time that messages lost to others on their links, summed over all messages."""

    inner_delayed_seconds: float
    """Part of `delayed_seconds` for messages that a link between switches held up in the end."""

    most_to_a_node: int
    """Largest number of messages under way to one node at once."""


class Replay(Model):
    """The run, replayed once."""

    label: str
    changes: tuple[str, ...]
    """Changes against the base, in words; empty for the base itself."""

    network: str
    """Source of the costs of messages."""

    nodes: int
    replayed_seconds: float
    ratio: float
    """Ratio of `predicted_seconds` to the recorded time; of several recordings, the median."""

    predicted_seconds: float
    """The recorded time, times the ratio of the replays. A change of messages or of collectives
    saves no more than the recorded time in these calls on the rank that spends most there.
    """

    low_seconds: float
    high_seconds: float
    """Interval of `predicted_seconds`. The relative error of the difference to the recorded time is
    that of the base's replay, or that of the machine's validation, whichever is larger. It is 10 %
    where nothing was validated. Where messages share links between switches on other ways than in
    the base, the error is at least 20 % of the transfer on the critical path. Only the interval of
    several recordings has in it how much runs differ.
    """

    low_ratio: float
    high_ratio: float
    """Interval of `ratio`, which each recording has for itself."""

    validation_error: float | None
    """Relative error of predictions with these costs of messages; None: not validated."""

    computing: Spread
    mpi: Spread
    """Sum of waiting, transfer and overhead."""

    waiting: Spread
    """Time that ranks wait for other ranks."""

    transfer: Spread
    """Time in which messages travel."""

    overhead: Spread
    """The CPU's own work with messages."""

    per_rank: RankTimes | None = None
    """Times of each rank; None unless they were asked for."""

    functions: tuple[FunctionTime, ...]
    """MPI functions, the longest time first."""

    critical_path: tuple[PathPart, ...]
    """Parts of the critical path, the longest first; the seconds add up to `replayed_seconds`."""

    messages: int
    bytes: int
    progress: Progress
    links: LinkSharing | None = None
    """Use of the links; None: no topology was requested, and messages do not delay each other."""

    remarks: tuple[str, ...] = ()
    """One sentence for each thing that was assumed or left out."""


class SweepAxis(Model):
    """A varied quantity or choice."""

    name: str
    """Name of the option: "latency", "ranks-per-node", "placement", "ranks"."""

    unit: str
    """Unit of the axis's values; empty where the values are choices, not amounts."""


class SweepPoint(Model):
    """The prediction at one value of each axis."""

    label: str
    """Label of the machine where several are compared; else empty."""

    values: tuple[float | str, ...]
    """Value on each axis, in the order of the axes: an amount, or a choice."""

    ratio: float
    predicted_seconds: float
    low_seconds: float
    high_seconds: float
    """Interval of `predicted_seconds`, as in `Replay`."""

    low_ratio: float
    high_ratio: float
    """Interval of `ratio`, as in `Replay`."""

    efficiency: float
    """Computation, mean over ranks, over the run time, both as replayed."""

    mpi_seconds: float
    """Part of `predicted_seconds` in MPI, mean over ranks."""

    waiting_seconds: float
    limits: tuple[str, ...] = ()
    """Limits of the routes of its network: its remarks on routing."""


class Sweep(Model):
    """Predictions along one axis, or for every combination of two."""

    axes: tuple[SweepAxis, ...]
    points: tuple[SweepPoint, ...]
    """Points by label, then by value of the first axis, then of the second: amounts rise, choices
    keep the order in which the user gave them."""

    remarks: tuple[str, ...] = ()
    """One sentence for each thing that was assumed or left out at some of the points."""


class Law(Model):
    """A quantity as a function of the number of ranks."""

    of: str
    law: str
    share: float | None
    """Share of the computation of all ranks; None: the quantity is not computation."""

    residual: float
    """Root of the mean square of (fit - seen) / seen, over the recorded runs."""


class Extrapolation(Model):
    """The extrapolation of a program to another number of ranks."""

    runs: tuple[str, ...]
    recorded_ranks: tuple[int, ...]
    classes: int
    """Groups of ranks that make the same calls."""

    grid: str | None
    """Grid of processes at that number of ranks; None: no message depends on a grid of several
    dimensions."""

    laws: tuple[Law, ...]
    """Laws of computation, the largest share first, then laws of message sizes that change."""

    remarks: tuple[str, ...]


class Recording(Model):
    """One of several recordings of a program."""

    run: str
    recorded_seconds: float
    base_error: float
    """(base replayed - recorded) / recorded."""


class WhatIf(Model):
    """Answers about a recorded run, about several recordings of a program, or about a run that is
    extrapolated from others."""

    format: Literal["waywiser-whatif"] = "waywiser-whatif"
    format_version: Literal[1] = 1
    waywiser: str
    run: str
    ranks: int
    recorded_seconds: float
    """Time from when the first rank leaves MPI_Init until the last one enters MPI_Finalize; all
    other times are within it. Of several recordings, this is the median. For an extrapolated run,
    it is the time of the replay, less the error of the replay of the largest run."""

    base: Replay
    """Replay of the run as it was recorded."""

    base_error: float
    """(base replayed - recorded) / recorded."""

    recordings: tuple[Recording, ...] = ()
    """Recordings of the program; empty: the run is extrapolated. Of several, predictions are
    medians, and intervals those of the median at 95 %, or the range of fewer than 6. All else is of
    the recording whose time is nearest the median."""

    gate: Gate = OPEN
    """Gate of the recorded times and of the replay."""

    predictions: tuple[Replay, ...]
    """Predictions; none where the gate refuses them."""

    sweep: Sweep | None = None
    extrapolation: Extrapolation | None = None
    """Extrapolation of the program; None: the run was recorded."""

    remarks: tuple[str, ...] = ()
