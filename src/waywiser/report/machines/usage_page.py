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


def usage_page(usage: Usage) -> str:
    compared = usage.comparison
    answer = Answer(
        kicker="Use and waiting",
        title=f"{usage.begin[:10]} to {usage.end[:10]}",
        sentences=(
            *usage_sentences(usage),
            *(comparison_sentences(compared, usage.unit) if compared else ()),
        ),
        notes=note_sentences(usage),
        waywiser=usage.waywiser,
    )
    return answered(answer, [_drawn_use(usage), _drawn_waiting(usage)])


def _drawn_use(usage: Usage) -> Drawn:
    hours = f"{usage.unit[:-1].capitalize()}-hours"
    rows = (
        (month.month, f"{month.days:.2f}", round(month.unit_hours), use_text(month.use))
        for month in usage.months
    )
    shown = [
        {"month": month.month, "use": month.unit_hours if month.use is None else 100 * month.use}
        for month in usage.months
    ]
    title = hours if usage.size is None else "Use (%)"
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


def _drawn_waiting(usage: Usage) -> Drawn:
    classes = (*usage.classes, usage.all)
    shown = [
        {
            "size": size_text(job_class.smallest, job_class.largest),
            "of": of,
            "hours": seconds / HOUR,
        }
        for job_class in classes
        for of, seconds in (
            (MEDIAN, job_class.median_wait_seconds),
            (HIGH, job_class.high_wait_seconds),
        )
        if seconds is not None
    ]
    order = [size_text(job_class.smallest, job_class.largest) for job_class in classes]
    chart = (
        alt.Chart(inline(shown))
        .mark_bar()
        .encode(
            x=alt.X("size:O", title=f"Size of job ({usage.unit})", sort=order).axis(
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
            *(
                size_text(job_class.smallest, job_class.largest),
                job_class.jobs,
                job_class.not_started,
            ),
            *map(wait_text, (job_class.median_wait_seconds, job_class.high_wait_seconds)),
            *map(_rounded, (job_class.median_slowdown, job_class.mean_slowdown)),
        )
        for job_class in classes
    )
    columns = (
        *(usage.unit.capitalize(), "Jobs", "Unstarted", "Median wait", "90 % wait"),
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
