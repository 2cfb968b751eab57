"""Violated performance guidelines of MPI libraries, in sentences."""

from __future__ import annotations

from waywiser.model.findings import Findings
from waywiser.model.judged import Guideline
from waywiser.units import counted, three_digits

MOST_LISTED = 20
"""Largest number of guidelines in a terminal; the report's table and the document of `--json` have
all."""


def violations(findings: Findings) -> list[Guideline]:
    """The violated guidelines, the largest loss first."""
    broken = (guideline for guideline in findings.guidelines if guideline.violated)
    return sorted(broken, key=lambda guideline: guideline.change or 0.0)


def summary(findings: Findings) -> str:
    """Sentence on the number of violated guidelines; "" if none could be checked."""
    checked = len(findings.guidelines)
    if not checked:
        return ""
    refused = sum(guideline.kind == "refused" for guideline in findings.guidelines)
    if refused == checked:
        reason = findings.guidelines[0].words
        return f"No performance guideline of {checked} could be judged ({reason})."
    broken = len(violations(findings))
    return (
        f"{counted(broken, 'violation')} in {counted(checked, 'check')} of performance "
        "guidelines: calls are slower than equivalent calls of the library."
        if broken
        else f"No violation in {counted(checked, 'check')} of performance guidelines."
    )


def sentence(guideline: Guideline) -> str:
    """A sentence on a violation, with both times."""
    times = (
        f"{three_digits(guideline.value)} against {three_digits(guideline.alternative_value)} "
        f"{guideline.unit}"
    )
    return f"{guideline.sentence} ({times})"


def guideline_lines(findings: Findings) -> list[str]:
    """Lines for the terminal."""
    summary_sentence = summary(findings)
    violated = violations(findings)
    lines = [summary_sentence] if summary_sentence else []
    lines += [f"  {sentence(guideline)}" for guideline in violated[:MOST_LISTED]]
    if len(violated) > MOST_LISTED:
        lines.append(f"  and {len(violated) - MOST_LISTED} more; --json has all")
    return lines
