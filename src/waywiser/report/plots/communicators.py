"""Collectives by the communicator that they ran on."""

from __future__ import annotations

import altair as alt

from waywiser.model.summary import Communicator, Summary
from waywiser.report.figure import Cell, Table, left_out
from waywiser.report.plots import bars
from waywiser.units import count_text, counted, size_text

CHART_COMMUNICATORS = 12
TABLE_ROWS = 100
MOST_CHARACTERS = 60
"""Largest number of characters in a table's list of ranks."""


def seconds(communicator: Communicator) -> float:
    """Time of all ranks in the communicator's collectives, waiting included."""
    return sum(calls.seconds + calls.sync_seconds for calls in communicator.functions.values())


def _longest(summary: Summary) -> list[Communicator]:
    used = [communicator for communicator in summary.communicators if communicator.functions]
    return sorted(used, key=lambda communicator: -seconds(communicator))


def name(communicator: Communicator) -> str:
    """What the program or MPI calls it."""
    if communicator.size is None:
        return "all others"
    return (communicator.name or "unnamed") + (
        " (to another group)" if communicator.intercommunicator else ""
    )


def labels(communicators: list[Communicator]) -> list[str]:
    """Name and size, each once: a number tells those apart that have both in common."""
    seen: dict[str, int] = {}
    found = []
    for communicator in communicators:
        size = "" if communicator.size is None else f", {count_text(communicator.size)}"
        label = name(communicator) + size
        seen[label] = seen.get(label, 0) + 1
        found.append(label if seen[label] == 1 else f"{label} (no. {seen[label]})")
    return found


def chart(summary: Summary) -> alt.TopLevelMixin:
    """A bar for each communicator, the longest time on top."""
    shown = _longest(summary)[:CHART_COMMUNICATORS]
    stacks = bars.by_function([communicator.functions for communicator in shown])
    return bars.across(labels(shown), stacks, "Time, summed over ranks (s)")


def caption(summary: Summary) -> str:
    count = len(_longest(summary))
    text = (
        f"Time of all ranks in the collectives on {counted(count, 'communicator')}, the longest "
        "first, each with its size; communicators of the same processes in the same order are one."
    )
    if count > CHART_COMMUNICATORS:
        text += f" The first {CHART_COMMUNICATORS} of them are drawn."
    return text


def table(summary: Summary) -> Table:
    found, told = _longest(summary), summary.split_sync
    rows: list[tuple[Cell, ...]] = [
        (
            name(communicator),
            "not known" if communicator.size is None else str(communicator.size),
            _shortened(communicator.ranks or "not known"),
            function,
            calls.calls,
            calls.seconds,
            *((calls.sync_seconds,) if told else ()),
            calls.bytes,
            size_text((calls.bytes or calls.posted_bytes) / max(1, calls.calls)),
        )
        for communicator in found
        for function, calls in sorted(
            communicator.functions.items(),
            key=lambda item: (-item[1].seconds - item[1].sync_seconds, item[0]),
        )
    ]
    columns = (
        *("Communicator", "Size", "World ranks", "Function", "Calls", "Seconds"),
        *(("Waiting (s)",) if told else ()),
        *("Bytes out", "Mean size"),
    )
    caption = f"Collectives by communicator, summed over ranks{bars.WAITING_IS if told else ''}"
    return Table(caption, columns, tuple(rows[:TABLE_ROWS]), left_out(TABLE_ROWS, len(rows)))


def _shortened(ranks: str) -> str:
    return ranks if len(ranks) <= MOST_CHARACTERS else ranks[:MOST_CHARACTERS] + "…"


def absent(summary: Summary) -> str:
    return "" if any(map(seconds, summary.communicators)) else "Collectives took no time."


def concern(summary: Summary) -> bool:
    return bool(_longest(summary))
