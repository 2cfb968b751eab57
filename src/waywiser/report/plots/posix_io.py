"""Files beside MPI: libc's calls by function, where --posix-io counted them."""

from __future__ import annotations

from dataclasses import dataclass

from waywiser.model.summary import Summary
from waywiser.report.figure import Cell, Table
from waywiser.units import bytes_text, seconds_text


@dataclass
class Total:
    """One function over all ranks."""

    calls: int = 0
    bytes: int = 0
    seconds: float = 0.0
    max_seconds: float = 0.0
    most: tuple[float, int] = (-1.0, 0)
    """The longest time of a rank, and the rank."""


def totals(summary: Summary) -> dict[str, Total]:
    """Totals by function, summed over ranks."""
    found: dict[str, Total] = {}
    for rank in summary.per_rank or ():
        for name, function in rank.posix_io.functions.items() if rank.posix_io else ():
            total = found.setdefault(name, Total())
            total.calls += function.calls
            total.bytes += function.bytes
            total.seconds += function.seconds
            total.max_seconds = max(total.max_seconds, function.max_seconds)
            total.most = max(total.most, (function.seconds, -rank.rank))
    return found


def caption(summary: Summary) -> str:
    """Caption with the time of the calls on files, and the bytes that went to and from them."""
    found = totals(summary).values()
    return (
        f"The program's own calls on files took {seconds_text(sum(t.seconds for t in found))} of "
        f"all ranks for {bytes_text(sum(t.bytes for t in found))}. This time counts as the "
        "application's; MPI-IO is among the MPI functions."
    )


def table(summary: Summary) -> Table:
    """The functions, the longest time first."""
    ordered = sorted(totals(summary).items(), key=lambda item: (-item[1].seconds, item[0]))
    rows: list[tuple[Cell, ...]] = [
        (name, t.calls, t.seconds, t.max_seconds, t.bytes, -t.most[1], t.most[0])
        for name, t in ordered
    ]
    columns = (
        *("Function", "Calls", "Seconds", "Longest call (s)", "Bytes"),
        *("Rank with most", "its seconds"),
    )
    return Table("Calls on regular files, summed over ranks", columns, tuple(rows))


def absent(_: Summary) -> str:
    return ""


def concern(summary: Summary) -> bool:
    return any(rank.posix_io and rank.posix_io.functions for rank in summary.per_rank or ())
