"""Files outside MPI: libc's calls by function, from --posix-io."""

from __future__ import annotations

from dataclasses import dataclass

from waywiser.model.summary import Summary
from waywiser.report.drawing.plot import Drawn, table
from waywiser.units import bytes_text, seconds_text


@dataclass
class Total:
    """One function over all ranks."""

    calls: int = 0
    bytes: int = 0
    seconds: float = 0.0
    max_seconds: float = 0.0
    most: tuple[float, int] = (-1.0, 0)
    """The longest time of a rank [s], and the rank."""


def totals(summary: Summary) -> dict[str, Total]:
    """Totals by function, summed over ranks."""
    by_function: dict[str, Total] = {}
    for rank in summary.per_rank or ():
        for name, function in rank.posix_io.functions.items() if rank.posix_io else ():
            total = by_function.setdefault(name, Total())
            total.calls += function.calls
            total.bytes += function.bytes
            total.seconds += function.seconds
            total.max_seconds = max(total.max_seconds, function.max_seconds)
            total.most = max(total.most, (function.seconds, -rank.rank))
    return by_function


def posix_io(summary: Summary) -> Drawn | None:
    """Time of the calls on files, and the bytes read and written; the longest time first."""
    by_function = totals(summary)
    if not by_function:
        return None
    seconds, moved = (
        sum(getattr(t, f) for t in by_function.values()) for f in ("seconds", "bytes")
    )
    caption = (
        f"The program's own calls on files took {seconds_text(seconds)} of all ranks for "
        f"{bytes_text(moved)}. This time counts as the application's; MPI-IO is among the MPI "
        "functions."
    )
    rows = (
        (name, t.calls, t.seconds, t.max_seconds, t.bytes, -t.most[1], t.most[0])
        for name, t in sorted(by_function.items(), key=lambda item: (-item[1].seconds, item[0]))
    )
    columns = (
        *("Function", "Calls", "Seconds", "Longest call (s)", "Bytes"),
        *("Rank with most", "Its seconds"),
    )
    shown = table("Calls on regular files, summed over ranks", columns, rows)
    return Drawn("posix-io", "Files", caption, table=shown, topic="files")
