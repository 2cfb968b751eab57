"""Plots of `waywiser advise`: the efficiencies, and the opportunities by gain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt

from waywiser.analyse.efficiencies import Efficiency, efficiency_rows
from waywiser.analyse.next_step import gain_text
from waywiser.analyse.wait_words import in_full
from waywiser.model.advice import Advice
from waywiser.report.answers.advice import (
    ASSESSMENTS,
    basis_sentence,
    noise_words,
    reason_text,
)
from waywiser.report.answers.whatif import as_note
from waywiser.report.drawing.bars import BAR_PX, names_before, on_lines
from waywiser.report.drawing.channels import above
from waywiser.report.drawing.plot import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    VERMILION,
    Drawn,
    inline,
    page_wide,
    table,
    tips,
)
from waywiser.report.gate import gate_sentences
from waywiser.units import seconds_text

COLOURS = {
    "worth it": GREEN,
    "perhaps": ORANGE,
    "not worth it": GREY,
    "a loss": VERMILION,
    "not assessed": BLUE,
}


def drawn_advice(advice: Advice) -> tuple[Drawn, ...]:
    both = (efficiencies(advice), opportunities(advice))
    return tuple(plot for plot in both if plot.chart is not None)


def efficiencies_caption(advice: Advice) -> str:
    efficiencies = advice.efficiencies
    text = f"POP's efficiencies (Wagner et al. 2018; Rosas et al. 2014). {basis_sentence(advice)}."
    most = seconds_text(efficiencies.computing_most_seconds)
    mean = seconds_text(efficiencies.computing_mean_seconds)
    if most != mean:
        text += f" Rank {efficiencies.most_rank} computes most, {most}; the mean is {mean}."
    if efficiencies.ideal_seconds is not None:
        replayed = seconds_text(efficiencies.ideal_seconds)
        text += f" Where messages take no time, the replay takes {replayed}."
    return text


def efficiencies(advice: Advice) -> Drawn:
    every = efficiency_rows(advice.efficiencies)
    rows = ((efficiency.name, efficiency.meaning, efficiency.text) for efficiency in every)
    return Drawn(
        "efficiencies",
        "Efficiencies",
        efficiencies_caption(advice),
        lambda: _efficiencies(every),
        table("POP efficiencies", ("Efficiency", "Is", "Value"), rows),
    )


def _efficiencies(every: Sequence[Efficiency]) -> alt.TopLevelMixin:
    known = [efficiency for efficiency in every if efficiency.value is not None]
    rows = [
        {"name": efficiency.name, "value": efficiency.value, "text": efficiency.text}
        for efficiency in known
    ]
    base = alt.Chart(inline(rows)).encode(
        y=names_before(),
        # Room for the text after a full bar.
        x=alt.X("value:Q", title="Efficiency")
        .scale(domain=[0, 1.2 * max(1.0, *(efficiency.value or 0.0 for efficiency in known))])
        .axis(format="%", values=[0, 0.2, 0.4, 0.6, 0.8, 1]),
    )
    bars = base.mark_bar(height=18, color=BLUE)
    texts = base.mark_text(align="left", dx=6, color=INK).encode(text=alt.Text("text:N"))
    return alt.layer(bars, texts).properties(**page_wide(BAR_PX * len(rows)))


def opportunities(advice: Advice) -> Drawn:
    """The opportunities, the best first; findings on expensive functions, and assumptions."""
    name, title = "opportunities", "Opportunities"
    refused = " ".join(gate_sentences(advice.gate, predicts=True))
    remarks = (*advice.findings, *map(as_note, advice.remarks))
    if not advice.opportunities and refused:
        return Drawn(name, title, absent=refused, remarks=remarks)
    caption = (
        "Time that each opportunity saves, by replay; thin lines are intervals, which begin at 0 "
        f"for bounds; {noise_words(advice)}."
    )
    rows = (
        (
            *(opportunity.name, gain_text(opportunity), ASSESSMENTS[opportunity.assessment]),
            *(reason_text(opportunity), opportunity.command or ""),
        )
        for opportunity in advice.opportunities
    )
    columns = ("Opportunity", "Gain", "Assessment", "Why", "Command that tries it")
    shown = table("Opportunities, the best first", columns, rows)
    chart = partial(_opportunities, advice)
    return Drawn(name, title, refused or caption, chart, shown, remarks=remarks)


def _opportunities(advice: Advice) -> alt.TopLevelMixin:
    names = on_lines(
        f"{opportunity.name} (at most)" if opportunity.bound else opportunity.name
        for opportunity in advice.opportunities
    )
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "gain": 100 * opportunity.share,
            "low": 100 * opportunity.low_seconds / advice.recorded_seconds,
            "high": 100 * opportunity.high_seconds / advice.recorded_seconds,
            "assessment": ASSESSMENTS[opportunity.assessment],
            "text": gain_text(opportunity),
            "why": reason_text(opportunity, in_full),
        }
        for opportunity, name in zip(advice.opportunities, names.shown, strict=True)
    ]
    assessments = [
        assessment for assessment in COLOURS if any(row["assessment"] == assessment for row in rows)
    ]
    base = alt.Chart(inline(rows)).encode(y=names.axis)
    bars = base.mark_bar(height=18).encode(
        x=alt.X("gain:Q", title="Gain (% of the recorded time)").axis(tickCount=10),
        color=alt.Color("assessment:N", legend=above(symbolType="square")).scale(
            domain=assessments, range=[COLOURS[assessment] for assessment in assessments]
        ),
        tooltip=tips(why="What", text="Gain", assessment="Assessment"),
    )
    rules = base.mark_rule(color=INK).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    return alt.layer(bars, rules).properties(**page_wide(names.height_px))
