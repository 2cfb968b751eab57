"""The head of a report: where the time went, the efficiency tree, and the next step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from waywiser.model.advice import Efficiencies
from waywiser.model.efficiencies import efficiencies
from waywiser.model.progress import without_progress
from waywiser.model.summary import Summary
from waywiser.report.advice import MEANINGS, NAMES, efficiency_text, gain_text
from waywiser.report.figure import PARTS, VERMILION
from waywiser.report.times import rank_times, total_time
from waywiser.units import percent_text, seconds_text

GRADES = ((0.8, "good", "●"), (0.6, "fair", "▲"), (0.0, "poor", "■"))
"""At least this share, name and symbol. POP takes a look at what is below 80 %."""

GOOD = GRADES[0][0]


@dataclass(frozen=True)
class TimeShare:
    """One part of the ranks' time."""

    name: str
    seconds: str
    share: float
    percent: str
    colour: str


@dataclass(frozen=True)
class Branch:
    """One efficiency of the tree."""

    depth: int
    name: str
    share: float
    percent: str
    grade: str
    symbol: str
    meaning: str


def time_shares(summary: Summary) -> list[TimeShare]:
    """The ranks' time in parts, those without any left out; the trace of a whole run divides
    MPI's."""
    summary, _ = without_progress(summary)
    total = total_time(rank_times(summary))
    waits = summary.waits if summary.waits and summary.waits.window_seconds is None else None
    waiting = min(total.mpi, sum(waits.seconds.values())) if waits else 0.0
    application, mpi, init, finalize = PARTS
    parts = (
        (application, total.application, PARTS[application]),
        ("Waiting in MPI", waiting, VERMILION),
        ("Transfer in MPI" if waits else mpi, total.mpi - waiting, PARTS[mpi]),
        (init, total.init, PARTS[init]),
        (finalize, total.finalize, PARTS[finalize]),
    )
    return [
        TimeShare(name, seconds_text(seconds), total.share(seconds), percent, colour)
        for name, seconds, colour in parts
        for percent in (percent_text(total.share(seconds)),)
        if seconds > 0
    ]


def efficiency_tree(summary: Summary) -> list[Branch]:
    """POP's efficiencies, each below what it is a factor of; without those that are not known."""
    found = efficiencies(summary)
    return list(_branches(found)) if found is not None else []


def _branches(found: Efficiencies) -> Iterator[Branch]:
    for key, title in NAMES.items():
        value = getattr(found, key)
        if value is not None:
            name = title.lstrip()
            depth = (len(title) - len(name)) // 2
            grade, symbol = next((word, sign) for least, word, sign in GRADES if value >= least)
            share = min(1.0, value)
            percent = efficiency_text(found, key)
            yield Branch(depth, name, share, percent, grade, symbol, MEANINGS[key])


def not_in_tree(summary: Summary) -> str:
    """Why serialisation and transfer are not in the tree; "" where they are."""
    found = efficiencies(summary)
    if found is None or found.transfer is not None:
        return ""
    if summary.trace is None:
        return "A trace adds serialisation and transfer: record the run with --trace."
    if summary.advice is None:
        return "`waywiser advise` adds serialisation and transfer."
    return "Serialisation and transfer are not known: the replay does not describe this run."


def next_step(summary: Summary) -> str:
    """What to do about the finding; "" where the gate has said it, or nothing is known to help."""
    found = efficiencies(summary)
    if found is None or not summary.gate.holds:
        return ""
    opportunities = summary.advice.opportunities if summary.advice is not None else ()
    worth = next((opportunity for opportunity in opportunities if opportunity.verdict == "expected"), None)
    if worth is not None:
        return f"What would help most: {worth.what}; the predicted gain is {gain_text(worth)}."
    if found.parallel >= GOOD:
        return (
            "Next step: speed up the computation; perfect balance and free communication would "
            f"save at most {percent_text(1 - found.parallel)} of the run time."
        )
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
