"""The predicted gain of another placement of a run's ranks.

An upper bound is the time of communication that leaves the node, times the share by which this
communication gets cheaper. Time that ranks wait for each other is not recovered. Without a trace it
is not known how much of point-to-point calls is waiting: then the lower end of the interval is 0.

Nor is the gain larger than the fall of the bound that latencies and bandwidths set for the run's
messages.

The MPIplace paper measured less: 5 % of MPI time of MPAS-A on 6,912 cores, 1 % of its run time.
"""

from __future__ import annotations

import re

import numpy as np

from waywiser.model.gain import Assessment
from waywiser.model.machine import Machine
from waywiser.model.placement import PlacementCost, PlacementGain
from waywiser.model.summary import Summary

POINT_TO_POINT = re.compile(
    r"MPI_(I?[bsr]?send|I?recv|I?mrecv|Sendrecv|Isendrecv|Wait|Test|Start|I?m?probe)", re.IGNORECASE
)
"""Beginnings of the names of calls whose time includes messages between ranks."""

NOISE_PER_CENT = 1.0
"""Assumed noise without a calibration: the share of the wall time by which repeated runs on a quiet
machine differ."""


def predicted_gain(
    summary: Summary, before: PlacementCost, after: PlacementCost, machine: Machine
) -> PlacementGain:
    """
    Args:
        before: cost of the run's own placement, or of the one compared with.
        machine: machine whose network calibration gives the noise.
    """
    total = sum(
        int(matrix.bytes.array[:, 2].sum())
        for matrix in (summary.matrix, summary.collective_matrix)
    )
    leaving = min(1.0, before.off_node_bytes / total) if total else 0.0
    certain, possible = _transfer_seconds(summary)
    cheaper = [
        1 - after.hop_bytes / before.hop_bytes if before.hop_bytes else 0.0,
        1 - after.busiest_link_bytes / before.busiest_link_bytes
        if before.busiest_link_bytes
        else 0.0,
    ]
    most = max(0.0, before.seconds - after.seconds)
    ends = [
        min(most, seconds * leaving * share) for seconds in (certain, possible) for share in cheaper
    ]
    low, high = min(ends), max(ends)
    measured = _noise_per_cent(machine)
    noise = (NOISE_PER_CENT if measured is None else measured) / 100 * summary.wall_seconds
    return PlacementGain(
        low_seconds=low,
        high_seconds=high,
        expected_seconds=(low + high) / 2,
        waiting_known=summary.waits is not None,
        wall_seconds=summary.wall_seconds,
        noise_seconds=noise,
        noise_measured=measured is not None,
        assessment="refused" if summary.gate.unreliable else assessment_of(low, high, noise),
    )


def assessment_of(low: float, high: float, noise: float) -> Assessment:
    """Return the assessment of a gain from `low` to `high` if repeated runs differ by `noise`."""
    if max(-low, high) < noise:
        return "none"
    if low > noise or high < -noise:
        return "expected" if low > noise else "loss"
    return "possible"


def _noise_per_cent(machine: Machine) -> float | None:
    """Return the noise of messages between nodes, whose time a placement saves; None if unknown."""
    parts = {calibration.part: calibration.noise_per_cent for calibration in machine.calibration}
    return parts.get("network")


def _transfer_seconds(summary: Summary) -> tuple[float, float]:
    """Mean over ranks of the time in MPI that certainly, and that perhaps, is not waiting."""
    ranks = max(1, summary.ranks)
    functions = summary.functions.items()
    sent = sum(totals.seconds for name, totals in functions if POINT_TO_POINT.match(name)) / ranks
    in_mpi = float(np.mean(summary.mpi_seconds)) - float(np.mean(summary.sync_seconds or (0.0,)))
    collective = max(0.0, in_mpi - sent)
    if summary.waits is not None:
        waited = sum(summary.waits.seconds.values()) / ranks
        return (max(0.0, in_mpi - waited),) * 2
    if summary.waiting_estimate is not None:
        collective = max(0.0, collective - float(np.mean(summary.waiting_estimate.seconds)))
    return 0.0, sent + collective
