"""The verdict's sentences, but for waiting that was measured; a run is made for each."""

from __future__ import annotations

import pytest

from tests.made_runs import WALL, function, openmp, phase, rank, said, site, summary
from waywiser.analyse import findings
from waywiser.analyse.remarks import rank_remarks
from waywiser.analyse.times import rank_times, total_time
from waywiser.analyse.where import site_text
from waywiser.model import progress
from waywiser.model.posix_io import IoFunction, PosixIo
from waywiser.model.progress import without_progress
from waywiser.model.summary import RankSeconds, RankSummary, Thread
from waywiser.report.terminal import summary_text


@pytest.mark.parametrize(
    ("parts", "where"),
    [
        ((6.0, 2.0), ", most of that in phase 1."),
        ((4.0, 4.0), "."),
        ((0.0, 8.0), ", all of that in phase halo."),
        ((0.0, 80.0), "."),
    ],
)
def test_the_phase_of_the_first_function(parts: tuple[float, float], where: str) -> None:
    first, second = ({"MPI_Recv": function(part)} for part in parts)
    ranks = [rank(n, {"MPI_Recv": function(2.0)}) for n in range(4)]

    text = said(summary(ranks, phases=(phase(1, first), phase(2, second, "halo"))))

    assert f"most of it in MPI_Recv (20 %){where} The callers of" in text


def test_the_phase_of_mpi_where_no_function_has_most_of_it() -> None:
    functions = {f"MPI_{name}": function(1.0) for name in ("Recv", "Send", "Bcast")}
    ranks = [rank(n, functions) for n in range(2)]
    of_both = {name: function(2.0) for name in functions} | {"MPI_Init": function(9.0)}

    text = said(summary(ranks, phases=(phase(1, {}), phase(2, of_both))))

    assert text.startswith(
        "30 % of the ranks' time is MPI, all of that in phase 2; the largest part of it in "
        "MPI_Bcast (10 %). The ranks are alike"
    )


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("solve at cg.c:131", "solve at cg.c:131"),
        ("a::solve(a::Grid const&, long) at cg.cpp:1", "a::solve at cg.cpp:1"),
        ("(anonymous namespace)::go(int)", "go"),
        ("F::operator()(int) const at f.cpp:2", "F::operator() at f.cpp:2"),
        ("main::{lambda(int)#1}::operator()(int) const at f.cpp:3", "main at f.cpp:3"),
        ("x" * 30 + "y" * 30 + " at f.cpp:4", "x" * 20 + "…" + "y" * 19 + " at f.cpp:4"),
        ("", "app+0x10"),
        ("void a::solve<a::Grid<int, 3> >(a::Grid<int, 3>&) at f.cpp:5", "a::solve at f.cpp:5"),
        ("A<B<int> >::run(void (*)(int)) at f.cpp:6", "A::run at f.cpp:6"),
        ("decltype (f(x)) g<int>(int) const [clone .part.0] at f.cpp:7", "g at f.cpp:7"),
        (
            "std::ostream& std::operator<< <char>(std::ostream&, char) at f.cpp:8",
            "std::operator<< at f.cpp:8",
        ),
        ("bool a::operator< <int>(A<int>, A<int>) at f.cpp:13", "a::operator< at f.cpp:13"),
        ("F<int>::operator->() const at f.cpp:9", "F::operator-> at f.cpp:9"),
        ("F<int>::operator bool() const at f.cpp:10", "F::operator bool at f.cpp:10"),
        (
            "void each<I, main::{lambda(int)#1}>(I, main::{lambda(int)#1}) at f.cpp:11",
            "each at f.cpp:11",
        ),
        (
            "auto go<int>(int)::{lambda(auto:1)#1}::operator()<int>(int) const at f.cpp:12",
            "go at f.cpp:12",
        ),
        ("MPI.cpython-311-x86_64-linux-gnu-and-so-on.so+0x12",) * 2,
        ("main at app.py:12", "main at app.py:12"),
        ("<module> at app.py:1", "<module> at app.py:1"),
        ("A.run.<locals>.<lambda> at app.py:2", "A.run.<lambda> at app.py:2"),
        ("main.<locals>.inner at app.py:3", "main.inner at app.py:3"),
    ],
)
def test_places_are_short(place: str, shown: str) -> None:
    assert site_text(site(place, "MPI_Recv", 1.0)) == shown


