"""Marks that several plots share: curves over a count, with every run and every interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import altair as alt

from waywiser.model.configuration_findings import Estimate, MetricSummary
from waywiser.report.drawing.channels import above, small_title
from waywiser.report.drawing.plot import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    YELLOW,
    inline,
    tips,
)

Run = TypeVar("Run")
Drawing = Any
"""A chart of any kind: Altair has no common type for charts that can be combined."""

COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, GREY, YELLOW)
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "stroke", "wedge")

MOST_CURVES = len(COLOURS)
"""Largest number of curves in a panel; readers cannot distinguish more."""

MOST_RUNS = 2000
"""Largest number of dots in a panel. Of more runs, outliers and a regular sample are drawn."""

PANEL_PX = 320
HEIGHT_PX = 250
LOG_FROM = 4.0
"""Ratio of largest to smallest value from which an axis is logarithmic."""


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    run: str
    outlier: bool


@dataclass(frozen=True)
class Curve:
    """A series over a count; lines join its points only if counts between them are possible."""

    name: str
    points: Sequence[tuple[float, Estimate]]
    dots: Sequence[Dot] = ()
    ideal: Sequence[tuple[float, float]] = ()
    fit: Sequence[tuple[float, float]] = ()
    forecast: Sequence[tuple[float, Estimate]] = ()
    """Forecasts, drawn with hollow marks."""


@dataclass(frozen=True)
class Scales:
    """Titles and kinds of a panel's axes."""

    x: str
    y: str
    title: str = ""
    """Title of the panel."""

    log_y: bool | None = None
    """True for a logarithmic y axis; None: if the values span a factor of `LOG_FROM`."""

    from_zero: bool = False
    rule: float | None = None
    """Position of a horizontal line, in the unit of y."""

    percent: bool = False


def dots_of(x: float, metric: MetricSummary) -> list[Dot]:
    """A dot for each valid run."""
    return [
        Dot(x, value.value, value.run, value.outlier)
        for value in metric.values
        if not value.warm_up
    ]


def curves(
    drawn: Sequence[Curve], scales: Scales, names: Sequence[str] = (), *, width: int = PANEL_PX
) -> Drawing:
    """One panel: medians joined by lines, their intervals, every run, ideal and fitted lines.

    Args:
        names: names of the curves of all panels that share a legend; empty: those of this panel.
    """
    drawn = drawn[:MOST_CURVES]
    names = names or [curve.name for curve in drawn]
    x, y = _x(drawn, scales), _y(drawn, scales)
    colour, shape = _series(alt.Color, names, COLOURS), _series(alt.Shape, names, SHAPES)
    medians = alt.Chart(inline(_medians(drawn))).encode(
        x=x,
        y=y,
        color=colour,
        tooltip=[
            *tips(series="Series"),
            alt.Tooltip("x:Q", title=scales.x),
            *tips(y=(scales.y, ".4~g"), interval="Interval"),
        ],
    )
    layers: list[alt.Chart] = [medians.mark_line(strokeWidth=1.6)]
    layers += _lines(drawn, x, y, colour)
    if scales.rule is not None:
        layers.append(
            alt.Chart(inline([{"y": scales.rule}]))
            .mark_rule(color=INK, strokeDash=[2, 3])
            .encode(y=y)
        )
    layers += _runs(drawn, x, y, colour)
    layers += [
        medians.transform_filter("isValid(datum.low)")
        .mark_bar(width=2)
        .encode(y=_like(y, "low:Q"), y2=alt.Y2("high:Q")),
        medians.mark_point(filled=True, size=46, opacity=1).encode(shape=shape),
    ]
    chart = alt.layer(*layers).properties(width=width, height=HEIGHT_PX)
    return chart.properties(title=small_title(scales.title)) if scales.title else chart


def _series(channel: Any, names: Sequence[str], choice: Sequence[str]) -> Any:
    """Gives colour and shape one domain, so that Vega merges their legends."""
    legend = above(columns=4, labelLimit=200, symbolOpacity=1)
    return channel(
        "series:N",
        sort=None,
        scale=alt.Scale(domain=list(names), range=list(choice[: len(names)])),
        legend=legend if len(names) > 1 else None,
    )


def _medians(drawn: Sequence[Curve]) -> list[dict[str, Any]]:
    return [
        {
            "x": x,
            "y": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "interval": _interval(estimate),
            "series": curve.name,
        }
        for curve in drawn
        for x, estimate in curve.points
    ]


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "none"
    return f"{estimate.low:.4g} to {estimate.high:.4g}"


