"""Use of a machine and wait times of its jobs as one HTML page that loads nothing."""

from __future__ import annotations

import altair as alt

from waywiser.model.usage import Usage
from waywiser.report.answers.page import Answer, answered
from waywiser.report.drawing.channels import above
from waywiser.report.drawing.plot import BLUE, ORANGE, Cell, Drawn, inline, page_wide, table, tips
from waywiser.report.machines.usage import (
    comparison_sentences,
    note_sentences,
    size_text,
    usage_sentences,
    use_text,
    wait_text,
)

MEDIAN, HIGH = "Median", "90 % of jobs"
HOUR = 3600
HEIGHT_PX = 260


def usage_page(found: Usage) -> str:
    compared = found.comparison
    answer = Answer(
        kicker="Use and waiting",
        title=f"{found.begin[:10]} to {found.end[:10]}",
        sentences=(
            *usage_sentences(found),
            *(comparison_sentences(compared, found.unit) if compared else ()),
        ),
        notes=note_sentences(found),
        waywiser=found.waywiser,
    )
    return answered(answer, [_drawn_use(found), _drawn_waiting(found)])


def _drawn_use(found: Usage) -> Drawn:
    hours = f"{found.unit[:-1].capitalize()}-hours"
    rows = (
        (one.month, f"{one.days:.2f}", round(one.unit_hours), use_text(one.use))
        for one in found.months
    )
    shown = [
        {"month": one.month, "use": one.unit_hours if one.use is None else 100 * one.use}
        for one in found.months
    ]
    title = hours if found.size is None else "Use (%)"
    chart = (
        alt.Chart(inline(shown))
        .mark_bar(color=BLUE)
        .encode(
            x=alt.X("month:O", title="Month").axis(labelAngle=-45),
            y=alt.Y("use:Q", title=title),
            tooltip=["month:O", alt.Tooltip("use:Q", title=title, format=",.1f")],
        )
        .properties(**page_wide(HEIGHT_PX))
    )
    return Drawn(
        "use",
        "Use by month",
        "Jobs that have ended, each in the months in which it ran.",
        lambda: chart,
        table("Use by month", ("Month", "Days", hours, "Use"), rows),
    )


def _drawn_waiting(found: Usage) -> Drawn:
    classes = (*found.classes, found.all)
    shown = [
        {"size": size_text(one.smallest, one.largest), "of": of, "hours": seconds / HOUR}
        for one in classes
        for of, seconds in ((MEDIAN, one.median_wait_seconds), (HIGH, one.high_wait_seconds))
        if seconds is not None
    ]
    order = [size_text(one.smallest, one.largest) for one in classes]
    chart = (
        alt.Chart(inline(shown))
        .mark_bar()
        .encode(
            x=alt.X("size:O", title=f"Size of job ({found.unit})", sort=order).axis(
                labelAngle=0, labelOverlap=True
            ),
            xOffset=alt.XOffset("of:N", sort=[MEDIAN, HIGH]),
            y=alt.Y("hours:Q", title="Wait (h)"),
            color=alt.Color("of:N", legend=above()).scale(
                domain=[MEDIAN, HIGH], range=[BLUE, ORANGE]
            ),
            tooltip=[
                alt.Tooltip("size:O", title="Size"),
                *tips(of="Of", hours=("Wait (h)", ",.2f")),
            ],
        )
        .properties(**page_wide(HEIGHT_PX))
    )
    rows = (
        (
            *(size_text(one.smallest, one.largest), one.jobs, one.not_started),
            *map(wait_text, (one.median_wait_seconds, one.high_wait_seconds)),
            *map(_rounded, (one.median_slowdown, one.mean_slowdown)),
        )
        for one in classes
    )
    columns = (
        *(found.unit.capitalize(), "Jobs", "Unstarted", "Median wait", "90 % wait"),
        *("Median slowdown", "Mean slowdown"),
    )
    return Drawn(
        "waiting",
        "Waiting by size of job",
        "From being eligible to the start. Jobs that had not started count as having "
        "waited at least so long (Kaplan and Meier's estimate). The slowdown is (wait + run) / "
        "run, where a run counts as 10 min at least.",
        lambda: chart,
        table("Waiting by size of job", columns, rows),
    )


def _rounded(value: float | None) -> Cell:
    return "-" if value is None else round(value, 2)
