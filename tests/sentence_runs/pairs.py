"""Plots of pairs of ranks, of waiting and of time: from profiles and from traces."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests import synthetic_waits
from tests.synthetic_jobs import write_ring
from tests.synthetic_plots import drawn_text, plain, plot, report, whole
from waywiser.model.pairs import Pairs
from waywiser.model.summary import Matrix, Summary
from waywiser.model.timeline import Timeline
from waywiser.model.waits import Waits, WaitsOverTime
from waywiser.report.drawing.plot import Drawn
from waywiser.report.run.plots import timeline as on_paper
from waywiser.report.run.timeline import TABLE_ROWS, drawn_timeline
from waywiser.store.timeline import timeline_of

PAYLOAD, NOTHING = Pairs([(0, 1, 3)]), Pairs(())


def sent(*, payload: Pairs = NOTHING, messages: Pairs = NOTHING) -> Matrix:
    return Matrix(bytes=payload, messages=messages)


def traffic(ranks: int, pairs: Pairs) -> str:
    matrix = sent(payload=pairs, messages=pairs)
    return plot("matrix-bytes", plain, ranks=ranks, matrix=matrix)


def to_all(ranks: int) -> str:
    """Each rank sends an amount without any order to each: nothing to compress."""
    amounts = np.exp(np.random.default_rng(3).uniform(0, 20, ranks * ranks))
    columns = (*np.divmod(np.arange(ranks * ranks), ranks), amounts)
    return traffic(ranks, Pairs(np.stack(columns, axis=1).astype(np.uint64)))


def to_the_next(ranks: int) -> str:
    return traffic(ranks, Pairs([(rank, (rank + 1) % ranks, 8) for rank in range(ranks)]))


def one_missing() -> Summary:
    return plain().replace(per_rank=(plain().per_rank or ())[1:])


def on_nodes(number: int) -> Summary:
    ranks = plain().per_rank or ()
    moved = (rank.replace(host=f"n{rank.rank % number}") for rank in ranks)
    return plain().replace(per_rank=tuple(moved))


def waits(name: str, **change: Any) -> str:
    """A plot of the whole run, whose waits are other."""
    recorded = whole().waits
    assert isinstance(recorded, Waits)
    return plot(name, waits=recorded.replace(**change))


IN_CALLS = tuple(part for part in synthetic_waits.waits(4).critical_path if part.place)


@cache
def ring(ranks: int = 4, begin: float | None = None) -> Timeline:
    """A trace of 27 ms, or the 10 ms of it from `begin` on."""
    window = None if begin is None else (begin, begin + 0.010)
    with TemporaryDirectory() as directory:
        return timeline_of(write_ring(Path(directory) / "trace.ww", ranks, 25), window)


def shown(
    ranks: int = 4,
    begin: float | None = None,
    waits: WaitsOverTime | None = None,
    **change: Any,
) -> str:
    """A timeline of the page."""
    drawn = drawn_timeline(replace(ring(ranks, begin), **change), waits)
    assert drawn.timeline is not None
    return "\n".join((*(panel.title for panel in drawn.timeline.panels), drawn_text(drawn)))


def printed(**change: Any) -> str:
    """A timeline of a paper."""
    timeline = replace(ring(), **change)
    return drawn_text(Drawn("", "", "", lambda: on_paper.chart(timeline), None))


THREADS: dict[str, Any] = {"threads": ((0, 0), (0, 1), (1, 0), (1, 1))}
MERGED: dict[str, Any] = {"all_calls": 60_000, "longest_merged_ns": 2000}

WAITS = WaitsOverTime(begin_seconds=0, bin_seconds=0.01, seconds={"late_sender": (0.0, 0.005)})
