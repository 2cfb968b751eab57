"""Collectives by communicator."""

from __future__ import annotations

from collections.abc import Sequence

from waywiser.model.summary import Communicator, Summary
from waywiser.report.drawing import bars
from waywiser.report.drawing.plot import Drawn, Table, table
from waywiser.units import count_text, counted, size_text

CHART_COMMUNICATORS = 12
TABLE_ROWS = 100
MOST_CHARACTERS = 60
"""Largest number of characters in a table's list of ranks."""


def seconds(communicator: Communicator) -> float:
    """Time of all ranks in the communicator's collectives, waiting included."""
    return sum(calls.seconds + calls.sync_seconds for calls in communicator.functions.values())


def name(communicator: Communicator) -> str:
    """The communicator's name from the program or MPI."""
    if communicator.size is None:
        return "all others"
    return (communicator.name or "unnamed") + (
        " (to another group)" if communicator.intercommunicator else ""
    )


def labels(communicators: list[Communicator]) -> list[str]:
    """Unique labels from name and size; a number distinguishes communicators that share both."""
    seen: dict[str, int] = {}
    unique = []
    for communicator in communicators:
        size = "" if communicator.size is None else f", {count_text(communicator.size)}"
        label = name(communicator) + size
        seen[label] = seen.get(label, 0) + 1
        unique.append(label if seen[label] == 1 else f"{label} (no. {seen[label]})")
    return unique


def communicators(summary: Summary) -> Drawn | None:
    """A bar for each communicator, the longest time on top."""
    title, used = "Collectives by communicator", [c for c in summary.communicators if c.functions]
    if not used:
        return None
    if not any(map(seconds, used)):
        return Drawn("communicators", title, absent="Collectives took no time.", topic="mpi")
    used.sort(key=lambda communicator: -seconds(communicator))
    caption = (
        f"Time of all ranks in the collectives on {counted(len(used), 'communicator')}, the "
        "longest first, each with its size; communicators of the same processes in the same order "
        "are one."
    )
    if len(used) > CHART_COMMUNICATORS:
        caption += f" The first {CHART_COMMUNICATORS} of them are drawn."
    drawn = used[:CHART_COMMUNICATORS]
    stacks = bars.by_function([communicator.functions for communicator in drawn])
    return Drawn(
        "communicators",
        title,
        caption,
        lambda: bars.across(labels(drawn), stacks, "Time, summed over ranks (s)"),
        _table(used, with_waiting=summary.split_sync),
        topic="mpi",
    )


def _table(used: Sequence[Communicator], *, with_waiting: bool) -> Table:
    rows = (
        (
            name(communicator),
            "not known" if communicator.size is None else str(communicator.size),
            _shortened(communicator.ranks or "not known"),
            *(function, calls.calls, calls.seconds),
            *((calls.sync_seconds,) if with_waiting else ()),
            calls.bytes,
            size_text((calls.bytes or calls.receive_bytes) / max(1, calls.calls)),
        )
        for communicator in used
        for function, calls in sorted(
            communicator.functions.items(),
            key=lambda item: (-item[1].seconds - item[1].sync_seconds, item[0]),
        )
    )
    columns = (
        *("Communicator", "Size", "World ranks", "Function", "Calls", "Seconds"),
        *(("Waiting (s)",) if with_waiting else ()),
        *("Bytes out", "Mean size"),
    )
    about = (
        f"Collectives by communicator, summed over ranks{bars.WAITING_IS if with_waiting else ''}"
    )
    return table(about, columns, rows, TABLE_ROWS)


def _shortened(ranks: str) -> str:
    return ranks if len(ranks) <= MOST_CHARACTERS else ranks[:MOST_CHARACTERS] + "…"
