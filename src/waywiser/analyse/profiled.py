"""A run's profile in few numbers: the share of MPI, and the reasons for contention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from waywiser.launch.launchers.table import kind_of_run
from waywiser.model.cpus import cpu_mask
from waywiser.model.efficiencies import efficiencies
from waywiser.model.progress import spent, without_progress
from waywiser.model.result import FunctionShare, MpiShare
from waywiser.model.run import Run
from waywiser.model.summary import RankSummary, Summary
from waywiser.stats.gate import Cause, Reason, RunFacts, found_reasons
from waywiser.units import counted


def share_of(summary: Summary) -> MpiShare:
    """Summarise a profile in a few numbers."""
    ranks = summary.per_rank or ()
    own = without_progress(summary)[0]
    own_ranks = own.per_rank or ()
    return MpiShare(
        ranks=summary.ranks,
        wall_seconds=summary.wall_seconds,
        mpi_seconds=sum(rank.mpi_seconds for rank in own_ranks)
        if own_ranks
        else sum(summary.mpi_seconds),
        init_seconds=sum(summary.init_seconds) + sum(summary.finalize_seconds),
        progress_mpi_seconds=summary.threads.progress_mpi_seconds,
        cpu_seconds=sum(rank.cpu_seconds for rank in ranks),
        involuntary_switches=sum(rank.involuntary_switches for rank in ranks),
        efficiencies=efficiencies(summary.replace(advice=None)),
        functions={
            name: FunctionShare(
                calls=f.calls, seconds=spent(f), bytes=f.bytes, sync_seconds=f.sync_seconds
            )
            for name, f in own.functions.items()
        },
        sizes={
            name: tuple((upper, calls) for upper, calls, _ in f.sizes)
            for name, f in summary.functions.items()
            if f.bytes or f.receive_bytes
        },
    )


def contention_reasons(
    run: Run, summary: Summary | None, ranks: int, threads: int, nodes: int
) -> tuple[Reason, ...]:
    """Return the reasons why a run supports no verdict, each cause once; none if the machine was
    quiet.

    Args:
        ranks: number of ranks, 0 if unknown; a profiled run has it in `summary`.
        threads: of each rank.
    """
    profiled = summary.per_rank if summary is not None else None
    if summary is None or not profiled:
        facts = _of_launch(run, ranks, threads) if nodes <= 1 else None
        return tuple(found_reasons(facts)) if facts is not None else ()
    by_host: dict[str, list[RankSummary]] = {}
    for rank in profiled:
        by_host.setdefault(rank.host, []).append(rank)
    progress = summary.threads.progress_threads // len(by_host)
    by_cause: dict[Cause, list[tuple[str, Reason]]] = {}
    for host, here in by_host.items():
        for reason in found_reasons(facts_of(run, here, threads, progress)):
            by_cause.setdefault(reason.cause, []).append((host, reason))
    return tuple(_with_hosts(places, several=len(by_host) > 1) for places in by_cause.values())


def _with_hosts(places: Sequence[tuple[str, Reason]], *, several: bool) -> Reason:
    """Return the reason on the first host, with the number of other hosts."""
    host, reason = places[0]
    if not several:
        return reason
    others = f" and {counted(len(places) - 1, 'other host')}" if len(places) > 1 else ""
    return replace(reason, sentence=f"{reason.sentence} on {host}{others}")


def _of_launch(run: Run, ranks: int, threads: int) -> RunFacts | None:
    """Return the facts of the node where a run without a profile was started."""
    conditions = run.conditions
    if conditions is None or conditions.wall_seconds <= 0:
        return None
    return _with_conditions(
        RunFacts(ranks=ranks, threads=threads, wall_s=conditions.wall_seconds), run
    )


def facts_of(
    run: Run, ranks: Sequence[RankSummary], threads: int, progress_threads: int = 0
) -> RunFacts:
    """Return the facts of one host during a run.

    Args:
        ranks: those on the host.
        threads: of each rank.
        progress_threads: on the host.
    """
    bound = None
    if not (threads > 1 and _openmp_binds(run)):
        masks = [cpu_mask(rank.cpus) for rank in ranks]
        bound = tuple(frozenset(_bits(mask)) for mask in masks if mask is not None)
    queued = [
        rank.queued_seconds / rank.wall_seconds
        for rank in ranks
        if rank.queued_seconds is not None and rank.wall_seconds > 0
    ]
    facts = RunFacts(
        ranks=len(ranks),
        threads=threads,
        wall_s=max(rank.wall_seconds for rank in ranks),
        progress_threads=progress_threads,
        cpu_s=sum(rank.cpu_seconds for rank in ranks) or None,
        startup_s=sum(rank.init_seconds + rank.finalize_seconds for rank in ranks),
        queued_shares=tuple(queued) if len(queued) == len(ranks) else None,
        involuntary_switches=sum(rank.involuntary_switches for rank in ranks),
        bound_cpus=bound,
    )
    started_here = run.machine.host == ranks[0].host
    return _with_conditions(facts, run) if started_here else facts


def _with_conditions(facts: RunFacts, run: Run) -> RunFacts:
    """Add measurements of the node where the command was started."""
    conditions = run.conditions
    if conditions is None or conditions.wall_seconds <= 0:
        return facts
    wall, cores = conditions.wall_seconds, run.machine.hardware_threads
    launcher = kind_of_run(run)
    counts_ours = launcher is None or not launcher.remote  # a daemon's children are not ours
    foreign = _above(LAUNCH_CPU_S, conditions.busy_seconds - conditions.cpu_seconds) / wall
    return replace(
        facts,
        cores=cores,
        foreign_cpus=foreign if counts_ours else None,
        steal=_above(CLOCK_TICKS_S, conditions.stolen_seconds) / (wall * cores),
    )


def threads_of(run: Run) -> int:
    """Return the OpenMP threads of each rank from the run's environment; 1 by default."""
    threads = run.environment.get("OMP_NUM_THREADS", "").split(",")[0]
    return int(threads) if threads.isdecimal() and int(threads) > 0 else 1


def _openmp_binds(run: Run) -> bool:
    """True if the mask of a rank's first thread may be the thread's place, not the rank's: GNU's
    runtime binds the thread when loaded, before the profiler asks."""
    return run.environment.get("OMP_PROC_BIND", "false").lower() not in ("", "false")


LAUNCH_CPU_S = 0.1
"""CPU time of a launch that counts as that of other programs: the profiler's collectors, daemons of
the launcher. Measured: 0.08 to 0.14 CPUs in runs of ww-minife of 1.2 to 1.7 s."""

CLOCK_TICKS_S = 0.05
"""Shortest CPU time for a rate: the kernel counts in ticks of 10 ms, and a few are not enough."""


def _above(least: float, seconds: float) -> float:
    return max(0.0, seconds - least)


def _bits(mask: int) -> Iterator[int]:
    return (bit for bit in range(mask.bit_length()) if mask >> bit & 1)
