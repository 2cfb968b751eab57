"""How evenly the OpenMP threads of each rank share their work."""

from __future__ import annotations

import altair as alt

from waywiser.model.openmp import OpenMp
from waywiser.model.summary import RankSummary, Summary
from waywiser.report.figure import BLUE, VERMILION, Cell, Table, cut
from waywiser.report.plots import bars
from waywiser.units import counted, percent_text

TABLE_ROWS = 64

EVEN = 1.005
"""Busiest thread's time over the mean one: below, two decimals show no difference."""


def _parallel(summary: Summary) -> list[tuple[RankSummary, OpenMp]]:
    ranks = summary.per_rank or ()
    return [(rank, rank.openmp) for rank in ranks if rank.openmp and rank.openmp.regions]


def chart(summary: Summary) -> alt.TopLevelMixin:
    """Busy and waiting time of each rank's threads in parallel regions."""
    values = [
        (rank.rank, (sum(openmp.busy_seconds), sum(openmp.wait_seconds)))
        for rank, openmp in _parallel(summary)
    ]
    parts = {"Busy": BLUE, "Waiting": VERMILION}
    return bars.upright(values, parts, "Time of the threads (s)", summary.ranks)


def caption(summary: Summary) -> str:
    found = _parallel(summary)
    busy = sum(sum(openmp.busy_seconds) for _, openmp in found)
    waited = sum(sum(openmp.wait_seconds) for _, openmp in found)
    tasks = any(openmp.tasks for _, openmp in found)
    text = (
        f"In the parallel regions of {counted(len(found), 'rank')}, OpenMP threads spend "
        f"{percent_text(waited / (busy + waited))} of their time "
        f"{'waiting or running tasks' if tasks else 'waiting'} in barriers and at the regions' "
        "ends."
    )
    ratio, rank = max((openmp.imbalance or 0.0, -rank.rank) for rank, openmp in found)
    if ratio >= EVEN:
        text += (
            f" The least even is rank {-rank}: its busiest thread works {ratio:.2f} times the mean."
        )
    return text + bars.steps_note(summary.ranks)


def table(summary: Summary) -> Table:
    """The ranks, the least even first."""
    found = sorted(_parallel(summary), key=lambda one: (-(one[1].imbalance or 0), one[0].rank))
    rows: list[tuple[Cell, ...]] = [
        (
            rank.rank,
            rank.host,
            openmp.threads,
            openmp.regions,
            openmp.region_seconds,
            sum(openmp.busy_seconds),
            sum(openmp.wait_seconds),
            "not known" if openmp.imbalance is None else f"{openmp.imbalance:.3f}",
            openmp.tasks,
        )
        for rank, openmp in found
    ]
    shown, rest = cut(rows, TABLE_ROWS)
    columns = (
        *("Rank", "Host", "Threads", "Regions", "In regions (s)", "Busy (s)", "Waiting (s)"),
        *("Busiest over mean", "Tasks"),
    )
    caption = "OpenMP by rank, the least even first; busy and waiting are sums over threads"
    return Table(caption, columns, shown, rest)


def absent(summary: Summary) -> str:
    found = (sum(openmp.busy_seconds + openmp.wait_seconds) for _, openmp in _parallel(summary))
    return "" if any(found) else "No parallel region took any time."


def concern(summary: Summary) -> bool:
    return bool(_parallel(summary))
