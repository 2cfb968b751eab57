"""A machine's LogGP parameters from measurements of ww-mpibench on the machine.

Measurements between two ranks of one host describe the node, those between two hosts the network.
The parameters are fitted to the benchmark `loggp`. They then predict the other benchmarks of a
pair, whose errors show how far predictions can be trusted.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from waywiser.errors import InvalidCommand, NotEnoughData
from waywiser.machines.metrics import peaks
from waywiser.model.calibration import (
    CalibratedPart,
    CalibrationReport,
    CheckedMeasurement,
    FittedPiece,
    Interval,
    Overhead,
)
from waywiser.model.machine import Calibration, LogGP, Machine
from waywiser.model.micro_benchmark import Measurement
from waywiser.stats.loggp import MessageCosts, Piece, eager_limit, fit_loggp
from waywiser.stats.loggp_patterns import PATTERNS
from waywiser.stats.scaling import Estimate
from waywiser.stats.summary import summarise

Part = Literal["node", "network"]
FITTED = "loggp"
MEMORY = "memory"
RUNS_NEEDED = 3
"""Number of runs for an estimate of the noise."""


def calibrated(
    machine: Machine, name: str, measured: Iterable[Measurement], date: datetime.date
) -> tuple[Machine, CalibrationReport]:
    """Return the machine with the measured parameters of the node, the network or both, and a
    report.

    Args:
        name: the user's name for the machine.

    Raises:
        InvalidCommand: there are no measurements of LogGP, or too few, or of several libraries.
    """
    by_part: dict[Part, list[Measurement]] = defaultdict(list)
    memory = []
    for measurement in measured:
        if measurement.verified is False:
            raise InvalidCommand(
                f"{measurement.variant} received wrong data, so nothing is calibrated;"
                " measure again"
            )
        if measurement.variant == MEMORY:
            memory.append(measurement)
        elif measurement.variant == FITTED or measurement.variant in PATTERNS:
            by_part[_part_of(measurement)].append(measurement)
    parts = [
        _part(part, by_part[part])
        for part in ("node", "network")
        if any(measurement.variant == FITTED for measurement in by_part[part])
    ]
    if not parts:
        raise InvalidCommand(
            f"no measurement of {FITTED} found; run `mpirun -n 2 ww-mpibench --benchmark"
            f" {','.join([FITTED, *PATTERNS])} --json FILE`, and again between two hosts"
        )
    for calibrated_part in parts:
        machine = _with_part(machine, calibrated_part, date)
    if (rate := _memory_Bps(memory)) is not None:
        node = machine.node.replace(measured_memory_GBps=_rounded(1e-9 * rate))
        machine = machine.replace(node=node)
    report = CalibrationReport(
        machine=name, date=date.isoformat(), parts=tuple(parts), peaks=peaks(machine)
    )
    return machine, report


def _memory_Bps(measured: Sequence[Measurement]) -> float | None:
    """Return the best bandwidth of the largest blocks: smaller blocks may have stayed in a cache.

    Raises:
        InvalidCommand: the ranks were not all on one node.
    """
    for measurement in measured:
        if measurement.details.hosts != 1:
            raise InvalidCommand(
                f"{MEMORY} ran on {measurement.details.hosts} hosts; run it on one node"
            )
    largest = max((measurement.parameters.bytes or 0 for measurement in measured), default=0)
    rates = [
        measurement.details.bandwidth_Bps
        for measurement in measured
        if measurement.parameters.bytes == largest
    ]
    return max((rate for rate in rates if rate is not None), default=None)


def _part_of(measurement: Measurement) -> Part:
    """
    Raises:
        InvalidCommand: it is not known whether the pair was on one host.
    """
    pairs, hosts = measurement.parameters.pairs, measurement.details.hosts
    if pairs == "inside" or hosts == 1:
        return "node"
    if pairs == "between" or measurement.ranks == 2:
        return "network"
    raise InvalidCommand(
        f"{measurement.variant} ran with --pairs {pairs} on {hosts} hosts; run it with"
        " --pairs inside or --pairs between, or on two ranks"
    )


def _part(part: Part, measured: Sequence[Measurement]) -> CalibratedPart:
    # The text after the first comma describes the library's build.
    libraries = sorted(
        {_one_line(measurement.details.library.split(",")[0]) for measurement in measured}
    )
    transports = sorted(
        {_one_line(measurement.details.transport or "") for measurement in measured} - {""}
    )
    if len(libraries) > 1 or len(transports) > 1:
        raise InvalidCommand(
            f"the {part} was measured with {', '.join([*libraries, *transports])};"
            " give measurements of one library over one transport"
        )
    fitted = [measurement for measurement in measured if measurement.variant == FITTED]
    sizes, costs, overheads = _costs(fitted)
    limit = eager_limit(
        sizes, _medians(fitted, sizes, "late_send_ns"), _medians(fitted, sizes, "late_by_ns")
    )
    known = limit if limit is not None and limit < sizes[-1] else None
    try:
        pieces = fit_loggp(costs, known)
    except NotEnoughData as error:
        raise InvalidCommand(f"{part}: {error}") from error
    checks = tuple(
        _checked(pieces, measurement) for measurement in measured if measurement.variant in PATTERNS
    )
    errors = [check.error_per_cent for check in checks]
    return CalibratedPart(
        part=part,
        library=libraries[0],
        transport=transports[0] if transports else None,
        eager_limit_bytes=known,
        pieces=tuple(_fitted(piece) for piece in pieces),
        overheads=overheads,
        checks=checks,
        error_per_cent=float(np.sqrt(np.mean(np.square(errors)))) if errors else None,
        noise_per_cent=_noise_per_cent(fitted),
    )


def _costs(
    fitted: Sequence[Measurement],
) -> tuple[list[int], MessageCosts, tuple[Overhead, ...]]:
    sizes = sorted({measurement.parameters.bytes or 0 for measurement in fitted})
    one_way = _medians(fitted, sizes, "seconds")
    interval = 1e-9 * _medians(fitted, sizes, "interval_ns")
    # Neither end can be busier than messages follow each other, nor both together than a message
    # takes; beyond that, their calls waited.
    busy = 1e-9 * _medians(fitted, sizes, "sender_busy_ns")
    sending = np.minimum(busy, np.minimum(interval, one_way / 2))
    has_overheads = all(measurement.details.receiver_busy_ns is not None for measurement in fitted)
    busy = 1e-9 * _medians(fitted, sizes, "receiver_busy_ns") if has_overheads else sending
    receiving = np.minimum(busy, np.minimum(interval, one_way - sending))
    costs = MessageCosts(
        bytes=np.array(sizes, float),
        overhead_s=(sending + receiving) / 2,
        one_way_s=one_way,
        interval_s=interval,
    )
    overheads = tuple(
        Overhead(bytes=size, sending_us=1e6 * s, receiving_us=1e6 * r if has_overheads else None)
        for size, s, r in zip(sizes, sending.tolist(), receiving.tolist(), strict=True)
    )
    return sizes, costs, overheads


def _medians(
    fitted: Sequence[Measurement], sizes: Sequence[int], key: str
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return medians for each size, over all runs that measured the size."""
    by_size: dict[int, list[float]] = defaultdict(list)
    for measurement in fitted:
        value = measurement.seconds if key == "seconds" else getattr(measurement.details, key)
        if value is None:
            raise InvalidCommand(
                f"a measurement of {FITTED} lacks details.{key}; measure again with this version"
            )
        by_size[measurement.parameters.bytes or 0].append(value)
    return np.array([np.median(by_size[size]) for size in sizes])


