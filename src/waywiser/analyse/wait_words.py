"""Waits and their causes in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import median

from waywiser.analyse.where import place_name
from waywiser.model.waits import CallPlace, WaitCause, WaitKind, Waits
from waywiser.units import counted, percent_text, seconds_text

NOTABLE = 0.01
"""Share of the MPI time from which a cause has a line."""

NAMES: dict[WaitKind, str] = {
    "late_sender": "Late Sender",
    "late_receiver": "Late Receiver",
    "barrier": "Wait at Barrier",
    "all_to_all": "Wait at N×N",
    "late_root": "Late Broadcast",
    "early_root": "Early Reduce",
    "last_ranks": "Late Contributors",
    "earlier_ranks": "Early Scan",
    "rma": "Wait at Fence",
    "make_object": "Wait at Create",
    "late_post": "Late Post",
    "early_wait": "Early Wait",
    "late_complete": "Late Complete",
    "lock": "Lock Contention",
}
"""Scalasca's names, except for Late Contributors, which is not a wait state there."""


def where(place: CallPlace) -> str:
    """Return a call and its place: "MPI_Send from main at a.c:12"."""
    return f"{place.function} from {place_name(place.place)}" if place.place else place.function


def in_full(place: CallPlace) -> str:
    """Return a call and its place with types: "MPI_Send from void solve<int>(int) at a.cpp:12"."""
    return f"{place.function} from {place.place}" if place.place else place.function


def _at_line(place: CallPlace) -> str:
    """Return a call and its line: "MPI_Send (a.c:12)"."""
    if not place.place:
        return place.function
    return f"{place.function} ({place_name(place.place).rpartition(' at ')[2]})"


def delay(cause: WaitCause, words: Callable[[CallPlace], str] = where) -> str:
    """Return words for the place where the delay arose: "computation before MPI_Send from main at
    a.c:12"."""
    if not cause.computing:
        return f"in {words(cause.after)}"
    if cause.before == cause.after:
        return f"computation between executions of {words(cause.after)}"
    before = f"between {words(cause.before)} and" if cause.before else "before"
    return f"computation {before} {words(cause.after)}"


def cause_lines(waits: Waits, most: int) -> Iterator[str]:
    """Yield the total waiting, and its first causes; each text is to be wrapped."""
    whole = sum(waits.seconds.values())
    if not whole:
        return
    share = whole / waits.mpi_seconds if waits.mpi_seconds else 0.0
    kinds = sorted(waits.seconds, key=lambda kind: -waits.seconds[kind])
    shares = [f"{NAMES[k]} {percent_text(waits.seconds[k] / whole)}" for k in kinds[:2]]
    yield f"waiting {seconds_text(whole)}, {percent_text(share)} of MPI: {', '.join(shares)}"
    for cause in waits.causes[:most]:
        if cause.mpi_share >= NOTABLE:
            yield (
                f"  {seconds_text(cause.seconds)} in {_at_line(cause.waiting)} for rank "
                f"{cause.causing_rank}, {delay(cause, _at_line)}"
            )


def iteration_sentences(waits: Waits) -> Iterator[str]:
    """Yield words for the time of the main loop's iterations, and of the first one alone."""
    iterations = waits.iterations
    if iterations is None or len(iterations.begin_seconds) < 3:
        return
    first, *others = (end - begin for begin, end in pairwise(iterations.begin_seconds))
    yield (
        f"Rank {iterations.rank} makes {counted(len(others) + 1, 'iteration')} of "
        f"{counted(iterations.calls, 'call')}, which begin with {where(iterations.first)}: the "
        f"first takes {seconds_text(first)}, the others {seconds_text(median(others))} (median)."
    )
