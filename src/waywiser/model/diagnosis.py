"""The diagnosis of a run: its findings, their cause, and the next step."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model

Kind = Literal[
    "no_profile",
    "no_time",
    "mpi",
    "waiting",
    "waiting_estimate",
    "extremes",
    "openmp",
    "files",
    "mpi_io",
    "set_up",
    "progress",
    "wait",
    "openmp_load_balance",
    "openmp_scheduling",
    "openmp_serialisation",
    "opportunity",
    "computation",
    "load_balance",
    "trace",
    "advise",
    "off_cpu",
    "displaced",
    "slow_clock",
    "threads",
    "rank_computes",
    "node_computes",
]


class Finding(Model):
    """A sentence with the numbers behind it."""

    kind: Kind
    sentence: str
    ranks: tuple[int, ...] = ()
    """Ranks that the finding concerns; empty if it concerns all."""

    seconds: float | None = None
    """Time that the finding concerns, over all ranks; of a next step, the run time that it may
    save."""

    share: float | None = None
    """`seconds` over the time of all ranks; of a next step, over the run time."""


Part = Literal[
    "application", "openmp", "files", "waiting", "transfer", "mpi", "init", "finalize", "queued"
]
"""Parts of the ranks' time. "openmp" is threads that wait or are idle, "files" access that is not
through MPI; "application" is the rest outside of MPI. A trace divides "mpi" into "waiting" and
"transfer". "queued" is waiting for a CPU, within any of the others."""


class TimePart(Model):
    part: Part
    seconds: float
    """Time of all ranks."""

    share: float
    """`seconds` over the time of all ranks."""


class Diagnosis(Model):
    text: str
    """The findings as `waywiser show` says them."""

    findings: tuple[Finding, ...]
    """Findings on the run time; a finding that explains others comes before them."""

    cause: Finding | None
    """Cause of the findings; null where neither OpenMP's efficiency nor a trace shows one."""

    next_step: Finding | None
    """Next step; null where the gate does not hold, or no remedy is known."""

    time: tuple[TimePart, ...]
    """The ranks' time, divided; without parts that are 0."""

    queued: TimePart | None
    """Time in which ranks were ready to run and had no CPU; null if the kernel does not report it,
    or if it is 0."""

    standing_out: tuple[Finding, ...]
    """The rank and the node that compute most, against the mean; empty for fewer than two."""

    remarks: tuple[Finding, ...]
    """Anomalies of ranks, each once with the number of the rank where it is worst; those of most
    ranks come first."""
