"""The validity gate: was the machine quiet enough for a verdict?

An interval says how well the measured difference is known, not what causes it. Where other jobs
took the cores, two MPI libraries differ because one of them binds its ranks; that difference is
solid and no statement about the libraries. Each fact of a run is compared with a threshold below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from waywiser.units import counted

Cause = Literal["oversubscribed", "descheduled", "foreign", "binding", "stolen"]
"""Cause of contention: more tasks than cores; tasks without a core for another reason; other
programs; several tasks bound to the same CPUs; a hypervisor."""

QUEUED_SHARE = 0.1
"""Largest share of a rank's time that it may be ready to run without a CPU. The kernel counts this
time (/proc/PID/schedstat, Documentation/scheduler/sched-stats.rst); sleeping does not raise it."""

CPU_SHARE = 0.9
"""Smallest share of the cores' time, checked only where the kernel does not count the time without
a CPU. Ranks poll while they wait for messages, so that a run of one thread a rank uses its cores
all the time. A run that did not was descheduled, or waited for files. Their time in MPI_Init and
MPI_Finalize, where Open MPI's ranks sleep some 50 ms, is not counted."""

CPU_SHARE_THREADED = 0.5
"""The same share for runs with OpenMP, whose threads may sleep while their rank is in a serial part
or in MPI."""

FOREIGN_SHARE = 0.05
"""Share of the node's CPUs that other programs may keep busy. Daemons, interrupts and the kernel's
own threads leave about 1 % of a core; one busy task of another program on 16 cores is 6 %."""

FOREIGN_CPUS = 0.15
"""Number of CPUs that other programs may use on any node: a polling launcher and a terminal."""

SWITCHES_PER_S = 100.0
"""Involuntary context switches of a thread. They count only where neither the CPU time of other
programs nor the time without a CPU is known, which are better evidence. Sharing a core with one
busy task means 100 and more (Linux gives slices of 3 to 10 ms; 220 to 870 were measured). But Linux
also counts a sched_yield as a switch, and a library that waits may yield. On a quiet node with a
rank on each core 58 to 66 were measured with LAMMPS, and 300 with Quantum ESPRESSO.
"""

STEAL = 0.01
"""Share of CPU time that the hypervisor gave to other guests; 1 % is the default margin of
equivalence, so that more could hide or feign a difference that counts."""

UNRELIABLE_RUNS = 0.2
"""The share of runs of one side from which its verdict is refused. A Hodges-Lehmann estimate breaks
down at 29 % of bad values (P. J. Huber, E. M. Ronchetti, "Robust Statistics", 2009, 3.2)."""


@dataclass(frozen=True)
class RunFacts:
    """The state of the machine during one run; None is unknown, and refuses nothing."""

    ranks: int
    """Number of ranks on the described node; all numbers here are of this node."""
    threads: int
    """Number of threads of each rank."""
    wall_s: float
    progress_threads: int = 0
    """Number of threads of all ranks that only make progress; each polls and occupies a core."""
    cores: int | None = None
    cpu_s: float | None = None
    """User and system time of all ranks."""
    startup_s: float = 0.0
    """Time of all ranks in MPI_Init and MPI_Finalize, where they may sleep."""
    foreign_cpus: float | None = None
    """CPUs that other programs kept busy, on average."""
    queued_shares: tuple[float, ...] | None = None
    """Share of time in which each rank's main thread is ready to run without a CPU."""

    involuntary_switches: int | None = None
    """Involuntary context switches of all ranks."""
    bound_cpus: tuple[frozenset[int], ...] | None = None
    """CPUs that each rank may use."""
    steal: float | None = None
    """Share of the node's CPU time, 0 to 1."""


@dataclass(frozen=True)
class Reason:
    """A reason why a run supports no verdict."""

    cause: Cause
    sentence: str


