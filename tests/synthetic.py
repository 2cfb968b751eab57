"""A made-up run that looks like a real one: a 3-D halo exchange with one slow rank and a solver."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np

from tests.native_records import record, stride
from tests.synthetic_runs import added, totals
from waywiser.model.pairs import Pairs
from waywiser.model.run import Machine, Mpi, Program, Run
from waywiser.model.summary import (
    Function,
    Matrix,
    RankSummary,
    Summary,
    SummaryMpi,
    Thread,
)
from waywiser.native import _native as native

HOSTILE = "</script><img src=x onerror=alert(1)>\u2028\"'`&{{7*7}}${1}"
"""Text that would do harm wherever it is not escaped."""

ITERATIONS = 200
STARTED = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)

HALO_BYTES = {1: 20_808, 2: 408, 3: 8}
"""Payload of one halo message by how many coordinates differ: face, edge, corner."""


@cache
def box(ranks: int) -> tuple[int, int, int]:
    """The most cubic (x, y, z) with x*y*z = `ranks`."""
    boxes = (
        (x, y, ranks // (x * y))
        for x in range(1, ranks + 1)
        if ranks % x == 0
        for y in range(1, ranks // x + 1)
        if (ranks // x) % y == 0
    )
    return min(boxes, key=lambda sides: (max(sides), sides))


@cache
def neighbours(rank: int, sides: tuple[int, int, int]) -> list[tuple[int, int]]:
    """(neighbour, payload bytes of one message), at most 26 of them."""
    here = np.unravel_index(rank, sides)
    pairs = []
    for step in itertools.product((-1, 0, 1), repeat=3):
        there = [int(a) + b for a, b in zip(here, step, strict=True)]
        distance = sum(map(abs, step))
        if distance and all(0 <= a < side for a, side in zip(there, sides, strict=True)):
            pairs.append((int(np.ravel_multi_index(there, sides)), HALO_BYTES[distance]))
    return pairs


def upper_bound(size: int) -> int:
    """The inclusive bound of the power-of-two bin that holds `size` bytes."""
    return size if size < 1 else 1 << (size - 1).bit_length()


def function(messages: dict[int, int], seconds: float, *, receives: bool = False) -> Function:
    """Totals of a function that was called `messages[size]` times with `size` bytes.

    A call's time is that of 2,000 B and its own payload at the same rate.
    """
    weight = sum(count * (2000 + size) for size, count in messages.items())
    calls = sum(messages.values())
    payload = sum(size * count for size, count in messages.items())
    bins: dict[int, list[float]] = {}
    for size, count in sorted(messages.items()):
        entry = bins.setdefault(upper_bound(size), [0, 0.0])
        entry[0] += count
        entry[1] += seconds * count * (2000 + size) / weight
    return Function(
        calls=calls,
        seconds=seconds,
        bytes=0 if receives else payload,
        receive_bytes=payload if receives else 0,
        sizes=tuple((bound, int(count), time) for bound, (count, time) in sorted(bins.items())),
    )


def rank_functions(sizes: dict[int, int], waiting: float) -> dict[str, Function]:
    """One rank's calls. `sizes`: its halo messages by size; `waiting`: its MPI time in s."""
    halo = {size: count * ITERATIONS for size, count in sizes.items()}
    messages = sum(halo.values())
    functions = {
        "MPI_Allreduce": function({8: 2 * ITERATIONS, 24: 1}, 0.58 * waiting),
        "MPI_Barrier": function({0: 4}, 0.02 * waiting),
        "MPI_Bcast": function({256: 3, 65_536: 1}, 0.01 * waiting),
        "MPI_Gather": function({48: 1}, 0.002 * waiting),
        "MPI_Comm_rank": function({0: 3}, 2e-7),
        "MPI_Comm_size": function({0: 3}, 2e-7),
    }
    if messages:
        functions |= {
            "MPI_Isend": function(halo, 0.05 * waiting),
            "MPI_Irecv": function(halo, 0.03 * waiting, receives=True),
            "MPI_Waitall": function({0: ITERATIONS}, 0.30 * waiting),
            "MPI_Sendrecv": function({1_048_576: 2}, 0.008 * waiting),
        }
    return functions


