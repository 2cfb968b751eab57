"""Collectives in a replay, against the closed form of each algorithm."""

from __future__ import annotations

from math import ceil, log2
from pathlib import Path
from typing import Any

import pytest

from tests.replayed import G_GAP, O_, O_BYTE, G, L, Program, machine, one_way, step
from waywiser.native.simulate import Prediction


def collective(ranks: int, folder: Path, function: str, **parameters: Any) -> Prediction:
    """One call by all ranks at once; `algorithm` is the collective's and its name."""
    settings = machine()
    if "algorithm" in parameters:
        settings.collectives = dict([parameters.pop("algorithm")])
    program = Program(ranks)
    for rank in range(ranks):
        program.call(rank, function, **parameters)
    found = program.replay(folder, settings)
    assert found.remarks == []
    return found


RANKS = [2, 3, 4, 5, 7, 8, 13, 16]


@pytest.mark.parametrize("ranks", RANKS)
def test_dissemination_barrier(tmp_path: Path, ranks: int) -> None:
    """ceil(log2 p) rounds of an empty exchange."""
    found = collective(ranks, tmp_path, "Barrier")

    assert found.makespan_ns == ceil(log2(ranks)) * step(0)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("size", [0, 64, 40_000])
def test_binomial_broadcast(tmp_path: Path, ranks: int, size: int) -> None:
    """In round k each of the 2^k ranks that have the data sends it to one that has not. A message
    leaves o after the begin of its send, or once the card is free of the one before."""
    found = collective(ranks, tmp_path, "Bcast", peer=0, bytes=size)
    busy = O_ + O_BYTE * size
    ready, card = [0.0] * ranks, [0.0] * ranks

    reach = 1
    while reach < ranks:
        for place in range(min(reach, ranks - reach)):
            leaves = max(ready[place] + O_, card[place])
            card[place] = leaves + G_GAP + G * size
            ready[place + reach] = leaves + G * size + L + O_
            ready[place] += busy
        reach *= 2
    assert found.makespan_ns == pytest.approx(max(ready), rel=1e-12)
    if size == 0 and ranks & (ranks - 1) == 0:
        assert found.makespan_ns == log2(ranks) * one_way(0)


@pytest.mark.parametrize("ranks", RANKS)
def test_recursive_doubling_allreduce(tmp_path: Path, ranks: int) -> None:
    """With powers of two log2 p exchanges. Else the first ranks give their data to the next one,
    and get the result from it: round by round, a rank is ready when it has sent and received, and
    no earlier than a message takes from its partner's begin of the round."""
    size = 64
    busy = O_ + O_BYTE * size
    power = 1 << (ranks.bit_length() - 1)
    extra = ranks - power
    found = collective(
        ranks, tmp_path, "Allreduce", bytes=size, algorithm=("allreduce", "recursive doubling")
    )

    ready = [one_way(size) if number < extra else 0.0 for number in range(power)]
    for bit in range(int(log2(power))):
        ready = [
            max(ready[n] + 2 * busy, ready[n ^ (1 << bit)] + one_way(size)) for n in range(power)
        ]
    ends = [*ready, *(at + one_way(size) for at in ready[:extra])]
    assert found.makespan_ns == max(ends)
    if extra == 0:
        assert found.makespan_ns == log2(ranks) * one_way(size)


@pytest.mark.parametrize("ranks", [2, 4, 8, 16, 32])
def test_rabenseifner_allreduce(tmp_path: Path, ranks: int) -> None:
    """Halves, quarters, ... and back again: 2 log2 p exchanges, of s (1 - 1 / p) bytes twice."""
    size = 1 << 16
    found = collective(
        ranks, tmp_path, "Allreduce", bytes=size, algorithm=("allreduce", "Rabenseifner")
    )
    parts = [size >> i for i in range(1, int(log2(ranks)) + 1)]

    assert found.makespan_ns == 2 * sum(step(part) for part in parts)


@pytest.mark.parametrize("ranks", RANKS)
def test_ring_allgather(tmp_path: Path, ranks: int) -> None:
    """p - 1 exchanges with the neighbours."""
    found = collective(ranks, tmp_path, "Allgather", bytes=256)

    assert found.makespan_ns == (ranks - 1) * step(256)


@pytest.mark.parametrize("ranks", RANKS)
def test_pairwise_alltoall(tmp_path: Path, ranks: int) -> None:
    """p - 1 exchanges, each with another rank."""
    found = collective(ranks, tmp_path, "Alltoall", bytes=256 * ranks)

    assert found.makespan_ns == (ranks - 1) * step(256)
    assert found.bytes == ranks * (ranks - 1) * 256


@pytest.mark.parametrize("ranks", RANKS)
def test_linear_alltoall(tmp_path: Path, ranks: int) -> None:
    """All receives and sends posted, one wait. The i-th message leaves once the card is free again,
    and all ranks get their i-th at the same time: with messages that the card takes longer for than
    the processor, the last one decides."""
    size = 8192
    program = Program(ranks)
    for rank in range(ranks):
        others = [(rank + i) % ranks for i in range(1, ranks)]
        for i in range(1, ranks):
            source = (rank - i) % ranks
            program.call(rank, "Irecv", source=source, source_tag=0, posted=size, request=i)
        for i, peer in enumerate(others, start=1):
            program.call(rank, "Isend", peer=peer, tag=0, bytes=size, request=ranks + i)
        requests = [*range(1, ranks), *range(ranks + 1, 2 * ranks)]
        completed = list(range(len(requests)))
        program.call(rank, "Waitall", requests=requests, completed=completed)

    found = program.replay(tmp_path, machine())

    each = G_GAP + G * size
    assert each > 2 * (O_ + O_BYTE * size)
    assert found.makespan_ns == (ranks - 2) * each + one_way(size)
