"""`waywiser machine calibrate` on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from waywiser.model.calibration import CalibratedPart, CalibrationReport, Interval
from waywiser.report.machines.terminal import Row, peak_text, text_table
from waywiser.units import counted, seconds_text, size_text, three_digits

BETWEEN = {"node": "ranks of a node", "network": "nodes"}


def calibration_text(report: CalibrationReport) -> str:
    """Parameters with their intervals, their prediction error, and the shares of peaks reached."""
    return "\n".join(_lines(report))


def _lines(report: CalibrationReport) -> Iterator[str]:
    for part in report.parts:
        yield from _part_lines(part)
        yield ""
    for peak in report.peaks:
        yield f"{peak.of} bandwidth: {peak_text(peak)}"


def _part_lines(part: CalibratedPart) -> Iterator[str]:
    through = f" over {part.transport}" if part.transport else ""
    yield f"Between {BETWEEN[part.part]}: {part.library}{through}"
    limit = part.eager_limit_bytes
    known = "not among the sizes measured" if limit is None else f"{limit:,} B"
    yield f"Eager limit: {known}"
    rows: list[Row] = [("messages", "L", "o", "g", "1/G", "sizes", "fit")]
    before = ""
    for piece in part.pieces:
        end = piece.up_to_bytes
        per_byte = piece.ns_per_byte
        rate = Interval(value=1 / per_byte.value, low=1 / per_byte.high, high=1 / per_byte.low)
        rows.append(
            (
                f"to {size_text(end)}" if end is not None else "longer" if before else "all",
                *(
                    f"{_value(interval)} µs"
                    for interval in (piece.latency_us, piece.overhead_us, piece.gap_us)
                ),
                f"{_value(rate)} GB/s",
                str(piece.sizes),
                f"{piece.fit_error_per_cent:.1f} %",
            )
        )
        before = rows[-1][0]
    yield text_table(rows, left={0})
    ratios = [
        overhead.receiving_us / overhead.sending_us
        for overhead in part.overheads
        if overhead.receiving_us and overhead.sending_us > 0
    ]
    if ratios:
        yield (
            "o is the mean of both ends: receiving a message keeps a core busy "
            f"{three_digits(median(ratios))} times as long as sending it (median over the sizes)"
        )
    yield from _check_lines(part)
    if part.noise_per_cent is not None:
        yield f"From run to run, times of messages differ by {part.noise_per_cent:.1f} %"


def _value(interval: Interval) -> str:
    return (
        f"{three_digits(interval.value)} "
        f"[{three_digits(interval.low)}, {three_digits(interval.high)}]"
    )


def _check_lines(part: CalibratedPart) -> Iterator[str]:
    if part.error_per_cent is None:
        yield "Not checked: no other benchmark of two ranks was measured."
        return
    yield (
        f"Predictions of {counted(len(part.checks), 'measurement')}, which were not fitted, are "
        f"off by {part.error_per_cent:.1f} % (root of the mean square)"
    )
    rows = [("pattern", "number", "error", "worst", "at", "measured", "predicted")]
    for pattern in dict.fromkeys(check.pattern for check in part.checks):
        checks = [check for check in part.checks if check.pattern == pattern]
        worst = max(checks, key=lambda check: abs(check.error_per_cent))
        mean = (sum(check.error_per_cent**2 for check in checks) / len(checks)) ** 0.5
        rows.append(
            (
                pattern,
                str(len(checks)),
                f"{mean:.1f} %",
                f"{worst.error_per_cent:+.0f} %",
                size_text(worst.bytes),
                seconds_text(1e-6 * worst.measured_us),
                seconds_text(1e-6 * worst.predicted_us),
            )
        )
    yield text_table(rows, left={0})
