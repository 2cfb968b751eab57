"""Plots of sweeps: over amounts, choices, two of these axes, or numbers of ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, cycle, islice
from typing import Any

import altair as alt

from waywiser.model.routing import limits_in
from waywiser.model.whatif import Extrapolation, Sweep, SweepPoint, WhatIf
from waywiser.report.answers.whatif import (
    as_note,
    axis_name,
    axis_title,
    base_error_words,
    extrapolated_words,
    predicted_text,
    value_text,
    wrapped,
)
from waywiser.report.drawing.bars import on_lines
from waywiser.report.drawing.channels import above
from waywiser.report.drawing.heat_map import HeatCell, badness, heat_map
from waywiser.report.drawing.plot import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    Drawn,
    Table,
    inline,
    page_wide,
    table,
    tips,
)
from waywiser.units import counted, seconds_text, signed_percent

LINE_COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, GREY)
PREDICTED = "Predicted run time (s)"
POINTED_AT = {"time": "Predicted", "waiting": "Waiting, mean of ranks"}
GRID_PX = 640
Chart = alt.Chart | alt.LayerChart | alt.FacetChart | alt.VConcatChart
LOG_FROM = 4
"""Ratio of largest to smallest value from which an axis is logarithmic."""


def drawn_sweep(answer: WhatIf, sweep: Sweep) -> Drawn:
    over = " and ".join(axis_title(axis) for axis in sweep.axes)
    along = len(sweep.axes) == 1
    how = answer.extrapolation
    base = "recorded" if how is None else "simulated"
    legend = (
        f"Thin lines are the predictions' intervals, the dashed line is the {base} time"
        if along
        else f"Darker is faster, and frames are around the fastest; the {base} time is "
        f"{seconds_text(answer.recorded_seconds)}"
    )
    ranks, recordings = counted(answer.ranks, "rank"), len(answer.recordings)
    source = (
        f"of {ranks}, {extrapolated_words(how)}"
        if how is not None
        else f"from {recordings} recordings of {ranks}"
        if recordings > 1
        else f"from one recorded run of {ranks}"
    )
    return Drawn(
        name="sweep",
        title=f"Run time over {' and '.join(map(axis_name, sweep.axes))}",
        caption=(
            f"Predicted run time over {over}, {source}. {legend}. "
            f"{as_note(base_error_words(answer))}"
        ),
        chart=lambda: with_limits(_sweep_chart(answer, sweep), answer),
        table=_sweep_table(sweep),
    )


def with_limits(chart: Chart, answer: WhatIf) -> Chart:
    """The chart with the limits of routes above it, so that a picture alone shows them too."""
    points = answer.sweep.points if answer.sweep else ()
    each = (replay.remarks for replay in (answer.base, *answer.predictions))
    limits = dict.fromkeys(limits_in(chain(*each, *(point.limits for point in points))))
    if not limits:
        return chart
    lines = [line for limit in limits for line in wrapped(as_note(limit))]
    titled = [chart.title] if isinstance(chart.title, str) else []
    title = alt.TitleParams([*titled, *lines], anchor="start", fontSize=12, fontWeight="normal")
    drawn: Chart = chart.properties(title=title)
    return drawn


def _sweep_chart(answer: WhatIf, sweep: Sweep) -> Chart:
    if len(sweep.axes) > 1:
        return _grid_chart(sweep)
    return _line_chart(answer, sweep) if sweep.axes[0].unit else _choice_chart(answer, sweep)


def _by_label(sweep: Sweep) -> dict[str, list[SweepPoint]]:
    by_label: dict[str, list[SweepPoint]] = {}
    for point in sweep.points:
        by_label.setdefault(point.label, []).append(point)
    return by_label


def _grid_chart(sweep: Sweep) -> Chart:
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
            tooltip=_interval_text(point),
        )
        for point in sorted(points, key=lambda point: _row(point.values[1], rows))
    ]
    chart = heat_map(cells, x, y, "Predicted", GRID_PX)
    if label:
        chart.title = label
    return chart


def _interval_text(point: SweepPoint) -> str:
    """ "3.66 s (-2.0 %; 3.65 s to 3.66 s)" """
    interval = f"{seconds_text(point.low_seconds)} to {seconds_text(point.high_seconds)}"
    change = signed_percent(point.ratio - 1)
    limit = "; minimal routes" * bool(point.limits)
    return f"{seconds_text(point.predicted_seconds)} ({change}; {interval}{limit})"


def _row(value: float | str, rows: Mapping[float | str, str]) -> int:
    """The row of a value from the top: amounts increase upwards, and choices are listed
    downwards."""
    number = list(rows).index(value)
    return number if isinstance(value, str) else -number


def _value_texts(points: Sequence[SweepPoint], axis: int) -> dict[float | str, str]:
    """The texts of an axis' values in order, with more than three digits if values would look
    equal."""
    values = dict.fromkeys(point.values[axis] for point in points)
    amounts = [value for value in values if not isinstance(value, str)]
    alike = len({f"{value:.3g}" for value in amounts}) < len(amounts)
    return {
        value: f"{value:.8g}" if alike and not isinstance(value, str) else value_text(value)
        for value in values
    }


def _row_of(point: SweepPoint) -> dict[str, Any]:
    return {
        "label": point.label or "predicted",
        "seconds": point.predicted_seconds,
        "low": point.low_seconds,
        "high": point.high_seconds,
        "time": _interval_text(point),
        "waiting": seconds_text(point.waiting_seconds),
    }


def _line_chart(answer: WhatIf, sweep: Sweep) -> Chart:
    (axis,) = sweep.axes
    rows = [{**_row_of(point), "value": point.values[0]} for point in sweep.points]
    values = [float(point.values[0]) for point in sweep.points]
    logarithmic = min(values) > 0 and max(values) > LOG_FROM * min(values)
    scale = (
        alt.Scale(type="log", nice=False)
        if logarithmic
        else alt.Scale(type="linear", nice=False, zero=False)
    )
    lines = (
        alt.Chart(inline(rows))
        .mark_line(point=alt.OverlayMarkDef(size=36))
        .encode(
            x=alt.X("value:Q", title=axis_title(axis), scale=scale).axis(
                format="~g", labelOverlap=True
            ),
            y=alt.Y("seconds:Q", title=PREDICTED).scale(zero=True),
            color=_machine_colours(list(_by_label(sweep))),
            tooltip=tips(label="Of", value=(axis.name, ".4~g"), **POINTED_AT),
        )
    )
    recorded = _recorded(answer).encode(y=alt.Y("seconds:Q"))
    intervals = lines.mark_rule(tooltip=False).encode(
        y=alt.Y("low:Q", title=PREDICTED), y2=alt.Y2("high:Q")
    )
    return alt.layer(lines, intervals, recorded).properties(**page_wide(300))


def _recorded(answer: WhatIf) -> alt.Chart:
    """A dashed line at the recorded run time, on the caller's axis."""
    rows = [{"seconds": answer.recorded_seconds}]
    line: alt.Chart = alt.Chart(inline(rows)).mark_rule(strokeDash=[5, 4], color=GREY)
    return line


