"""The sections of the report that appear only for runs that have something to show in them."""

from __future__ import annotations

import json
import re

import pytest

from tests import synthetic, synthetic_pages
from tests.synthetic_plots import drawn_as, rows_of, specification
from tests.synthetic_runs import FILES, TEAM, function, rank
from tests.synthetic_runs import summary as summary_of
from tests.synthetic_sections import REMARK, phase, with_everything
from tests.synthetic_sentences import RECV
from tests.vega_lite import assert_page_valid
from waywiser.analyse import times
from waywiser.model.pairs import Pairs
from waywiser.model.posix_io import IoFunction
from waywiser.model.summary import NOTHING_SENT, Matrix, RankSummary, Summary
from waywiser.report.run.page import page
from waywiser.report.run.plots import phases
from waywiser.report.run.run_plots import drawn_plots

NEW = (
    *("phases", "call-sites", "sync", "waits", "communicators", "matrix-collectives"),
    *("threads", "openmp", "posix-io", "counters"),
)


@pytest.mark.parametrize("name", NEW)
def test_a_section_is_there_only_for_a_run_that_has_something_in_it(name: str) -> None:
    place = f'<section id="{name}">'

    assert place in synthetic_pages.of_everything()
    assert place not in synthetic_pages.of(4)


def sections(summary: Summary) -> list[str]:
    return re.findall('<section id="([a-z-]+)">', page(synthetic.run(summary.ranks), summary))


WRITE = {"write": IoFunction(calls=1, bytes=8, seconds=6.0, max_seconds=6.0)}


def test_sections_follow_their_share_of_the_time() -> None:
    """Ranks are in MPI for 2 of 10 s; threads of the first run lose 3 s, files of the second take
    6 s."""
    threads = {"openmp": TEAM}
    ranks = [rank(number, {RECV: function(2.0)}) for number in range(4)]
    waits = summary_of([profile.replace(**threads) for profile in ranks])
    files = {"posix_io": FILES.replace(seconds=6.0, functions=WRITE)}
    writes = summary_of([profile.replace(**files) for profile in ranks])

    first = [name for name in sections(waits) if name in ("openmp", "functions", "ranks")]
    second = [name for name in sections(writes) if name in ("posix-io", "functions", "extremes")]

    assert first == ["ranks", "openmp", "functions"]
    assert second == ["posix-io", "functions", "extremes"]


def test_a_matrix_is_drawn_from_four_ranks_on() -> None:
    few, many = synthetic.summary(3), synthetic.summary(4)

    assert {"matrix-bytes", "matrix-messages"} <= set(sections(many))
    assert "matrix-messages" not in sections(few)
    html = page(synthetic.run(3), few)
    assert 'id="chart-matrix-bytes"' not in html
    assert html.count("Point-to-point traffic by pair of ranks</caption>") == 1
    assert 'id="chart-matrix-bytes"' in page(synthetic.run(4), many)


def test_sections_without_data_are_one_list() -> None:
    summary = synthetic.summary(4).replace(matrix=NOTHING_SENT)
    html = page(synthetic.run(4), summary)

    assert "matrix-bytes" not in sections(summary)
    assert "matrix-bytes" in sections(synthetic.summary(4))
    assert "<li>Communication matrix (bytes): No point-to-point payload was recorded.</li>" in html
    assert "without-data" not in sections(synthetic.summary(4))


def test_plots_are_numbered_without_the_tables_that_stand_alone() -> None:
    html = synthetic_pages.of_everything()

    drawn = sum(plot.chart is not None for plot in drawn_plots(with_everything()))
    assert [html.count(f"<b>Plot {number}.</b>") for number in range(1, drawn + 2)] == [
        *[1] * drawn,
        0,
    ]
    assert html.count('class="specification"') == drawn
    assert_page_valid(html)


def test_a_phase_is_divided_among_application_waiting_and_functions() -> None:
    summary = with_everything()

    [row, first] = rows_of("phases", summary)
    [solve, _] = phases.split(summary, sorted(summary.phases, key=lambda phase: -phase.seconds))

    # Four ranks of 5 s each spend 4 and 8 s in two functions, and wait for 2 s.
    assert row == ("2: rows", 3, 5.0, 1.5, 0.5, 3.0, "6 s (rank 1)", "MPI_Send")
    assert first == ("phase 1", 3, 1.0, 1.0, 0.0, 0.0, "2 s (rank 1)", "none"), "no MPI_Init"
    assert solve["MPI_Send"] == 2.0
    assert sum(solve.values()) == 5.0


def test_phases_that_are_not_distinguished_are_called_others() -> None:
    assert phases.label(phase(-1, 1.0, {})) == "all others"
    assert phases.label(phase(0, 1.0, {})) == "phase 0"


def test_only_the_longest_functions_of_a_phase_have_a_colour() -> None:
    functions = {f"MPI_F{number}": function(float(number)) for number in range(1, 9)}
    summary = with_everything().replace(phases=(phase(2, 20.0, functions),))

    [stack] = phases.split(summary, list(summary.phases))

    assert [part for part in stack if part.startswith("MPI_")] == [
        f"MPI_F{number}" for number in (8, 7, 6, 5, 4)
    ]
    assert stack["Other MPI"] == (1 + 2 + 3) / 4
    assert sum(stack.values()) == pytest.approx(20)


