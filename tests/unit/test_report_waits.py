"""The report of what ranks waited for: plots, tables and sentences, from a made-up analysis."""

from __future__ import annotations

from functools import cache

import pytest

from tests import synthetic, synthetic_pages
from tests.synthetic_plots import drawn_as
from tests.synthetic_waits import REMARK, SLOW, waits
from waywiser.model.summary import Summary
from waywiser.model.waits import Waits
from waywiser.report.drawing.plot import Drawn, Table
from waywiser.report.run.page import page
from waywiser.report.run.terminal import COLUMNS, LINES, summary_text

NAMES = ("wait-ranks", "wait-causes", "critical-path", "matrix-waits")


def traced(ranks: int = 4, **update: object) -> Summary:
    return synthetic.summary(ranks).replace(waits=waits(ranks).replace(**update))


@cache
def page_of_traced() -> str:
    return page(synthetic.run(4), traced())


@pytest.mark.parametrize("name", NAMES)
def test_a_section_is_there_only_for_a_run_with_a_trace(name: str) -> None:
    place = f'<section id="{name}">'

    assert place in page_of_traced()
    assert place not in synthetic_pages.of(4)


def test_where_nobody_waited_the_page_says_so() -> None:
    html = page(synthetic.run(4), traced(seconds={}, causes=(), pairs=()))

    assert html.count("No rank waited for another one.") == 2
    assert "matrix-waits" not in html


def plot_and_table(name: str) -> tuple[Drawn, Table]:
    """A plot of the traced run, and its table."""
    drawn = drawn_as(name, traced())
    assert drawn.table is not None
    return drawn, drawn.table


def column(table: Table, name: str) -> list[object]:
    return [row[table.columns.index(name)] for row in table.rows]


def test_waiting_and_the_rest_of_mpi_are_distinguished_by_rank() -> None:
    drawn, table = plot_and_table("wait-ranks")

    assert column(table, "Late Sender (s)") == [0.5, 0.0, 0.5, 0.5]
    assert column(table, "Wait at N×N (s)") == [0.25, 0.0, 0.25, 0.25]
    assert column(table, "Rest of MPI (s)") == [0.75, 1.5, 0.75, 0.75]
    assert column(table, "Made others wait (s)") == [0.0, 2.25, 0.0, 0.0]
    assert "2.25 s, 38 % of the time in MPI" in drawn.caption


def test_a_cause_names_the_rank_and_the_place_of_its_delay() -> None:
    drawn, table = plot_and_table("wait-causes")

    assert column(table, "Delaying rank") == [SLOW, SLOW]
    assert column(table, "Waiting call")[0] == "MPI_Recv from solve at cg.c:12"
    assert column(table, "Cause of the delay") == [
        "computation between MPI_Allreduce from solve at cg.c:30 and MPI_Send",
        "in MPI_Recv from solve at cg.c:12",
    ]
    assert column(table, "Of MPI") == ["25\u00a0%", "12\u00a0%"]
    assert drawn.remarks == (
        REMARK,
        "Rank 0 makes 3 iterations of 3 calls, which begin with MPI_Recv from solve at cg.c:12: "
        "the first takes 500 ms, the others 400 ms (median).",
    )
    assert "2 hosts were set by the messages between them, to within 2 µs" in (drawn.caption)


def test_the_critical_path_is_summed_over_ranks_by_place() -> None:
    drawn, table = plot_and_table("critical-path")

    assert (
        "2 s from its first call to its last, 88 % of it computation, 88 % on rank 1"
        in drawn.caption
    )
    assert column(table, "Call")[2] == "before the first call"
    assert column(table, "Of the path") == ["75 %", "12 %", "12 %"]


def test_the_terminal_names_the_first_causes_on_one_screen() -> None:
    text = summary_text(traced())

    assert "waiting 2.25 s, 38 % of MPI: Late Sender 67 %, Wait at N×N 33 %" in text
    prose = " ".join(text.split())
    assert (
        "1.50 s in MPI_Recv (cg.c:12) for rank 1, computation between MPI_Allreduce (cg.c:30) and "
        "MPI_Send"
    ) in prose
    assert len(text.splitlines()) <= LINES
    assert all(len(line) <= COLUMNS for line in text.splitlines())


def test_an_analysis_that_is_kept_is_read_again_unchanged() -> None:
    result = waits(4)

    assert Waits.model_validate_json(result.model_dump_json()) == result
