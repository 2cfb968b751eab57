"""The processor's counters: instructions per cycle and clock frequency of each rank."""

from __future__ import annotations

import altair as alt

from waywiser.analyse.remarks import not_counted_text
from waywiser.model.summary import RankSummary, Summary
from waywiser.report.figure import BLUE, GREEN, Cell, Table, cut
from waywiser.report.plots import bars
from waywiser.units import counted

TABLE_ROWS = 64

PLOT_PX = 690
"""Distance between the axes."""


def _counted(summary: Summary) -> list[RankSummary]:
    ranks = summary.per_rank or ()
    return [rank for rank in ranks if rank.instructions and rank.cycles and rank.cpu_seconds > 0]


def per_cycle(rank: RankSummary) -> float:
    return (rank.instructions or 0) / (rank.cycles or 1)


def gigahertz(rank: RankSummary) -> float:
    """Cycles in user mode over CPU time: a lower bound where much time goes to the kernel."""
    return (rank.cycles or 0) / rank.cpu_seconds / 1e9


def chart(summary: Summary) -> alt.TopLevelMixin:
    """Instructions per cycle over rank, and the frequency below it."""
    ranks = _counted(summary)
    measures = (("Instructions per cycle", BLUE, per_cycle), ("GHz", GREEN, gigahertz))
    both: alt.TopLevelMixin = alt.vconcat(
        *(
            bars.steps(
                [(rank.rank, (value(rank),)) for rank in ranks], {name: colour}, name, summary.ranks
            ).properties(width=PLOT_PX, height=130)
            for name, colour, value in measures
        ),
        spacing=12,
    ).resolve_scale(color="independent", stroke="independent")
    return both


def caption(summary: Summary) -> str:
    ranks = _counted(summary)
    cycles, clocks = sorted(map(per_cycle, ranks)), sorted(map(gigahertz, ranks))
    counted_of = f"{len(ranks):,} of {counted(summary.ranks, 'rank')}"
    return (
        f"In user mode, counted on {counted_of}: {_range(cycles)} instructions per cycle at "
        f"{_range(clocks)} GHz (cycles over CPU time). Waiting for memory lowers instructions per "
        "cycle; polling inside MPI may raise them." + bars.steps_note(summary.ranks)
    )


def _range(values: list[float]) -> str:
    ends = f"{values[0]:.2f}", f"{values[-1]:.2f}"
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def table(summary: Summary) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            rank.rank,
            rank.host,
            rank.instructions or 0,
            rank.cycles or 0,
            f"{per_cycle(rank):.3f}",
            f"{gigahertz(rank):.3f}",
        )
        for rank in _counted(summary)
    ]
    shown, rest = cut(rows, TABLE_ROWS)
    columns = ("Rank", "Host", "Instructions", "Cycles", "Instructions per cycle", "GHz")
    return Table("Instructions and cycles in user mode by rank", columns, shown, rest)


def absent(summary: Summary) -> str:
    why = not_counted_text(summary.per_rank or ())
    return "" if _counted(summary) or not why else f"{why[0].upper()}{why[1:]}."


def concern(summary: Summary) -> bool:
    """Whether anything was counted, or was refused for a reason that is known."""
    return bool(_counted(summary) or absent(summary))
