"""The comparisons: each with its interval and its verdict."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from waywiser.model.findings import Findings
from waywiser.model.judged import Comparison, Kind
from waywiser.report.drawing.channels import names_of_rows
from waywiser.report.drawing.plot import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    Drawn,
    inline,
    table,
    tips,
)
from waywiser.report.study.numbers import axis_name, listed, name_text
from waywiser.report.study.plots.marks import Drawing
from waywiser.report.study.plots.spread import SIGNED
from waywiser.units import counted

MOST_ROWS = 40

WORDS: dict[Kind, str] = {
    "faster": "faster",
    "slower": "slower",
    "equivalent": "no difference",
    "undecided": "undecided",
    "refused": "no verdict",
}
PLOT_PX = 300

COLOURS = (BLUE, VERMILION, GREEN, GREY, "#c9ced6")


def of_headlines(findings: Findings) -> list[Comparison]:
    """The comparisons in the headline metrics."""
    names = set(findings.headlines.values())
    return [comparison for comparison in findings.comparisons if comparison.metric in names]


def comparison(findings: Findings) -> Drawn | None:
    """Intervals of the change in performance, with the verdict beside each; the caption counts the
    verdicts."""
    found = of_headlines(findings)
    if all(one.low is None for one in found):
        return None
    counts = [(WORDS[kind], sum(one.kind == kind for one in found)) for kind in WORDS]
    text = listed([f"{count} {word}" for word, count in counts if count])
    names = listed(sorted({name_text(one.metric) for one in found}))
    caption = (
        f"Change of performance in {names} along {axis_name(findings.compare)}: of "
        f"{counted(len(found), 'comparison')}, {text}. Bars are intervals of runs paired by block, "
        f"which hold together for all of them (Holm); the green band is the margin of "
        f"{100 * findings.method.margin:g} % within which a difference counts as none."
    )
    known = [one for one in found if one.change is not None]
    if len(known) < len(found):
        caption += f" {len(found) - len(known)} of {len(found)} have too few runs to be drawn."
    if len(known) > MOST_ROWS:
        caption += f" The {MOST_ROWS} largest changes of {len(known)} are drawn; the table has all."
    rows = (
        (
            *(one.label, name_text(one.metric), one.words, one.n),
            f"{100 * one.confidence:.2f} %" if one.confidence else "–",
        )
        for one in findings.comparisons
    )
    columns = ("At", "Metric", "Verdict", "Pairs", "Interval at")
    shown = table(f"Verdicts along {axis_name(findings.compare)}", columns, rows)
    return Drawn("comparison", "What differs", caption, lambda: _chart(_largest(known)), shown)


def _largest(known: list[Comparison]) -> list[Comparison]:
    """The comparisons that fit in the plot: all, or those with the largest changes, in the study's
    order."""
    largest = sorted(known, key=lambda one: -abs(one.change or 0))[:MOST_ROWS]
    return [one for one in known if one in largest] if len(known) > MOST_ROWS else known


def _chart(found: list[Comparison]) -> Drawing:
    bounds = [b for one in found for b in (one.low, one.high) if b is not None and math.isfinite(b)]
    margin = found[0].margin
    ends = [*bounds, margin, -margin, 0.0]
    low, high = min(ends), max(ends)
    pad = 0.04 * (high - low)
    domain = [low - pad, high + pad]
    pairs = {f"{one.candidate_name} against {one.base_name}" for one in found}
    alike = len(pairs) == 1 and all(one.place for one in found)
    rows: list[dict[str, Any]] = [
        {
            "name": one.place if alike else one.label,
            "change": one.change,
            "low": max(one.low, domain[0]) if one.low is not None else None,
            "high": min(one.high, domain[1]) if one.high is not None else None,
            "verdict": WORDS[one.kind],
            "words": one.words if one.kind != "refused" else "no verdict",
            "n": one.n,
        }
        for one in found
    ]
    colour = alt.Color("verdict:N", legend=None).scale(
        domain=list(WORDS.values()), range=list(COLOURS)
    )
    title = [pairs.pop() if alike else "performance", "← slower, faster →"]
    x = (
        alt.X("change:Q", title=title)
        .scale(domain=domain, nice=False)
        .axis(labelExpr=SIGNED, tickCount=5, labelOverlap=True)
    )
    band = alt.Chart(inline([{"low": -margin, "high": margin}]))
    zero = alt.Chart(inline([{"zero": 0.0}])).mark_rule(color=INK).encode(x=alt.X("zero:Q"))
    base = alt.Chart(inline(rows)).encode(y=names_of_rows("name", labelLimit=280))
    tooltip = [
        *tips(name="Comparison", words="Verdict"),
        alt.Tooltip("n:Q", title="Pairs of runs"),
    ]
    return alt.layer(
        band.mark_rect(color=GREEN, opacity=0.13).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        zero,
        base.mark_bar(height=3).encode(
            x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour, tooltip=tooltip
        ),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=x, color=colour, tooltip=tooltip),
        base.mark_text(align="left", baseline="middle", limit=250).encode(
            text=alt.Text("words:N"), x=alt.value({"expr": "width + 12"})
        ),
    ).properties(width=PLOT_PX, height=alt.Step(24))
