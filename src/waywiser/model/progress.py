"""Leave threads that only make progress out of a run's summary."""

from __future__ import annotations

from collections.abc import Iterable

from waywiser.model.summary import Function, FunctionTotal, RankSeconds, RankSummary, Summary

MOST_RANKS = 512
"""Largest number of ranks whose functions are read for each thread: 16,384 ranks take half a
minute."""

POLLS = frozenset(
    f"MPI_{name}" for name in ("Test", "Testall", "Testany", "Testsome", "Iprobe", "Improbe")
)
"""Calls of threads that make progress; see `Thread.role`."""


def spent(function: Function) -> float:
    """Time in a function [s], with that in the barriers of --split-sync before it."""
    return function.seconds + function.sync_seconds


def without_progress(summary: Summary) -> tuple[Summary, int]:
    """The summary without the threads that only make progress, and how many these are.

    These threads spin beside threads that do the rank's work, and delay nobody. A rank without
    other threads waits, and stays. Phases, communicators and call sites stay as they are. Beyond
    `MOST_RANKS` the functions are not summed anew, but all those of `POLLS` are left out.
    """
    ranks = summary.per_rank or ()
    left_out = sum(rank.progress_threads for rank in ranks if _has_others(rank))
    if not left_out:
        return summary, 0
    if len(ranks) > MOST_RANKS:
        kept = {name: f for name, f in summary.functions.items() if name not in POLLS}
        ranks = tuple(_without_progress_time(rank) for rank in ranks)
        return summary.replace(per_rank=ranks, functions=kept), left_out
    ranks = tuple(_without_progress(rank) for rank in ranks)
    changed = {"per_rank": ranks, "functions": _over_ranks(ranks)}
    return summary.replace(**changed), left_out


def _has_others(rank: RankSummary) -> bool:
    return 0 < rank.progress_threads < rank.mpi_threads


def _without_progress_time(rank: RankSummary) -> RankSummary:
    if not _has_others(rank):
        return rank
    return rank.replace(
        mpi_seconds=max(0.0, rank.mpi_seconds - rank.progress_mpi_seconds),
        mpi_threads=rank.mpi_threads - rank.progress_threads,
    )


def _without_progress(rank: RankSummary) -> RankSummary:
    if not _has_others(rank):
        return rank
    functions: dict[str, list[Function]] = {}
    for thread in rank.threads:
        if thread.role != "progress":
            for name, function in thread.functions.items():
                functions.setdefault(name, []).append(function)
    own = {name: _added(parts) for name, parts in functions.items()}
    return _without_progress_time(rank).replace(functions=own)


def _over_ranks(ranks: Iterable[RankSummary]) -> dict[str, FunctionTotal]:
    parts: dict[str, list[Function]] = {}
    times: dict[str, list[RankSeconds]] = {}
    for rank in ranks:
        for name, function in rank.functions.items():
            parts.setdefault(name, []).append(function)
            times.setdefault(name, []).append(RankSeconds(rank=rank.rank, seconds=spent(function)))
    return {
        name: FunctionTotal(
            **dict(_added(parts[name])),
            most=max(seconds, key=lambda time: time.seconds),
            least=min(seconds, key=lambda time: time.seconds),
        )
        for name, seconds in times.items()
    }


def _added(parts: list[Function]) -> Function:
    """The sums of functions, without `sizes`, which no caller shows."""
    return Function(
        calls=sum(part.calls for part in parts),
        seconds=sum(part.seconds for part in parts),
        max_seconds=max(part.max_seconds for part in parts),
        sync_seconds=sum(part.sync_seconds for part in parts),
        bytes=sum(part.bytes for part in parts),
        receive_bytes=sum(part.receive_bytes for part in parts),
        pending_calls=sum(part.pending_calls for part in parts),
        pending_seconds=sum(part.pending_seconds for part in parts),
        sizes=(),
    )
