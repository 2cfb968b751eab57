"""The CPU's counters: instructions per cycle and clock frequency of each rank."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from waywiser.analyse.remarks import not_counted_text
from waywiser.model.summary import RankSummary, Summary
from waywiser.report.drawing import bars
from waywiser.report.drawing.plot import BLUE, GREEN, Drawn, table
from waywiser.units import counted

TABLE_ROWS = 64

PLOT_PX = 690
"""Distance between the axes."""


def per_cycle(rank: RankSummary) -> float:
    return (rank.instructions or 0) / (rank.cycles or 1)


def gigahertz(rank: RankSummary) -> float:
    """Cycles in user mode over CPU time: a lower bound where much time goes to the kernel."""
    return (rank.cycles or 0) / rank.cpu_seconds / 1e9


def counters(summary: Summary) -> Drawn | None:
    """Instructions per cycle over rank, and the frequency below it; None if nothing was counted and
    the reason is unknown."""
    name, title, ranks = "counters", "Instructions and frequency", summary.per_rank or ()
    ranks = tuple(r for r in ranks if r.instructions and r.cycles and r.cpu_seconds > 0)
    if not ranks:
        why = not_counted_text(summary.per_rank or ())
        sentence = f"{why[:1].upper()}{why[1:]}."
        return Drawn(name, title, absent=sentence, topic="rest") if why else None
    cycles, clocks = sorted(map(per_cycle, ranks)), sorted(map(gigahertz, ranks))
    caption = (
        f"In user mode, counted on {len(ranks):,} of {counted(summary.ranks, 'rank')}: "
        f"{_range(cycles)} instructions per cycle at {_range(clocks)} GHz (cycles over CPU time). "
        "Waiting for memory lowers instructions per cycle; polling inside MPI may raise them."
        + bars.steps_note(summary.ranks)
    )
    rows = (
        (
            *(rank.rank, rank.host, rank.instructions or 0, rank.cycles or 0),
            *(f"{per_cycle(rank):.3f}", f"{gigahertz(rank):.3f}"),
        )
        for rank in ranks
    )
    columns = ("Rank", "Host", "Instructions", "Cycles", "Instructions per cycle", "GHz")
    about = "Instructions and cycles in user mode by rank"
    return Drawn(
        name,
        title,
        caption,
        lambda: _chart(ranks, summary.ranks),
        table(about, columns, rows, TABLE_ROWS),
        topic="rest",
    )


def _chart(ranks: Sequence[RankSummary], of: int) -> alt.TopLevelMixin:
    measures = (("Instructions per cycle", BLUE, per_cycle), ("GHz", GREEN, gigahertz))
    both: alt.TopLevelMixin = alt.vconcat(
        *(
            bars.steps(
                [(rank.rank, (value(rank),)) for rank in ranks], {name: colour}, name, of
            ).properties(width=PLOT_PX, height=130)
            for name, colour, value in measures
        ),
        spacing=12,
    ).resolve_scale(color="independent", stroke="independent")
    return both


def _range(values: list[float]) -> str:
    ends = f"{values[0]:.2f}", f"{values[-1]:.2f}"
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
