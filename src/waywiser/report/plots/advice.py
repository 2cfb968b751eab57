"""Efficiencies and opportunities of a run, once `waywiser advise` has found them."""

from __future__ import annotations

import altair as alt

from waywiser.model.advice import Advice
from waywiser.model.summary import Summary
from waywiser.report import advice_figures
from waywiser.report.figure import Table
from waywiser.report.gate import gate_sentences
from waywiser.report.whatif import as_note


def _advice(summary: Summary) -> Advice:
    assert summary.advice is not None, "figures of advice concern runs that have it"
    return summary.advice


def concern(summary: Summary) -> bool:
    return summary.advice is not None


def absent(_: Summary) -> str:
    return ""


def opportunities_absent(summary: Summary) -> str:
    found = _advice(summary)
    return "" if found.opportunities else " ".join(gate_sentences(found.gate, predicts=True))


def efficiencies_chart(summary: Summary) -> alt.TopLevelMixin:
    return advice_figures.efficiencies_chart(_advice(summary))


def efficiencies_caption(summary: Summary) -> str:
    return advice_figures.efficiencies_caption(_advice(summary))


def efficiencies_table(summary: Summary) -> Table:
    return advice_figures.efficiencies_table(_advice(summary))


def opportunities_chart(summary: Summary) -> alt.TopLevelMixin:
    """A bar for each opportunity, with its interval."""
    return advice_figures.opportunities_chart(_advice(summary))


def opportunities_caption(summary: Summary) -> str:
    return advice_figures.opportunities_caption(_advice(summary))


def opportunities_table(summary: Summary) -> Table:
    """Opportunities with their reasons and commands."""
    return advice_figures.opportunities_table(_advice(summary))


def remarks(summary: Summary) -> tuple[str, ...]:
    """What expensive functions' time goes to, and what was assumed."""
    found = _advice(summary)
    return (*found.findings, *map(as_note, found.remarks))