def test_a_call_site_without_a_name() -> None:
    ranks = [rank(n, {"MPI_Recv": function(2.0)}) for n in range(4)]

    text = said(summary(ranks, call_sites=(site(None, "MPI_Recv", 8.0),)))

    assert ", all of that called from app+0x10." in text


def test_the_extreme_ranks_of_the_first_function() -> None:
    ranks = [rank(n, {"MPI_Recv": function(float(n))}, f"n{n}") for n in range(4)]

    assert said(summary(ranks)) == (
        "15 % of the ranks' time is MPI; most of it in MPI_Recv (15 %). Rank 0 on host n0 spends "
        "the least time in MPI_Recv (0 %) and rank 3 on host n3 the most (30 %), so others may "
        "wait for rank 0."
    )


@pytest.mark.parametrize("name", ["MPI_Isend", "MPI_File_write", "MPI_Comm_dup"])
def test_not_every_function_waits_for_others(name: str) -> None:
    ranks = [rank(n, {name: function(float(n))}) for n in range(4)]

    assert "may wait" not in said(summary(ranks))


def test_a_rank_that_is_long_elsewhere_in_mpi_is_not_waited_for() -> None:
    ranks = [
        rank(n, {"MPI_Recv": function(float(n)), "MPI_Put": function(0 if n else 2.9)})
        for n in range(4)
    ]

    assert "may wait" not in said(summary(ranks))


def test_barriers_tell_by_themselves() -> None:
    ranks = [rank(n, {"MPI_Barrier": function(3.0 if n else 0.01)}) for n in range(4)]

    assert "the most (30 %): the others wait for rank 0." in said(summary(ranks))
    assert "so others may wait for rank 0." in said(summary(ranks, communicators=()))


def test_only_one_rank_calls_it() -> None:
    ranks = [rank(0, {"MPI_Recv": function(8.0)}), rank(1, {})]

    assert "Only rank 0 on host n0 calls MPI_Recv, for 80 % of its time." in said(summary(ranks))


def test_one_long_call() -> None:
    long = function(3.0, max_seconds=2.5)

    text = said(summary([rank(0, {"MPI_Recv": long}), rank(1, {"MPI_Recv": function(1.0)})]))

    assert text.endswith("so others may wait for rank 1; one call of rank 0 took 2.50 s.")
    once = long.replace(calls=1)
    assert "one call" not in said(summary([rank(0, {"MPI_Recv": once}), rank(1, {})]))
    assert said(summary([rank(0, {"MPI_Recv": long})])).endswith("One call of rank 0 took 2.50 s.")


def test_polls_that_found_nothing() -> None:
    poll = function(4.0, pending_seconds=3.9, pending_calls=9)
    other = function(4.0, pending_seconds=1.0, pending_calls=9)

    assert "MPI_Test (40 %), nearly all of that in calls that found nothing." in said(
        summary([rank(0, {"MPI_Test": poll})])
    )
    assert "found nothing" not in said(summary([rank(0, {"MPI_Test": other})]))


def test_a_program_that_computes() -> None:
    ranks = [rank(n, {"MPI_Recv": function(0.1)}) for n in range(4)]
    asleep = [one.replace(cpu_seconds=1.0) for one in ranks]

    assert said(summary(ranks)) == (
        "The program computes: only 1.0 % of the ranks' time is MPI; most of it in MPI_Recv "
        "(1.0 %)."
    )
    assert said(summary(asleep)).startswith("Only 1.0 % of the ranks' time is MPI;")
    idle = [rank(n, {"MPI_Recv": function(1e-4)}) for n in range(4)]
    assert said(summary(idle)).startswith("The program computes: less than 0.1 % of the ranks'")


