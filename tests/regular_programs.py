"""Regular programs at any number of ranks: their calls, written down from what each program does.

Each is a function of the number of ranks and a rank, which yields the calls: function, what it
computes before [ns], and parameters. Nothing here knows how programs are extrapolated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from tests.made_traces import ANY, NOBODY, MadeTrace

Call = tuple[str, int, dict[str, Any]]
Program = Callable[[int, int], Iterator[Call]]

CALL_NS = 100
"""Every call takes so long in the trace."""


def write(program: Program, ranks: int, path: Path) -> str:
    trace = MadeTrace(ranks)
    for rank in range(ranks):
        now = 0
        for function, compute_ns, parameters in program(ranks, rank):
            now += compute_ns
            trace.call(rank, function, now, now + CALL_NS, **parameters)
            now += CALL_NS
    return trace.write(path)


def ring(ranks: int, rank: int) -> Iterator[Call]:
    """What each computes is shared among all."""
    yield "Init", 0, {}
    for _ in range(5):
        yield (
            "Irecv",
            6_400_000 // ranks,
            {"source": (rank - 1) % ranks, "source_tag": 3, "request": 0, "posted": 800},
        )
        yield "Isend", 0, {"peer": (rank + 1) % ranks, "tag": 3, "request": 1, "bytes": 800}
        yield "Waitall", 1000, {"requests": [0, 1], "completed": [0, 1]}
        yield "Allreduce", 500, {"bytes": 8, "posted": 8}
    yield "Finalize", 0, {}


def transposition(ranks: int, rank: int) -> Iterator[Call]:
    """A grid of a fixed size, cut along one axis and then along the other, forth and back."""
    yield "Init", 0, {}
    for _ in range(4):
        for compute_ns in (6_400_000, 3_200_000):
            part = (1 << 24) // ranks**2
            sizes = {"bytes": ranks * part, "posted": ranks * part, "counts": [part] * ranks}
            yield "Alltoallv", compute_ns // ranks, sizes
    yield "Finalize", 0, {}


def line(ranks: int, rank: int) -> Iterator[Call]:
    """Neighbours on a line; the first and the last rank have one and make fewer calls. Rank 0 ends
    by telling all."""
    yield "Init", 0, {}
    for _ in range(3):
        if rank > 0:
            yield (
                "Sendrecv",
                2000,
                {
                    "peer": rank - 1,
                    "tag": 1,
                    "bytes": 64,
                    "source": rank - 1,
                    "source_tag": 2,
                    "posted": 64,
                },
            )
        if rank < ranks - 1:
            yield (
                "Sendrecv",
                2000,
                {
                    "peer": rank + 1,
                    "tag": 2,
                    "bytes": 64,
                    "source": rank + 1,
                    "source_tag": 1,
                    "posted": 64,
                },
            )
    yield (
        "Bcast",
        100,
        {"peer": 0, "bytes": 4096 if rank == 0 else 0, "posted": 0 if rank == 0 else 4096},
    )
    yield "Finalize", 0, {}


def pairs(ranks: int, rank: int) -> Iterator[Call]:
    """Even ranks send to the next one, odd ones answer whoever it was."""
    yield "Init", 0, {}
    for _ in range(4):
        if rank % 2 == 0:
            yield "Send", 700, {"peer": rank + 1, "tag": 9, "bytes": 640_000 // ranks}
            yield "Recv", 0, {"source": rank + 1, "source_tag": 9, "posted": 16}
        else:
            yield (
                "Recv",
                300,
                {
                    "source": ANY,
                    "source_tag": ANY,
                    "posted": 640_000 // ranks,
                    "matched_source": rank - 1,
                    "matched_tag": 9,
                },
            )
            yield "Send", 50, {"peer": rank - 1, "tag": 9, "bytes": 16}
    yield "Finalize", 0, {}


def butterfly(ranks: int, rank: int) -> Iterator[Call]:
    """An allreduce of halves and doubles, in log2(ranks) rounds, within iterations."""
    rounds = ranks.bit_length() - 1
    yield "Init", 0, {}
    for _ in range(3):
        for i in range(rounds):
            size = 1 << (20 - i - 1)
            peer = rank ^ (ranks >> (i + 1))
            yield (
                "Sendrecv",
                4000,
                {
                    "peer": peer,
                    "tag": i,
                    "bytes": size,
                    "source": peer,
                    "source_tag": i,
                    "posted": size,
                    "site": 1,
                },
            )
        for i in range(rounds):
            size = (1 << 20) // ranks << i
            peer = rank ^ (1 << i)
            yield (
                "Sendrecv",
                10 if i else 4000,
                {
                    "peer": peer,
                    "tag": 77,
                    "bytes": size,
                    "source": peer,
                    "source_tag": 77,
                    "posted": size,
                    "site": 2,
                },
            )
        yield "Barrier", 250, {}
    yield "Finalize", 0, {}


def dissemination(ranks: int, rank: int) -> Iterator[Call]:
    yield "Init", 0, {}
    for i in range(ranks.bit_length() - 1):
        to, source = (rank + (1 << i)) % ranks, (rank - (1 << i)) % ranks
        yield (
            "Sendrecv",
            600,
            {"peer": to, "tag": 5, "bytes": 1, "source": source, "source_tag": 5, "posted": 1},
        )
    yield "Reduce", 0, {"peer": ranks - 1, "bytes": 8, "posted": 8 if rank == ranks - 1 else 0}
    yield "Finalize", 0, {}


def sizes_of_grid(ranks: int, dimensions: int) -> list[int]:
    """As MPI_Dims_create has it for powers of two: the largest first."""
    power = ranks.bit_length() - 1
    return [1 << (power + dimensions - 1 - i) // dimensions for i in range(dimensions)]


def halo(dimensions: int, periodic: bool, skips: bool = False, strong: bool = False) -> Program:
    """A halo exchange on a Cartesian grid, ranks numbered along its last dimension first.

    Args:
        skips: without a neighbour there are no calls; else they name MPI_PROC_NULL.
        strong: of a grid of points that is the same for any number of ranks; else of a part of the
            same size on each rank.
    """
    points = 2**10

    def program(ranks: int, rank: int) -> Iterator[Call]:
        sizes = sizes_of_grid(ranks, dimensions)
        at, rest = [0] * dimensions, rank
        for i in reversed(range(dimensions)):
            at[i], rest = rest % sizes[i], rest // sizes[i]
        own = [points // size if strong else 32 for size in sizes]
        neighbours = []
        for i, step in product(range(dimensions), (-1, 1)):
            there = list(at)
            there[i] += step
            if periodic:
                there[i] %= sizes[i]
            inside = 0 <= there[i] < sizes[i]
            peer = 0
            for size, place in zip(sizes, there, strict=True):
                peer = peer * size + place
            if inside or not skips:
                face = 8 * prod(own) // own[i] if inside else 0  # as a profiler has it
                neighbours.append((peer if inside else NOBODY, 2 * i + (step > 0), face))
        requests = 2 * len(neighbours)
        yield "Init", 0, {}
        for _ in range(4):
            for number, (peer, direction, face) in enumerate(neighbours):
                yield (
                    "Irecv",
                    0,
                    {
                        "source": peer,
                        "source_tag": direction ^ 1,
                        "request": number,
                        "posted": face,
                    },
                )
            for number, (peer, direction, face) in enumerate(neighbours):
                yield (
                    "Isend",
                    20,
                    {
                        "peer": peer,
                        "tag": direction,
                        "request": number + len(neighbours),
                        "bytes": face,
                    },
                )
            yield (
                "Waitall",
                50_000,
                {"requests": list(range(requests)), "completed": list(range(requests))},
            )
        yield "Finalize", 0, {}

    return program
