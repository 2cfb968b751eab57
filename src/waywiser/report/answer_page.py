"""Answers of `whatif` and `advise` as one HTML page that loads nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from waywiser.model.advice import Advice
from waywiser.model.whatif import WhatIf
from waywiser.report.advice import basis_sentence
from waywiser.report.advice_figures import drawn_advice
from waywiser.report.page import (
    drawing_library,
    environment,
    json_for_script,
    script_hash,
    template,
)
from waywiser.report.paper.contents import Drawn
from waywiser.report.paper.page import Section
from waywiser.report.whatif import extrapolated_words, prediction_sentence
from waywiser.report.whatif_figures import drawn_whatif


@dataclass(frozen=True)
class Answer:
    """What a page says besides its figures."""

    kicker: str
    title: str
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    waywiser: str


def whatif_page(found: WhatIf) -> str:
    how = found.extrapolation
    basis = () if how is None else (f"Simulated, {extrapolated_words(how)}.",)
    notes = [remark for one in (found.base, *found.predictions) for remark in one.remarks]
    return _page(
        Answer(
            "What if, by replay",
            found.run,
            (
                *basis,
                *(f"{one.label}: {prediction_sentence(found, one)}." for one in found.predictions),
            ),
            tuple(dict.fromkeys((*(how.remarks if how else ()), *found.remarks, *notes))),
            found.waywiser,
        ),
        [drawn_whatif(found)],
    )


def advice_page(found: Advice) -> str:
    return _page(
        Answer(
            "Advice, by replay",
            found.run,
            (f"{basis_sentence(found)}.", *found.findings),
            found.remarks,
            found.waywiser,
        ),
        drawn_advice(found),
    )


def _page(answer: Answer, figures: Sequence[Drawn]) -> str:
    library, drawing = drawing_library(), template("paper.js")
    sections = [
        Section(
            number,
            drawn,
            Markup(json_for_script(json.loads(drawn.specification))),
            drawn.table,
        )
        for number, drawn in enumerate(figures, 1)
    ]
    return (
        environment()
        .get_template("answer.html.j2")
        .render(
            answer=answer,
            sections=sections,
            style=Markup(template("report.css") + template("paper.css")),
            library=Markup(library),
            drawing=Markup(drawing),
            script_hashes=Markup(" ".join(f"'{script_hash(text)}'" for text in (library, drawing))),
        )
    )
