"""Metrics of ranks and nodes, by tools/schemas.py from trace/records/fields.hpp."""

from __future__ import annotations

from waywiser.model.base import Model


class RankMetrics(Model):
    wall_seconds: float
    """Time from MPI_Init to MPI_Finalize."""

    init_seconds: float
    """Time in MPI_Init."""

    finalize_seconds: float
    """Time in MPI_Finalize."""

    cpu_seconds: float
    """User and system time."""

    voluntary_switches: int
    """Context switches when the rank waited."""

    involuntary_switches: int
    """Context switches when another process took the CPU."""

    queued_seconds: float | None = None
    """Time of the main thread ready to run without a CPU; null where not known."""

    peak_memory_bytes: int
    """Largest resident memory."""

    instructions: int | None = None
    """Instructions in user mode; null where not known."""

    cycles: int | None = None
    """Cycles in user mode; null where not known."""


class NodeMetrics(Model):
    observed_seconds: float
    """Time from the first process's start to the last one's end."""

    energy_joules: float | None = None
    """Energy of all processor packages in that time, whoever used it; null where not known."""
