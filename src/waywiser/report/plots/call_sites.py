"""Places of the program that call MPI."""

from __future__ import annotations

from waywiser.analyse.times import rank_times, total_time
from waywiser.analyse.where import module_and_offset, site_text
from waywiser.model.summary import CallSite, Summary
from waywiser.report.figure import Cell, Short, Table, left_out
from waywiser.units import counted, percent_text

TABLE_ROWS = 50


def place(site: CallSite) -> str:
    """Function, file and line; the module and the offset where they are not known."""
    return site.place or module_and_offset(site.module, site.address)


def _time(site: CallSite) -> float:
    return site.seconds + site.sync_seconds


def caption(summary: Summary) -> str:
    count = counted(len(summary.call_sites), "place")
    text = (
        f"MPI was called from {count}; those with the longest time come first. Seconds are those "
        "of all ranks."
    )
    if summary.split_sync:
        text += " They include waiting in the barriers of --split-sync."
    return text


def table(summary: Summary) -> Table:
    """The places, the longest time first."""
    total = total_time(rank_times(summary))
    sites = sorted(summary.call_sites, key=lambda site: (-_time(site), place(site), site.function))
    rows: list[tuple[Cell, ...]] = [
        (
            Short(site_text(site), place(site)),
            site.function,
            site.calls,
            _time(site),
            percent_text(total.share(_time(site))),
            site.max_seconds,
            site.ranks,
            site.most.rank,
        )
        for site in sites[:TABLE_ROWS]
    ]
    columns = (
        *("Place", "Function", "Calls", "Seconds", "Of all time", "Longest call (s)", "Ranks"),
        "Rank with most",
    )
    rest = left_out(TABLE_ROWS, len(sites))
    return Table("Calls and time by call site, summed over ranks", columns, tuple(rows), rest)


def absent(_: Summary) -> str:
    return ""


def concern(summary: Summary) -> bool:
    return bool(summary.call_sites)