def _choice_chart(answer: WhatIf, sweep: Sweep) -> Chart:
    """A bar for each choice and machine."""
    choices = dict.fromkeys(str(point.values[0]) for point in sweep.points)
    names = on_lines(choices)
    shown = dict(zip(choices, names.shown, strict=True))
    rows = [
        {
            "name": shown[str(point.values[0])],
            "choice": point.values[0],
            **_row_of(point),
        }
        for point in sweep.points
    ]
    labels = list(_by_label(sweep))
    offset = {"yOffset": alt.YOffset("label:N", sort=None)} if len(labels) > 1 else {}
    bars = (
        alt.Chart(inline(rows))
        .mark_bar()
        .encode(
            y=names.axis,
            x=alt.X("seconds:Q", title=PREDICTED).axis(tickCount=6),
            color=_machine_colours(labels),
            tooltip=tips(label="Of", choice=axis_name(sweep.axes[0]), **POINTED_AT),
            **offset,
        )
    )
    recorded = _recorded(answer).encode(x=alt.X("seconds:Q"))
    intervals = bars.mark_rule(tooltip=False).encode(
        x=alt.X("low:Q", title=PREDICTED), x2=alt.X2("high:Q"), color=alt.ColorValue(INK)
    )
    height = names.height_px * max(1.0, 0.6 * len(labels))
    return alt.layer(bars, intervals, recorded).properties(**page_wide(height))


def _machine_colours(labels: Sequence[str]) -> alt.Color:
    """A colour for each label, with a legend if there are several."""
    colours = list(islice(cycle(LINE_COLOURS), len(labels)))
    legend = above(labelLimit=400) if len(labels) > 1 else None
    return alt.Color("label:N", sort=None, legend=legend).scale(range=colours)


def drawn_ranks(answer: WhatIf, sweep: Sweep, how: Extrapolation) -> Drawn:
    quantity = "Gain" if answer.predictions else "Run time"
    return Drawn(
        name="ranks",
        title=f"{quantity} over the number of ranks",
        caption=(
            f"Simulated, {extrapolated_words(how)}. "
            + "The gain is the share of run time that is saved. " * bool(answer.predictions)
            + as_note(base_error_words(answer))
        ),
        chart=lambda: with_limits(_ranks_chart(answer, sweep), answer),
        table=_sweep_table(sweep),
    )


def _ranks_chart(answer: WhatIf, sweep: Sweep) -> Chart:
    """Chart of the gains of the questions, or of the run time if there are none."""
    gains = bool(answer.predictions)
    rows: list[dict[str, Any]] = [
        {
            "label": point.label,
            "ranks": point.values[0],
            "y": 100 * (1 - point.ratio) if gains else point.predicted_seconds,
            "time": seconds_text(point.predicted_seconds),
        }
        for point in sweep.points
        if (point.label != answer.base.label) == gains
    ]
    labels = list(dict.fromkeys(row["label"] for row in rows))
    counts = sorted({float(point.values[0]) for point in sweep.points})
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_line(point=alt.OverlayMarkDef(size=36))
        .encode(
            x=alt.X("ranks:Q", title="Ranks")
            .scale(type="log", base=2, nice=False)
            .axis(format=",d", values=counts, labelOverlap=True),
            y=alt.Y("y:Q", title="Gain (%)" if gains else "Run time, simulated (s)"),
            color=alt.Color(
                "label:N", sort=None, legend=above(labelLimit=400) if gains else None
            ).scale(range=list(LINE_COLOURS[: len(labels)])),
            tooltip=tips(label="Of", ranks=("Ranks", ",d"), time="Run time, simulated"),
        )
        .properties(**page_wide(300))
    )
    return chart


def _sweep_table(sweep: Sweep) -> Table:
    labelled = any(point.label for point in sweep.points)
    rows = (
        (
            *((point.label,) if labelled else ()),
            *(value if isinstance(value, str) else f"{value:.6g}" for value in point.values),
            *(predicted_text(point), signed_percent(point.ratio - 1)),
            *(seconds_text(point.mpi_seconds), seconds_text(point.waiting_seconds)),
        )
        for point in sweep.points
    )
    columns = (
        *(("Machine",) if labelled else ()),
        *map(axis_title, sweep.axes),
        *("Predicted", "Change", "MPI", "Waiting"),
    )
    return table("The sweep; MPI and waiting are means of ranks", columns, rows)