def found_reasons(facts: RunFacts) -> list[Reason]:
    """Return the reasons why a run supports no verdict, each cause once; none if all is well."""
    checks: tuple[tuple[Cause, Callable[[RunFacts], str]], ...] = (
        ("oversubscribed", _oversubscribed),
        ("descheduled", _queued),
        ("descheduled", _cpu_use),
        ("foreign", _foreign),
        ("descheduled", _switches),
        ("binding", _binding),
        ("stolen", _steal),
    )
    return [Reason(cause, sentence) for cause, check in checks if (sentence := check(facts))]


def _oversubscribed(facts: RunFacts) -> str:
    tasks = facts.ranks * facts.threads + facts.progress_threads
    if facts.cores is None or tasks <= facts.cores:
        return ""
    tasks_text = f"{facts.ranks} ranks"
    if facts.threads > 1:
        tasks_text += f" x {facts.threads} threads"
    if facts.progress_threads:
        tasks_text += f" + {facts.progress_threads} for progress"
    return f"{tasks_text} shared {counted(facts.cores, 'CPU')}"


def _queued(facts: RunFacts) -> str:
    """Return a sentence if a rank lacks a CPU; one is enough, because all others wait for it."""
    if not facts.queued_shares or max(facts.queued_shares) <= QUEUED_SHARE:
        return ""
    mean = sum(facts.queued_shares) / len(facts.queued_shares)
    who, share = (
        ("the ranks were", mean)
        if mean > QUEUED_SHARE
        else (
            "a rank was",
            max(facts.queued_shares),
        )
    )
    return (
        f"{who} ready to run but had no CPU for {100 * share:.0f} % of the time "
        f"(limit: {100 * QUEUED_SHARE:.0f} %)"
    )


def _cpu_use(facts: RunFacts) -> str:
    if facts.cpu_s is None or facts.queued_shares is not None or facts.wall_s <= 0:
        return ""
    required = CPU_SHARE if facts.threads == 1 else CPU_SHARE_THREADED
    required_s = facts.wall_s * facts.ranks * facts.threads
    share = facts.cpu_s / required_s
    if required_s - facts.cpu_s <= (1 - required) * required_s + facts.startup_s * facts.threads:
        return ""
    return (
        f"the ranks had a CPU for {100 * share:.0f} % of the time "
        f"({100 * required:.0f} % is required)"
    )


def _foreign(facts: RunFacts) -> str:
    if facts.foreign_cpus is None or facts.cores is None:
        return ""
    allowed = max(FOREIGN_CPUS, FOREIGN_SHARE * facts.cores)
    if facts.foreign_cpus <= allowed:
        return ""
    return (
        f"other programs used {facts.foreign_cpus:.1f} of the {facts.cores} CPUs "
        f"(at most {allowed:.2g} is quiet)"
    )


def _switches(facts: RunFacts) -> str:
    better_known = facts.foreign_cpus is not None or facts.queued_shares is not None
    if facts.involuntary_switches is None or facts.wall_s <= 0 or better_known:
        return ""
    rate = facts.involuntary_switches / (facts.wall_s * facts.ranks * facts.threads)
    if rate <= SWITCHES_PER_S:
        return ""
    return (
        f"each thread was taken off its CPU {rate:.0f} times a second"
        f" (at most {SWITCHES_PER_S:.0f} is quiet)"
    )


def _binding(facts: RunFacts) -> str:
    """Sentence on more threads than CPUs, within a set that ranks are bound to or over all sets."""
    if _oversubscribed(facts):
        return ""
    bound = facts.bound_cpus or ()
    together = frozenset[int]().union(*bound)
    for cpus in (*sorted(set(bound), key=sorted), together):
        tasks = facts.threads * sum(rank_cpus <= cpus for rank_cpus in bound)
        if tasks > len(cpus):
            listed = ", ".join(map(str, sorted(cpus)[:8])) + (", …" if len(cpus) > 8 else "")
            return f"{tasks} threads are bound to {counted(len(cpus), 'CPU')} ({listed})"
    return ""


def _steal(facts: RunFacts) -> str:
    if facts.steal is None or facts.steal <= STEAL:
        return ""
    return f"the hypervisor took {100 * facts.steal:.1f} % of the CPU time"
