"""The diagnosis of a run: findings, their cause, the next step, the time in parts, odd ranks."""

from __future__ import annotations

from waywiser.analyse.findings import findings
from waywiser.analyse.next_step import cause, next_step
from waywiser.analyse.remarks import remarks
from waywiser.analyse.standing_out import standing_out
from waywiser.analyse.time_parts import queued, time_parts
from waywiser.model.diagnosis import Diagnosis
from waywiser.model.efficiencies import efficiencies
from waywiser.model.summary import Summary


def diagnosed(summary: Summary) -> Summary:
    """Return the summary with its efficiencies and its diagnosis.

    Args:
        summary: summary with the gate and the advice.
    """
    return summary.replace(efficiencies=efficiencies(summary), diagnosis=diagnosis(summary))


def diagnosis(summary: Summary) -> Diagnosis:
    main_findings = findings(summary)
    return Diagnosis(
        text=" ".join(finding.sentence for finding in main_findings),
        findings=main_findings,
        cause=cause(summary),
        next_step=next_step(summary),
        time=time_parts(summary),
        queued=queued(summary),
        standing_out=tuple(strip.finding for strip in standing_out(summary)),
        remarks=remarks(summary.per_rank or ()),
    )
