"""Regular programs at any number of ranks: their calls, written down from what each program does.

Each is a function of the number of ranks and a rank, which yields the calls: function, what it
computes before [ns], and parameters. Nothing here knows how programs are extrapolated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from tests.job import ANY, NOBODY, Job
from tests.synthetic_jobs import PlannedCall, call, plan

Program = Callable[[int, int], Iterator[PlannedCall]]

Communicator = Callable[[int], Sequence[Sequence[int]]]
"""The groups of ranks that make it, by the number of ranks."""


@dataclass(frozen=True)
class Grouped:
    """A program whose object i + 1 is the group of the rank in the communicator i."""

    program: Program
    groups: Callable[[int], Sequence[Sequence[Sequence[int]]]]
    """Groups of ranks that share each communicator beside the world's, by the number of ranks."""

    per_node: int = 0
    """Ranks of a node; 0: all ranks."""

    def __call__(self, ranks: int, rank: int) -> Iterator[PlannedCall]:
        return self.program(ranks, rank)


def job(program: Program, ranks: int, hosts: Sequence[str] | None = None) -> Job:
    grouped = program if isinstance(program, Grouped) else None
    if grouped and grouped.per_node:
        hosts = [f"node{rank // grouped.per_node}" for rank in range(ranks)]
    planned = Job(ranks, hosts=hosts)
    for communicator in grouped.groups(ranks) if grouped else ():
        for group in communicator:
            planned.communicator(group)
    for rank in range(ranks):
        plan(planned, rank, program(ranks, rank))
    return planned


def swap(peer: int, size: int, tag: int, its: int, gap_ns: int, **more: int) -> PlannedCall:
    """A message to a rank, with `tag`, and one of the same size from it, with the tag `its`."""
    there = {"peer": peer, "tag": tag, "bytes": size}
    return call("Sendrecv", gap_ns, **there, source=peer, source_tag=its, posted=size, **more)


