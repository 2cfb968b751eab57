"""A placement of the ranks and its gain: the document beside a placement's file."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import computed_field, model_validator

from waywiser.model.base import Model, renamed
from waywiser.model.gain import Assessment
from waywiser.model.gate import OPEN, Gate

Objective = Literal["hop-bytes", "busiest-link", "time"]


class PlacementCost(Model):
    """The cost of one order of the ranks on the machine."""

    hop_bytes: float
    """J: bytes times distance, summed over pairs of ranks (half of both directions)."""

    off_node_bytes: float
    """Bytes that leave their node."""

    bytes_by_hops: tuple[int, ...]
    """Bytes by the number of hops that they travel, from 0, which is within a node."""

    busiest_link_bytes: float
    """Bytes over cables of the link that carries most."""

    seconds: float
    """Time that the slowest rank or link needs, from latencies and bandwidths alone."""

    seconds_at_most: float
    """Upper bound of every message's time if all are under way at once and share links fairly. It
    adds the latencies of the slowest rank and the loads of all links of the slowest way.
    """

    hosts: int
    """Number of hosts with ranks."""

    switches: int
    """Number of switches with nodes that have ranks; 0 where nodes are connected directly."""

    @property
    def middle_seconds(self) -> float:
        """Middle of the bounds of the time."""
        return (self.seconds + self.seconds_at_most) / 2


class PlacementGain(Model):
    """The predicted gain of a run; below 0 the run gets slower."""

    low_seconds: float
    high_seconds: float
    """Upper bound, without waiting: the time of communication that leaves the node falls with its
    cost, at most by the fall of the bound of latencies and bandwidths."""

    expected_seconds: float
    """Middle of the interval."""

    waiting_known: bool
    """True if a trace gives the waiting. Without a trace, the lower end counts all MPI time as
    waiting."""

    wall_seconds: float
    """Wall time of the run."""

    noise_seconds: float
    """Time by which repeated runs differ."""

    noise_measured: bool
    """True if the noise is that of the machine's network calibration; else 1 % of the wall time is
    assumed."""

    assessment: Assessment

    @computed_field(json_schema_extra={"deprecated": True})
    def verdict(self) -> Assessment:
        """The old name of `assessment`, written until version 1.0."""
        return self.assessment

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, document: Any) -> Any:
        return renamed(document, "verdict", "assessment")


class Placement(Model):
    """A placement, as `waywiser place` prints it and writes it to FILE.json."""

    format: Literal["waywiser-placement"] = "waywiser-placement"
    format_version: Literal[1] = 1
    waywiser: str
    pattern: str
    """The run or the matrix that the placement was made for."""

    machine: str
    form: str | None
    """Form of the file, in the words of `--for`; None if no form was asked for."""

    file: str | None
    command: str | None
    """Shell command that launches the program with the placement; None if there is none."""

    objective: Objective
    method: str
    """Method that found the order, or the name of a requested order."""

    seed: int
    ranks: int
    hosts: tuple[str, ...]
    slots: tuple[int, ...]
    """Number of slots of each host."""

    order: tuple[int, ...]
    """The slot of each rank; slots are counted from host to host."""

    host_of_rank: tuple[str, ...]
    before_is: Literal["as run", "default order"]
    before: PlacementCost
    after: PlacementCost
    gain: PlacementGain | None
    """Predicted gain; null for a matrix, which has no run time."""

    gate: Gate = OPEN
    """Gate of the run's times, from which the gain follows."""

    remarks: tuple[str, ...] = ()
    """One sentence for each omission, assumption or warning."""


class Misplaced(Model):
    rank: int
    intended: str
    actual: str


class SplitHost(Model):
    """A host whose ranks do not form one group of shared memory."""

    host: str
    ranks: int
    groups: int
    """Number of shared-memory groups that the host's ranks are in."""

    strangers: int
    """Number of ranks of other hosts in these groups."""


class PlacementCheck(Model):
    """Intended and actual hosts of a run's ranks, and hosts whose ranks do not share memory."""

    run: str
    placement: str
    ranks: int
    unchecked: int = 0
    """Ranks that left no profile, so that their hosts are not known."""

    misplaced: tuple[Misplaced, ...]
    split_hosts: tuple[SplitHost, ...] | None
    """Hosts whose ranks do not form one group; null where the run did not record which ranks share
    memory (`waywiser profile --sharing`)."""

    remarks: tuple[str, ...] = ()
