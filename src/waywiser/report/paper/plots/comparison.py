"""The comparisons: each with its interval and its verdict."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from waywiser.model.findings import Findings
from waywiser.model.judged import Comparison, Kind
from waywiser.report.figure import BLUE, GREEN, GREY, INK, VERMILION, Cell, Table, inline
from waywiser.report.paper.figure import axis_name, listed, name_text
from waywiser.report.paper.plots.marks import Drawing
from waywiser.report.paper.plots.spread import SIGNED
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
    """The comparisons that the study is about."""
    names = set(findings.headlines.values())
    return [comparison for comparison in findings.comparisons if comparison.figure in names]


def supported(findings: Findings) -> bool:
    return any(one.low is not None for one in of_headlines(findings))


def drawn(findings: Findings) -> list[Comparison]:
    """The comparisons that fit: all, or those with the largest changes, in the study's order."""
    found = [one for one in of_headlines(findings) if one.change is not None]
    largest = sorted(found, key=lambda one: -abs(one.change or 0))[:MOST_ROWS]
    return [one for one in found if one in largest] if len(found) > MOST_ROWS else found


def chart(findings: Findings) -> Drawing:
    """Intervals of the change in performance, with the verdict beside each."""
    found = drawn(findings)
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
    colour = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=list(WORDS.values()), range=list(COLOURS)),
        legend=None,
    )
    y = alt.Y(
        "name:N",
        sort=None,
        title=None,
        axis=alt.Axis(ticks=False, domain=False, labelPadding=8, labelLimit=280),
    )
    x = alt.X(
        "change:Q",
        title=[pairs.pop() if alike else "performance", "← slower, faster →"],
        scale=alt.Scale(domain=domain, nice=False),
        axis=alt.Axis(labelExpr=SIGNED, tickCount=5, labelOverlap=True),
    )
    band = (
        alt.Chart(inline([{"low": -margin, "high": margin}]))
        .mark_rect(color=GREEN, opacity=0.13)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    )
    zero = alt.Chart(inline([{"zero": 0.0}])).mark_rule(color=INK).encode(x=alt.X("zero:Q"))
    base = alt.Chart(inline(rows)).encode(y=y)
    tooltip = [
        alt.Tooltip("name:N", title="Comparison"),
        alt.Tooltip("words:N", title="Verdict"),
        alt.Tooltip("n:Q", title="Pairs of runs"),
    ]
    intervals = base.mark_bar(height=3).encode(
        x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour, tooltip=tooltip
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=x, color=colour, tooltip=tooltip
    )
    said = base.mark_text(align="left", baseline="middle", limit=250).encode(
        text=alt.Text("words:N"), x=alt.value({"expr": "width + 12"})
    )
    return alt.layer(band, zero, intervals, points, said).properties(
        width=PLOT_PX, height=alt.Step(24)
    )


def caption(findings: Findings) -> str:
    """How many comparisons came out how."""
    found = of_headlines(findings)
    counts = [
        (WORDS[kind], sum(one.kind == kind for one in found))
        for kind in WORDS
        if any(one.kind == kind for one in found)
    ]
    said = listed([f"{count} {word}" for word, count in counts])
    names = listed(sorted({name_text(one.figure) for one in found}))
    text = (
        f"Change of performance in {names} along {axis_name(findings.compare)}: of "
        f"{counted(len(found), 'comparison')}, {said}. Bars are intervals of runs paired by block, "
        f"which hold together for all of them (Holm); the green band is the margin of "
        f"{100 * findings.method.margin:g} % within which a difference counts as none."
    )
    known = [one for one in found if one.change is not None]
    if len(known) < len(found):
        text += f" {len(found) - len(known)} of {len(found)} have too few runs to be drawn."
    if len(known) > MOST_ROWS:
        text += f" The {MOST_ROWS} largest changes of {len(known)} are drawn; the table has all."
    return text


def table(findings: Findings) -> Table:
    columns = ("At", "Figure", "Verdict", "Pairs", "Interval at")
    rows: list[tuple[Cell, ...]] = [
        (
            one.label,
            name_text(one.figure),
            one.words,
            one.n,
            f"{100 * one.confidence:.2f} %" if one.confidence else "–",
        )
        for one in findings.comparisons
    ]
    return Table(f"Verdicts along {axis_name(findings.compare)}", columns, tuple(rows))
