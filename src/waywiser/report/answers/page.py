"""Answers of `whatif` and `advise` as one HTML page that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from waywiser.model.advice import Advice
from waywiser.model.whatif import WhatIf
from waywiser.report.answers.advice import basis_sentence
from waywiser.report.answers.advice_plots import drawn_advice
from waywiser.report.answers.whatif import as_note, notes_of, prediction_sentences
from waywiser.report.answers.whatif_plots import drawn_whatif
from waywiser.report.drawing.plot import Drawn
from waywiser.report.frame import framed, sections
from waywiser.report.gate import gate_sentences


@dataclass(frozen=True)
class Answer:
    """The texts of a page."""

    kicker: str
    title: str
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    waywiser: str


def whatif_page(answer: WhatIf) -> str:
    return answered(
        Answer(
            "What if, by replay",
            Path(answer.run).name,
            prediction_sentences(answer),
            notes_of(answer),
            answer.waywiser,
        ),
        [drawn_whatif(answer)],
    )


def advice_page(advice: Advice) -> str:
    return answered(
        Answer(
            "Advice, by replay",
            Path(advice.run).name,
            (
                *gate_sentences(advice.gate, predicts=True),
                f"{basis_sentence(advice)}.",
                *advice.findings,
            ),
            tuple(map(as_note, advice.remarks)),
            advice.waywiser,
        ),
        drawn_advice(advice),
    )


def answered(answer: Answer, plots: Sequence[Drawn]) -> str:
    """Sentences, plots with their tables, and notes as one page."""
    return framed(
        "answer.html.j2",
        ["report.css", "study.css"],
        ["charts.js", "study.js"],
        answer=answer,
        sections=sections(plots),
    )