def one_rank(rank: int, ranks: int, pace: float, host: str, *, threads: int) -> RankSummary:
    """Rank `rank` of `ranks`, of which each thread computes for `pace` times the usual 1.2 s."""
    init, finalize, end = 0.031 + 0.0001 * (rank % 7), 0.004, 2.0
    computation = 1.2 * pace
    waiting = end - computation - init - finalize
    sizes: dict[int, int] = {}
    for _, size in neighbours(rank, box(ranks)):
        sizes[size] = sizes.get(size, 0) + 1
    functions = rank_functions(sizes, waiting)
    team = tuple(
        Thread(thread=number, mpi_seconds=waiting, functions=functions) for number in range(threads)
    )
    return RankSummary(
        rank=rank,
        host=host,
        cpus=str(rank % 32),
        wall_seconds=end,
        mpi_seconds=threads * waiting,
        init_seconds=init,
        finalize_seconds=finalize,
        cpu_seconds=1.31 if rank == 1 else 1.97,
        voluntary_switches=40 + rank % 11,
        involuntary_switches=612 if rank == 1 else 3 + rank % 5,
        peak_memory_bytes=180_000_000 + 1_000_003 * (rank % 13),
        mpi_threads=threads,
        functions={name: added([part] * threads) for name, part in functions.items()},
        threads=team if threads > 1 else (),
    )


def summary(
    ranks: int,
    *,
    host: str = "n",
    lost: tuple[str, ...] = (),
    missing: frozenset[int] = frozenset(),
    threads: Mapping[int, int] | None = None,
) -> Summary:
    """The profile of `ranks` ranks, of which the last one is the slowest.

    Args:
        host: start of the host names; 32 ranks share a host.
        lost: sentences; any makes the profile partial.
        missing: ranks of which nothing was kept.
        threads: by rank, how many of its threads call MPI at once; the others have one.
    """
    paces = 0.9 + 0.2 * np.random.default_rng(7).random(max(ranks, 1))
    paces[-1] = 1.42
    per_rank = [
        one_rank(
            rank,
            ranks,
            float(paces[rank]),
            f"{host}{rank // 32}",
            threads=(threads or {}).get(rank, 1),
        )
        for rank in range(ranks)
        if rank not in missing
    ]
    pairs = [
        (rank, neighbour, size)
        for rank in range(ranks)
        if rank not in missing
        for neighbour, size in neighbours(rank, box(ranks))
    ]
    by_number = {rank.rank: rank for rank in per_rank}

    def column(name: str) -> tuple[float, ...]:
        return tuple(float(getattr(by_number.get(rank), name, 0.0)) for rank in range(ranks))

    return Summary(
        waywiser="0.1.0",
        status="partial" if lost else "complete",
        mpi=SummaryMpi(library="Open MPI", version="5.0.11", abi="openmpi"),
        ranks=ranks,
        wall_seconds=max((rank.wall_seconds for rank in per_rank), default=0.0),
        mpi_seconds=column("mpi_seconds"),
        sync_seconds=column("sync_seconds"),
        init_seconds=column("init_seconds"),
        finalize_seconds=column("finalize_seconds"),
        functions=totals(per_rank),
        matrix=Matrix(
            bytes=Pairs((a, b, size * ITERATIONS) for a, b, size in pairs),
            messages=Pairs((a, b, ITERATIONS) for a, b, _ in pairs),
        ),
        per_rank=tuple(per_rank),
        lost=lost,
    )


def dense(ranks: int) -> Summary:
    """The profile of `ranks` ranks that all send to each other, in amounts without any order."""
    random = np.random.default_rng(3)
    source, destination = np.divmod(np.arange(ranks * ranks), ranks)
    apart = source != destination

    def pairs(most: int) -> Pairs:
        # Every power as often as any other, so that every colour is: nothing to compress.
        amounts = np.exp(random.uniform(0, np.log(most), apart.sum()))
        columns = (source[apart], destination[apart], amounts)
        return Pairs(np.stack(columns, axis=1).astype(np.uint64))

    matrix = Matrix(bytes=pairs(10**9), messages=pairs(10**5))
    return summary(ranks).replace(matrix=matrix)


def run(ranks: int, *, argument: str = "nx=100") -> Run:
    """The provenance of `summary(ranks)`."""
    program = "/home/ada/apps/ww-minife"
    return Run(
        waywiser="0.1.0",
        status="complete",
        command=("mpirun", "-n", str(ranks), program, argument, "verify=1"),
        directory="/home/ada/runs",
        user="ada",
        program=Program(
            path=program,
            arguments=(argument, "verify=1"),
            compiler="GCC: (Debian 12.2.0-14) 12.2.0",
            mpi_library="/opt/openmpi/lib/libmpi.so.40",
        ),
        mpi=Mpi(library="Open MPI", version="5.0.11", abi="openmpi", transport="ob1 / sm, tcp"),
        machine=Machine(
            host="n0",
            kernel="Linux 6.1.0-28-amd64",
            system="Debian GNU/Linux 12 (bookworm)",
            cpu="AMD EPYC 9334 32-Core Processor",
            sockets=1,
            cores=32,
            hardware_threads=64,
            smt="on",
            governor="performance",
            numa_nodes=4,
            memory_bytes=270_000_000_000,
        ),
        environment={"OMPI_MCA_pml": "ob1", "OMP_NUM_THREADS": "1"},
        started=STARTED,
        ended=STARTED + timedelta(seconds=3.2),
        exit_code=0,
    )