@pytest.mark.parametrize(("mpi_seconds", "first"), [(0.6, True), (5.0, False)])
def test_openmp_before_mpi_where_it_is_the_larger_loss(mpi_seconds: float, first: bool) -> None:
    ranks = [
        rank(n, {"MPI_Recv": function(mpi_seconds)}).replace(openmp=openmp(4.0 + n))
        for n in range(2)
    ]

    text = said(summary(ranks))

    sentence = (
        "In parallel regions, OpenMP threads wait 28 % of their time, on rank 1 most (31 %): 22 % "
        "of the wall time is lost."
    )
    assert text.startswith(sentence) == first
    assert sentence in text


def test_waits_that_may_be_tasks_are_no_loss() -> None:
    one = rank(0, {"MPI_Recv": function(1.0)})

    assert "OpenMP" not in said(summary([one.replace(openmp=openmp(4.0, tasks=1))]))
    assert "OpenMP" not in said(summary([one.replace(openmp=openmp(0.5))]))


def test_files() -> None:
    write = IoFunction(calls=1, bytes=1, seconds=2.0, max_seconds=2.0)
    sync = IoFunction(calls=1, bytes=0, seconds=1.0, max_seconds=1.0)
    files = PosixIo(seconds=3.0, bytes=1, functions={"write": write, "fsync": sync})
    one = rank(0, {"MPI_Recv": function(1.0)}).replace(posix_io=files)

    assert said(summary([one])).startswith(
        "The program's own access to files takes 30 % of the ranks' wall time, most of it in write."
    )


def test_mpi_io() -> None:
    functions = {
        "MPI_Recv": function(3.0),
        "MPI_File_write_all": function(1.0),
        "MPI_File_open": function(0.1),
    }

    assert "MPI-IO is 11 %, most of it in MPI_File_write_all." in said(
        summary([rank(0, functions)])
    )
    del functions["MPI_Recv"]
    assert "MPI-IO" not in said(summary([rank(0, functions)]))


def with_progress_thread() -> RankSummary:
    computing, spinning = {"MPI_Recv": function(1.0)}, {"MPI_Test": function(9.0)}
    return rank(0, {**computing, **spinning}).replace(
        mpi_threads=2,
        progress_threads=1,
        progress_mpi_seconds=9.0,
        threads=(
            Thread(thread=0, mpi_seconds=1.0, functions=computing),
            Thread(thread=1, role="progress", mpi_seconds=9.0, functions=spinning),
        ),
    )


def test_threads_that_make_progress_are_left_out() -> None:
    one = with_progress_thread()

    assert said(summary([one])).startswith(
        "10 % of the rank's time is MPI; most of it in MPI_Recv (10 %)."
    )
    assert said(summary([one])).endswith("1 thread that only makes progress is left out.")
    assert rank_remarks((one,))[0] == {"progress": "1 thread only makes progress"}
    shown = summary_text(
        summary([one], call_sites=(site("spin at s.c:1", "MPI_Test", 9.0),)), per_rank=True
    )
    assert "spin at" not in shown
    assert "     0  n0                    10 s          9 s       1 s" in shown
    left, threads = without_progress(summary([one, rank(1, {"MPI_Recv": function(3.0)})]))
    assert threads == 1
    assert set(left.functions) == {"MPI_Recv"}
    assert left.functions["MPI_Recv"].most == RankSeconds(rank=1, seconds=3.0)
    assert total_time(rank_times(left)).whole == pytest.approx(2 * WALL)


def test_of_many_ranks_polling_is_left_out_altogether(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = with_progress_thread(), rank(1, {"MPI_Recv": function(3.0)})
    monkeypatch.setattr(progress, "MOST_RANKS", 1)
    monkeypatch.setattr(findings, "MOST_RANKS", 1)

    left, _ = without_progress(summary([one, other]))

    assert set(left.functions) == {"MPI_Recv"}
    assert total_time(rank_times(left)).mpi == pytest.approx(4.0)
    assert said(summary([one, other])).endswith(
        "1 thread that only makes progress is left out, and so is all polling (MPI_Test and the "
        "like)."
    )


def test_a_rank_that_only_spins_waits() -> None:
    spinning = rank(0, {"MPI_Test": function(9.0, pending_seconds=9.0)})

    text = said(summary([spinning.replace(progress_threads=1)]))

    assert text.startswith("90 % of the rank's time is MPI; most of it in MPI_Test (90 %)")
    assert "left out" not in text


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
