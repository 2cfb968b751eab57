"""What a run's numbers say: its findings, their cause, and what to do about them."""

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
    """A sentence with what it rests on."""

    kind: Kind
    sentence: str
    ranks: tuple[int, ...] = ()
    """The ranks that it is about; empty where it is about all of them."""

    seconds: float | None = None
    """Time that it is about, of all ranks; of a next step, what that may save of the run time."""

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


class Verdict(Model):
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
    """Time in which ranks were ready to run and had no CPU; null where the kernel does not tell, or
    there was none."""

    standing_out: tuple[Finding, ...]
    """The rank and the node that compute most, against the mean; empty where there are not two."""

    remarks: tuple[Finding, ...]
    """What is odd about ranks, each once with the number of the rank that has it worst; those of
    most ranks come first."""