def test_communicators_of_one_name_are_distinguished() -> None:
    summary = with_everything()

    rows = rows_of("communicators", summary)

    assert [row[5] for row in rows] == [2.0, 1.0, 0.25], "the longest first"
    assert rows[0] == ("rows", "4", "0-3", "MPI_Allreduce", 10, 2.0, 0.5, 80, "8 B")
    assert rows[2][:3] == ("all others", "not known", "not known")
    text = json.dumps(specification(drawn_as("communicators", summary)))
    assert "rows, 4 (no. 2)" in text


def test_waiting_is_distinguished_from_transfer() -> None:
    summary = with_everything()

    [row] = rows_of("sync", summary)
    waits = rows_of("waits", summary)

    most, least = (
        summary.functions["MPI_Allreduce"].most,
        summary.functions["MPI_Allreduce"].least,
    )
    assert most is not None
    assert least is not None
    assert row[2:] == (0.75, 0.25, "75 %", str(most.rank), str(least.rank))
    assert [waits_row[0] for waits_row in waits] == [1, 3, 2, 0], "the awaited rank first"
    assert (
        "rank 1 on n0 waits least (100 ms), rank 0 on n0 most (400 ms)"
        in drawn_as("waits", summary).caption
    )


def test_waiting_is_a_row_of_the_slowest_and_the_fastest_rank() -> None:
    summary = with_everything()
    slowest, fastest = (rank.sync_seconds for rank in extremes_of(summary))

    rows = {row[0]: row[1:3] for row in rows_of("extremes", summary)}

    assert rows["Waiting (barrier before)"] == (slowest, fastest)
    assert "Waiting (barrier before)" not in {
        row[0] for row in rows_of("extremes", synthetic.summary(4))
    }


def extremes_of(summary: Summary) -> list[RankSummary]:
    pair = times.extremes(times.rank_times(summary))
    assert pair is not None
    return [(summary.per_rank or ())[time.rank] for time in pair]


def test_without_split_sync_the_page_says_how_to_tell_them_apart() -> None:
    summary = with_everything().replace(split_sync=False, waits=None)

    html = page(synthetic.run(4), summary)

    assert "waywiser profile --split-sync separates the two" in html
    assert "--split-sync" not in synthetic_pages.of(4)


def test_call_sites_have_their_place_or_their_address() -> None:
    rows = rows_of("call-sites", with_everything())

    assert [row[:4] for row in rows] == [
        ("libsolver.so+0x2f", "MPI_Send", 10, 3.25),
        ("solve at cg.c:131", "MPI_Allreduce", 10, 1.25),
    ]
    assert rows[0][5:] == (0.5, 1, 0)


def test_threads_that_only_make_progress_are_named() -> None:
    summary = with_everything()

    caption = drawn_as("threads", summary).caption

    assert rows_of("threads", summary) == (
        (2, "n0", 0, "computes", 2.0, 0.5, "MPI_Send"),
        (2, "n0", 1, "only progress", 2.0, 1.9, "MPI_Test"),
    )
    assert "1 thread only makes progress" in caption
    assert "38 % of the MPI time (1.90 s) is theirs" in caption


def test_the_least_even_openmp_rank_comes_first() -> None:
    rows = rows_of("openmp", with_everything())

    assert rows[0] == (0, "n0", 2, 5, 3.0, 4.0, 2.0, "67 %", 0)
    assert [row[0] for row in rows] == [0, 1, 2, 3]
    # 22 s busy and 5 s waiting.
    assert "spend 19 % of their time waiting" in drawn_as("openmp", with_everything()).caption


def test_files_are_summed_over_ranks() -> None:
    plot = drawn_as("posix-io", with_everything())

    assert rows_of("posix-io", with_everything()) == (("write", 8, 0.75, 0.1, 2000, 3, 0.375),)
    assert "took 750 ms of all ranks for 2 kB" in plot.caption


def test_counters_become_instructions_per_cycle_and_frequency() -> None:
    plot = drawn_as("counters", with_everything())

    assert rows_of("counters", with_everything())[0][4:] == ("1.500", "2.000")
    assert "1.50 instructions per cycle at 2.00 GHz" in plot.caption


def test_the_matrix_of_collectives_has_its_remarks() -> None:
    html = synthetic_pages.of_everything()
    too_many = with_everything().replace(
        collective_matrix=Matrix(bytes=Pairs(()), messages=Pairs(()))
    )

    assert rows_of("matrix-collectives", with_everything())[0] == (0, 1, 800, 10)
    assert f"<li>{REMARK}</li>" in html
    assert f"<li>{REMARK}</li>" in page(synthetic.run(4), too_many), "also without a plot"


def test_thousands_of_ranks_share_steps() -> None:
    summary = with_everything()
    [rank, *_] = summary.per_rank or ()
    ranks = [rank.replace(rank=number, sync_seconds=float(number % 2)) for number in range(4096)]
    many = summary.replace(ranks=4096, per_rank=tuple(ranks), sync_seconds=(0.0, 1.0) * 2048)

    [rows] = specification(drawn_as("waits", many))["datasets"].values()

    assert len(rows) == 2048
    assert rows[1] == {"left": 1.5, "right": 3.5, "low": 0.0, "high": 0.5, "part": "Waiting"}
    assert "Each step is the mean of up to 2 ranks." in drawn_as("waits", many).caption
