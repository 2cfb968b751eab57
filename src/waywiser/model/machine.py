"""The machine file: nodes and their interconnect in one TOML file.

    title = "Three nodes on one switch"
    hosts = ["n[0-2]"]

    [source]
    document = "the rack in room 2"
    date = 2026-11-01

    [node]
    sockets = 1
    cores = 2

    [network]
    link_bandwidth_GBps = 12.5

    [network.topology]
    kind = "all-to-all"
    switches = 1
    nodes_per_switch = 3

Units are in the names of the keys. `native/machine` defines the kinds of topologies and their
parameters; docs/machines.md lists them.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from waywiser.errors import InvalidCommand
from waywiser.inputs import toml_of
from waywiser.model.base import Model
from waywiser.model.mistakes import mistakes

Count = Annotated[int, Field(ge=1, strict=True)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]
Time = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]


def _one_line(text: str) -> str:
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise ValueError("expected one line of text")
    return text


Line = Annotated[str, AfterValidator(_one_line)]

Date = Annotated[
    str,
    BeforeValidator(lambda date: date.isoformat() if isinstance(date, datetime.date) else date),
    Field(pattern=r"^\d{4}(-\d\d(-\d\d(T[\d:.+Z-]+)?)?)?$"),
]

CheckTopology = Callable[[str, dict[str, Any]], None]
"""A function that raises InvalidCommand for an unknown kind of topology or unknown parameters."""


class Source(Model):
    """Source of the numbers in a machine file."""

    document: Line
    """A document, or a description of the measurement."""

    date: Date
    """Date of the document or of the measurement: YYYY, YYYY-MM or YYYY-MM-DD."""

    inferred: tuple[Line, ...] = ()
    """Values that the document does not give, each with its grounds."""


class LogGP(Model):
    """The cost of a message, up to a size.

    Source: A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, "LogGP: incorporating long
    messages into the LogP model", SPAA 1995.
    """

    up_to_bytes: Count | None = None
    """The longest message with these costs; None for the last piece."""

    latency_us: Time
    """L: time from the end of the send to the start of the receive."""

    overhead_us: Time
    """o: time that the CPU is busy with sending, and with receiving, a message."""

    gap_us: Time = 0.0
    """g: time between the starts of two messages of a sender."""

    bandwidth_GBps: Positive
    """Bandwidth of a long message, 1 / G."""

    overhead_ns_per_byte: Time = 0.0
    """O: growth of o with the size, as where the CPU copies. LogGP's time of a message has O
    in L and G; the CPU is busy for o + O s. Source: T. Hoefler, T. Schneider, A. Lumsdaine,
    "LogGOPSim: simulating large-scale applications in the LogGOPS model", HPDC 2010."""


class Calibration(Model):
    """The measurement of the LogGP parameters of a part of the machine."""

    part: Literal["node", "network"]
    """Part of the machine: messages between ranks of one node, or of two nodes."""

    date: Date
    document: Line
    """The MPI library, its transport, and the program that measured."""

    error_per_cent: Time | None = None
    """Root of the mean square of (predicted - measured) / measured, over patterns of messages
    outside the fit; None if no pattern was measured."""

    noise_per_cent: Time | None = None
    """Standard deviation of the time of a message from run to run, / its mean: the median over the
    sizes. None for fewer than three runs."""


class Validation(Model):
    """The error of the replay of a program that ran on the machine."""

    program: Line
    part: Literal["node", "network"]
    """Part of the machine: one node, or several, that the program's ranks were on."""

    ranks: Count
    date: Date
    document: Line
    """The MPI library of the run."""

    time_error_per_cent: Annotated[float, Field(allow_inf_nan=False)]
    """Error of the run time, (predicted - measured) / measured."""

    mpi_error_per_cent: Annotated[float, Field(allow_inf_nan=False)]
    """Error of the MPI time of all ranks together, (predicted - measured) / measured."""


class Level(Model):
    """Cores of a node that are close to each other: those of a cache, a NUMA domain, a socket."""

    name: Line
    cores: Count
    """Cores of one instance of the level; core c of a node is in instance c // cores."""

    distance: int = Field(default=0, ge=0, strict=True)
    """Distance in hops of the network between two cores of an instance that no narrower level
    joins."""


class Nic(Model):
    """A network interface card of a node."""

    name: Line
    socket: int = Field(ge=0, strict=True)


