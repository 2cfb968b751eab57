"""The verdict on a run: its findings, their cause, the next step, and what is odd about ranks."""

from __future__ import annotations

from waywiser.analyse.findings import findings
from waywiser.analyse.next_step import cause, next_step
from waywiser.analyse.remarks import remarks
from waywiser.model.efficiencies import efficiencies
from waywiser.model.summary import Summary
from waywiser.model.verdict import Verdict


def judged(summary: Summary) -> Summary:
    """The summary with its efficiencies and its verdict.

    Args:
        summary: with the gate and the advice.
    """
    return summary.replace(efficiencies=efficiencies(summary), verdict=verdict(summary))


def verdict(summary: Summary) -> Verdict:
    found = findings(summary)
    return Verdict(
        text=" ".join(one.sentence for one in found),
        findings=found,
        cause=cause(summary),
        next_step=next_step(summary),
        remarks=remarks(summary.per_rank or ()),
    )