def _noise_per_cent(fitted: Sequence[Measurement]) -> float | None:
    by_size: dict[int, list[float]] = defaultdict(list)
    for measurement in fitted:
        by_size[measurement.parameters.bytes or 0].append(measurement.seconds)
    spreads = [summarise(times).rsd for times in by_size.values() if len(times) >= RUNS_NEEDED]
    known = [spread for spread in spreads if spread is not None]
    return 100 * float(np.median(known)) if known else None


def _checked(pieces: Sequence[Piece], measurement: Measurement) -> CheckedMeasurement:
    size = measurement.parameters.bytes or 0
    predicted = PATTERNS[measurement.variant](pieces, size, measurement.parameters.window or 1)
    return CheckedMeasurement(
        pattern=measurement.variant,
        bytes=size,
        window=measurement.parameters.window,
        measured_us=1e6 * measurement.seconds,
        predicted_us=1e6 * predicted,
        error_per_cent=100 * (predicted / measurement.seconds - 1),
    )


def _fitted(piece: Piece) -> FittedPiece:
    return FittedPiece(
        up_to_bytes=piece.up_to_bytes,
        latency_us=_interval(piece.latency_s, 1e6),
        overhead_us=_interval(piece.overhead_s, 1e6),
        overhead_ns_per_byte=_interval(piece.overhead_s_per_byte, 1e9),
        gap_us=_interval(piece.gap_s, 1e6),
        ns_per_byte=_interval(piece.seconds_per_byte, 1e9),
        sizes=piece.sizes,
        fit_error_per_cent=100 * piece.relative_error,
    )


def _interval(estimate: Estimate, factor: float) -> Interval:
    unit = estimate.times(factor)
    low, high = unit.low, unit.high
    return Interval(
        value=unit.value,
        low=unit.value if low is None else low,
        high=unit.value if high is None else high,
    )


def _with_part(machine: Machine, calibrated_part: CalibratedPart, date: datetime.date) -> Machine:
    pieces = tuple(
        LogGP(
            up_to_bytes=piece.up_to_bytes,
            latency_us=_rounded(piece.latency_us.value),
            overhead_us=_rounded(piece.overhead_us.value),
            overhead_ns_per_byte=_rounded(piece.overhead_ns_per_byte.value),
            gap_us=_rounded(piece.gap_us.value),
            bandwidth_GBps=_rounded(1 / piece.ns_per_byte.value),
        )
        for piece in calibrated_part.pieces
    )
    through = f" over {calibrated_part.transport}" if calibrated_part.transport else ""
    calibration = Calibration(
        part=calibrated_part.part,
        date=date.isoformat(),
        document="waywiser machine calibrate, from ww-mpibench with "
        f"{calibrated_part.library}{through}",
        error_per_cent=_rounded_or_none(calibrated_part.error_per_cent),
        noise_per_cent=_rounded_or_none(calibrated_part.noise_per_cent),
    )
    part = getattr(machine, calibrated_part.part).replace(
        loggp=pieces, eager_limit_bytes=calibrated_part.eager_limit_bytes
    )
    # Earlier inferences are replaced by measurements.
    inferred = tuple(line for line in machine.source.inferred if not line.startswith("loggp:"))
    source = machine.source.replace(inferred=inferred)
    others = tuple(
        earlier for earlier in machine.calibration if earlier.part != calibrated_part.part
    )
    return machine.replace(
        source=source, calibration=(*others, calibration), **{calibrated_part.part: part}
    )


def _rounded(value: float) -> float:
    """Round to four significant digits; further digits are unknown."""
    return float(f"{value:.4g}")


def _rounded_or_none(value: float | None) -> float | None:
    return None if value is None else _rounded(value)


def _one_line(text: str) -> str:
    return " ".join(text.split())
