"""The report of `waywiser machine calibrate`, beside the machine file that it writes."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.machine_metrics import Peak


class Interval(Model):
    """A parameter with its 95 % interval."""

    value: float
    low: float
    high: float


class FittedPiece(Model):
    """LogGP's parameters of messages up to a size."""

    up_to_bytes: int | None
    """Largest message of the piece; None for the last piece, which has no limit."""

    latency_us: Interval
    overhead_us: Interval
    overhead_ns_per_byte: Interval
    gap_us: Interval
    ns_per_byte: Interval
    """LogGP's G, the time per byte of a long message."""

    sizes: int
    """Number of message sizes that the piece was fitted to."""

    fit_error_per_cent: float
    """Root of the mean square of (fitted - measured) / measured."""


class CheckedMeasurement(Model):
    """A pattern of messages outside the fit, as measured and as predicted."""

    pattern: str
    bytes: int
    """Size of one message."""

    window: int | None
    measured_us: float
    predicted_us: float
    error_per_cent: float
    """(predicted - measured) / measured."""


class Overhead(Model):
    """Time that a CPU is busy with a message of one size, as measured: medians of the
    runs."""

    bytes: int
    sending_us: float
    receiving_us: float | None
    """Time of the receiver; None where the file does not give it."""


class CalibratedPart(Model):
    """The calibration of the node, or of the network."""

    part: Literal["node", "network"]
    library: str
    transport: str | None
    eager_limit_bytes: int | None
    """Eager limit; None if it is not among the measured sizes."""

    pieces: tuple[FittedPiece, ...]
    overheads: tuple[Overhead, ...]
    """Measured overheads by size; the one o of LogGP is the mean of both ends."""

    checks: tuple[CheckedMeasurement, ...]
    error_per_cent: float | None
    """Root of the mean square of the errors of `checks` [%]; None where there are no checks."""

    noise_per_cent: float | None
    """Standard deviation of the time of a message from run to run, / its mean: the median over the
    sizes. None for fewer than three runs."""


class CalibrationReport(Model):
    """`waywiser machine calibrate --json`."""

    machine: str
    date: str
    parts: tuple[CalibratedPart, ...]
    peaks: tuple[Peak, ...]
