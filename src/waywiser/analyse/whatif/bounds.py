"""The largest saving of a change, from the recorded run alone."""

from __future__ import annotations

from math import inf

from waywiser.analyse.whatif.collectives import collective_of
from waywiser.analyse.whatif.question import Question
from waywiser.model.summary import Summary


def most_gained(summary: Summary, question: Question) -> float:
    """Return the largest saving of a change [s]: the longest time of a rank in the calls that
    change. Infinite if more than calls change."""
    if question.changes_computation or not any(summary.mpi_seconds):
        return inf
    if question.changes_messages:
        return max(summary.mpi_seconds)
    return sum(
        function.most.seconds
        for name, function in summary.functions.items()
        if function.most and collective_of(name) in question.collectives
    )
