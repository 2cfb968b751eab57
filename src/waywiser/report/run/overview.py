"""The head of a report: where the time went, the efficiency tree, and the next step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from waywiser.analyse.diagnosis import diagnosis
from waywiser.analyse.efficiencies import efficiency_rows
from waywiser.analyse.next_step import GOOD
from waywiser.analyse.time_parts import queued, time_parts
from waywiser.model.diagnosis import Part, TimePart
from waywiser.model.efficiencies import efficiencies
from waywiser.model.efficiency_tree import Efficiencies
from waywiser.model.progress import without_progress
from waywiser.model.summary import Summary
from waywiser.model.teams import openmp_unknown
from waywiser.report.drawing.plot import GREY, PARTS, PURPLE, SKY, VERMILION, Drawn, Topic
from waywiser.units import percent_text, seconds_text

GRADES = ((GOOD, "good", "●"), (0.6, "fair", "▲"), (0.0, "poor", "■"))
"""Smallest share, name and symbol of each grade."""

RUN: Topic = "run"
MPI: Topic = "mpi"
OPENMP: Topic = "openmp"
FILES: Topic = "files"


LOOKS: dict[Part, tuple[str, str, Topic]] = {
    "application": ("Application", PARTS["Application"], RUN),
    "openmp": ("OpenMP threads waiting or idle", PURPLE, OPENMP),
    "files": ("Files (not through MPI)", SKY, FILES),
    "waiting": ("Waiting in MPI", VERMILION, MPI),
    "transfer": ("Transfer in MPI", PARTS["MPI"], MPI),
    "mpi": ("MPI", PARTS["MPI"], MPI),
    "init": ("MPI_Init", PARTS["MPI_Init"], RUN),
    "finalize": ("MPI_Finalize", PARTS["MPI_Finalize"], RUN),
    "queued": ("Waiting for a CPU", GREY, RUN),
}
"""Name, colour and topic of each part of the time."""


@dataclass(frozen=True)
class TimeShare:
    """One part of the ranks' time."""

    name: str
    seconds: str
    share: float
    percent: str
    colour: str
    topic: Topic


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


@dataclass(frozen=True)
class DiagnosisSentences:
    """The sentences at the start of a page; "" where there is none."""

    finding: str
    cause: str
    rest: tuple[str, ...]
    """Further sentences."""

    to_do: str


def diagnosis_sentences(summary: Summary) -> DiagnosisSentences:
    """The sentences of the diagnosis: finding, cause, next step, and further findings."""
    run_diagnosis = diagnosis(summary)
    first_finding, *causes = (finding.sentence for finding in run_diagnosis.findings)
    if run_diagnosis.cause is not None:
        causes.insert(0, run_diagnosis.cause.sentence)
    to_do = "" if run_diagnosis.next_step is None else run_diagnosis.next_step.sentence
    return DiagnosisSentences(first_finding, next(iter(causes), ""), tuple(causes[1:]), to_do)


def time_shares(summary: Summary) -> list[TimeShare]:
    """The parts of the ranks' time."""
    return list(map(_shown, time_parts(summary)))


def without_cpu(summary: Summary) -> TimeShare | None:
    """The share of the ranks' time in which they waited for a CPU."""
    part = queued(summary)
    return None if part is None else _shown(part)


def _shown(part: TimePart) -> TimeShare:
    name, colour, topic = LOOKS[part.part]
    seconds, percent = seconds_text(part.seconds), percent_text(part.share)
    return TimeShare(name, seconds, part.share, percent, colour, topic)


def by_time(plots: Sequence[Drawn], summary: Summary) -> list[Drawn]:
    """Sort plots: those of the whole run first, then topics by their share of its time, then the
    rest; plots of one topic stay in their order."""
    places: dict[Topic, float] = {RUN: -2.0, "rest": 1.0}
    for part in time_shares(summary):
        if part.topic != RUN:
            places[part.topic] = places.get(part.topic, 0.0) - part.share
    return sorted(plots, key=lambda plot: places.get(plot.topic, 0.0))


def efficiency_tree(summary: Summary) -> list[Branch]:
    """POP's known efficiencies, each below the efficiency of which it is a factor."""
    tree = efficiencies(summary)
    return list(_branches(tree)) if tree is not None else []


def _branches(tree: Efficiencies) -> Iterator[Branch]:
    for efficiency in efficiency_rows(tree):
        if efficiency.value is not None:
            grade, symbol = next(
                (word, sign) for least, word, sign in GRADES if efficiency.value >= least
            )
            share = min(1.0, efficiency.value)
            yield Branch(
                efficiency.depth,
                efficiency.name,
                share,
                efficiency.text,
                grade,
                symbol,
                efficiency.meaning,
            )


def not_in_tree(summary: Summary) -> str:
    """Why the tree lacks OpenMP's branch, or serialisation and transfer; "" if it has them."""
    tree = efficiencies(summary)
    if tree is None:
        return ""
    return " ".join(filter(None, (_without_openmp(summary), _without_replay(summary, tree))))


def _without_openmp(summary: Summary) -> str:
    reason = openmp_unknown(without_progress(summary)[0].per_rank or ())
    return f"OpenMP has no branch: {reason}." if reason else ""


def _without_replay(summary: Summary, tree: Efficiencies) -> str:
    if tree.transfer is not None:
        return ""
    if summary.trace is None:
        return "A trace adds serialisation and transfer: record the run with --trace."
    if summary.advice is None:
        return "`waywiser advise` adds serialisation and transfer."
    return "Serialisation and transfer are not known: the replay does not describe this run."
