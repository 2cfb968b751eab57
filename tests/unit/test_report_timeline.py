"""The timeline's part of the page: what it holds, what it merges, how large it is."""

from __future__ import annotations

import base64
import json
import math
import zlib
from pathlib import Path

import numpy as np
import pytest

from tests import synthetic, synthetic_pages
from tests.synthetic_jobs import CALLS, write_ring
from waywiser.model.timeline import KINDS, Grid, Timeline
from waywiser.report.drawing.export_plots import export_plots
from waywiser.report.run.page import page
from waywiser.report.run.plots import timeline as timeline_plot
from waywiser.report.run.run_plots import drawn_plots
from waywiser.report.run.timeline import caption, table
from waywiser.report.run.timeline_data import head, packed
from waywiser.store.timeline import MOST_CALLS, timeline_of
from waywiser.store.waits import waits_of

MOST_CELLS_AND_CALLS = 100_000
MOST_BYTES = 10_000_000


def items(timeline: Timeline) -> int:
    """Cells and calls of a page."""
    cells: int = sum(grid.ns.shape[0] * grid.ns.shape[1] for grid in timeline.grids)
    return cells + len(timeline.calls["begin_ns"])


def numbers(timeline: Timeline) -> int:
    """The number of packed values in the page: the last group of each has its high bit clear."""
    raw = zlib.decompress(base64.b64decode(packed(timeline)))
    return sum(byte < 128 for byte in raw)


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Timeline:
    return timeline_of(write_ring(tmp_path_factory.mktemp("ring") / "trace.ww", 4, 25))


def test_the_page_has_as_many_numbers_as_its_head_says(ring: Timeline) -> None:
    document = json.loads(head(ring))

    cells = sum(
        rows * bins * kinds for rows, bins, kinds in (g["shape"] for g in document["grids"])
    )
    assert (document["calls"], document["merged"]) == (4 * (25 * CALLS + 2), 0)
    assert document["arrows"] == 4 * 25 * 2
    assert numbers(ring) == cells + 15 * document["calls"] + 5 * document["arrows"]


def test_names_of_the_program_are_data_in_the_page(ring: Timeline) -> None:
    hostile = Timeline(**{**vars(ring), "functions": (synthetic.HOSTILE,) * len(ring.functions)})

    html = page(synthetic.run(4), synthetic.summary(4), hostile)

    assert "onerror=alert(1)>" not in html


def test_the_table_has_the_time_of_each_rank(ring: Timeline) -> None:
    result = table(ring)

    assert result.columns == (
        *("Rank", "Computation (s)", "Point to point (s)", "Waiting for requests (s)"),
        *("Collectives (s)", "Other MPI (s)", "In MPI"),
    )
    # Each waits from 8 us after its first call to the last message.
    assert [row[3] for row in result.rows] == pytest.approx(
        [25 * 152e-6, 25 * 52e-6] + [25 * 152e-6] * 2
    )
    assert all(math.fsum(map(float, row[1:6])) == pytest.approx(27.5e-3) for row in result.rows)


def test_no_trace_no_timeline(ring: Timeline) -> None:
    assert '<section id="timeline">' in page(synthetic.run(4), synthetic.summary(4), ring)
    assert '<section id="timeline">' not in synthetic_pages.of(4)


@pytest.mark.parametrize(
    ("ranks", "iterations"),
    [(70, 200), (1100, 10), pytest.param(1024, 1700, marks=pytest.mark.long)],
)
def test_a_page_holds_100000_cells_and_calls_and_says_what_it_merged(
    tmp_path: Path, ranks: int, iterations: int
) -> None:
    timeline = timeline_of(write_ring(tmp_path / "trace.ww", ranks, iterations))

    all_calls = ranks * (CALLS * iterations + 2)
    assert timeline.all_calls == all_calls
    assert len(timeline.calls["begin_ns"]) == MOST_CALLS
    assert items(timeline) <= MOST_CELLS_AND_CALLS
    for grid in timeline.grids:
        assert grid.ns.sum() == ranks * (timeline.end_ns - timeline.begin_ns)
    assert f"the other {all_calls - MOST_CALLS:,} are merged into cells of" in caption(timeline)
    assert "longer than " in caption(timeline)
    assert "waywiser report RUN --window " in caption(timeline)
    assert "waywiser export RUN --to perfetto" in caption(timeline)
    # 2.5 MB are left to the rest of the page.
    assert len(packed(timeline)) + len(head(timeline)) < MOST_BYTES - 2_500_000


def test_the_plots_of_a_traced_run_have_its_timeline(tmp_path: Path, ring: Timeline) -> None:
    """Each rank's rectangles add up to what the table says it did."""
    written = export_plots(drawn_plots(synthetic.summary(1), ring), tmp_path)

    names = [path.name for path in written]
    assert {f"timeline.{ending}" for ending in ("svg", "png", "pdf")} <= set(names)
    assert all(path.stat().st_size > 0 for path in written)
    described = timeline_plot.chart(ring).to_dict()
    (rows,) = (json.loads(values) for values in described["datasets"].values())
    seconds = np.zeros((4, len(KINDS)))
    for cell in rows:
        share = (cell["end"] - cell["begin"]) * (cell["bottom"] - cell["top"])
        seconds[int(cell["top"]), KINDS.index(cell["kind"])] += share
    assert seconds == pytest.approx(ring.grids[0].ns.sum(axis=1) / 1e9, rel=1e-3, abs=1e-6)


def test_a_timeline_on_paper_has_few_cells_and_all_the_time() -> None:
    ns = np.random.default_rng(1).integers(0, 9, (130, 1000, len(KINDS)), dtype=np.uint64)

    grid = timeline_plot.coarser(Grid(together=2, bin_ns=100, ns=ns))

    rows, bins, _ = grid.ns.shape
    assert (grid.together, grid.bin_ns) == (6, 500)
    assert rows <= timeline_plot.MOST_ROWS
    assert bins <= timeline_plot.MOST_BINS
    assert grid.ns[1, 2].tolist() == ns[3:6, 10:15].sum(axis=(0, 1)).tolist()
    assert grid.ns.sum() == ns.sum()


def test_waiting_over_time_is_where_ranks_wait_and_adds_up(tmp_path: Path) -> None:
    """Neighbours wait for the slow rank from 0.7 ms of each iteration on, and all before 0.9 ms."""
    waits = waits_of(write_ring(tmp_path / "trace.ww", ranks=4, iterations=20))

    over_time = waits.over_time
    assert over_time is not None
    assert {kind: sum(seconds) for kind, seconds in over_time.seconds.items()} == pytest.approx(
        waits.seconds
    )
    (seconds,) = (np.array(each) for each in over_time.seconds.values())
    assert over_time.begin_seconds == 0
    begin = np.flatnonzero(seconds) * over_time.bin_seconds
    assert len(begin) > 20
    assert ((begin + over_time.bin_seconds) % 1e-3 > 0.7e-3).all()
    assert (begin % 1e-3 < 0.9e-3).all()


def test_waiting_in_a_window_is_that_of_its_time(tmp_path: Path) -> None:
    trace = write_ring(tmp_path / "trace.ww", ranks=4, iterations=20)

    over_time = waits_of(trace, (0.005, 0.007)).over_time

    assert over_time is not None
    assert over_time.begin_seconds == pytest.approx(0.005)
    (seconds,) = over_time.seconds.values()
    assert len(seconds) * over_time.bin_seconds == pytest.approx(0.002, rel=0.01)
    assert sum(seconds) == pytest.approx(waits_of(trace).seconds["late_sender"] / 10)
