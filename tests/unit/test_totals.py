"""Sums over ranks against plain sums over the records, for small profiles of random numbers."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from tests import synthetic
from tests.native_records import record, stride
from waywiser.model.summary import OUTSIDE_MPI_TIME, Summary
from waywiser.native import _native as native
from waywiser.store.summary import summarise

NAMES = ("MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Test", "MPI_Finalize")
LOAD = ("calls", "ns", "max_ns", "sync_ns", "bytes", "receive_bytes")
SEEDS = range(8)


def random_load(numbers: random.Random) -> native.Load:
    return record(native.Load, **{part: numbers.randrange(10**6) for part in LOAD})


def random_function(numbers: random.Random, name: str, phase: int) -> native.FunctionProfile:
    bounds = sorted(numbers.sample([0, 1, 8, 64, 1 << 20], 2))
    sizes = {bound: (numbers.randrange(9), numbers.randrange(10**6)) for bound in bounds}
    function = synthetic.function_profile(name, random_load(numbers), sizes, phase)
    function.pending_calls, function.pending_ns = numbers.randrange(99), numbers.randrange(9999)
    return function


def random_thread(numbers: random.Random) -> native.ThreadProfile:
    functions = [
        random_function(numbers, name, phase)
        for name in NAMES
        for phase in (1, 7)
        if numbers.random() < 0.6
    ]
    return record(native.ThreadProfile, ns=numbers.randrange(1, 10**7), functions=functions)


def random_rank(numbers: random.Random, rank: int, ranks: int) -> native.RankProfile:
    def drawn(most: int, *names: str) -> dict[str, int]:
        return {name: numbers.randrange(most) for name in names}

    return record(
        native.RankProfile,
        rank=rank,
        host=f"n{rank // 2}",
        cpus="0-3",
        ending=native.Ending.finalised,
        **drawn(10**9, "wall_ns", "init_ns", "instructions", "cycles", "involuntary_switches"),
        threads=[random_thread(numbers) for _ in range(numbers.randrange(1, 4))],
        messages=[
            record(
                native.Message,
                destination=destination,
                **drawn(3, "bytes", "messages", "collective_bytes", "collective_messages"),
            )
            for destination in numbers.sample(range(ranks), numbers.randrange(ranks))
        ],
        phases=[
            record(native.PhaseProfile, phase=number, **drawn(9, "entries"), **drawn(999, "ns"))
            for number in (1, 7)
        ],
        collectives=[
            record(
                native.CollectiveProfile,
                root=root,
                function="MPI_Reduce",
                load=random_load(numbers),
                **drawn(2, "communicator"),
            )
            for root in (-1, 0, 2)
        ],
        call_sites=[
            record(
                native.CallSiteProfile,
                function=numbers.choice(NAMES),
                load=random_load(numbers),
                **drawn(2, "site"),
            )
            for _ in range(numbers.randrange(4))
        ],
    )


def random_profile(seed: int, ranks: int = 5) -> native.Profile:
    numbers = random.Random(seed)
    world = {"size": ranks, "name": "MPI_COMM_WORLD", "members": [stride(0, 1, ranks)]}
    return record(
        native.Profile,
        world_size=ranks,
        communicators=[
            record(native.Communicator, **world),
            record(native.Communicator, size=-1),
        ],
        call_sites=[
            record(native.CallSite, module="/a/b", address=address, place=place)
            for address, place in ((255, ""), (256, "f at x.c:1"))
        ],
        ranks=[random_rank(numbers, rank, ranks) for rank in range(ranks)],
    )


def summary_of(profile: native.Profile) -> Summary:
    return summarise(synthetic.run(profile.world_size), profile)


def sums(loads: Iterable[native.Load]) -> dict[str, float]:
    """Calls, times in s and bytes of some records, as the document names them."""
    listed = list(loads)
    return {
        "calls": sum(load.calls for load in listed),
        "seconds": sum(load.ns for load in listed) / 1e9,
        "max_seconds": max(load.max_ns for load in listed) / 1e9,
        "sync_seconds": sum(load.sync_ns for load in listed) / 1e9,
        "bytes": sum(load.bytes for load in listed),
        "receive_bytes": sum(load.receive_bytes for load in listed),
    }


def records(
    ranks: Iterable[native.RankProfile],
) -> Iterator[tuple[int, native.FunctionProfile]]:
    for rank in ranks:
        for thread in rank.threads:
            for function in thread.functions:
                yield rank.rank, function


def grouped(
    pairs: Iterable[tuple[int, Any]], key: Callable[[Any], Any]
) -> dict[Any, list[tuple[int, Any]]]:
    groups: dict[Any, list[tuple[int, Any]]] = defaultdict(list)
    for rank, entry in pairs:
        groups[key(entry)].append((rank, entry))
    return groups


def time_by_rank(pairs: Iterable[tuple[int, Any]]) -> dict[int, int]:
    times: dict[int, int] = defaultdict(int)
    for rank, entry in pairs:
        times[rank] += entry.load.ns + entry.load.sync_ns
    return times


def expected_function(functions: list[native.FunctionProfile]) -> dict[str, Any]:
    bins: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for function in functions:
        for size in function.sizes:
            bins[size.upper_bound_bytes][0] += size.calls
            bins[size.upper_bound_bytes][1] += size.ns
    return {
        **sums(function.load for function in functions),
        "pending_calls": sum(function.pending_calls for function in functions),
        "pending_seconds": sum(function.pending_ns for function in functions) / 1e9,
        "sizes": tuple((bound, calls, ns / 1e9) for bound, (calls, ns) in sorted(bins.items())),
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_functions_add_up_over_ranks_threads_and_phases(seed: int) -> None:
    profile = random_profile(seed)

    functions = summary_of(profile).functions

    by_name = grouped(records(profile.ranks), lambda record: record.name)
    assert list(functions) == sorted(by_name)
    for name, pairs in by_name.items():
        times = time_by_rank(pairs)
        most = max(times, key=lambda rank: (times[rank], -rank))
        least = min(times, key=lambda rank: (times[rank], rank))
        assert functions[name].model_dump() == {
            **expected_function([record for _, record in pairs]),
            "most": {"rank": most, "seconds": times[most] / 1e9},
            "least": {"rank": least, "seconds": times[least] / 1e9},
        }


@pytest.mark.parametrize("seed", SEEDS)
def test_each_rank_has_its_own_sums(seed: int) -> None:
    profile = random_profile(seed)

    summary = summary_of(profile)

    for rank, totals in zip(profile.ranks, summary.per_rank or (), strict=True):
        by_name = grouped(records([rank]), lambda record: record.name)
        assert list(totals.functions) == sorted(by_name)
        for name, pairs in by_name.items():
            expected = expected_function([record for _, record in pairs])
            assert totals.functions[name].model_dump() == expected
        in_mpi = [r for _, r in records([rank]) if r.name not in OUTSIDE_MPI_TIME]
        sync = sum(record.load.sync_ns for record in in_mpi)
        assert totals.mpi_seconds == (sum(r.load.ns for r in in_mpi) + sync) / 1e9
        assert totals.sync_seconds == sync / 1e9
        assert (summary.mpi_seconds[rank.rank], summary.sync_seconds[rank.rank]) == (
            totals.mpi_seconds,
            totals.sync_seconds,
        )
        assert totals.phases == tuple((p.phase, p.entries, p.ns / 1e9) for p in rank.phases)
        assert (totals.instructions, totals.cycles) == (rank.instructions, rank.cycles)
        called = [thread for thread in rank.threads if thread.functions]
        assert totals.mpi_threads == len(called)
        assert [thread.seconds for thread in totals.threads] == (
            [thread.ns / 1e9 for thread in called] if len(called) > 1 else []
        )
        assert sum(t.mpi_seconds for t in totals.threads) == pytest.approx(
            totals.mpi_seconds if len(called) > 1 else 0
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_phases_add_up(seed: int) -> None:
    profile = random_profile(seed)

    phases = summary_of(profile).phases

    assert [phase.phase for phase in phases] == [1, 7]
    for index, phase in enumerate(phases):
        times = [rank.phases[index].ns for rank in profile.ranks]
        assert phase.entries == max(rank.phases[index].entries for rank in profile.ranks)
        assert phase.seconds == pytest.approx(sum(times) / len(times) / 1e9, rel=1e-12)
        assert phase.max_seconds == max(times) / 1e9
        assert phase.max_rank == times.index(max(times))
        own = [(rank, r) for rank, r in records(profile.ranks) if r.phase == phase.phase]
        by_name = grouped(own, lambda record: record.name)
        assert set(phase.functions) == set(by_name)
        for name, pairs in by_name.items():
            expected = expected_function([record for _, record in pairs])
            assert phase.functions[name].model_dump() == expected


def test_a_phase_whose_time_was_not_kept() -> None:
    profile = random_profile(0)
    rank = profile.ranks[0]
    rank.phases = []
    profile.ranks = [rank]

    assert {(p.entries, p.seconds, p.max_rank) for p in summary_of(profile).phases} == {
        (0, 0, None)
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_communicators_and_call_sites_add_up(seed: int) -> None:
    profile = random_profile(seed)

    summary = summary_of(profile)

    collectives = [(rank.rank, c) for rank in profile.ranks for c in rank.collectives]
    for index, communicator in enumerate(summary.communicators):
        own = [record for _, record in collectives if record.communicator == index]
        if not own:
            assert communicator.functions == {}
            continue
        assert communicator.functions["MPI_Reduce"].model_dump() == {
            **sums(record.load for record in own),
            "roots": tuple(sorted({record.root for record in own} - {-1})),
        }
    sites = [(rank.rank, site) for rank in profile.ranks for site in rank.call_sites]
    by_place = grouped(sites, lambda record: (record.site, record.function))
    assert len(summary.call_sites) == len(by_place)
    for (number, function), site in zip(sorted(by_place), summary.call_sites, strict=True):
        pairs = by_place[number, function]
        times = time_by_rank(pairs)
        most = max(times, key=lambda rank: (times[rank], -rank))
        assert site.model_dump() == {
            **sums(record.load for _, record in pairs),
            "place": "f at x.c:1" if number else None,
            "module": "/a/b",
            "address": "0x100" if number else "0xff",
            "function": function,
            "ranks": len(times),
            "most": {"rank": most, "seconds": times[most] / 1e9},
        }


@pytest.mark.parametrize("seed", SEEDS)
def test_matrices_hold_what_was_sent_in_order(seed: int) -> None:
    profile = random_profile(seed)

    summary = summary_of(profile)

    sent = sorted((r.rank, m.destination, m) for r in profile.ranks for m in r.messages)
    assert list(summary.matrix.bytes) == [(a, b, m.bytes) for a, b, m in sent if m.messages]
    assert list(summary.matrix.messages) == [(a, b, m.messages) for a, b, m in sent if m.messages]
    pairs = native.decompose(profile)
    for amounts, cells in (
        (pairs.bytes, summary.collective_matrix.bytes),
        (pairs.messages, summary.collective_matrix.messages),
    ):
        triples = zip(pairs.source, pairs.destination, amounts, strict=True)
        assert list(cells) == [triple for triple in triples if triple[2]]
    assert summary.collective_remarks == tuple(pairs.remarks)


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ([], None),
        ([(0, 1, 4), (8, 1, 1)], "0-3,8"),
        ([(0, 2, 8)], "0-14:2"),
        ([(5, -1, 3)], "5-3:-1"),
    ],
)
def test_the_ranks_of_a_communicator(members: list[tuple[int, int, int]], text: str | None) -> None:
    profile = random_profile(0)
    world, part = profile.communicators
    part.members = [stride(*member) for member in members]
    profile.communicators = [world, part]

    communicator = summary_of(profile).communicators[1]

    assert (communicator.ranks, communicator.size) == (text, None)


def test_roots_beyond_those_distinguished() -> None:
    profile = random_profile(0)
    rank = profile.ranks[0]
    load = synthetic.load(1, 1)
    rank.collectives = [record(native.CollectiveProfile, function="MPI_Bcast", root=-2, load=load)]
    profile.ranks = [rank]

    assert summary_of(profile).communicators[0].functions["MPI_Bcast"].roots == "several"


def thread(life_ns: int, calls: dict[str, tuple[int, int]]) -> native.ThreadProfile:
    """`calls`: function -> calls, ns."""
    functions = [
        synthetic.function_profile(name, synthetic.load(*load), {0: load})
        for name, load in calls.items()
    ]
    return record(native.ThreadProfile, ns=life_ns, functions=functions)


@pytest.mark.parametrize(
    ("calls", "role"),
    [
        ({"MPI_Test": (99, 795_050), "MPI_Send": (1, 0)}, "progress"),
        ({"MPI_Iprobe": (50, 397_500), "MPI_Improbe": (50, 397_500)}, "progress"),
        ({"MPI_Test": (98, 800_000), "MPI_Send": (2, 0)}, "compute"),
        ({"MPI_Test": (100, 794_999)}, "compute"),
        ({"MPI_Test": (10_000, 300_000)}, "progress"),
        ({"MPI_Test": (9_999, 300_000)}, "compute"),
        ({"MPI_Wait": (100, 1_000_000)}, "compute"),
    ],
)
def test_a_thread_that_only_polls_makes_progress(
    calls: dict[str, tuple[int, int]], role: str
) -> None:
    second = thread(1_000_000, calls)
    first = thread(1000, {"MPI_Send": (1, 200)})
    ranks = [
        record(native.RankProfile, rank=number, threads=[first, *[second] * number])
        for number in range(2)
    ]

    summary = summary_of(record(native.Profile, world_size=2, ranks=ranks))

    (_, both) = summary.per_rank or ()
    assert [rank_thread.role for rank_thread in both.threads] == ["compute", role]
    polled = sum(function.load.ns for function in second.functions)
    progresses = role == "progress"
    assert both.progress_mpi_seconds == progresses * polled / 1e9
    assert summary.threads.progress_ranks == summary.threads.progress_threads == int(progresses)
    assert summary.threads.progress_mpi_share == pytest.approx(progresses * polled / (400 + polled))


def test_a_large_job_is_summed_alike() -> None:
    ranks = 96
    profile = synthetic.large_profile(ranks)

    summary = summary_of(profile)

    assert summary.ranks == ranks
    assert len(summary.functions) == synthetic.FUNCTIONS
    assert len(summary.matrix.bytes) == ranks * synthetic.PARTNERS
    seconds = sum(rank.threads[0].functions[3].load.ns for rank in profile.ranks) / 1e9
    assert summary.functions["MPI_Irecv"].seconds == seconds
    assert summary.functions["MPI_Irecv"].calls == 16 * ranks
    assert [c.functions["MPI_Bcast"].calls for c in summary.communicators] == [9600, 4800]
    assert [site.ranks for site in summary.call_sites] == [ranks] * 8