PARTNERS, FUNCTIONS = 64, 40
"""Partners and functions of each rank of a large job, as issue 3 has it."""


def large_profile(ranks: int) -> native.Profile:
    """The native profile of a job of `ranks` ranks with `PARTNERS` partners and `FUNCTIONS`
    functions each, in two phases, with two communicators and eight call sites."""
    names = {"abi": "openmpi", "library": "Open MPI v5.0.11, package: synthetic"}
    half = -(-ranks // 2)
    members = {"size": ranks, "members": [stride(0, 1, ranks)]}
    random = np.random.default_rng(11)
    return record(
        native.Profile,
        world_size=ranks,
        **names,
        communicators=[
            record(native.Communicator, name="MPI_COMM_WORLD", **members),
            record(native.Communicator, size=half, members=[stride(0, 2, half)]),
        ],
        call_sites=[
            record(native.CallSite, module="/opt/app/bin/solver", address=0x1000 + 16 * number)
            for number in range(8)
        ],
        ranks=[
            _large_rank(rank, ranks, random.integers(1, 1000, FUNCTIONS).tolist())
            for rank in range(ranks)
        ],
    )


def load(calls: int, ns: int, size: int = 0) -> native.Load:
    """`calls` of `size` bytes that took `ns` together."""
    longest = -(-ns // max(calls, 1))
    return record(native.Load, calls=calls, ns=ns, max_ns=longest, bytes=calls * size)


def function_profile(
    name: str, whole: native.Load, sizes: Mapping[int, tuple[int, int]], phase: int = 1
) -> native.FunctionProfile:
    """A record of a function. `sizes`: upper bound of a bin in bytes -> calls, ns."""
    bins = [
        record(native.SizeCount, upper_bound_bytes=bound, calls=calls, ns=ns)
        for bound, (calls, ns) in sizes.items()
    ]
    return record(native.FunctionProfile, name=name, phase=phase, load=whole, sizes=bins)


def _large_rank(rank: int, ranks: int, microseconds: list[int]) -> native.RankProfile:
    wall_ns = 10**11
    functions = [_large_function(number, 10**6 * time) for number, time in enumerate(microseconds)]
    reach = range(-PARTNERS // 2, PARTNERS // 2 + 1)
    partners = sorted({(rank + step) % ranks for step in reach} - {rank})
    sent = {partner: 1 + (rank + partner) % 50 for partner in partners}
    return record(
        native.RankProfile,
        rank=rank,
        pid=1000 + rank,
        ending=native.Ending.finalised,
        host=f"node{rank // 64:04}",
        cpus=str(rank % 64),
        wall_ns=wall_ns,
        init_ns=10**9,
        finalize_ns=10**8,
        cpu_ns=99 * 10**9,
        voluntary_switches=100,
        involuntary_switches=7,
        peak_memory_bytes=10**9 + 4096 * (rank % 977),
        threads=[record(native.ThreadProfile, ns=wall_ns, functions=functions)],
        messages=[
            record(native.Message, destination=partner, bytes=8192 * count, messages=count)
            for partner, count in sent.items()
        ],
        phases=[
            record(native.PhaseProfile, phase=number, entries=number, ns=wall_ns // 2)
            for number in (1, 2)
        ],
        collectives=[
            record(
                native.CollectiveProfile,
                communicator=number,
                function="MPI_Bcast",
                root=number,
                load=load(100, 10**8 + rank, 8),
            )
            for number in range(1 + (rank % 2 == 0))
        ],
        call_sites=[
            record(
                native.CallSiteProfile,
                site=number,
                function="MPI_Send",
                load=load(10, 10**6 + rank, 8192),
            )
            for number in range(8)
        ],
    )


LARGE_NAMES = (
    *("Send", "Recv", "Isend", "Irecv", "Wait", "Waitall", "Waitany", "Test", "Testall", "Iprobe"),
    *("Sendrecv", "Bcast", "Reduce", "Allreduce", "Barrier", "Gather", "Gatherv", "Scatter"),
    *("Scatterv", "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Scan", "Exscan"),
    *("Reduce_scatter", "Comm_rank", "Comm_size", "Comm_split", "Comm_dup", "Comm_free"),
    *("Type_commit", "Type_free", "Put", "Get", "Win_fence", "File_open", "File_write_at_all"),
    *("File_read_at_all", "File_close"),
)


def _large_function(number: int, ns: int) -> native.FunctionProfile:
    sizes = {8: (10, ns // 4), 8192: (5, ns // 4), 1 << 20: (1, ns - 2 * (ns // 4))}
    name = f"MPI_{LARGE_NAMES[number]}"
    return function_profile(name, load(16, ns, 4096), sizes, 1 + number % 2)