def ring(ranks: int, rank: int) -> Iterator[PlannedCall]:
    """A ring whose total computation is divided among all ranks."""
    yield call("Init")
    for _ in range(5):
        before = (rank - 1) % ranks
        yield call("Irecv", 6_400_000 // ranks, source=before, source_tag=3, request=0, posted=800)
        yield call("Isend", peer=(rank + 1) % ranks, tag=3, request=1, bytes=800)
        yield call("Waitall", 1000, requests=[0, 1], completed=[0, 1])
        yield call("Allreduce", 500, bytes=8, posted=8)
    yield call("Finalize")


def transposition(ranks: int, rank: int) -> Iterator[PlannedCall]:
    """A grid of a fixed size, cut along one axis and then along the other, forth and back."""
    yield call("Init")
    for _ in range(4):
        for compute_ns in (6_400_000, 3_200_000):
            part = (1 << 24) // ranks**2
            sizes = {"bytes": ranks * part, "posted": ranks * part, "counts": [part] * ranks}
            yield call("Alltoallv", compute_ns // ranks, **sizes)
    yield call("Finalize")


def line(ranks: int, rank: int) -> Iterator[PlannedCall]:
    """Neighbours on a line; the first and the last rank have one and make fewer calls. Rank 0 ends
    by telling all."""
    yield call("Init")
    for _ in range(3):
        if rank > 0:
            yield swap(rank - 1, 64, 1, 2, 2000)
        if rank < ranks - 1:
            yield swap(rank + 1, 64, 2, 1, 2000)
    sent = 4096 * (rank == 0)
    yield call("Bcast", 100, peer=0, bytes=sent, posted=4096 - sent)
    yield call("Finalize")


def pairs(ranks: int, rank: int) -> Iterator[PlannedCall]:
    """Even ranks send to the next rank, and odd ranks answer the sender."""
    yield call("Init")
    for _ in range(4):
        if rank % 2 == 0:
            yield call("Send", 700, peer=rank + 1, tag=9, bytes=640_000 // ranks)
            yield call("Recv", source=rank + 1, source_tag=9, posted=16)
        else:
            outcome = {"matched_source": rank - 1, "matched_tag": 9}
            size = 640_000 // ranks
            yield call("Recv", 300, source=ANY, source_tag=ANY, posted=size, **outcome)
            yield call("Send", 50, peer=rank - 1, tag=9, bytes=16)
    yield call("Finalize")


def butterfly(ranks: int, rank: int) -> Iterator[PlannedCall]:
    """An allreduce of halves and doubles, in log2(ranks) rounds, within iterations."""
    rounds = ranks.bit_length() - 1
    yield call("Init")
    for _ in range(3):
        for i in range(rounds):
            size = 1 << (20 - i - 1)
            peer = rank ^ (ranks >> (i + 1))
            yield swap(peer, size, i, i, 4000, site=1)
        for i in range(rounds):
            size = (1 << 20) // ranks << i
            peer = rank ^ (1 << i)
            yield swap(peer, size, 77, 77, 10 if i else 4000, site=2)
        yield call("Barrier", 250)
    yield call("Finalize")


def dissemination(ranks: int, rank: int) -> Iterator[PlannedCall]:
    yield call("Init")
    for i in range(ranks.bit_length() - 1):
        to, source = (rank + (1 << i)) % ranks, (rank - (1 << i)) % ranks
        yield call("Sendrecv", 600, peer=to, tag=5, bytes=1, source=source, source_tag=5, posted=1)
    yield call("Reduce", peer=ranks - 1, bytes=8, posted=8 if rank == ranks - 1 else 0)
    yield call("Finalize")


def sizes_of_grid(ranks: int, dimensions: int) -> list[int]:
    """Sizes of a grid by MPI_Dims_create for powers of two: the largest first."""
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

    def program(ranks: int, rank: int) -> Iterator[PlannedCall]:
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
        requests = list(range(2 * len(neighbours)))
        yield call("Init")
        for _ in range(4):
            for number, (peer, direction, face) in enumerate(neighbours):
                to_me = direction ^ 1
                yield call("Irecv", source=peer, source_tag=to_me, request=number, posted=face)
            for number, (peer, direction, face) in enumerate(neighbours, len(neighbours)):
                yield call("Isend", 20, peer=peer, tag=direction, request=number, bytes=face)
            yield call("Waitall", 50_000, requests=requests, completed=requests)
        yield call("Finalize")

    return program


def blocks_of(size: int) -> Communicator:
    return lambda ranks: [range(first, first + size) for first in range(0, ranks, size)]


def every(step: int) -> Communicator:
    return lambda ranks: [range(first, ranks, step) for first in range(step)]


def along(*kept: int, dimensions: int) -> Communicator:
    """The groups of ranks of a grid that differ in their places along these dimensions only."""

    def groups(ranks: int) -> list[list[int]]:
        sizes = sizes_of_grid(ranks, dimensions)
        by_place: dict[tuple[int, ...], list[int]] = {}
        for rank, place in enumerate(product(*map(range, sizes))):
            others = tuple(at for i, at in enumerate(place) if i not in kept)
            by_place.setdefault(others, []).append(rank)
        return list(by_place.values())

    return groups


def in_groups(*communicators: Communicator, maker: str = "Comm_split") -> Grouped:
    """Collectives and messages in communicators, which their ranks make one after the other."""

    def groups(ranks: int) -> list[Sequence[Sequence[int]]]:
        return [of(ranks) for of in communicators]

    def program(ranks: int, rank: int) -> Iterator[PlannedCall]:
        yield call("Init")
        own = [members for of in groups(ranks) for members in of if rank in members]
        for number in range(1, len(own) + 1):
            yield call(maker, created=number)
        for _ in range(3):
            for number, group in enumerate(own, 1):
                place, size = group.index(rank), len(group)
                over = {"object": number}
                yield call("Allreduce", 3000, bytes=8, posted=8, **over)
                all_parts = (1 << 20) // ranks
                yield call("Alltoall", 64_000 // ranks, bytes=all_parts, posted=all_parts, **over)
                part = (1 << 20) // ranks // size
                others = [part * (i != place) for i in range(size)]
                sizes = {"bytes": sum(others), "posted": sum(others)}
                yield call("Alltoallv", 640_000 // ranks, counts=others, **sizes, **over)
                yield call("Allgather", bytes=16, posted=16 * size, **over)
                sent = 64 * (place == 0)
                yield call("Bcast", peer=0, bytes=sent, posted=64 - sent, **over)
                posted = 16 * size * (place == size - 1)
                yield call("Gather", peer=size - 1, bytes=16, posted=posted, **over)
                there = place + 1 if place + 1 < size else NOBODY
                back = place - 1 if place > 0 else NOBODY
                sent, received = 800 * (there != NOBODY), 800 * (back != NOBODY)
                to = {"peer": there, "tag": 4, "bytes": sent}
                yield call("Sendrecv", **to, source=back, source_tag=4, posted=received, **over)
        yield call("Finalize")

    return Grouped(program, groups)


def on_nodes(per_node: int, *calls: PlannedCall, others: Sequence[Communicator] = ()) -> Grouped:
    """Calls in the communicators of the nodes, and in others that they make.

    Args:
        per_node: ranks of a node; 0: all ranks.
    """

    def program(ranks: int, rank: int) -> Iterator[PlannedCall]:
        yield call("Init")
        yield call("Comm_split_type", created=1)
        yield from calls
        yield call("Finalize")

    def groups(ranks: int) -> list[Sequence[Sequence[int]]]:
        return [blocks_of(per_node or ranks)(ranks), *(of(ranks) for of in others)]

    return Grouped(program, groups, per_node)


def hierarchy(per_node: int) -> Grouped:
    """A sum over the nodes' ranks, over all nodes, and back: communicators of the nodes, and of the
    ranks that have the same place on their nodes."""

    def groups(ranks: int) -> list[Sequence[Sequence[int]]]:
        return [blocks_of(per_node or ranks)(ranks), every(per_node or ranks)(ranks)]

    def program(ranks: int, rank: int) -> Iterator[PlannedCall]:
        yield call("Init")
        yield call("Comm_split_type", created=1)
        yield call("Comm_split", created=2)
        for _ in range(3):
            yield call("Allreduce", 5000, bytes=64, posted=64, object=1)
            yield call("Allreduce", 100, bytes=8, posted=8, object=2)
            yield call("Bcast", peer=0, bytes=64, posted=64, object=1)
        yield call("Finalize")

    return Grouped(program, groups, per_node)
