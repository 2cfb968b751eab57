"""A recorded run replayed on another network, machine or placement: `waywiser whatif --json`."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.gate import OPEN, Gate

Progress = Literal["in-calls", "asynchronous"]
"""When long messages get on: while their two ranks are in MPI calls, or at any time."""


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
    """waiting + transfer + overhead"""

    waiting: tuple[float, ...]
    transfer: tuple[float, ...]
    overhead: tuple[float, ...]


class FunctionTime(Model):
    """An MPI function in a replay, summed over ranks."""

    name: str
    calls: int
    seconds: float
    waiting_seconds: float
    """Of `seconds`, for other ranks to come."""


class PathPart(Model):
    """What the critical path consists of."""

    part: str
    seconds: float


class LinkSharing(Model):
    """How messages between nodes shared the links of the topology."""

    topology: str
    """Title of the machine whose it is."""

    busiest: float
    """Bytes over what the link could have carried meanwhile, of the link where that is most."""

    mean: float
    """Of all links that carried something."""

    delayed_seconds: float
    """By others on their links, summed over all messages."""

    inner_delayed_seconds: float
    """Of these, messages that a link between switches held up in the end."""

    most_to_a_node: int
    """Messages under way to one node at once."""


class Replay(Model):
    """The run, replayed once."""

    label: str
    changes: tuple[str, ...]
    """Each thing that is other than in the base, in words; empty for the base itself."""

    network: str
    """Where the costs of messages come from."""

    nodes: int
    replayed_seconds: float
    ratio: float
    """Of `predicted_seconds` to the recorded time; of several recordings, the median."""

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
    """Of predictions with these costs of messages, as a share; None: not validated."""

    computing: Spread
    mpi: Spread
    """waiting + transfer + overhead"""

    waiting: Spread
    """For other ranks to come."""

    transfer: Spread
    """For messages to travel."""

    overhead: Spread
    """The processor's own work with messages."""

    per_rank: RankTimes | None = None
    """Only where it is asked for."""

    functions: tuple[FunctionTime, ...]
    """The longest first."""

    critical_path: tuple[PathPart, ...]
    """The longest first; the seconds add up to `replayed_seconds`."""

    messages: int
    bytes: int
    progress: Progress
    links: LinkSharing | None = None
    """None: no topology was asked for, and messages do not get in each other's way."""

    remarks: tuple[str, ...] = ()
    """One sentence for each thing that was assumed or left out."""


class SweepAxis(Model):
    """What is varied."""

    name: str
    """As the option is called: "latency", "ranks-per-node", "placement", "ranks"."""

    unit: str
    """Unit of the axis's values; empty where the values are choices, not amounts."""


class SweepPoint(Model):
    """The prediction at one value of each axis."""

    label: str
    """Of the machine, where several are asked for; else empty."""

    values: tuple[float | str, ...]
    """Of the axes, in their order: amounts, or what is chosen."""

    ratio: float
    predicted_seconds: float
    low_seconds: float
    high_seconds: float
    """Of `predicted_seconds`, as of a replay."""

    low_ratio: float
    high_ratio: float
    """Of `ratio`, as of a replay."""

    efficiency: float
    """Computing, mean over ranks, over the run time, both as replayed."""

    mpi_seconds: float
    """Part of `predicted_seconds` in MPI, mean over ranks."""

    waiting_seconds: float
    limits: tuple[str, ...] = ()
    """What the routes of its network leave out: those of its remarks that are of routing."""


class Sweep(Model):
    """Predictions along one axis, or for every combination of two."""

    axes: tuple[SweepAxis, ...]
    points: tuple[SweepPoint, ...]
    """By labels, then by values, the first axis's first: amounts rise, choices are in the order in
    which they were given."""

    remarks: tuple[str, ...] = ()
    """One sentence for each thing that was assumed or left out at some of the points."""


class Law(Model):
    """What a quantity follows with the number of ranks."""

    of: str
    law: str
    share: float | None
    """Share of the computing of all ranks; None: the quantity is not computing."""

    residual: float
    """Root of the mean square of (fit - seen) / seen, over the recorded runs."""


class Extrapolation(Model):
    """How a program was taken to another number of ranks."""

    runs: tuple[str, ...]
    recorded_ranks: tuple[int, ...]
    classes: int
    """Groups of ranks that make the same calls."""

    grid: str | None
    """Of processes, at that number of ranks; None: messages know none of several dimensions."""

    laws: tuple[Law, ...]
    """Of computing, the largest share first, and of sizes that change."""

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
    """From when the first rank leaves MPI_Init until the last one enters MPI_Finalize; all other
    times are within it. Of several recordings, the median. Of an extrapolated run, which nobody has
    recorded: that of its replay, less what the replay of the largest run is off."""

    base: Replay
    """The machine as it was recorded."""

    base_error: float
    """(base replayed - recorded) / recorded."""

    recordings: tuple[Recording, ...] = ()
    """Empty: the run is extrapolated. Of several, predictions are medians, and intervals those of
    the median at 95 %, or the range of fewer than 6. All else is of the recording whose time is
    nearest the median.
    """

    gate: Gate = OPEN
    """Whether the recorded times and the replay hold."""

    predictions: tuple[Replay, ...]
    """None where the gate refuses them."""

    sweep: Sweep | None = None
    extrapolation: Extrapolation | None = None
    """None: the run was recorded."""

    remarks: tuple[str, ...] = ()
