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
    comparisons = of_headlines(findings)
    if all(verdict.low is None for verdict in comparisons):
        return None
    counts = [(WORDS[kind], sum(verdict.kind == kind for verdict in comparisons)) for kind in WORDS]
    text = listed([f"{count} {word}" for word, count in counts if count])
    names = listed(sorted({name_text(verdict.metric) for verdict in comparisons}))
    caption = (
        f"Change of performance in {names} along {axis_name(findings.compare)}: of "
        f"{counted(len(comparisons), 'comparison')}, {text}. Bars are intervals of runs paired by "
        f"block, which hold together for all of them (Holm); the green band is the margin of "
        f"{100 * findings.method.margin:g} % within which a difference counts as none."
    )
    known = [verdict for verdict in comparisons if verdict.change is not None]
    if len(known) < len(comparisons):
        caption += (
            f" {len(comparisons) - len(known)} of {len(comparisons)} have too few runs to be drawn."
        )
    if len(known) > MOST_ROWS:
        caption += f" The {MOST_ROWS} largest changes of {len(known)} are drawn; the table has all."
    rows = (
        (
            *(verdict.label, name_text(verdict.metric), verdict.words, verdict.n),
            f"{100 * verdict.confidence:.2f} %" if verdict.confidence else "–",
        )
        for verdict in findings.comparisons
    )
    columns = ("At", "Metric", "Verdict", "Pairs", "Interval at")
    shown = table(f"Verdicts along {axis_name(findings.compare)}", columns, rows)
    return Drawn("comparison", "What differs", caption, lambda: _chart(_largest(known)), shown)


def _largest(known: list[Comparison]) -> list[Comparison]:
    """The comparisons that fit in the plot: all, or those with the largest changes, in the study's
    order."""
    largest = sorted(known, key=lambda verdict: -abs(verdict.change or 0))[:MOST_ROWS]
    return [verdict for verdict in known if verdict in largest] if len(known) > MOST_ROWS else known


def _chart(comparisons: list[Comparison]) -> Drawing:
    bounds = [
        b
        for verdict in comparisons
        for b in (verdict.low, verdict.high)
        if b is not None and math.isfinite(b)
    ]
    margin = comparisons[0].margin
    ends = [*bounds, margin, -margin, 0.0]
    low, high = min(ends), max(ends)
    pad = 0.04 * (high - low)
    domain = [low - pad, high + pad]
    pairs = {f"{verdict.candidate_name} against {verdict.base_name}" for verdict in comparisons}
    alike = len(pairs) == 1 and all(verdict.place for verdict in comparisons)
    rows: list[dict[str, Any]] = [
        {
            "name": verdict.place if alike else verdict.label,
            "change": verdict.change,
            "low": max(verdict.low, domain[0]) if verdict.low is not None else None,
            "high": min(verdict.high, domain[1]) if verdict.high is not None else None,
            "verdict": WORDS[verdict.kind],
            "words": verdict.words if verdict.kind != "refused" else "no verdict",
            "n": verdict.n,
        }
        for verdict in comparisons
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
