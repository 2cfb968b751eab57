"""The cause of a run's losses, and the next step."""

from __future__ import annotations

from collections.abc import Callable

from waywiser.analyse.times import rank_times, total_time
from waywiser.analyse.wait_words import NOTABLE, delay, where
from waywiser.model.advice import Opportunity
from waywiser.model.diagnosis import Finding, Kind
from waywiser.model.efficiencies import efficiencies
from waywiser.model.efficiency_tree import Efficiencies
from waywiser.model.summary import Summary
from waywiser.model.waits import CallPlace
from waywiser.units import (
    INVISIBLE,
    percent_text,
    seconds_text,
    seconds_with_error_text,
    signed_percent,
)

GOOD = 0.8
"""Efficiency below which POP examines a cause."""

_OPENMP_CAUSES: dict[Kind, tuple[str, str]] = {
    "openmp_load_balance": (
        "OpenMP load balance",
        "Threads wait in barriers and at the ends of parallel regions for others",
    ),
    "openmp_scheduling": (
        "OpenMP scheduling",
        "Threads begin late in parallel regions, or are in no team",
    ),
    "openmp_serialisation": (
        "OpenMP serialisation",
        "Threads are idle outside of parallel regions",
    ),
}
_OPENMP_STEPS: dict[Kind, str] = {
    "openmp_load_balance": "divide the work of parallel regions evenly among their threads",
    "openmp_scheduling": "make parallel regions fewer and longer",
    "openmp_serialisation": "run more of the program in parallel regions",
}


def cause(summary: Summary) -> Finding | None:
    """Find the cause of the smallest factor of the efficiency: OpenMP's own factor, or the longest
    wait that the trace of a whole run explains."""
    tree = efficiencies(summary)
    if tree is not None and _openmp_is_smallest(tree):
        kind = _smallest_of_openmp(tree)
        name, why = _OPENMP_CAUSES[kind]
        return Finding(kind=kind, sentence=f"{why} ({name} {percent_text(getattr(tree, kind))}).")
    waits = summary.waits
    if waits is None or waits.window_seconds is not None:
        return None
    longest = next(iter(waits.causes), None)
    if longest is None or longest.mpi_share < NOTABLE:
        return None
    return Finding(
        kind="wait",
        ranks=(longest.causing_rank,),
        seconds=longest.seconds,
        share=total_time(rank_times(summary)).share(longest.seconds),
        sentence=f"The longest wait is in {where(longest.waiting)}: "
        f"{seconds_text(longest.seconds)} over all ranks, for rank {longest.causing_rank}, "
        f"{delay(longest, _names_after(longest.waiting))}.",
    )


def _names_after(named: CallPlace) -> Callable[[CallPlace], str]:
    """Return words for places of calls in a sentence that has named one of them."""
    return lambda place: "this call" if place == named else where(place)


def next_step(summary: Summary) -> Finding | None:
    """Suggest the next step; None if the gate has remedies, or no remedy is known."""
    tree = efficiencies(summary)
    if tree is None or not summary.gate.holds:
        return None
    opportunities = summary.advice.opportunities if summary.advice is not None else ()
    worth = next(
        (opportunity for opportunity in opportunities if opportunity.assessment == "expected"), None
    )
    if worth is not None:
        return Finding(
            kind="opportunity",
            seconds=worth.gain_seconds,
            share=worth.share,
            sentence=f"What would help most: {worth.what}; the predicted gain is "
            f"{gain_text(worth)}.",
        )
    if tree.io is not None and tree.io < min(GOOD, tree.parallel):
        return Finding(
            kind="files",
            share=1 - tree.io,
            sentence="Next step: read and write fewer and larger pieces, or through MPI-IO; access "
            f"to files takes {percent_text(1 - tree.io)} of the ranks' time.",
        )
    if tree.parallel >= GOOD:
        return Finding(
            kind="computation",
            share=1 - tree.parallel,
            sentence="Next step: speed up the computation; perfect balance and free communication "
            f"would save at most {percent_text(1 - tree.parallel)} of the run time.",
        )
    if _openmp_is_smallest(tree):
        return _openmp_step(tree)
    if tree.load_balance < tree.communication:
        return Finding(
            kind="load_balance",
            ranks=(tree.most_rank,),
            seconds=tree.computing_most_seconds - tree.computing_mean_seconds,
            share=tree.communication - tree.communication * tree.load_balance,
            sentence=f"Next step: distribute the work evenly; rank {tree.most_rank} computes "
            f"{seconds_text(tree.computing_most_seconds)}, ranks on average "
            f"{seconds_text(tree.computing_mean_seconds)}.",
        )
    if summary.trace is None:
        return Finding(
            kind="trace",
            sentence="Next step: record a trace with `waywiser profile --trace`; it separates "
            "waiting from transfer and names the causes of waiting.",
        )
    if summary.advice is None:
        return Finding(
            kind="advise",
            sentence="Next step: `waywiser advise` says which change would gain how much.",
        )
    return None


def _openmp_is_smallest(tree: Efficiencies) -> bool:
    return tree.openmp is not None and tree.openmp < min(tree.load_balance, tree.communication)


def _smallest_of_openmp(tree: Efficiencies) -> Kind:
    """Return the field of the smallest factor of OpenMP's efficiency."""
    return min(_OPENMP_STEPS, key=lambda key: getattr(tree, key))


def _openmp_step(tree: Efficiencies) -> Finding:
    kind = _smallest_of_openmp(tree)
    return Finding(
        kind=kind,
        sentence=f"Next step: {_OPENMP_STEPS[kind]}; OpenMP threads are useful "
        f"{percent_text(tree.openmp or 0.0)} of the time outside MPI.",
    )


def gain_text(opportunity: Opportunity) -> str:
    """Return "1.19 ± 0.05 s (-12 %)", or "1.14 to 1.2 s (-12 %)" where no larger gain is possible;
    for a bound, with its error, "at most 1.2 s (-12 %)"."""
    if opportunity.bound:
        most = max(0.0, opportunity.high_seconds)
        share = most / (opportunity.predicted_seconds + opportunity.gain_seconds)
        return f"at most {seconds_text(most)} ({signed_percent(-share)})"
    low, gain, high = opportunity.low_seconds, opportunity.gain_seconds, opportunity.high_seconds
    if high - gain < INVISIBLE * (gain - low):
        text = f"{seconds_text(low)} to {seconds_text(high)}"
    else:
        text = seconds_with_error_text(gain, gain - low)
    return f"{text} ({signed_percent(-opportunity.share)})"
