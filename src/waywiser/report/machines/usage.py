"""Use of a machine and wait times of its jobs, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from waywiser.model.usage import JobClass, PeriodChange, PeriodComparison, Unit, Usage
from waywiser.report.machines.terminal import text_table
from waywiser.units import count_text, counted, seconds_text, three_digits


def usage_text(found: Usage) -> str:
    return "\n".join(_lines(found))


def _lines(found: Usage) -> Iterator[str]:
    yield from usage_sentences(found)
    yield ""
    hours = f"{found.unit[:-1]}-hours"
    months = [(one.month, f"{one.unit_hours:,.0f}", use_text(one.use)) for one in found.months]
    yield text_table([("month", hours, "use"), *months], left={0})
    yield ""
    heads = (found.unit, "jobs", "unstarted", "median", "90 %", "slowdown", "mean")
    rows = [class_cells(one) for one in (*found.classes, found.all)]
    yield text_table([heads, *rows], left={0})
    if found.comparison is not None:
        yield ""
        yield from comparison_sentences(found.comparison, found.unit)
    if found.remarks:
        yield ""
    yield from note_sentences(found)


def usage_sentences(found: Usage) -> Iterator[str]:
    """Sentences on the machine's use and on the wait times of all jobs."""
    period = f"From {found.begin} to {found.end}"
    hours = f"{found.unit_hours:,.0f} {found.unit[:-1]}-hours"
    if found.size is None:
        yield f"{period}, jobs used {hours}; --{found.unit} N adds the share of a machine."
    else:
        machine = f"{count_text(found.size)} {found.unit}"
        yield f"{period}, jobs used {use_text(found.use)} of {machine}: {hours}."
        if found.most_at_once > found.size:
            yield (
                f"Jobs held {count_text(found.most_at_once)} {found.unit} at once, more than the "
                "machine has; check the number, or use --cores where jobs share nodes."
            )
    median, high = map(wait_text, (found.all.median_wait_seconds, found.all.high_wait_seconds))
    jobs = counted(found.all.jobs, "job")
    yield f"Of {jobs}, the median wait is {median} and the 90 % quantile is {high}."


def note_sentences(found: Usage) -> tuple[str, ...]:
    return tuple(f"{remark}." for remark in found.remarks)


def comparison_sentences(found: PeriodComparison, unit: Unit) -> Iterator[str]:
    """A sentence for each metric in both periods."""
    if found.refused:
        first, second = (counted(weeks, "week") for weeks in found.weeks)
        yield f"{found.first} has {first} and {found.second} has {second}; {found.refused}."
        return
    yield (
        f"{found.second} against {found.first}: the intervals hold together at 95 % "
        "(block bootstrap over weeks)."
    )
    yield from (change_sentence(one, unit) for one in found.changes)


def change_sentence(one: PeriodChange, unit: Unit) -> str:
    """The change as a sentence on the use of the machine, or on the median wait of jobs of a
    size."""
    of_use = one.metric == "use"
    plural = unit if one.largest != 1 else unit[:-1]
    sizes = (
        "all sizes" if one.largest is None else f"{size_text(one.smallest, one.largest)} {plural}"
    )
    what = "The use of the machine" if of_use else f"The median wait of jobs of {sizes}"
    first, second = map(use_text if of_use else wait_text, (one.first, one.second))
    low, high = (_bound(value, of_use=of_use) for value in (one.low, one.high))
    if not one.decided:
        return f"{what} does not differ significantly: {first} and {second} [{low}, {high}]."
    verb = "rose" if one.low is not None and one.low > 0 else "fell"
    return f"{what} {verb} from {first} to {second} [{low}, {high}]."


def _bound(value: float | None, *, of_use: bool) -> str:
    if value is None:
        return "no bound"
    size = f"{100 * abs(value):.1f} points" if of_use else seconds_text(abs(value))
    return f"{'-' if value < 0 else '+'}{size}"


def class_cells(one: JobClass) -> tuple[str, ...]:
    """A row of the table of classes."""
    return (
        size_text(one.smallest, one.largest),
        count_text(one.jobs),
        count_text(one.not_started),
        wait_text(one.median_wait_seconds),
        wait_text(one.high_wait_seconds),
        "-" if one.median_slowdown is None else three_digits(one.median_slowdown),
        "-" if one.mean_slowdown is None else three_digits(one.mean_slowdown),
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
