"""What a run's profile says in few numbers: the share of MPI, and whether the machine was quiet."""

from __future__ import annotations

from collections.abc import Iterator

from waywiser.model.cpus import cpu_mask
from waywiser.model.progress import spent, without_progress
from waywiser.model.result import FunctionShare, MpiShare
from waywiser.model.run import Run
from waywiser.model.summary import Summary
from waywiser.stats.gate import RunFacts, reasons


def share_of(summary: Summary) -> MpiShare:
    """A profile in a few numbers."""
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
        functions={
            name: FunctionShare(
                calls=f.calls, seconds=spent(f), bytes=f.bytes, sync_seconds=f.sync_seconds
            )
            for name, f in own.functions.items()
        },
        sizes={
            name: tuple((upper, calls) for upper, calls, _ in f.sizes)
            for name, f in summary.functions.items()
            if f.bytes or f.posted_bytes
        },
    )


def contention(
    run: Run, summary: Summary | None, ranks: int, threads: int, nodes: int
) -> tuple[str, ...]:
    """Why a run is no ground for a verdict; none where the machine was quiet.

    Args:
        ranks: 0 if that is unknown.
        threads: of each rank.
    """
    return tuple(reasons(facts_of(run, summary, ranks, threads, nodes)))


def facts_of(run: Run, summary: Summary | None, ranks: int, threads: int, nodes: int) -> RunFacts:
    """What is known of the machine during a run, of the node that it was started on."""
    conditions = run.conditions
    facts = RunFacts(ranks=ranks, threads=threads, wall_s=0.0)
    if conditions is None or nodes > 1 or conditions.wall_seconds <= 0:
        return facts
    bound = None
    if summary is not None and summary.per_rank and not (threads > 1 and _openmp_binds(run)):
        masks = [cpu_mask(rank.cpus) for rank in summary.per_rank]
        bound = tuple(frozenset(_bits(mask)) for mask in masks if mask is not None)
    wall, cores = conditions.wall_seconds, run.machine.hardware_threads
    started_here = run.command[0].rpartition("/")[2] != "srun"  # slurmd's children are not ours
    each = summary.per_rank if summary is not None and summary.per_rank else ()
    return RunFacts(
        ranks=ranks,
        threads=threads,
        wall_s=summary.wall_seconds if each and summary is not None else wall,
        progress_threads=summary.threads.progress_threads if summary is not None else 0,
        cores=cores,
        cpu_s=sum(rank.cpu_seconds for rank in each) if each else None,
        startup_s=sum(rank.init_seconds + rank.finalize_seconds for rank in each),
        foreign_cpus=_above(LAUNCH_CPU_S, conditions.busy_seconds - conditions.cpu_seconds) / wall
        if started_here
        else None,
        involuntary_switches=sum(rank.involuntary_switches for rank in each) if each else None,
        bound_cpus=bound,
        steal=_above(CLOCK_TICKS_S, conditions.stolen_seconds) / (wall * cores),
    )


def _openmp_binds(run: Run) -> bool:
    """Whether the mask of a rank's first thread may be that thread's place, not the rank's: GNU's
    runtime binds it when it is loaded, before the profiler asks."""
    return run.environment.get("OMP_PROC_BIND", "false").lower() not in ("", "false")


LAUNCH_CPU_S = 0.1
"""CPU time of processes that a launch leaves to others to count: the profiler's keepers, daemons
of the launcher. Measured: 0.08 to 0.14 CPUs in runs of ww-minife of 1.2 to 1.7 s."""

CLOCK_TICKS_S = 0.05
"""The kernel counts in ticks of 10 ms; a few of them are no rate."""


def _above(least: float, seconds: float) -> float:
    return max(0.0, seconds - least)


def _bits(mask: int) -> Iterator[int]:
    return (bit for bit in range(mask.bit_length()) if mask >> bit & 1)
