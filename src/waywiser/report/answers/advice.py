"""`waywiser advise` on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from waywiser.analyse.efficiencies import efficiency_rows
from waywiser.analyse.next_step import gain_text
from waywiser.analyse.wait_words import delay, where
from waywiser.model.advice import Advice, Opportunity
from waywiser.model.waits import CallPlace
from waywiser.report.answers.whatif import as_note, validation_words, wrapped
from waywiser.report.gate import gate_sentences
from waywiser.units import counted, percent_text, seconds_text, signed_percent

ASSESSMENTS = {
    "expected": "worth it",
    "possible": "perhaps",
    "none": "not worth it",
    "loss": "a loss",
    "refused": "not assessed",
}


def advice_text(advice: Advice) -> str:
    return "\n".join(_lines(advice)) + "\n"


def _lines(advice: Advice) -> Iterator[str]:
    for sentence in gate_sentences(advice.gate, predicts=True):
        yield from wrapped(sentence)
    yield from wrapped(basis_sentence(advice))
    yield ""
    for efficiency in efficiency_rows(advice.efficiencies):
        yield (
            f"{'  ' * efficiency.depth + efficiency.name:<30}{efficiency.text:>8}   "
            f"{efficiency.meaning}"
        )
    yield ""
    if advice.opportunities:
        yield f"Opportunities ({noise_words(advice)})"
    for number, opportunity in enumerate(advice.opportunities, start=1):
        yield from _opportunity_lines(number, opportunity)
    if advice.findings and advice.opportunities:
        yield ""
    for finding in advice.findings:
        yield from wrapped(finding)
    for remark in advice.remarks:
        yield from wrapped(f"Note: {as_note(remark)}")


def basis_sentence(advice: Advice) -> str:
    """A sentence on the runs and replays from which the advice follows."""
    return (
        f"{advice.run}: {counted(advice.ranks, 'rank')} on {counted(advice.nodes, 'node')}, "
        f"recorded {seconds_text(advice.recorded_seconds)}, "
        f"replayed {seconds_text(advice.replayed_seconds)} ({signed_percent(advice.base_error)}) "
        f"with messages as in {advice.network}; "
        f"{validation_words(advice.validation_error)}"
    )


def noise_words(advice: Advice) -> str:
    """The difference between runs that the assessments assume, as a single run does not show it."""
    share = percent_text(advice.noise_seconds / advice.recorded_seconds)
    seconds = seconds_text(advice.noise_seconds)
    return f"repeated runs are assumed to differ by {seconds}, {share} of the time"


def reason_text(opportunity: Opportunity, words: Callable[[CallPlace], str] = where) -> str:
    """The change of an opportunity, and the reason for its gain.

    Args:
        words: place of a call in the program -> its text.
    """
    sentence = f"{opportunity.what}: {opportunity.because}"
    cause = opportunity.cause
    if cause is None:
        return sentence
    return (
        f"{sentence}; the longest wait that it may shorten is for rank {cause.causing_rank}, "
        f"{delay(cause, words)} ({seconds_text(cause.seconds)} over all ranks)"
    )


def _opportunity_lines(number: int, opportunity: Opportunity) -> Iterator[str]:
    name, gain = opportunity.name, gain_text(opportunity)
    yield f"{number:>3}  {name:<28}{gain:<36}{ASSESSMENTS[opportunity.assessment]}".rstrip()
    yield from wrapped(reason_text(opportunity), "       ")
    if opportunity.command is not None:
        yield f"       $ {opportunity.command}"
