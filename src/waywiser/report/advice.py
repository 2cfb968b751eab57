"""`waywiser advise` on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from waywiser.model.advice import Advice, Efficiencies, Opportunity
from waywiser.model.waits import CallPlace
from waywiser.report.gate import gate_sentences
from waywiser.report.wait_words import delay, where
from waywiser.report.whatif import as_note, signed_percent, validation_words, wrapped
from waywiser.units import counted, percent_text, seconds_text, seconds_with_error_text

VERDICTS = {
    "expected": "worth it",
    "possible": "perhaps",
    "none": "not worth it",
    "loss": "a loss",
    "refused": "no verdict",
}

MEANINGS = {
    "parallel": "mean computing / run time",
    "load_balance": "mean computing / most computing",
    "communication": "most computing / run time",
    "serialisation": "most computing / run time where messages take no time",
    "transfer": "run time where messages take no time / run time",
}

NAMES = {
    "parallel": "Parallel efficiency",
    "load_balance": "  Load balance",
    "communication": "  Communication efficiency",
    "serialisation": "    Serialisation",
    "transfer": "    Transfer",
}


def advice_text(found: Advice) -> str:
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Advice) -> Iterator[str]:
    for sentence in gate_sentences(found.gate, predicts=True):
        yield from wrapped(sentence)
    yield from wrapped(basis_sentence(found))
    yield ""
    yield from _efficiency_lines(found.efficiencies)
    yield ""
    if found.opportunities:
        yield f"What would make it faster ({noise_words(found)})"
    for number, opportunity in enumerate(found.opportunities, start=1):
        yield from _opportunity_lines(number, opportunity)
    if found.findings and found.opportunities:
        yield ""
    for finding in found.findings:
        yield from wrapped(finding)
    for remark in found.remarks:
        yield from wrapped(f"Note: {as_note(remark)}")


def basis_sentence(found: Advice) -> str:
    """What the advice rests on."""
    return (
        f"{found.run}: {counted(found.ranks, 'rank')} on {counted(found.nodes, 'node')}, recorded "
        f"{seconds_text(found.recorded_seconds)}, replayed {seconds_text(found.replayed_seconds)} "
        f"({signed_percent(found.base_error)}) with messages as in {found.network}; "
        f"{validation_words(found.validation_error)}"
    )


def _efficiency_lines(found: Efficiencies) -> Iterator[str]:
    for name, title in NAMES.items():
        yield f"{title:<30}{efficiency_text(found, name):>8}   {MEANINGS[name]}"


def efficiency_text(found: Efficiencies, name: str) -> str:
    """A share, or "-" where no replay tells it."""
    value = getattr(found, name)
    return "-" if value is None else percent_text(value)


def noise_words(found: Advice) -> str:
    """The difference between runs that verdicts assume; one run does not tell it."""
    share = percent_text(found.noise_seconds / found.recorded_seconds)
    seconds = seconds_text(found.noise_seconds)
    return f"repeated runs are assumed to differ by {seconds}, {share} of the time"


def gain_text(opportunity: Opportunity) -> str:
    """ "1.19 ± 0.05 s (-12 %)", of a bound with its error "at most 1.2 s (-12 %)"."""
    if opportunity.bound:
        most = max(0.0, opportunity.high_seconds)
        share = most / (opportunity.predicted_seconds + opportunity.gain_seconds)
        return f"at most {seconds_text(most)} ({signed_percent(-share)})"
    error = (opportunity.high_seconds - opportunity.low_seconds) / 2
    gain = seconds_with_error_text(opportunity.gain_seconds, error)
    return f"{gain} ({signed_percent(-opportunity.share)})"


def reason_text(opportunity: Opportunity, words: Callable[[CallPlace], str] = where) -> str:
    """What is done, and why it buys so much.

    Args:
        words: of calls in the program.
    """
    said = f"{opportunity.what}: {opportunity.because}"
    if opportunity.cause is None:
        return said
    return (
        f"{said}; the longest wait that it may shorten is for rank {opportunity.cause.causing_rank}, "
        f"{delay(opportunity.cause, words)} ({seconds_text(opportunity.cause.seconds)} over all ranks)"
    )


def _opportunity_lines(number: int, opportunity: Opportunity) -> Iterator[str]:
    head = f"{number:>3}  {opportunity.name:<28}{gain_text(opportunity):<36}{VERDICTS[opportunity.verdict]}"
    yield head.rstrip()
    yield from wrapped(reason_text(opportunity), "       ")
    if opportunity.command is not None:
        yield f"       $ {opportunity.command}"
