"""Figures of `waywiser whatif`: replays side by side, and a sweep."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import altair as alt

from waywiser.model.whatif import Extrapolation, Replay, Sweep, SweepPoint, WhatIf
from waywiser.report.figure import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    Cell,
    Drawn,
    Table,
    described,
    inline,
    page_wide,
)
from waywiser.report.heat_map import HeatCell, badness, heat_map
from waywiser.report.plots.bars import BAR_PX, names_before
from waywiser.report.whatif import (
    axis_title,
    extrapolated_words,
    over_ranks,
    signed_percent,
    validation_words,
)
from waywiser.units import seconds_text, three_digits

LINE_COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, GREY)
MOST_LABEL = 60
GRID_PX = 640
LOG_FROM = 4
"""Ratio of the largest to the smallest value, from which on an axis is logarithmic."""

PARTS = {
    "Computing": BLUE,
    "Waiting for ranks": VERMILION,
    "Transfer": ORANGE,
    "Overhead": GREEN,
    "Not yet begun, or ended": GREY,
}
"""Of a rank's mean time; together they are the run time."""


def drawn_whatif(found: WhatIf) -> Drawn:
    """The figure of an answer: of its sweep if it has one, else of its replays."""
    if found.sweep is None:
        return _drawn_replays(found)
    if over_ranks(found.sweep) and found.extrapolation is not None:
        return _drawn_ranks(found, found.sweep, found.extrapolation)
    return _drawn_sweep(found, found.sweep)


def drawn_answers(answers: Sequence[WhatIf]) -> tuple[Drawn, ...]:
    """The figures of several answers on one page, each under a name of its own."""
    figures = map(drawn_whatif, answers)
    return tuple(replace(one, name=f"answer-{number}") for number, one in enumerate(figures, 1))


def _drawn_replays(found: WhatIf) -> Drawn:
    return Drawn(
        name="whatif",
        title="What if",
        caption=(
            "Predicted run time, as the ranks spend it on average: the replay's parts, scaled to "
            "the recorded time. The replay of the base is "
            f"{signed_percent(found.base_error)} against the recorded "
            f"{seconds_text(found.recorded_seconds)}; thin lines are the predictions' intervals. "
            + " ".join(
                f"{one.label}: {validation_words(one.validation_error)}."
                for one in found.predictions
            )
        ),
        specification=json.dumps(described(_replays_chart(found))),
        table=_replays_table(found),
    )


def parts_of(replay: Replay) -> dict[str, float]:
    """Shares of the replayed time by part, mean of the ranks."""
    whole = replay.replayed_seconds
    times = (replay.computing, replay.waiting, replay.transfer, replay.overhead)
    shares = [spread.mean / whole for spread in times]
    return dict(zip(PARTS, [*shares, max(0.0, 1 - sum(shares))], strict=True))


def _replays_chart(found: WhatIf) -> alt.TopLevelMixin:
    rows: list[dict[str, Any]] = []
    ends: list[dict[str, Any]] = []
    for one in (found.base, *found.predictions):
        low, name = 0.0, one.label[:MOST_LABEL]
        for part, share in parts_of(one).items():
            high = low + share * one.predicted_seconds
            time = seconds_text(high - low)
            rows.append({"name": name, "part": part, "low": low, "high": high, "time": time})
            low = high
        ends.append({"name": name, "low": one.low_seconds, "high": one.high_seconds})
    y = names_before()
    bars = (
        alt.Chart(inline(rows))
        .mark_bar(height=18)
        .encode(
            y=y,
            x=alt.X("low:Q", title="Predicted run time (s)"),
            x2="high:Q",
            color=alt.Color(
                "part:N",
                sort=None,
                scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values())),
                legend=alt.Legend(title=None, orient="top", symbolType="square", columns=5),
            ),
            tooltip=[
                alt.Tooltip("name:N", title="Of"),
                alt.Tooltip("part:N", title="Time in"),
                alt.Tooltip("time:N", title="Time"),
            ],
        )
    )
    intervals = (
        alt.Chart(inline(ends)).mark_rule(color="#1f2328").encode(y=y, x="low:Q", x2="high:Q")
    )
    return alt.layer(bars, intervals).properties(**page_wide(BAR_PX * len(ends)))