class Node(Model):
    """The hardware of each node."""

    sockets: Count = 1
    cores: Count
    """Cores of the whole node."""

    memory_bandwidth_GBps: Positive | None = None
    """Nominal memory bandwidth of the whole node; None if unknown."""

    peak_GFLOPps: Positive | None = None
    """Peak performance of the whole node in double precision; None if unknown."""

    measured_memory_GBps: Positive | None = None
    """Memory bandwidth that programs reach when all cores copy; None if unknown."""

    levels: tuple[Level, ...] = ()
    """Levels of the node, from the narrowest to the widest, which is the node itself. Empty: all
    cores of a node are at distance 0."""

    nics: tuple[Nic, ...] = Field(default=(), validation_alias=AliasChoices("nics", "cards"))
    """NICs of the node; the old name `cards` is accepted until version 1.0."""

    eager_limit_bytes: int | None = Field(default=None, ge=0, strict=True)
    """Eager limit between two ranks of a node; None if unknown."""

    loggp: tuple[LogGP, ...] = ()
    """LogGP parameters between two ranks of a node, by rising message size."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.cores % self.sockets:
            raise ValueError(f"cores = {self.cores} cannot be shared by {self.sockets} sockets")
        inner = Level(name="core", cores=1)
        for level in self.levels:
            if level.cores % inner.cores or level.cores == inner.cores:
                raise ValueError(
                    f"levels: {level.name} with {level.cores} cores does not hold several of"
                    f" {inner.name} with {inner.cores}; levels go from the narrowest to the widest"
                )
            if level.distance < inner.distance:
                raise ValueError(
                    f"levels: distance = {level.distance} of {level.name} is less than that of"
                    f" {inner.name}, which it holds"
                )
            inner = level
        if self.levels and inner.cores != self.cores:
            raise ValueError(
                f"levels: the last one holds the whole node, cores = {self.cores}; {inner.name}"
                f" has {inner.cores}"
            )
        for nic in self.nics:
            if nic.socket >= self.sockets:
                raise ValueError(
                    f"nics: {nic.name} is at socket {nic.socket}; there are 0 to {self.sockets - 1}"
                )
        _check_sizes(self.loggp)
        return self


class Topology(BaseModel):
    """A kind of interconnect, with its parameters."""

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: Line

    @property
    def parameters(self) -> dict[str, Any]:
        """Numbers, words, lists of numbers, or lists of lists of numbers, by their names."""
        return dict(self.__pydantic_extra__ or {})

    @property
    def is_adaptive(self) -> bool:
        """True if messages of a replay choose their routes by load."""
        return self.parameters.get("routing") == "adaptive"

    @model_validator(mode="after")
    def _known(self, info: ValidationInfo) -> Self:
        check: CheckTopology | None = (info.context or {}).get("check_topology")
        if check is not None:
            try:
                check(self.kind, self.parameters)
            except InvalidCommand as error:
                raise ValueError(str(error)) from error
        return self


class FailedLink(Model):
    """Cables that are down."""

    between: tuple[Line, Line]
    """Names of hosts or switches; "node N" or "switch N" for one without a name."""

    cables: Count | None = None
    """Number of failed cables between the two ends; None: all of them."""


class Network(Model):
    """The interconnect of the nodes."""

    topology: Topology
    link_bandwidth_GBps: Positive
    """Bandwidth of one cable in one direction."""

    link_latency_us: Time | None = None
    """Latency of one cable and the switch at its end; None if unknown."""

    eager_limit_bytes: int | None = Field(default=None, ge=0, strict=True)
    """The longest message that is sent before its receive is posted."""

    loggp: tuple[LogGP, ...] = ()
    """LogGP parameters between two nodes, by rising message size."""

    failed: tuple[FailedLink, ...] = ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        _check_sizes(self.loggp)
        return self


def _check_sizes(pieces: tuple[LogGP, ...]) -> None:
    """Check that there are parameters for each message size."""
    sizes = [piece.up_to_bytes for piece in pieces]
    if pieces and sizes[-1] is not None:
        raise ValueError("loggp: the last one holds for all longer messages: leave out up_to_bytes")
    bounded = [size for size in sizes[:-1] if size is not None]
    if len(bounded) < len(sizes) - 1 or bounded != sorted(set(bounded)):
        raise ValueError("loggp: all but the last have up_to_bytes, each more than the one before")


class Machine(Model):
    """One machine file."""

    title: Line
    hosts: tuple[Line, ...] = ()
    """Names of the nodes by their numbers, as hostlists: "n[0-2]", "r[1-14]i[0-7]n[0-35]"."""

    switches: tuple[Line, ...] = ()
    """Names of the switches by their numbers, as hostlists."""

    source: Source
    node: Node
    network: Network
    calibration: tuple[Calibration, ...] = ()
    """Calibrations of the node, of the network, or of both, as `waywiser machine calibrate` writes
    them."""

    validation: tuple[Validation, ...] = ()
    """Validations, as `waywiser machine validate` writes them."""

    def prediction_error(self, part: Literal["node", "network"]) -> float | None:
        """Root of the mean square of the relative errors of predicted programs; without these, of
        predicted patterns of messages. None if neither was measured."""
        programs = [
            validation.time_error_per_cent
            for validation in self.validation
            if validation.part == part
        ]
        if programs:
            return math.sqrt(sum(error**2 for error in programs) / len(programs)) / 100
        patterns = (
            calibration.error_per_cent
            for calibration in self.calibration
            if calibration.part == part
        )
        per_cent = next(patterns, None)
        return None if per_cent is None else per_cent / 100

    @model_validator(mode="after")
    def _each_part_once(self) -> Self:
        parts = [calibration.part for calibration in self.calibration]
        if len(set(parts)) < len(parts):
            raise ValueError("calibration: a part (node or network) is given twice")
        return self


def parse_machine(text: str, source: str, check_topology: CheckTopology | None = None) -> Machine:
    """Parse the text of a machine file.

    Raises:
        InvalidCommand: the text is not valid; the message names `source` and every wrong key.
    """
    try:
        return Machine.model_validate(
            toml_of(text, source), context={"check_topology": check_topology}
        )
    except ValidationError as error:
        raise InvalidCommand(f"{source}: {mistakes(error, Machine, TABLES)}") from error


TABLES: dict[str, type[Model]] = {
    "source": Source,
    "node": Node,
    "levels": Level,
    "nics": Nic,
    "loggp": LogGP,
    "network": Network,
    "calibration": Calibration,
    "validation": Validation,
    "failed": FailedLink,
}
