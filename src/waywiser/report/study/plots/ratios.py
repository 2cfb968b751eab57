"""Ratios by message size, each with its verdict: libraries against the base, and calls against
equivalent calls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from waywiser.model.findings import Findings
from waywiser.model.judged import Comparison, Guideline, Kind
from waywiser.model.reading import mpi_name, sized
from waywiser.report.drawing.channels import above, small_title
from waywiser.report.drawing.plot import GREY, INK, Drawn, inline, table, tips
from waywiser.report.study.guidelines import summary, violations
from waywiser.report.study.numbers import listed
from waywiser.report.study.plots.comparison import WORDS
from waywiser.report.study.plots.marks import (
    COLOURS,
    HEIGHT_PX,
    MOST_CURVES,
    PANEL_PX,
    Drawing,
    panels,
)
from waywiser.units import counted, size_text, three_digits

MOST_PANELS = 12
TICKS = (*(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 1, 1.25), *(2, 5, 10, 20, 50, 100))
SIZE_LABEL = (
    "datum.value >= 1048576 ? format(datum.value / 1048576, '~r') + ' MiB' : "
    "datum.value >= 1024 ? format(datum.value / 1024, '~r') + ' KiB' : datum.value + ' B'"
)
"""Vega expression that labels an axis in binary bytes, as message sizes are chosen."""

SHAPES: dict[Kind, str] = {
    "faster": "triangle-up",
    "slower": "triangle-down",
    "equivalent": "circle",
    "undecided": "diamond",
    "refused": "cross",
}


@dataclass(frozen=True)
class Ratio:
    """Ratio of two performances at a message size."""

    panel: str
    series: str
    bytes: int
    judged: Comparison | Guideline


def ratios(findings: Findings) -> Drawn | None:
    """A panel for each benchmark, with a line for each value that is compared with the base."""
    all_ratios = _between_values(findings)
    if not all_ratios:
        return None
    base = all_ratios[0].judged
    assert isinstance(base, Comparison)
    names = {ratio.judged.metric for ratio in all_ratios if isinstance(ratio.judged, Comparison)}
    but = " but the headline's" if names & set(findings.headlines.values()) else ""
    caption = (
        f"Performance against {base.base_name} by message size: above 1 is faster. Bars are "
        "intervals of runs paired by block, which hold together for all sizes of a benchmark"
        f"{but} (Holm). {_left_out(all_ratios)}"
    )
    return Drawn("ratios", "By message size", caption.strip(), lambda: _panels(all_ratios))


def guidelines(findings: Findings) -> Drawn | None:
    """A panel for each violated guideline, a call and its equivalent; if none is violated, a panel
    for each checked guideline."""
    all_ratios = _against_guidelines(findings)
    if not all_ratios:
        return None
    caption = (
        f"{summary(findings)} Performance of a call relative to its equivalent, by message size: "
        "a verdict of slower, below 1, violates the guideline. Times are of each call by itself, "
        "sums for several; intervals are of runs paired by block, and hold together for all "
        "checks of the study (Holm). Guidelines: Träff, Gropp and Thakur, IEEE TPDS 21(5), 2010; "
        f"Hunold et al., Euro-Par 2016. {_left_out(all_ratios)}"
    )
    rows = (
        (
            *(
                guideline.place or guideline.configuration,
                guideline.call,
                f"{three_digits(guideline.value)} {guideline.unit}",
            ),
            *(
                guideline.alternative,
                f"{three_digits(guideline.alternative_value)} {guideline.unit}",
                guideline.words,
            ),
        )
        for guideline in violations(findings)
    )
    columns = ("At", "Call", "Takes", "Instead", "Takes", "Verdict")
    return Drawn(
        "guidelines",
        "Performance guidelines",
        caption.strip(),
        lambda: _panels(all_ratios),
        table("Violated performance guidelines", columns, rows),
    )


def _between_values(findings: Findings) -> list[Ratio]:
    all_ratios = []
    for comparison in findings.comparisons:
        named = sized(comparison.metric)
        if named and comparison.change is not None:
            all_ratios.append(Ratio(mpi_name(named[0]), comparison.label, named[1], comparison))
    return all_ratios


def _against_guidelines(findings: Findings) -> list[Ratio]:
    judged = [guideline for guideline in findings.guidelines if guideline.change is not None]
    broken = {_named(guideline) for guideline in judged if guideline.violated}
    return [
        Ratio(
            _named(guideline),
            guideline.place or guideline.configuration,
            guideline.bytes,
            guideline,
        )
        for guideline in judged
        if not broken or _named(guideline) in broken
    ]


def _named(guideline: Guideline) -> str:
    call = mpi_name(guideline.benchmark)
    match guideline.rule:
        case "monotony":
            return f"{call}: against the next larger message"
        case "split":
            return f"{call}: against several smaller ones"
        case "pattern":
            parts = (part.split(" of ")[0] for part in guideline.alternative.split(" + "))
            return f"{call} against {' + '.join(parts)}"


def _left_out(all_ratios: Sequence[Ratio]) -> str:
    panels_left = len({ratio.panel for ratio in all_ratios}) - MOST_PANELS
    lines_left = len({ratio.series for ratio in all_ratios}) - MOST_CURVES
    left = [
        counted(number, noun)
        for number, noun in ((panels_left, "further panel"), (lines_left, "further line"))
        if number > 0
    ]
    return f"Not drawn: {listed(left)}." if left else ""


def _panels(all_ratios: Sequence[Ratio]) -> Drawing:
    names = list(dict.fromkeys(ratio.panel for ratio in all_ratios))[:MOST_PANELS]
    series = list(dict.fromkeys(ratio.series for ratio in all_ratios))[:MOST_CURVES]
    shown = [ratio for ratio in all_ratios if ratio.series in series]
    return panels(
        [_panel(name, [ratio for ratio in shown if ratio.panel == name], series) for name in names]
    )


def _panel(name: str, of_panel: Sequence[Ratio], series: Sequence[str]) -> Drawing:
    rows = [_row(ratio) for ratio in of_panel]
    ends = [row[key] for row in rows for key in ("ratio", "low", "high") if row[key] is not None]
    low, high = min(0.8, *ends) / 1.05, max(1.25, *ends) * 1.05
    y = (
        alt.Y("ratio:Q", title="performance ratio")
        .scale(type="log", domain=[low, high], nice=False)
        .axis(values=[tick for tick in TICKS if low <= tick <= high], format=",~r")
    )
    x = (
        alt.X("bytes:Q", title="message size")
        .scale(type="log", base=2, padding=8, nice=False)
        .axis(
            values=_some(sorted({ratio.bytes for ratio in of_panel})),
            labelExpr=SIZE_LABEL,
            labelOverlap=True,
            labelSeparation=8,
            grid=False,
        )
    )
    legend = above(columns=2, labelLimit=260)
    colour = alt.Color("series:N", sort=None, legend=legend if len(series) > 1 else None).scale(
        domain=list(series), range=list(COLOURS[: len(series)])
    )
    shape = alt.Shape("verdict:N", sort=None, legend=legend).scale(
        domain=list(WORDS.values()), range=list(SHAPES.values())
    )
    base = alt.Chart(inline(rows)).encode(
        x=x, color=colour, tooltip=tips(series="At", size="Message", words="Verdict")
    )
    rule = alt.Chart(inline([{"one": 1.0}])).mark_rule(color=INK, strokeDash=[2, 3])
    return alt.layer(
        rule.encode(y=alt.Y("one:Q")),
        base.mark_line(strokeWidth=1.2, color=GREY).encode(y=y),
        base.mark_bar(width=2).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        base.mark_point(filled=True, size=52, opacity=1).encode(y=y, shape=shape),
    ).properties(width=PANEL_PX, height=HEIGHT_PX, title=small_title(name))


def _row(ratio: Ratio) -> dict[str, Any]:
    judged = ratio.judged
    assert judged.change is not None
    return {
        "series": ratio.series,
        "bytes": max(ratio.bytes, 1),
        "size": size_text(ratio.bytes),
        "ratio": 1 + judged.change,
        "low": _drawable(judged.low),
        "high": _drawable(judged.high),
        "verdict": WORDS[judged.kind],
        "words": judged.words,
    }


def _drawable(change: float | None) -> float | None:
    """The change as a ratio; None for an interval's bound that too few runs leave open."""
    return 1 + change if change is not None and -1 < change < math.inf else None


def _some(values: Sequence[int], most: int = 8) -> list[int]:
    return [*values[:: math.ceil(len(values) / most)]]
