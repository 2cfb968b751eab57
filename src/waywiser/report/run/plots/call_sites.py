"""Places of the program that call MPI."""

from __future__ import annotations

from waywiser.analyse.times import rank_times, total_time
from waywiser.analyse.where import module_and_offset, site_text
from waywiser.model.summary import CallSite, Summary
from waywiser.report.drawing.plot import Drawn, Short, table
from waywiser.units import counted, percent_text

TABLE_ROWS = 50


def place(site: CallSite) -> str:
    """Function, file and line; module and offset if these are not known."""
    return site.place or module_and_offset(site.module, site.address)


def _time(site: CallSite) -> float:
    return site.seconds + site.sync_seconds


def call_sites(summary: Summary) -> Drawn | None:
    """The call sites, the longest time first."""
    if not summary.call_sites:
        return None
    caption = (
        f"MPI was called from {counted(len(summary.call_sites), 'place')}; those with the longest "
        "time come first. Seconds are those of all ranks."
    )
    if summary.split_sync:
        caption += " They include waiting in the barriers of --split-sync."
    total = total_time(rank_times(summary))
    rows = (
        (
            *(Short(site_text(site), place(site)), site.function, site.calls, _time(site)),
            *(percent_text(total.share(_time(site))), site.max_seconds, site.ranks),
            site.most.rank,
        )
        for site in sorted(
            summary.call_sites, key=lambda site: (-_time(site), place(site), site.function)
        )
    )
    columns = (
        *("Place", "Function", "Calls", "Seconds", "Of all time", "Longest call (s)", "Ranks"),
        "Rank with most",
    )
    sites_table = table("Calls and time by call site, summed over ranks", columns, rows, TABLE_ROWS)
    return Drawn("call-sites", "Call sites", caption, table=sites_table, topic="mpi")
