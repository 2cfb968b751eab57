"""The diagnosis's sentences: see tests/cases/diagnoses.txt.

A case has expressions, each a diagnosis, and behind each what is true of it: `+ WORDS` are in it,
`- WORDS` are not, `^ WORDS` begin it, `$ WORDS` end it, and `= TEXT` is all of it.
"""

from __future__ import annotations

import pytest

from tests.sentence_runs import diagnosis as diagnoses
from tests.synthetic_runs import (
    WALL,
    communicator,
    diagnosis_text,
    function,
    openmp,
    phase,
    rank,
    site,
    summary,
)
from tests.synthetic_sentences import RECV, SUM, of
from tests.written_traces import CASES, Case, cases
from waywiser.analyse import findings
from waywiser.analyse.remarks import rank_remarks
from waywiser.analyse.times import rank_times, total_time
from waywiser.analyse.waiting import late_ranks
from waywiser.analyse.where import site_text
from waywiser.model import progress
from waywiser.model.progress import without_progress
from waywiser.model.summary import FunctionTotal, RankSeconds, RankSummary, Summary, Thread
from waywiser.report.run.terminal import summary_text

PLACES = [line.split(" => ") for line in (CASES / "places.txt").read_text("utf-8").splitlines()]


def phased(first: float, second: float) -> str:
    """Four ranks that receive for 2 s each; in two phases, of which the second has a name."""
    parts = [{RECV: function(first)}, {RECV: function(second)}]
    phases = (phase(1, parts[0]), phase(2, parts[1], "halo"))
    return diagnosis_text(of(*[{RECV: function(2.0)}] * 4).replace(phases=phases))


def little_waiting() -> Summary:
    ranks = [rank(n, {SUM: function(0.1, n), RECV: function(3.0)}) for n in range(2)]
    sites = (site("f at f.c:1", RECV, 6.0), site("g at g.c:2", SUM, 0.2, 1.0))
    return summary(ranks, split=True, call_sites=sites)


NAMES = {
    **vars(diagnoses),
    **{"FunctionTotal": FunctionTotal, "communicator": communicator, "openmp": openmp},
    **{"SUM": SUM, "little_waiting": little_waiting, "phase": phase, "phased": phased},
}


@pytest.mark.parametrize("case", cases("diagnoses.txt"))
def test_the_diagnosis_of_a_run(case: Case) -> None:
    text = ""
    for line in case.lines:
        words = line[2:]
        match line[:2]:
            case "+ ":
                assert words in text
            case "- ":
                assert words not in text
            case "^ ":
                assert text.startswith(words), text
            case "$ ":
                assert text.endswith(words), text
            case "= ":
                assert text == words
            case _:
                text = eval(line, NAMES)


@pytest.mark.parametrize(("place", "shown"), PLACES)
def test_places_are_short(place: str, shown: str) -> None:
    assert site_text(site(place, RECV, 1.0)) == shown


@pytest.mark.parametrize(
    ("waits", "late"),
    [
        ([0, 1], 1),
        ([0.3, 1], 0),
        ([0, 0, 1, 1], 2),
        ([0, 0, 0, 1], 0),
        ([1, 1, 1, 1], 0),
        ([0.2, 0.3, 1, 1], 0),
        ([0.01, 0.1, 1, 1, 1], 2),
        ([1], 0),
        ([], 0),
    ],
)
def test_who_is_late(waits: list[float], late: int) -> None:
    assert late_ranks(waits) == late


def with_progress_thread() -> RankSummary:
    received, spinning = {"MPI_Recv": function(1.0)}, {"MPI_Test": function(9.0)}
    return rank(0, {**received, **spinning}).replace(
        mpi_threads=2,
        progress_threads=1,
        progress_mpi_seconds=9.0,
        threads=(
            Thread(thread=0, mpi_seconds=1.0, functions=received),
            Thread(thread=1, role="progress", mpi_seconds=9.0, functions=spinning),
        ),
    )


def test_threads_that_make_progress_are_left_out() -> None:
    polling = with_progress_thread()

    assert diagnosis_text(summary([polling])).startswith(
        "10 % of the rank's time is MPI; most of it in MPI_Recv (10 %)."
    )
    assert diagnosis_text(summary([polling])).endswith(
        "1 thread that only makes progress is left out."
    )
    assert rank_remarks((polling,))[0] == {"progress": "1 thread only makes progress"}
    shown = summary_text(
        summary([polling], call_sites=(site("spin at s.c:1", "MPI_Test", 9.0),)), per_rank=True
    )
    assert "spin at" not in shown
    assert "     0  n0                    10 s          9 s       1 s" in shown
    left, threads = without_progress(summary([polling, rank(1, {"MPI_Recv": function(3.0)})]))
    assert threads == 1
    assert set(left.functions) == {"MPI_Recv"}
    assert left.functions["MPI_Recv"].most == RankSeconds(rank=1, seconds=3.0)
    assert total_time(rank_times(left)).whole == pytest.approx(2 * WALL)


def test_of_many_ranks_polling_is_left_out_altogether(monkeypatch: pytest.MonkeyPatch) -> None:
    polling, receiving = with_progress_thread(), rank(1, {"MPI_Recv": function(3.0)})
    monkeypatch.setattr(progress, "MOST_RANKS", 1)
    monkeypatch.setattr(findings, "MOST_RANKS", 1)

    left, _ = without_progress(summary([polling, receiving]))

    assert set(left.functions) == {"MPI_Recv"}
    assert total_time(rank_times(left)).mpi == pytest.approx(4.0)
    assert diagnosis_text(summary([polling, receiving])).endswith(
        "1 thread that only makes progress is left out, and so is all polling (MPI_Test and the "
        "like)."
    )


def test_a_slow_clock_is_remarked() -> None:
    ranks = tuple(
        rank(n, {}).replace(cycles=(20 if n == 1 else 30) * 10**9, instructions=10**10)
        for n in range(4)
    )

    remarks = rank_remarks(ranks)

    assert remarks[1] == {
        "slow_clock": "2.00 GHz (the median rank 3.00 GHz) and 0.50 instructions per cycle: a slow "
        "CPU or much time in the kernel"
    }
    assert remarks[0] == {}
