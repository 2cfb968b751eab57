"""Use of a machine and wait times of its jobs, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from waywiser.model.usage import JobClass, PeriodChange, PeriodComparison, Unit, Usage
from waywiser.report.machines.terminal import text_table
from waywiser.units import count_text, counted, seconds_text, three_digits


def usage_text(usage: Usage) -> str:
    return "\n".join(_lines(usage))


def _lines(usage: Usage) -> Iterator[str]:
    yield from usage_sentences(usage)
    yield ""
    hours = f"{usage.unit[:-1]}-hours"
    months = [
        (month.month, f"{month.unit_hours:,.0f}", use_text(month.use)) for month in usage.months
    ]
    yield text_table([("month", hours, "use"), *months], left={0})
    yield ""
    heads = (usage.unit, "jobs", "unstarted", "median", "90 %", "slowdown", "mean")
    rows = [class_cells(job_class) for job_class in (*usage.classes, usage.all)]
    yield text_table([heads, *rows], left={0})
    if usage.comparison is not None:
        yield ""
        yield from comparison_sentences(usage.comparison, usage.unit)
    if usage.remarks:
        yield ""
    yield from note_sentences(usage)


def usage_sentences(usage: Usage) -> Iterator[str]:
    """Sentences on the machine's use and on the wait times of all jobs."""
    period = f"From {usage.begin} to {usage.end}"
    hours = f"{usage.unit_hours:,.0f} {usage.unit[:-1]}-hours"
    if usage.size is None:
        yield f"{period}, jobs used {hours}; --{usage.unit} N adds the share of a machine."
    else:
        machine = f"{count_text(usage.size)} {usage.unit}"
        yield f"{period}, jobs used {use_text(usage.use)} of {machine}: {hours}."
        if usage.most_at_once > usage.size:
            yield (
                f"Jobs held {count_text(usage.most_at_once)} {usage.unit} at once, more than the "
                "machine has; check the number, or use --cores where jobs share nodes."
            )
    median, high = map(wait_text, (usage.all.median_wait_seconds, usage.all.high_wait_seconds))
    jobs = counted(usage.all.jobs, "job")
    yield f"Of {jobs}, the median wait is {median} and the 90 % quantile is {high}."


def note_sentences(usage: Usage) -> tuple[str, ...]:
    return tuple(f"{remark}." for remark in usage.remarks)


def comparison_sentences(comparison: PeriodComparison, unit: Unit) -> Iterator[str]:
    """A sentence for each metric in both periods."""
    if comparison.refused:
        first, second = (counted(weeks, "week") for weeks in comparison.weeks)
        yield (
            f"{comparison.first} has {first} and {comparison.second} has {second}; "
            f"{comparison.refused}."
        )
        return
    yield (
        f"{comparison.second} against {comparison.first}: the intervals hold together at 95 % "
        "(block bootstrap over weeks)."
    )
    yield from (change_sentence(change, unit) for change in comparison.changes)


def change_sentence(change: PeriodChange, unit: Unit) -> str:
    """The change as a sentence on the use of the machine, or on the median wait of jobs of a
    size."""
    of_use = change.metric == "use"
    plural = unit if change.largest != 1 else unit[:-1]
    sizes = (
        "all sizes"
        if change.largest is None
        else f"{size_text(change.smallest, change.largest)} {plural}"
    )
    subject = "The use of the machine" if of_use else f"The median wait of jobs of {sizes}"
    first, second = map(use_text if of_use else wait_text, (change.first, change.second))
    low, high = (_bound(value, of_use=of_use) for value in (change.low, change.high))
    if not change.decided:
        return f"{subject} does not differ significantly: {first} and {second} [{low}, {high}]."
    verb = "rose" if change.low is not None and change.low > 0 else "fell"
    return f"{subject} {verb} from {first} to {second} [{low}, {high}]."


def _bound(value: float | None, *, of_use: bool) -> str:
    if value is None:
        return "no bound"
    size = f"{100 * abs(value):.1f} points" if of_use else seconds_text(abs(value))
    return f"{'-' if value < 0 else '+'}{size}"


def class_cells(job_class: JobClass) -> tuple[str, ...]:
    """A row of the table of classes."""
    return (
        size_text(job_class.smallest, job_class.largest),
        count_text(job_class.jobs),
        count_text(job_class.not_started),
        wait_text(job_class.median_wait_seconds),
        wait_text(job_class.high_wait_seconds),
        "-" if job_class.median_slowdown is None else three_digits(job_class.median_slowdown),
        "-" if job_class.mean_slowdown is None else three_digits(job_class.mean_slowdown),
    )


def size_text(smallest: int, largest: int | None) -> str:
    if largest is None:
        return "all"
    return str(smallest) if smallest == largest else f"{smallest}-{largest}"


def use_text(share: float | None) -> str:
    """The share with one decimal, as sites report it."""
    return "-" if share is None else f"{100 * share:.1f} %"


def wait_text(seconds: float | None) -> str:
    return "longer than seen" if seconds is None else seconds_text(seconds)
