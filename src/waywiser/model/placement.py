"""Which rank goes where, and what that is worth: the document beside a placement's file."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.gain import Verdict
from waywiser.model.gate import OPEN, Gate

Objective = Literal["hop-bytes", "busiest-link", "time"]


class PlacementCost(Model):
    """What one order of the ranks costs on the machine."""

    hop_bytes: float
    """J: bytes times distance, summed over pairs of ranks (half of both directions)."""

    off_node_bytes: float
    """That leave their node."""

    bytes_by_hops: tuple[int, ...]
    """By the hops that they travel, from 0, which is within a node."""

    busiest_link_bytes: float
    """Bytes over cables of the link that carries most."""

    seconds: float
    """That the slowest rank or link needs, of latencies and bandwidths alone."""

    seconds_at_most: float
    """Upper bound of every message's time if all are under way at once and share links fairly. It
    adds the latencies of the slowest rank and the loads of all links of the slowest way.
    """

    hosts: int
    """That hold ranks."""

    switches: int
    """That nodes with ranks are joined to; 0 where nodes are joined to each other."""


class PlacementGain(Model):
    """What a run is predicted to gain; below 0 it loses."""

    low_seconds: float
    high_seconds: float
    """The upper bound: what leaves the node gets cheaper as its cost does, and nothing waits; but
    no more than the bound of latencies and bandwidths falls."""

    expected_seconds: float
    """In the middle."""

    waiting_known: bool
    """From a trace. Without one, the lower end takes all time in MPI for waiting."""

    wall_seconds: float
    """Of the run."""

    noise_seconds: float
    """What runs differ by anyway."""

    noise_measured: bool
    """By the calibration of the machine's network; else 1 % of the wall time is assumed."""

    verdict: Verdict


class Placement(Model):
    """A placement, as `waywiser place` prints it and writes it to FILE.json."""

    format: Literal["waywiser-placement"] = "waywiser-placement"
    format_version: Literal[1] = 1
    waywiser: str
    pattern: str
    """The run or the matrix that it was made for."""

    machine: str
    form: str | None
    """As `--for` names it."""

    file: str | None
    command: str | None
    """That launches with it, for a shell."""

    objective: Objective
    method: str
    """That found the order, or the name of an order that was asked for."""

    seed: int
    ranks: int
    hosts: tuple[str, ...]
    slots: tuple[int, ...]
    """Of each host."""

    order: tuple[int, ...]
    """The slot of each rank; slots are counted from host to host."""

    host_of_rank: tuple[str, ...]
    before_is: Literal["as run", "default order"]
    before: PlacementCost
    after: PlacementCost
    gain: PlacementGain | None
    """Null where there is no run to gain anything."""

    gate: Gate = OPEN
    """Whether the run's times hold, from which the gain follows."""

    remarks: tuple[str, ...] = ()
    """One sentence for each thing that is left out, assumed or to be heeded."""


class Misplaced(Model):
    rank: int
    intended: str
    actual: str


class SplitHost(Model):
    """A host whose ranks are not one group of shared memory."""

    host: str
    ranks: int
    groups: int
    """That its ranks are in."""

    strangers: int
    """Ranks of other hosts in these groups."""


class PlacementCheck(Model):
    """Intended and actual hosts of a run's ranks, and who shares memory."""

    run: str
    placement: str
    ranks: int
    unchecked: int = 0
    """Ranks that left no profile, so that their hosts are not known."""

    misplaced: tuple[Misplaced, ...]
    split_hosts: tuple[SplitHost, ...] | None
    """Null where the run was not asked which ranks share memory (`waywiser profile --sharing`)."""

    remarks: tuple[str, ...] = ()
