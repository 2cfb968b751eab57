"""Collectives as traffic between pairs of ranks: what programs did, against closed forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build
from waywiser.native._native import Profile, decompose, decompose_in_blocks, read_profile

pytestmark = pytest.mark.in_turn

INT = 4
Pair = tuple[int, int]

# What recursive doubling sends, after the ranks beyond a power of two have been folded in.
DOUBLING = {
    2: [(0, 1), (1, 0)],
    3: [(0, 1), (1, 2), (2, 1), (1, 0)],
    5: [
        *[(0, 1), (1, 2), (2, 1), (3, 4), (4, 3)],
        *[(1, 3), (3, 1), (2, 4), (4, 2), (1, 0)],
    ],
}


class Traffic:
    """Bytes and messages by pair of world ranks."""

    def __init__(self) -> None:
        self.bytes: Counter[Pair] = Counter()
        self.messages: Counter[Pair] = Counter()

    def add(self, source: int, destination: int, size: int, times: int = 1) -> None:
        self.bytes[source, destination] += times * size
        self.messages[source, destination] += times


def found_in(profile: Profile) -> Traffic:
    pairs = decompose(profile)
    assert pairs.complete
    assert pairs.remarks == []
    traffic = Traffic()
    columns = (pairs.source, pairs.destination, pairs.bytes, pairs.messages)
    for source, destination, size, messages in zip(*(c.tolist() for c in columns), strict=True):
        traffic.bytes[source, destination] += size
        traffic.messages[source, destination] += messages
    return traffic


def profile_of(
    waywiser: Waywiser, mpi: MpiLibrary, ranks: int, program: Path, *arguments: str
) -> Profile:
    waywiser.profiles(mpi.command(ranks, program, *arguments))
    profile = read_profile(str(waywiser.directory / "run" / "profile.ww"))
    assert profile.lost == []
    assert all(rank.unrecorded_calls == 0 for rank in profile.ranks)
    return profile


def _enter_all(traffic: Traffic, members: list[int]) -> None:
    """The calls of collective_matrix.c on a communicator, each made four times."""
    p = len(members)
    last = p - 1

    def enter(pairs: list[Pair], ints: Callable[[int, int], int], empty: int = 1) -> None:
        for source, destination in pairs:
            size = INT * ints(source, destination)
            if size > 0 or empty:
                traffic.add(members[source], members[destination], size, times=4)

    everyone = [(i, j) for i in range(p) for j in range(p) if i != j]
    star = {root: [(root, i) for i in range(p) if i != root] for root in (0, last)}
    enter(star[last], lambda s, d: 3)  # Bcast
    enter([(i, 0) for i in range(1, p)], lambda s, d: 2)  # Gather
    enter([(i, last) for i in range(last)], lambda s, d: s + 1)  # Gatherv
    enter(star[last], lambda s, d: 4)  # Scatter
    enter(star[0], lambda s, d: d + 1)  # Scatterv
    enter(everyone, lambda s, d: 5)  # Allgather
    enter(everyone, lambda s, d: s + 1)  # Allgatherv
    enter(everyone, lambda s, d: 6)  # Alltoall
    for _ in range(2):  # Alltoallv, Alltoallw
        enter(everyone, lambda s, d: s + 2 * d + 1)
    enter([(i, 0) for i in range(1, p)], lambda s, d: 7)  # Reduce
    enter(DOUBLING[p], lambda s, d: 8)  # Allreduce
    enter(everyone, lambda s, d: d + 1)  # Reduce_scatter
    enter(everyone, lambda s, d: 9)  # Reduce_scatter_block
    enter([(i, i + 1) for i in range(last)], lambda s, d: 10)  # Scan
    enter([(i, i + 1) for i in range(last)], lambda s, d: 11)  # Exscan
    reaches = [reach for reach in (1, 2, 4) if reach < p]
    enter([(i, (i + reach) % p) for reach in reaches for i in range(p)], lambda s, d: 0)  # Barrier


def test_every_collective_has_its_pattern(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    profile = profile_of(waywiser, mpi, 5, build(mpi, "collective_matrix.c"))

    expected = Traffic()
    for members in ([0, 1, 2, 3, 4], [1, 0], [4, 3, 2], [0, 2, 4], [1, 3]):
        _enter_all(expected, members)
    counted = found_in(profile)
    assert counted.bytes == expected.bytes
    assert counted.messages == expected.messages

    for blocks in (1, 2, 3, 5, 8):
        n = min(blocks, 5)
        matrix = decompose_in_blocks(profile, blocks)
        sums = np.zeros((2, n, n), dtype=np.uint64)
        for (source, destination), size in expected.bytes.items():
            sums[0, source * n // 5, destination * n // 5] += np.uint64(size)
            sums[1, source * n // 5, destination * n // 5] += np.uint64(
                expected.messages[source, destination]
            )
        assert matrix.blocks == n
        assert np.array_equal(matrix.bytes.reshape(n, n), sums[0])
        assert np.array_equal(matrix.messages.reshape(n, n), sums[1])


def test_named_destinations_are_exact(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    # Open MPI 5.0 cannot start a persistent collective whose communicator was freed.
    early = ("early",) if mpi.name == "mpich" else ()
    program = build(mpi, "named_destinations.c", "-Wno-stringop-overread")
    profile = profile_of(waywiser, mpi, 4, program, *early)

    expected = Traffic()
    line: list[list[int | None]] = [[None, 1], [0, 2], [1, 3], [2, None]]
    graph: list[list[int | None]] = [[1], [0, 2], [1], []]
    to_last: list[list[int | None]] = [[3], [3], [3], []]
    for topology in (line, graph, to_last):
        for rank, neighbours in enumerate(topology):
            for i, neighbour in enumerate(neighbours):
                if neighbour is not None:
                    expected.add(rank, neighbour, INT * (10 * rank + i + 1), times=2)
    for own in range(4):
        for i in range(4):
            if i != own:
                expected.add(3 - own, 3 - i, INT * (100 + 10 * own + i))  # Alltoallv
                if own == 1:
                    expected.add(3 - own, 3 - i, INT * (100 + 10 * own + i))  # Scatterv
    counted = found_in(profile)
    assert counted.bytes == expected.bytes
    assert counted.messages == expected.messages
