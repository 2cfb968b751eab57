"""Replay against closed forms, which are derived in each test."""

from __future__ import annotations

from math import ceil, log2
from pathlib import Path
from typing import Any

import pytest

from tests.made_traces import MadeTrace
from waywiser.native import simulate
from waywiser.native.simulate import Cost, Messages, Prediction, Settings

L, O_, G_GAP, G, O_BYTE = 1500.0, 400.0, 150.0, 0.25, 0.0625
"""L, o, g, G, O."""

EAGER = 1 << 30


def machine(
    *, eager: int = EAGER, scale: float = 1.0, latency: float = L, **settings: Any
) -> Settings:
    made = Settings()
    cost = Cost(None, latency * scale, O_ * scale, G_GAP * scale, G * scale, O_BYTE * scale)
    made.within = made.between = Messages([cost], eager)
    for name, value in settings.items():
        setattr(made, name, value)
    return made


class Program:
    """A trace whose calls take 10 ns each, as far as the replay must not care."""

    def __init__(self, ranks: int, **options: Any) -> None:
        self.trace = MadeTrace(ranks, **options)
        self.now = [0] * ranks

    def compute(self, rank: int, ns: int) -> None:
        self.now[rank] += ns

    def call(self, rank: int, function: str, **parameters: Any) -> None:
        parameters.setdefault("object", 0)
        begin = self.now[rank]
        self.now[rank] += 10
        self.trace.call(rank, function, begin, begin + 10, **parameters)

    def replay(self, folder: Path, settings: Settings) -> Prediction:
        found = simulate.replay(self.trace.write(folder / "trace.ww"), settings)
        check_sums(found)
        return found


def check_sums(found: Prediction) -> None:
    path = found.critical_path
    parts = path.compute_ns + path.overhead_ns + path.latency_ns + path.transfer_ns
    assert parts == pytest.approx(found.makespan_ns, rel=1e-12)
    assert min(path.overhead_ns, path.latency_ns, path.transfer_ns) >= 0
    assert path.compute_ns >= -1e-6
    assert max(rank.end_ns for rank in found.ranks) == found.makespan_ns
    for rank in found.ranks:
        assert rank.end_ns == pytest.approx(rank.compute_ns + rank.mpi_ns)
        within = rank.waiting_ns + rank.transfer_ns + rank.overhead_ns
        assert rank.mpi_ns == pytest.approx(within)
    assert sum(f.ns for f in found.functions) == pytest.approx(sum(r.mpi_ns for r in found.ranks))


def one_way(size: int) -> float:
    """A message from the begin of its send to the end of its receive: 2 o + L + G s."""
    return 2 * O_ + L + G * size


@pytest.mark.parametrize("size", [0, 1, 8, 4096])
def test_ping_pong(tmp_path: Path, size: int) -> None:
    program = Program(2)
    rounds = 7
    for _ in range(rounds):
        for rank in (0, 1):
            there = {"peer": 1 - rank, "tag": 5, "bytes": size}
            back = {"source": 1 - rank, "source_tag": 5, "posted": size}
            for function, parameters in (
                (("Send", there), ("Recv", back))
                if rank == 0
                else (("Recv", back), ("Send", there))
            ):
                program.call(rank, function, **parameters)

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == 2 * rounds * one_way(size)
    assert found.messages == 2 * rounds
    assert found.bytes == 2 * rounds * size
    assert found.remarks == []


def test_a_rendezvous_takes_three_messages(tmp_path: Path) -> None:
    """Request, grant, data: 3 L, and o at each end of the first and of the last."""
    size = 4096
    program = Program(2)
    program.call(0, "Send", peer=1, tag=5, bytes=size)
    program.call(1, "Recv", source=0, source_tag=5, posted=size)

    eager = program.replay(tmp_path, machine(eager=size)).makespan_ns
    rendezvous = program.replay(tmp_path, machine(eager=size - 1)).makespan_ns

    assert eager == one_way(size)
    assert rendezvous == eager + 2 * (L + O_)


@pytest.mark.parametrize("ranks", [2, 3, 5, 8, 13, 16])
def test_dissemination_barrier(tmp_path: Path, ranks: int) -> None:
    program = Program(ranks)
    for rank in range(ranks):
        program.call(rank, "Barrier")

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == ceil(log2(ranks)) * one_way(0)


@pytest.mark.parametrize("ranks", [2, 4, 8, 16])
def test_recursive_doubling_allreduce(tmp_path: Path, ranks: int) -> None:
    program = Program(ranks)
    for rank in range(ranks):
        program.call(rank, "Allreduce", bytes=64, posted=64)

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == log2(ranks) * one_way(64)
