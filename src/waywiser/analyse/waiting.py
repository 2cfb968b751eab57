"""Find the ranks that others wait for in collectives, from --split-sync and MPI_Barrier."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from waywiser.analyse.losses import NOTABLE
from waywiser.analyse.times import RankTime
from waywiser.analyse.where import ALL, MOST, NEARLY_ALL, named, place_text
from waywiser.model.diagnosis import Finding
from waywiser.model.summary import Summary
from waywiser.units import percent_text

LATE = 0.25
"""Others wait for a rank that waits less than this share of the median of the others' waiting.

Let one rank wait W in collectives that all ranks make, and another rank w. At least W - w of the
first rank's waiting is for the other rank, as the last rank arrives no earlier than the other.
"""

APART = 2.0
"""The first of the others waits at least this many times as long as a late rank."""

ALIKE = 0.5
"""Ranks wait in turn if the least waiting is at least this share of the most."""

BARRIER = "MPI_Barrier"
"""A function that transfers nothing, so that all its time is waiting; --split-sync does not change
it."""


def called_by_all(summary: Summary, names: Collection[str]) -> bool:
    """True if these collectives ran in communicators of all ranks, and no rank is missing.

    A rank that left no profile may be the rank for which others waited.
    """
    if len(summary.per_rank or ()) < summary.ranks:
        return False
    whole = together = 0.0
    for communicator in summary.communicators:
        calls = [c for name, c in communicator.functions.items() if name in names]
        seconds = sum(c.seconds + c.sync_seconds for c in calls)
        whole += seconds
        if communicator.size == summary.ranks and not communicator.intercommunicator:
            together += seconds
    return whole > 0 and together >= ALL * whole


def late_ranks(waits: Sequence[float]) -> int:
    """Return the number of ranks that the others wait for, 0 if none stands out.

    Of several possible numbers, the result is that with the widest gap: to speed up the last rank
    alone would gain little if another one comes just before it.

    Args:
        waits: waiting of each rank [s], in ascending order.
    """
    best, widest = 0, APART
    for late in range(1, len(waits) // 2 + 1):
        last, following = waits[late - 1], waits[late]
        middle = waits[late + (len(waits) - late) // 2]
        gap = following / max(last, 1e-9)
        if last < LATE * middle and gap >= widest:
            best, widest = late, gap
    return best


def waiting(summary: Summary, times: list[RankTime]) -> Finding | None:
    """Find the ranks that others wait for before collectives, and the place; None if --split-sync
    shows none.

    The ranks of the finding are those that the others wait for, if any stand out.
    """
    by_function = {
        name: f.sync_seconds for name, f in summary.functions.items() if f.sync_seconds > 0
    }
    if not summary.split_sync or not by_function or len(times) < 2:
        return None
    whole = sum(by_function.values())
    seconds = {rank.rank: rank.sync_seconds for rank in summary.per_rank or ()}
    ascending = sorted(times, key=lambda time: (seconds[time.rank], time.rank))
    collectives = _collectives(by_function, whole)
    where = place_text(summary, lambda _, calls: calls.sync_seconds, whole)
    together = called_by_all(summary, by_function)
    late = late_ranks([seconds[time.rank] for time in ascending]) if together else 0
    share = whole / sum(time.whole for time in times)
    if late:
        sentence = _late_sentence(ascending, late, seconds, collectives, where)
    else:
        sentence = _mutual_sentence(
            ascending, seconds, share, collectives, where, together=together
        )
    awaited = tuple(sorted(time.rank for time in ascending[:late]))
    return Finding(kind="waiting", ranks=awaited, seconds=whole, share=share, sentence=sentence)


def _mutual_sentence(
    ascending: list[RankTime],
    seconds: Mapping[int, float],
    share: float,
    collectives: str,
    where: str,
    *,
    together: bool,
) -> str:
    least, most = ascending[0], ascending[-1]
    low, high = (percent_text(time.share(seconds[time.rank])) for time in (least, most))
    mean = percent_text(share)
    if together and seconds[least.rank] >= ALIKE * seconds[most.rank]:
        return (
            f"{mean} of their time, ranks wait in {collectives} for each other in turn{where}; "
            f"each one between {low} and {high}."
        )
    return (
        f"{mean} of their time, ranks wait for others in {collectives}{where}; rank {least.rank} "
        f"on host {least.host} the least ({low}), rank {most.rank} on host {most.host} the most "
        f"({high})."
    )


def waiting_estimate(summary: Summary, times: list[RankTime]) -> Finding | None:
    """Find the wait in collectives as the profile alone has it; None if it is short."""
    estimate = summary.waiting_estimate if summary.waits is None else None
    whole = sum(time.whole for time in times)
    seconds = sum(estimate.seconds) if estimate is not None else 0.0
    if estimate is None or seconds < NOTABLE * whole:
        return None
    return Finding(
        kind="waiting_estimate",
        seconds=seconds,
        share=seconds / whole,
        sentence=f"About {percent_text(seconds / whole)} of the ranks' time is waiting in "
        "collectives, estimated from the spread of their times across ranks. A trace (--trace) "
        "has the exact times and their causes.",
    )


def _collectives(by_function: Mapping[str, float], whole: float) -> str:
    name, seconds = max(by_function.items(), key=lambda item: item[1])
    if seconds >= ALL * whole:
        return name
    part = "mostly" if seconds > MOST * whole else "the largest part in"
    return f"collectives ({part} {name})"


def _late_sentence(
    ascending: list[RankTime], late: int, seconds: Mapping[int, float], collectives: str, where: str
) -> str:
    awaited, others = ascending[:late], ascending[late:]
    share = sum(seconds[time.rank] for time in others) / sum(time.whole for time in others)
    own = max(time.share(seconds[time.rank]) for time in awaited)
    their, who = "their", f"{len(others):,} ranks wait"
    if len(others) == 1:
        their, who = "its", f"rank {others[0].rank} on host {others[0].host} waits"
    mostly = "" if own < (1 - NEARLY_ALL) * share else "mostly "
    awaited_waits = (
        f"rank {awaited[0].rank} itself waits" if late == 1 else "these themselves wait at most"
    )
    return (
        f"{percent_text(share)} of {their} time, {who} in {collectives} {mostly}for "
        f"{named(awaited, ascending)}{where}; {awaited_waits} {percent_text(own)}."
    )
