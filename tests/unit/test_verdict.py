"""The verdict's sentences, each from a run that is made for it: four ranks of 10 s unless said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from waywiser.model.openmp import OpenMp
from waywiser.model.posix_io import IoFunction, PosixIo
from waywiser.model.summary import (
    CallSite,
    Communicator,
    CommunicatorFunction,
    Function,
    FunctionTotal,
    Matrix,
    Pairs,
    Phase,
    RankSeconds,
    RankSummary,
    Summary,
    SummaryMpi,
    Thread,
)
from waywiser.report import findings, times
from waywiser.report.findings import SENTENCES, rank_remarks, verdict
from waywiser.report.terminal import COLUMNS, LINES, columns, summary_text
from waywiser.report.times import rank_times, total_time, without_progress
from waywiser.report.waiting import late_ranks
from waywiser.report.where import site_text

WALL = 10.0

Times = Mapping[str, tuple[float, float]]
"""By function: its time and that in the barrier before it [s]."""


def function(seconds: float, sync: float = 0.0, **more: Any) -> Function:
    values = {"calls": 10, "bytes": 0, "posted_bytes": 0, "sizes": (), **more}
    return Function(seconds=seconds, sync_seconds=sync, **values)


def rank(number: int, functions: Mapping[str, Function], host: str = "n0") -> RankSummary:
    inside = [f for name, f in functions.items() if name not in ("MPI_Init", "MPI_Finalize")]
    sync = sum(f.sync_seconds for f in inside)
    return RankSummary(
        rank=number,
        host=host,
        cpus=str(number),
        wall_seconds=WALL,
        mpi_seconds=sum(f.seconds for f in inside) + sync,
        sync_seconds=sync,
        init_seconds=0.0,
        finalize_seconds=0.0,
        cpu_seconds=WALL,
        voluntary_switches=0,
        involuntary_switches=0,
        peak_memory_bytes=1,
        functions=dict(functions),
        threads=(),
    )


def totals(ranks: Sequence[RankSummary]) -> dict[str, FunctionTotal]:
    found = {}
    for name in {name for one in ranks for name in one.functions}:
        own = [(one.rank, one.functions[name]) for one in ranks if name in one.functions]
        times = [RankSeconds(rank=r, seconds=f.seconds + f.sync_seconds) for r, f in own]
        keys = ("calls", "seconds", "sync_seconds", "pending_calls", "pending_seconds")
        found[name] = FunctionTotal(
            **{key: sum(getattr(f, key) for _, f in own) for key in keys},
            bytes=0,
            posted_bytes=0,
            sizes=(),
            most=max(times, key=lambda time: time.seconds),
            least=min(times, key=lambda time: time.seconds),
        )
    return found


def communicator(size: int, functions: Mapping[str, FunctionTotal]) -> Communicator:
    return Communicator(
        size=size,
        name="",
        ranks=f"0-{size - 1}",
        intercommunicator=False,
        functions={
            name: CommunicatorFunction(
                calls=f.calls,
                seconds=f.seconds,
                max_seconds=0,
                sync_seconds=f.sync_seconds,
                bytes=0,
                posted_bytes=0,
                roots=(),
            )
            for name, f in functions.items()
        },
    )


def summary(
    ranks: Sequence[RankSummary], *, split: bool = False, lost: int = 0, **more: Any
) -> Summary:
    functions = totals(ranks)
    values = {"communicators": (communicator(len(ranks) + lost, functions),), **more}
    return Summary(
        waywiser="0",
        status="complete",
        mpi=SummaryMpi(library="L", version="1", abi="mpich"),
        ranks=len(ranks) + lost,
        split_sync=split,
        wall_seconds=WALL,
        mpi_seconds=tuple(one.mpi_seconds for one in ranks),
        init_seconds=(0.0,) * len(ranks),
        finalize_seconds=(0.0,) * len(ranks),
        functions=functions,
        matrix=Matrix(bytes=Pairs(()), messages=Pairs(())),
        per_rank=tuple(ranks),
        lost=(),
        **values,
    )


def said(of: Summary) -> str:
    return verdict(of).replace("\u00a0", " ")


def waited(waits: Sequence[float], *, hosts: Sequence[str] = (), **more: Any) -> str:
    """The verdict on ranks that wait so long [s] before MPI_Allreduce, and transfer for 0.1 s."""
    hosts = hosts or ["n0"] * len(waits)
    ranks = [
        rank(number, {"MPI_Allreduce": function(0.1, wait)}, host)
        for number, (wait, host) in enumerate(zip(waits, hosts, strict=True))
    ]
    return said(summary(ranks, split=True, **more))


def test_all_wait_for_one() -> None:
    text = waited([2.1, 2.1, 0.0, 2.1], hosts=["n0", "n0", "n3", "n3"])

    assert text == (
        "21 % of their time, 3 ranks wait in MPI_Allreduce for rank 2 on host n3; rank 2 itself "
        "waits 0 %. MPI as a whole is 17 % of the ranks' time, transfer in these calls 1.0 %."
    )


def test_one_waits_for_one() -> None:
    assert waited([0.0, 5.0]).startswith(
        "50 % of its time, rank 1 on host n0 waits in MPI_Allreduce for rank 0 on host n0;"
    )


def test_a_rank_that_waits_some_is_mostly_waited_for() -> None:
    assert "mostly for rank 3 on host n0; rank 3 itself waits 4.0 %" in waited([2, 2, 2, 0.4])
    assert "wait in MPI_Allreduce for rank 3 on host n0" in waited([2, 2, 2, 0.1])


def test_a_slow_host() -> None:
    hosts = ["n0", "n0", "n1", "n1", "n2", "n2"]

    text = waited([2, 2, 0.01, 0.005, 2, 2], hosts=hosts)

    assert "4 ranks wait in MPI_Allreduce for the 2 ranks of host n1; these themselves" in text
    assert "wait at most 0.1 %." in text


@pytest.mark.parametrize(
    ("late", "name"),
    [
        ({1, 6}, "for ranks 1 and 6 on host n0;"),
        ({1, 2, 6}, "for ranks 1, 2 and 6 on host n0;"),
        ({1, 2, 6, 7}, "for 4 ranks (rank 1 on host n0 and others);"),
    ],
)
def test_several_slow_ranks(late: set[int], name: str) -> None:
    assert name in waited([0.01 if number in late else 2 for number in range(12)])


def test_ranks_that_wait_alike_wait_in_turn() -> None:
    text = waited([2.0, 1.8, 2.2, 1.9])

    assert text.startswith(
        "20 % of their time, ranks wait in MPI_Allreduce for each other in turn; each one between "
        "18 % and 22 %."
    )
    assert " for rank" not in text


def test_neither_alike_nor_one() -> None:
    text = waited([2.0, 1.6, 0.8, 1.2])

    assert "ranks wait for others in MPI_Allreduce; rank 2 on host n0 the least (8.0 %), " in text
    assert "in turn" not in text


def test_in_communicators_of_some_no_one_is_blamed() -> None:
    functions = {"MPI_Allreduce": FunctionTotal(**dict(function(0.1, 6.0)))}

    text = waited([2, 2, 2, 0], communicators=(communicator(2, functions),))

    assert "wait for others in MPI_Allreduce; rank 3" in text
    assert " for rank" not in text


def test_a_lost_rank_may_be_the_late_one() -> None:
    assert " for rank" not in waited([2, 2, 2, 0], lost=1)


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


def test_several_collectives() -> None:
    ranks = [
        rank(n, {"MPI_Bcast": function(0.0, n), "MPI_Allreduce": function(0.0, 2 * n)})
        for n in range(2)
    ]

    assert "waits in collectives (mostly MPI_Allreduce) for rank 0" in said(
        summary(ranks, split=True)
    )


def test_where_little_is_waiting_the_share_comes_first() -> None:
    ranks = [
        rank(n, {"MPI_Allreduce": function(0.1, n), "MPI_Recv": function(3.0)}) for n in range(2)
    ]

    sites = (site("f at f.c:1", "MPI_Recv", 6.0), site("g at g.c:2", "MPI_Allreduce", 0.2, 1.0))

    text = said(summary(ranks, split=True, call_sites=sites))

    assert text.startswith("36 % of the ranks' time is MPI; most of it in MPI_Recv (30 %).")
    assert "10 % of its time, rank 1 on host n0 waits in MPI_Allreduce for rank 0" in text
    assert "for rank 0 on host n0, all of that called from g at g.c:2; rank 0" in text


def phase(number: int, functions: Mapping[str, Function], name: str | None = None) -> Phase:
    return Phase(
        phase=number,
        name=name,
        entries=1,
        seconds=1,
        max_seconds=1,
        max_rank=0,
        functions=dict(functions),
    )


def site(place: str | None, name: str, seconds: float, sync: float = 0.0) -> CallSite:
    return CallSite(
        place=place,
        module="/opt/app",
        address="0x10",
        function=name,
        ranks=4,
        most=RankSeconds(rank=0, seconds=1),
        calls=1,
        seconds=seconds,
        max_seconds=1,
        sync_seconds=sync,
        bytes=0,
        posted_bytes=0,
    )


def test_the_phase_and_the_call_site_of_waiting() -> None:
    text = waited(
        [2, 2, 2, 0],
        phases=(
            phase(1, {"MPI_Allreduce": function(0.3, 0.4)}),
            phase(2, {"MPI_Allreduce": function(0.1, 5.6)}),
        ),
        call_sites=(
            site("solve at cg.c:131", "MPI_Allreduce", 0.1, 3.0),
            site("solve at cg.c:131", "MPI_Allreduce", 0.1, 3.0),
        ),
    )

    assert (
        "for rank 3 on host n0, nearly all of that in phase 2, called from solve at cg.c:131; "
        "rank 3 itself" in text
    )


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

    assert f"most of it in MPI_Recv (20 %){where} Its callers" in text


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
        ("x" * 50 + " at f.cpp:4", "x" * 39 + "… at f.cpp:4"),
        ("", "app+0x10"),
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
        "15 % of the ranks' time is MPI; most of it in MPI_Recv (15 %). Of its callers, rank 0 on "
        "host n0 spends the least time in it (0 %), rank 3 on host n3 the most (30 %), so others "
        "may wait for rank 0."
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

    assert "Only rank 0 on host n0 calls it, for 80 % of its time." in said(summary(ranks))


def test_one_long_call() -> None:
    long = function(3.0, max_seconds=2.5)

    text = said(summary([rank(0, {"MPI_Recv": long}), rank(1, {"MPI_Recv": function(1.0)})]))

    assert text.endswith("so others may wait for rank 1; one call of rank 0 took 2.50 s.")
    once = long.model_copy(update={"calls": 1})
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
    asleep = [one.model_copy(update={"cpu_seconds": 1.0}) for one in ranks]

    assert said(summary(ranks)) == (
        "The program computes: only 1.0 % of the ranks' time is MPI; most of it in MPI_Recv "
        "(1.0 %)."
    )
    assert said(summary(asleep)).startswith("Only 1.0 % of the ranks' time is MPI;")
    idle = [rank(n, {"MPI_Recv": function(1e-4)}) for n in range(4)]
    assert said(summary(idle)).startswith("The program computes: less than 0.1 % of the ranks'")


def openmp(wait: float, tasks: int = 0) -> OpenMp:
    return OpenMp(
        threads=2,
        regions=1,
        region_seconds=8.0,
        busy_seconds=[8.0, 8.0 - wait],
        wait_seconds=[0.0, wait],
        imbalance=1.0,
        tasks=tasks,
    )


@pytest.mark.parametrize(("mpi_seconds", "first"), [(0.6, True), (5.0, False)])
def test_openmp_before_mpi_where_it_is_the_larger_loss(mpi_seconds: float, first: bool) -> None:
    ranks = [
        rank(n, {"MPI_Recv": function(mpi_seconds)}).model_copy(update={"openmp": openmp(4.0 + n)})
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

    assert "OpenMP" not in said(summary([one.model_copy(update={"openmp": openmp(4.0, tasks=1)})]))
    assert "OpenMP" not in said(summary([one.model_copy(update={"openmp": openmp(0.5)})]))


def test_files() -> None:
    write = IoFunction(calls=1, bytes=1, seconds=2.0, max_seconds=2.0)
    sync = IoFunction(calls=1, bytes=0, seconds=1.0, max_seconds=1.0)
    files = PosixIo(seconds=3.0, bytes=1, functions={"write": write, "fsync": sync})
    one = rank(0, {"MPI_Recv": function(1.0)}).model_copy(update={"posix_io": files})

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
    return rank(0, {**computing, **spinning}).model_copy(
        update={
            "mpi_threads": 2,
            "progress_threads": 1,
            "progress_mpi_seconds": 9.0,
            "threads": (
                Thread(thread=0, mpi_seconds=1.0, functions=computing),
                Thread(thread=1, role="progress", mpi_seconds=9.0, functions=spinning),
            ),
        }
    )


def test_threads_that_make_progress_are_left_out() -> None:
    one = with_progress_thread()

    assert said(summary([one])).startswith(
        "10 % of the rank's time is MPI; most of it in MPI_Recv (10 %)."
    )
    assert said(summary([one])).endswith("1 thread that only makes progress is left out.")
    assert rank_remarks((one,))[0] == ["1 thread only makes progress"]
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
    monkeypatch.setattr(times, "MOST_RANKS", 1)
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

    text = said(summary([spinning.model_copy(update={"progress_threads": 1})]))

    assert text.startswith("90 % of the rank's time is MPI; most of it in MPI_Test (90 %)")
    assert "left out" not in text


def test_a_slow_clock_is_remarked() -> None:
    ranks = tuple(
        rank(n, {}).model_copy(
            update={"cycles": (20 if n == 1 else 30) * 10**9, "instructions": 10**10}
        )
        for n in range(4)
    )

    remarks = rank_remarks(ranks)

    assert remarks[1] == [
        "2.00 GHz (the median rank 3.00 GHz) and 0.50 instructions per cycle: a slow CPU or much "
        "time in the kernel"
    ]
    assert remarks[0] == []


def everything(hosts: str) -> Summary:
    """A run of which there is more to say than fits."""
    names = ("Allreduce", "Bcast", "Waitall", "Sendrecv", "Alltoall", "Reduce", "Scan", "Gather")
    ranks = [
        rank(
            n,
            {f"MPI_{name}": function(0.1, 0.5 * (n > 0)) for name in names}
            | {"MPI_Iprobe": function(0.2, pending_calls=9), "MPI_File_open": function(0.6)},
            hosts,
        ).model_copy(update={"openmp": openmp(5.0), "cpus": "0", "init_seconds": 2.0})
        for n in range(4)
    ]
    sites = tuple(site(f"f{n} at {hosts}.c:{n}", "MPI_Bcast", 1.0, 1.0) for n in range(5))
    whole = summary(ranks, split=True, call_sites=sites)
    return whole.model_copy(update={"lost": (f"Rank 9 on host {hosts} was lost. " * 2,) * 3})


@pytest.mark.parametrize("letters", [2, 30, 60])
def test_all_that_there_is_to_say_fits_a_screen(letters: int) -> None:
    lines = summary_text(everything("n" * letters)).splitlines()

    assert len(lines) <= LINES
    assert max(map(columns, lines)) <= COLUMNS
    assert verdict(everything("n")).count(". ") < SENTENCES


def test_the_table_tells_waiting_and_vain_polls() -> None:
    ranks = [
        rank(
            n,
            {
                "MPI_Allreduce": function(0.5, 2.0),
                "MPI_Test": function(1.0, calls=1000, pending_calls=999),
            },
        )
        for n in range(4)
    ]
    row = {}
    for split in (False, True):
        text = summary_text(summary(ranks, split=split))
        row[split] = {
            line.split()[0]: " ".join(line.split()) for line in text.splitlines() if line[:1] == "M"
        }

    assert row[True]["MPI_Allreduce"] == "MPI_Allreduce 40 10 s 8 s 25 % -"
    assert row[True]["MPI_Test"] == "MPI_Test 4,000 4 s - 10 % 99 % vain"
    assert row[False]["MPI_Test"] == "MPI_Test 4,000 4 s 10 % 99 % found nothing"


def test_call_sites_are_shown_where_lines_remain() -> None:
    ranks = [rank(n, {"MPI_Recv": function(2.0)}) for n in range(4)]
    sites = [site("a at a.c:1", "MPI_Recv", 3.0), site("a at a.c:1", "MPI_Recv", 2.0)]
    sites += [site("b at b.c:2", "MPI_Recv", 3.0), site("c at c.c:3", "MPI_Recv", 0.001)]

    text = summary_text(summary(ranks, call_sites=tuple(sites)))

    assert [
        " ".join(line.split()) for line in text.splitlines() if line.startswith("MPI_Recv from")
    ] == [
        "MPI_Recv from a at a.c:1 5 s 12 %",
        "MPI_Recv from b at b.c:2 3 s 7.5 %",
    ]
