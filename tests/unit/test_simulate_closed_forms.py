"""Collectives in a replay, against the closed form of each algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from pathlib import Path
from typing import Any

import pytest

from tests.replayed import G_GAP, O_, O_BYTE, G, L, Program, machine, one_way, step
from waywiser.native.simulate import Prediction


def collective(ranks: int, directory: Path, function: str, **parameters: Any) -> Prediction:
    """One call by all ranks at once; `algorithm` is the collective's and its name."""
    settings = machine()
    if "algorithm" in parameters:
        settings.collectives = dict([parameters.pop("algorithm")])
    program = Program(ranks)
    for rank in range(ranks):
        program.call(rank, function, **parameters)
    found = program.replay(directory, settings)
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
    leaves o after the begin of its send, or once the NIC is free of the one before."""
    found = collective(ranks, tmp_path, "Bcast", peer=0, bytes=size)
    busy = O_ + O_BYTE * size
    ready, nic = [0.0] * ranks, [0.0] * ranks

    reach = 1
    while reach < ranks:
        for place in range(min(reach, ranks - reach)):
            leaves = max(ready[place] + O_, nic[place])
            nic[place] = leaves + G_GAP + G * size
            ready[place + reach] = leaves + G * size + L + O_
            ready[place] += busy
        reach *= 2
    assert found.makespan_ns == pytest.approx(max(ready), rel=1e-12)
    if size == 0 and ranks & (ranks - 1) == 0:
        assert found.makespan_ns == log2(ranks) * one_way(0)


def folded(ranks: int, size: float, rounds: Sequence[float]) -> float:
    """The end of exchanges between 2^k ranks, each of so many bytes. Where there are more ranks,
    the first of them give their data to the next one before, and get the result from it.

    In an exchange a rank is done when it has sent and received, and no earlier than a message takes
    from its partner's begin.
    """
    power = 1 << (ranks.bit_length() - 1)
    extra = ranks - power
    ready = [one_way(size) if number < extra else 0.0 for number in range(power)]
    for i, part in enumerate(rounds):
        bit = 1 << (i if i < log2(power) else 2 * int(log2(power)) - 1 - i)
        busy = O_ + O_BYTE * part
        ready = [max(ready[n] + 2 * busy, ready[n ^ bit] + one_way(part)) for n in range(power)]
    return max([*ready, *(at + one_way(size) for at in ready[:extra])])


@pytest.mark.parametrize("ranks", RANKS)
def test_recursive_doubling_allreduce(tmp_path: Path, ranks: int) -> None:
    """log2 p exchanges of everything."""
    size = 64
    found = collective(
        ranks, tmp_path, "Allreduce", bytes=size, algorithm=("allreduce", "recursive doubling")
    )

    assert found.makespan_ns == folded(ranks, size, [size] * int(log2(ranks)))
    if ranks & (ranks - 1) == 0:
        assert found.makespan_ns == log2(ranks) * one_way(size)


@pytest.mark.parametrize("ranks", [*RANKS, 32])
def test_rabenseifner_allreduce(tmp_path: Path, ranks: int) -> None:
    """Halves, quarters, ... and back again: 2 log2 p exchanges, of s (1 - 1 / p) bytes twice."""
    size = 1 << 16
    found = collective(
        ranks, tmp_path, "Allreduce", bytes=size, algorithm=("allreduce", "Rabenseifner")
    )

    halves = [size >> i for i in range(1, int(log2(ranks)) + 1)]
    assert found.makespan_ns == folded(ranks, size, [*halves, *reversed(halves)])
    if ranks & (ranks - 1) == 0:
        assert found.makespan_ns == 2 * sum(step(part) for part in halves)


@pytest.mark.parametrize("ranks", RANKS)
def test_ring_allreduce(tmp_path: Path, ranks: int) -> None:
    """A turn that reduces and one that hands the result round: 2 (p - 1) exchanges of s / p bytes
    with the neighbours."""
    part = 1024
    found = collective(
        ranks, tmp_path, "Allreduce", bytes=ranks * part, algorithm=("allreduce", "ring")
    )

    assert found.makespan_ns == 2 * (ranks - 1) * step(part)
    assert found.bytes == 2 * (ranks - 1) * ranks * part


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
@pytest.mark.parametrize("by_hand", [False, True])
def test_linear_alltoall(tmp_path: Path, ranks: int, by_hand: bool) -> None:
    """All receives and sends posted, one wait. The i-th message leaves once the NIC is free again,
    and all ranks get their i-th at the same time: with messages that the NIC takes longer for than
    the processor, the last one decides."""
    size = 8192
    program = Program(ranks)
    for rank in range(ranks):
        if not by_hand:
            program.call(rank, "Alltoall", bytes=ranks * size, posted=ranks * size)
            continue
        for i in range(1, ranks):
            source = (rank - i) % ranks
            program.call(rank, "Irecv", source=source, source_tag=0, posted=size, request=i)
        for i in range(1, ranks):
            peer = (rank + i) % ranks
            program.call(rank, "Isend", peer=peer, tag=0, bytes=size, request=ranks + i)
        requests = [*range(1, ranks), *range(ranks + 1, 2 * ranks)]
        completed = list(range(len(requests)))
        program.call(rank, "Waitall", requests=requests, completed=completed)

    found = program.replay(tmp_path, machine(collectives={"alltoall": "linear"}))

    each = G_GAP + G * size
    assert each > 2 * (O_ + O_BYTE * size)
    assert found.makespan_ns == (ranks - 2) * each + one_way(size)