def _replays_table(found: WhatIf) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            one.label,
            one.replayed_seconds,
            one.predicted_seconds,
            one.low_seconds,
            one.high_seconds,
            signed_percent(one.ratio - 1),
            one.mpi.mean,
            one.waiting.mean,
            one.transfer.mean,
            one.overhead.mean,
        )
        for one in (found.base, *found.predictions)
    ]
    columns = (
        *("Replay", "Replayed (s)", "Predicted (s)", "From (s)", "To (s)", "Change"),
        *("MPI (s)", "Waiting (s)", "Transfer (s)", "Overhead (s)"),
    )
    return Table("Replays; MPI and its parts are means of ranks", columns, tuple(rows))


def _drawn_sweep(found: WhatIf, sweep: Sweep) -> Drawn:
    over = " and ".join(axis_title(axis) for axis in sweep.axes)
    along = len(sweep.axes) == 1
    what = (
        "The dashed line is the recorded time"
        if along
        else "Darker is faster, and frames are around the fastest; the recorded time is "
        f"{seconds_text(found.recorded_seconds)}"
    )
    return Drawn(
        name="sweep",
        title=f"Run time over {' and '.join(axis.name for axis in sweep.axes)}",
        caption=(
            f"Predicted run time over {over}, from one recorded run of {found.ranks} ranks. "
            f"{what}; the replay of the base is {signed_percent(found.base_error)} against it."
        ),
        specification=json.dumps(
            described(_line_chart(found, sweep) if along else _grid_chart(sweep))
        ),
        table=_sweep_table(sweep),
    )


def _by_label(sweep: Sweep) -> dict[str, list[SweepPoint]]:
    found: dict[str, list[SweepPoint]] = {}
    for point in sweep.points:
        found.setdefault(point.label, []).append(point)
    return found


def _grid_chart(sweep: Sweep) -> alt.TopLevelMixin:
    """A heat map for each machine; one scale of colours for all."""
    times = [point.predicted_seconds for point in sweep.points]
    panels = [
        _panel(sweep, label, points, min(times), max(times))
        for label, points in _by_label(sweep).items()
    ]
    return panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=30)


def _panel(
    sweep: Sweep, label: str, points: Sequence[SweepPoint], best: float, worst: float
) -> alt.LayerChart:
    x, y = (axis_title(axis) for axis in sweep.axes)
    columns, rows = (_value_texts(points, axis) for axis in range(2))
    cells = [
        HeatCell(
            x=columns[point.values[0]],
            y=rows[point.values[1]],
            badness=badness(point.predicted_seconds, best, worst),
            text=seconds_text(point.predicted_seconds),
            told=f"{seconds_text(point.predicted_seconds)} ({signed_percent(point.ratio - 1)})",
        )
        # The largest of the second axis first: values rise upwards, as on any axis.
        for point in sorted(points, key=lambda point: (-point.values[1], point.values[0]))
    ]
    made = heat_map(cells, x, y, "Predicted", GRID_PX)
    if label:
        made.title = label
    return made


def _value_texts(points: Sequence[SweepPoint], axis: int) -> dict[float, str]:
    """The values of an axis, with more than three digits where some would be alike."""
    values = {point.values[axis] for point in points}
    short = {f"{value:.3g}" for value in values}
    text = three_digits if len(short) == len(values) else "{:.8g}".format
    return {value: text(value) for value in values}