def _lines(drawn: Sequence[Curve], x: alt.X, y: alt.Y, colour: alt.Color) -> list[alt.Chart]:
    """Ideal lines in grey dashes, fitted laws dotted, with their forecasts."""
    layers = []
    for key, colours, dash in (("ideal", None, [5, 4]), ("fit", colour, [1, 3])):
        rows = [
            {"x": a, "y": b, "series": curve.name}
            for curve in drawn
            for a, b in getattr(curve, key)
        ]
        if rows:
            line = alt.Chart(inline(rows)).mark_line(strokeDash=dash, strokeWidth=1.3, clip=True)
            color = colours or alt.ColorValue(GREY)
            layers.append(line.encode(x=x, y=y, detail=alt.Detail("series:N"), color=color))
    ahead = [
        {"x": a, "y": e.value, "low": e.low, "high": e.high, "series": curve.name}
        for curve in drawn
        for a, e in curve.forecast
    ]
    if ahead:
        base = alt.Chart(inline(ahead)).encode(x=x, color=colour)
        layers.append(
            base.transform_filter("isValid(datum.low)")
            .mark_bar(width=1.2)
            .encode(y=_like(y, "low:Q"), y2=alt.Y2("high:Q"))
        )
        layers.append(base.mark_point(size=46, fill="white", opacity=1).encode(y=y))
    return layers


def _runs(drawn: Sequence[Curve], x: alt.X, y: alt.Y, colour: alt.Color) -> list[alt.Chart]:
    dots = thinned([(dot.outlier, (curve.name, dot)) for curve in drawn for dot in curve.dots])
    layers = []
    for outlier, size in ((False, 12), (True, 34)):
        rows = [
            {"x": dot.x, "y": dot.y, "run": dot.run, "series": name}
            for name, dot in dots
            if dot.outlier == outlier
        ]
        if rows:
            layers.append(
                alt.Chart(inline(rows))
                .mark_point(filled=not outlier, size=size, opacity=1 if outlier else 0.35)
                .encode(x=x, y=y, color=colour, tooltip=tips(run="Run", y=("Value", ".5~g")))
            )
    return layers


def thinned(runs: Sequence[tuple[bool, Run]], most: int = MOST_RUNS) -> list[Run]:
    """The outliers and every n-th of the other runs, about `most` in all."""
    step = max(1, math.ceil(len(runs) / most))
    return [run for i, (stands_out, run) in enumerate(runs) if stands_out or i % step == 0]


def _x(drawn: Sequence[Curve], scales: Scales) -> alt.X:
    ran = sorted({x for curve in drawn for x, _ in curve.points})
    reached = sorted({*ran, *(x for curve in drawn for x, _ in curve.forecast)})
    widen = (reached[-1] / reached[0]) ** 0.06 if reached[-1] > reached[0] else 1.1
    return (
        alt.X("x:Q", title=scales.x)
        .scale(type="log", base=2, domain=[reached[0] / widen, reached[-1] * widen], nice=False)
        .axis(values=_some(reached), format="d", grid=False, labelOverlap=True)
    )


def _some(values: Sequence[float], most: int = 12) -> list[float]:
    step = math.ceil(len(values) / most)
    return [*values[::step]]


def _y(drawn: Sequence[Curve], scales: Scales) -> alt.Y:
    values = list(_values(drawn, scales))
    low, high = min(values), max(values)
    positive = low > 0
    log = scales.log_y if scales.log_y is not None else positive and high > LOG_FROM * low
    y = alt.Y("y:Q", title=scales.y)
    if log and positive and not scales.from_zero:
        widen = (high / low) ** 0.05
        ends = low / widen, high * widen
        axis = alt.Axis(values=log_ticks(*ends), format=",~r")
        return y.scale(type="log", domain=[*ends], nice=False).axis(axis)
    bottom = 0.0 if scales.from_zero or 0 <= low < 0.6 * high else low - 0.1 * (high - low)
    top = high + 0.06 * (high - bottom)
    form = ".0%" if scales.percent else ",~f"
    return y.scale(domain=[bottom, top or 1], nice=False).axis(tickCount=6, format=form)


def _values(drawn: Sequence[Curve], scales: Scales) -> Iterable[float]:
    if scales.rule is not None:
        yield scales.rule
    for curve in drawn:
        yield from (dot.y for dot in curve.dots)
        yield from (y for _, y in curve.ideal)
        for _, estimate in (*curve.points, *curve.forecast):
            yield from (v for v in (estimate.value, estimate.low, estimate.high) if v is not None)


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks at 1, 2 and 5 of each decade; for many decades, at 1 alone."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    digits = (1, 2, 5) if len(decades) <= 5 else (1,)
    ticks = [digit * 10.0**power for power in decades for digit in digits]
    return [tick for tick in ticks if low <= tick <= high]


def _like(y: alt.Y, shorthand: str) -> alt.Y:
    """A copy of the axis for another field."""
    copied = y.copy()
    copied.shorthand = shorthand
    return copied


def panels(charts: Sequence[Drawing], spacing: int = 28) -> Drawing:
    """Charts in two columns; a single chart stays unchanged."""
    return charts[0] if len(charts) == 1 else alt.concat(*charts, columns=2, spacing=spacing)
