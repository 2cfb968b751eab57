"""The head of a report: its efficiencies by hand, its parts of time, and what the page shows."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests import synthetic
from tests.sentence_runs.overview import waited
from tests.synthetic_runs import FILES, TEAM, function, rank, summary
from tests.synthetic_sentences import RECV
from tests.synthetic_study_reports import visible
from tests.unit.test_advice import IMBALANCED, advised
from waywiser.model.efficiencies import efficiencies
from waywiser.model.gate import Gate
from waywiser.model.summary import Summary
from waywiser.model.waits import CallPlace
from waywiser.report.run.overview import (
    diagnosis_sentences,
    efficiency_tree,
    not_in_tree,
    time_shares,
    without_cpu,
)
from waywiser.report.run.page import page


def ranks_in_mpi(*seconds: float, **change: Any) -> Summary:
    return summary(
        [
            rank(number, {RECV: function(time)}).replace(**change)
            for number, time in enumerate(seconds)
        ]
    )


def test_efficiencies_of_a_profile_by_hand() -> None:
    """Ranks compute 6, 4 and 2 of 10 s, and spend 1 s in MPI_Init and 1 s in MPI_Finalize."""
    efficiency = efficiencies(ranks_in_mpi(2.0, 4.0, 6.0, init_seconds=1.0, finalize_seconds=1.0))

    assert efficiency is not None
    assert efficiency.parallel == pytest.approx(4 / 8)
    assert efficiency.load_balance == pytest.approx(4 / 6)
    assert efficiency.communication == pytest.approx(6 / 8)
    assert (efficiency.most_rank, efficiency.serialisation, efficiency.transfer) == (0, None, None)


def test_threads_that_call_mpi_count_as_their_mean() -> None:
    """Two threads of 10 s each, together 4 s in MPI, compute 8 s each."""
    efficiency = efficiencies(ranks_in_mpi(4.0, mpi_threads=2))

    assert efficiency is not None
    assert efficiency.parallel == pytest.approx(0.8)


def test_ranks_are_named_by_their_numbers() -> None:
    """Ranks 1 and 2 left profiles, and rank 0 did not."""
    both = summary([rank(1, {RECV: function(5.0)}), rank(2, {RECV: function(1.0)})])
    efficiency = efficiencies(both)

    assert efficiency is not None
    assert efficiency.most_rank == 2


def with_team(in_mpi: float = 2.0, **change: Any) -> Summary:
    """A rank of 10 s, 8 of them outside of MPI, 2 of these outside of regions."""
    return ranks_in_mpi(in_mpi, openmp=TEAM.replace(**change))


def test_efficiencies_of_openmp_by_hand() -> None:
    """Threads are useful for 2 + 5 + 3 of 2 x 8 s, idle for 2 s and waiting for 2.5 s."""
    efficiency = efficiencies(with_team())

    assert efficiency is not None
    assert efficiency.parallel == pytest.approx(10 / 20)
    assert efficiency.mpi == pytest.approx(8 / 10)
    assert efficiency.openmp == pytest.approx(10 / 16)
    assert efficiency.openmp_load_balance == pytest.approx(12 / 14.5)
    assert efficiency.openmp_scheduling == pytest.approx(14.5 / 16)
    assert efficiency.openmp_serialisation == pytest.approx(10 / 12)


def test_a_rank_without_regions_is_one_useful_thread() -> None:
    """A rank of two threads has 10 useful seconds of 16; a rank without regions computes 4 s."""
    both = summary(
        [
            rank(0, {RECV: function(2.0)}).replace(openmp=TEAM),
            rank(1, {RECV: function(6.0)}),
        ]
    )
    efficiency = efficiencies(both)

    assert efficiency is not None
    assert efficiency.openmp == pytest.approx(14 / 20)
    assert efficiency.mpi == pytest.approx(6 / 10)


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (with_team(tasks=1), "the threads run tasks while they wait"),
        (with_team(threads=3), "teams have more threads than the profile distinguishes"),
        (with_team(4.1), "MPI is called within parallel regions"),
        (ranks_in_mpi(2.0, openmp=TEAM, mpi_threads=2), "several threads of a rank call MPI"),
    ],
)
def test_openmp_has_no_branch_where_its_times_are_not_known(run: Summary, reason: str) -> None:
    efficiency = efficiencies(run)

    assert efficiency is not None
    assert (efficiency.mpi, efficiency.openmp, efficiency.openmp_scheduling) == (None, None, None)
    assert efficiency.parallel == pytest.approx(efficiency.load_balance * efficiency.communication)
    assert f"OpenMP has no branch: {reason}." in not_in_tree(run)
    assert "OpenMP threads waiting or idle" not in {part.name for part in time_shares(run)}


def test_teams_of_one_thread_have_no_branch() -> None:
    single_thread: dict[str, Any] = {"threads": 1, "busy_seconds": [6.0], "wait_seconds": [0.0]}

    assert [branch.name for branch in efficiency_tree(with_team(**single_thread))] == [
        *("Parallel efficiency", "Load balance", "Communication efficiency")
    ]


def test_the_tree_has_a_branch_of_openmp_and_one_of_files() -> None:
    run = with_team()
    ranks = [profile.replace(posix_io=FILES) for profile in run.per_rank or ()]
    tree = efficiency_tree(run.replace(per_rank=tuple(ranks)))

    assert [(branch.depth, branch.name, branch.percent) for branch in tree] == [
        (0, "Parallel efficiency", "50 %"),
        (1, "MPI efficiency", "80 %"),
        (2, "Load balance", "100 %"),
        (2, "Communication efficiency", "80 %"),
        (1, "OpenMP efficiency", "62 %"),
        (2, "OpenMP load balance", "83 %"),
        (2, "OpenMP scheduling", "91 %"),
        (2, "OpenMP serialisation", "83 %"),
        (0, "I/O efficiency", "90 %"),
    ]


def test_the_efficiency_of_files_by_hand() -> None:
    """Two ranks run for 9 s after 1 s of MPI_Init; one spends 1 s in its own files, and both spend
    0.8 s in MPI-IO."""
    ranks = [
        rank(number, {"MPI_File_write": function(0.4)}).replace(init_seconds=1.0, posix_io=files)
        for number, files in enumerate((FILES, None))
    ]
    run = summary(ranks)
    with_files, without = efficiencies(run), efficiencies(ranks_in_mpi(2.0))

    assert with_files is not None
    assert without is not None
    assert with_files.io == pytest.approx(1 - 1.8 / 18)
    assert without.io is None
    assert [part.seconds for part in time_shares(run) if part.name.startswith("Files")] == ["1 s"]


def test_the_bar_has_what_the_tree_loses() -> None:
    """Threads lose (16 - 10) / 2 of 10 s outside of MPI."""
    parts = {part.name: part.share for part in time_shares(with_team())}

    assert parts == {
        "Application": pytest.approx(0.5),
        "OpenMP threads waiting or idle": pytest.approx(0.3),
        "MPI": pytest.approx(0.2),
    }


def test_waiting_for_a_cpu_is_of_the_wall_time_of_ranks_that_the_kernel_tells() -> None:
    queued, not_queued = ranks_in_mpi(1.0, 1.0, queued_seconds=2.5), ranks_in_mpi(1.0)
    lost = without_cpu(queued)

    assert lost is not None
    assert (lost.seconds, lost.percent) == ("5 s", "25 %")
    assert without_cpu(not_queued) is None
    assert without_cpu(ranks_in_mpi(1.0, queued_seconds=0.0)) is None


def test_nobody_has_efficiencies_without_time() -> None:
    assert efficiencies(summary([])) is None
    assert efficiencies(ranks_in_mpi(0.0, wall_seconds=0.0)) is None
    assert efficiency_tree(summary([])) == []


def test_those_of_the_advice_come_first() -> None:
    advice = advised(IMBALANCED)
    run = ranks_in_mpi(2.0, 4.0).replace(advice=advice)

    assert efficiencies(run) == advice.efficiencies
    assert [branch.depth for branch in efficiency_tree(run)] == [0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("in_mpi", "grade"), [(2.0, "good"), (2.1, "fair"), (4.0, "fair"), (4.1, "poor")]
)
def test_grades_change_at_80_and_60_percent(in_mpi: float, grade: str) -> None:
    parallel, balance, communication = efficiency_tree(ranks_in_mpi(in_mpi, in_mpi))

    assert (parallel.grade, balance.grade, communication.grade) == (grade, "good", grade)


def test_parts_of_time_make_the_whole() -> None:
    traced = waited(0.1)
    parts = {part.name: part.share for part in time_shares(traced)}

    assert sum(parts.values()) == pytest.approx(1.0)
    plain = {p.name: p.share for p in time_shares(traced.replace(waits=None))}
    whole = next(p for p in time_shares(traced) if p.name == "Waiting in MPI")
    assert whole.seconds == "100 ms"
    assert parts["Waiting in MPI"] + parts["Transfer in MPI"] == pytest.approx(plain["MPI"])
    assert parts["Application"] == plain["Application"]


def test_a_window_of_a_trace_does_not_divide_the_whole_run() -> None:
    traced = waited(0.1)
    assert traced.waits is not None
    waits = traced.waits.replace(window_seconds=(0.0, 0.1))

    names = [part.name for part in time_shares(traced.replace(waits=waits))]

    assert "Waiting in MPI" not in names


def test_the_page_begins_with_shares_tree_and_next_step() -> None:
    text = re.sub(r"[\s;]+", " ", visible(page(synthetic.run(2), ranks_in_mpi(1.0, 9.0))))

    for words in ("Application 50 %, 10 s", "MPI 50 %, 10 s", "Next step: distribute the work"):
        assert words in text
    for branch in ("Parallel efficiency ■ 50 %", "Load balance ■ 56 %"):
        assert branch in text
    assert "Communication efficiency ● 90 %" in text
    assert text.index("Parallel efficiency") < text.rindex("Time by rank")


def test_the_page_says_finding_cause_and_step_in_this_order() -> None:
    run = ranks_in_mpi(1.0, 9.0)
    sentences = diagnosis_sentences(run)
    text = visible(page(synthetic.run(2), run)).replace("\u00a0", " ")

    assert sentences.finding.startswith("50 % of the ranks' time is MPI")
    assert sentences.cause.startswith("Rank 0 on host n0 spends the least time in MPI_")
    assert sentences.to_do.startswith("Next step: distribute the work")
    places = [
        text.index(sentence) for sentence in (sentences.finding, sentences.cause, sentences.to_do)
    ]
    assert places == sorted(places)
    assert all(sentence in text for sentence in sentences.rest)


def test_no_amount_is_broken_at_the_head_of_the_page_and_back_quotes_are_code() -> None:
    gate = Gate(
        unreliable=("the ranks had a CPU for 9.1 % of 3.2 s",),
        remedies=("Bind each rank to a core of its own: `--bind-to core`",),
    )

    html = page(synthetic.run(2), ranks_in_mpi(5.0, 9.0).replace(gate=gate))

    head = html[html.index("<header>") : html.index("</header>")]
    assert "for 9.1\u00a0% of 3.2\u00a0s;" in head
    assert "<code>--bind-to core</code>" in head
    assert "70\u00a0% of the ranks" in head
    assert "`" not in head
    texts = re.sub(r"<table.*?</table>|<dl.*?</dl>|<[^>]*>", "", head, flags=re.DOTALL)
    assert re.findall(r"\d (?:%|s|ms|MB)(?!\w)", texts) == []


def test_the_longest_wait_names_its_call_once() -> None:
    here = CallPlace(function="MPI_Allreduce", place="cg at cg.c:30")
    before = CallPlace(function="MPI_Send", place=None)

    for name, first, after in (
        ("MPI_Allreduce from cg at cg.c:30", before, here),
        ("between MPI_Send and this call", before, here),
        ("before this call", None, here),
        ("between executions of this call", here, here),
        ("between executions of MPI_Send", before, before),
    ):
        run = waited(0.1)
        assert run.waits is not None
        cause = run.waits.causes[0].replace(waiting=here, before=first, after=after)
        text = diagnosis_sentences(run.replace(waits=run.waits.replace(causes=(cause,)))).cause

        assert text.count(name) == 1
        assert text.count("MPI_Allreduce") == 1