def _line_chart(found: WhatIf, sweep: Sweep) -> alt.TopLevelMixin:
    (axis,) = sweep.axes
    rows = [
        {
            "label": point.label or "predicted",
            "value": point.values[0],
            "seconds": point.predicted_seconds,
            "time": seconds_text(point.predicted_seconds),
            "waiting": seconds_text(point.waiting_seconds),
        }
        for point in sweep.points
    ]
    labels = list(dict.fromkeys(row["label"] for row in rows))
    values = [point.values[0] for point in sweep.points]
    logarithmic = min(values) > 0 and max(values) > LOG_FROM * min(values)
    x = alt.X(
        "value:Q",
        title=axis_title(axis),
        scale=alt.Scale(type="log", nice=False)
        if logarithmic
        else alt.Scale(type="linear", nice=False, zero=False),
        axis=alt.Axis(format="~g", labelOverlap=True),
    )
    y = alt.Y("seconds:Q", title="Predicted run time (s)", scale=alt.Scale(zero=True))
    colours = [LINE_COLOURS[number % len(LINE_COLOURS)] for number in range(len(labels))]
    lines = (
        alt.Chart(inline(rows))
        .mark_line(point=alt.OverlayMarkDef(size=36))
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "label:N",
                sort=None,
                scale=alt.Scale(range=colours),
                legend=alt.Legend(title=None, orient="top") if len(labels) > 1 else None,
            ),
            tooltip=[
                alt.Tooltip("label:N", title="Of"),
                alt.Tooltip("value:Q", title=axis.name, format=".4~g"),
                alt.Tooltip("time:N", title="Predicted"),
                alt.Tooltip("waiting:N", title="Waiting, mean of ranks"),
            ],
        )
    )
    recorded = (
        alt.Chart(inline([{"seconds": found.recorded_seconds}]))
        .mark_rule(strokeDash=[5, 4], color=GREY)
        .encode(y="seconds:Q")
    )
    return alt.layer(lines, recorded).properties(**page_wide(300))


def _drawn_ranks(found: WhatIf, sweep: Sweep, how: Extrapolation) -> Drawn:
    what = "Gain" if found.predictions else "Run time"
    return Drawn(
        name="ranks",
        title=f"{what} over the number of ranks",
        caption=(
            f"Simulated, {extrapolated_words(how)}. "
            + (
                "The gain is how much less time the program takes than without. "
                * bool(found.predictions)
            )
            + f"The replay of {how.recorded_ranks[-1]} ranks is {signed_percent(found.base_error)} "
            "against the recorded time."
        ),
        specification=json.dumps(described(_ranks_chart(found, sweep))),
        table=_sweep_table(sweep),
    )


def _ranks_chart(found: WhatIf, sweep: Sweep) -> alt.TopLevelMixin:
    """Gains of what is asked; the run time where nothing is."""
    gains = bool(found.predictions)
    rows: list[dict[str, Any]] = [
        {
            "label": point.label,
            "ranks": point.values[0],
            "y": 100 * (1 - point.ratio) if gains else point.predicted_seconds,
            "time": seconds_text(point.predicted_seconds),
        }
        for point in sweep.points
        if (point.label != found.base.label) == gains
    ]
    labels = list(dict.fromkeys(row["label"] for row in rows))
    counts = sorted({point.values[0] for point in sweep.points})
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_line(point=alt.OverlayMarkDef(size=36))
        .encode(
            x=alt.X(
                "ranks:Q",
                title="Ranks",
                scale=alt.Scale(type="log", base=2, nice=False),
                axis=alt.Axis(format=",d", values=counts, labelOverlap=True),
            ),
            y=alt.Y("y:Q", title="Gain (%)" if gains else "Run time, simulated (s)"),
            color=alt.Color(
                "label:N",
                sort=None,
                scale=alt.Scale(range=list(LINE_COLOURS[: len(labels)])),
                legend=alt.Legend(title=None, orient="top", labelLimit=400) if gains else None,
            ),
            tooltip=[
                alt.Tooltip("label:N", title="Of"),
                alt.Tooltip("ranks:Q", title="Ranks", format=",d"),
                alt.Tooltip("time:N", title="Run time, simulated"),
            ],
        )
        .properties(**page_wide(300))
    )
    return chart


def _sweep_table(sweep: Sweep) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            point.label,
            *(f"{value:.6g}" for value in point.values),
            point.predicted_seconds,
            signed_percent(point.ratio - 1),
            point.mpi_seconds,
            point.waiting_seconds,
        )
        for point in sweep.points
    ]
    columns = (
        *("Machine", *map(axis_title, sweep.axes), "Predicted (s)", "Change"),
        *("MPI (s)", "Waiting (s)"),
    )
    return Table("The sweep; MPI and waiting are means of ranks", columns, tuple(rows))
