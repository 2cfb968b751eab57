"""The balance of work between the OpenMP threads of each rank."""

from __future__ import annotations

from waywiser.model.summary import Summary
from waywiser.report.drawing import bars
from waywiser.report.drawing.plot import BLUE, VERMILION, Drawn, table
from waywiser.units import counted, percent_text

TABLE_ROWS = 64

EVEN = 0.995
"""Largest load balance of a rank's threads that the caption names."""


def openmp(summary: Summary) -> Drawn | None:
    """Busy and waiting time of each rank's threads in parallel regions; the table begins with the
    least balanced rank."""
    ranks = summary.per_rank or ()
    teams = [(rank, rank.openmp) for rank in ranks if rank.openmp and rank.openmp.regions]
    if not teams:
        return None
    values = [(rank.rank, (sum(team.busy_seconds), sum(team.wait_seconds))) for rank, team in teams]
    busy, waited = (sum(value) for value in zip(*(pair for _, pair in values), strict=True))
    if not busy + waited:
        return Drawn("openmp", "OpenMP", absent="No parallel region took any time.", topic="openmp")
    tasks = any(team.tasks for _, team in teams)
    caption = (
        f"In the parallel regions of {counted(len(teams), 'rank')}, OpenMP threads spend "
        f"{percent_text(waited / (busy + waited))} of their time "
        f"{'waiting or running tasks' if tasks else 'waiting'} in barriers and at the regions' "
        "ends."
    )
    balance, number = min((team.load_balance or 1.0, rank.rank) for rank, team in teams)
    if balance <= EVEN:
        caption += (
            f" The least even is rank {number}, with a load balance of {percent_text(balance)} "
            "(mean over busiest thread)."
        )
    rows = (
        (
            *(rank.rank, rank.host, team.threads, team.regions, team.region_seconds),
            *(sum(team.busy_seconds), sum(team.wait_seconds)),
            "not known" if team.load_balance is None else percent_text(team.load_balance),
            team.tasks,
        )
        for rank, team in sorted(teams, key=lambda pair: (pair[1].load_balance or 2, pair[0].rank))
    )
    columns = (
        *("Rank", "Host", "Threads", "Regions", "In regions (s)", "Busy (s)", "Waiting (s)"),
        *("Load balance", "Tasks"),
    )
    parts = {"Busy": BLUE, "Waiting": VERMILION}
    about = "OpenMP by rank, the least even first; busy and waiting are sums over threads"
    return Drawn(
        "openmp",
        "OpenMP",
        caption + bars.steps_note(summary.ranks),
        lambda: bars.upright(values, parts, "Time of the threads (s)", summary.ranks),
        table(about, columns, rows, TABLE_ROWS),
        topic="openmp",
    )
