"""The cause of what a run loses, and the next step."""

from __future__ import annotations

from waywiser.analyse.wait_words import NOTABLE, delay, where
from waywiser.model.advice import Opportunity
from waywiser.model.efficiencies import efficiencies
from waywiser.model.efficiency_tree import Efficiencies
from waywiser.model.summary import Summary
from waywiser.units import percent_text, seconds_text, seconds_with_error_text, signed_percent

GOOD = 0.8
"""POP takes a look at an efficiency that is below."""

_OPENMP_CAUSES = {
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
_OPENMP_STEPS = {
    "openmp_load_balance": "divide the work of parallel regions evenly among their threads",
    "openmp_scheduling": "make parallel regions fewer and longer",
    "openmp_serialisation": "run more of the program in parallel regions",
}


def cause_sentence(summary: Summary) -> str:
    """Of the smallest factor of the efficiency: OpenMP's own, or the longest wait that the trace of
    a whole run explains."""
    found = efficiencies(summary)
    if found is not None and _openmp_is_smallest(found):
        name, why = _OPENMP_CAUSES[_smallest_of_openmp(found)]
        return f"{why} ({name} {percent_text(getattr(found, _smallest_of_openmp(found)))})."
    waits = summary.waits
    if waits is None or waits.window_seconds is not None:
        return ""
    cause = next(iter(waits.causes), None)
    if cause is None or cause.mpi_share < NOTABLE:
        return ""
    return (
        f"The longest wait is for rank {cause.causing_rank}, {delay(cause)}: "
        f"{seconds_text(cause.seconds)} over all ranks in {where(cause.waiting)}."
    )


def next_step(summary: Summary) -> str:
    """What to do about the finding; "" where the gate has said it, or nothing is known to help."""
    found = efficiencies(summary)
    if found is None or not summary.gate.holds:
        return ""
    opportunities = summary.advice.opportunities if summary.advice is not None else ()
    worth = next(
        (opportunity for opportunity in opportunities if opportunity.verdict == "expected"), None
    )
    if worth is not None:
        return f"What would help most: {worth.what}; the predicted gain is {gain_text(worth)}."
    if found.io is not None and found.io < min(GOOD, found.parallel):
        return (
            "Next step: read and write fewer and larger pieces, or through MPI-IO; access to "
            f"files takes {percent_text(1 - found.io)} of the ranks' time."
        )
    if found.parallel >= GOOD:
        return (
            "Next step: speed up the computation; perfect balance and free communication would "
            f"save at most {percent_text(1 - found.parallel)} of the run time."
        )
    if _openmp_is_smallest(found):
        return _openmp_step(found)
    if found.load_balance < found.communication:
        return (
            f"Next step: distribute the work evenly; rank {found.most_rank} computes "
            f"{seconds_text(found.computing_most_seconds)}, ranks on average "
            f"{seconds_text(found.computing_mean_seconds)}."
        )
    if summary.trace is None:
        return (
            "Next step: record a trace with `waywiser profile --trace`; it separates waiting from "
            "transfer and names the causes of waiting."
        )
    if summary.advice is None:
        return "Next step: `waywiser advise` says which change would gain how much."
    return ""


def _openmp_is_smallest(found: Efficiencies) -> bool:
    return found.openmp is not None and found.openmp < min(found.load_balance, found.communication)


def _smallest_of_openmp(found: Efficiencies) -> str:
    """The field of the smallest factor of OpenMP's efficiency."""
    return min(_OPENMP_STEPS, key=lambda key: getattr(found, key))


def _openmp_step(found: Efficiencies) -> str:
    step = _OPENMP_STEPS[_smallest_of_openmp(found)]
    return (
        f"Next step: {step}; OpenMP threads are useful {percent_text(found.openmp or 0.0)} of the "
        "time outside MPI."
    )


def gain_text(opportunity: Opportunity) -> str:
    """ "1.19 ± 0.05 s (-12 %)", of a bound with its error "at most 1.2 s (-12 %)"."""
    if opportunity.bound:
        most = max(0.0, opportunity.high_seconds)
        share = most / (opportunity.predicted_seconds + opportunity.gain_seconds)
        return f"at most {seconds_text(most)} ({signed_percent(-share)})"
    error = (opportunity.high_seconds - opportunity.low_seconds) / 2
    gain = seconds_with_error_text(opportunity.gain_seconds, error)
    return f"{gain} ({signed_percent(-opportunity.share)})"
