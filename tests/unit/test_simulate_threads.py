"""Replay on several threads: bit for bit what one finds."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.job import Job
from tests.support import cases
from tests.unit.test_simulate_random import cost_of, machine, random_programs, written
from waywiser.native import _native as native
from waywiser.native import simulate
from waywiser.native.simulate import Noise, Prediction, Settings


def all_of(prediction: Prediction) -> dict[str, Any]:
    """Times as they are, not rounded."""
    path = prediction.critical_path
    return {
        "makespan": prediction.makespan_ns,
        "ranks": [
            (r.rank, r.end_ns, r.compute_ns, r.mpi_ns, r.waiting_ns, r.transfer_ns, r.overhead_ns)
            for r in prediction.ranks
        ],
        "functions": [(f.name, f.calls, f.ns, f.waiting_ns) for f in prediction.functions],
        "path": (path.compute_ns, path.overhead_ns, path.latency_ns, path.transfer_ns),
        "recorded": (prediction.recorded.compute_ns, prediction.recorded.mpi_ns),
        "messages": (prediction.messages, prediction.bytes),
        "remarks": prediction.remarks,
    }


def check(path: str, settings: Settings) -> Prediction:
    settings.threads = 1
    single = simulate.replay(path, settings)
    assert single.threads == 1
    for threads in (2, 3):
        settings.threads = threads
        several = simulate.replay(path, settings)
        assert several.threads == min(threads, len(single.ranks))
        assert all_of(several) == all_of(single)
    return single


progress = pytest.mark.parametrize("in_calls", [False, True], ids=["asynchronous", "in-calls"])


@pytest.mark.parametrize("seed", cases(range(0, 60, 5), long=range(60)))
@progress
def test_random_programs(tmp_path: Path, seed: int, in_calls: bool) -> None:
    settings = machine(cost_of(seed), in_calls)
    settings.noise = Noise(exponential=0.1, seed=seed)

    check(written(random_programs(seed), tmp_path / "trace.ww"), settings)


@pytest.mark.parametrize("seed", range(20))
@progress
def test_collectives(tmp_path: Path, seed: int, in_calls: bool) -> None:
    """Blocking and not, and messages beside them that are too long to be eager."""
    chance = random.Random(seed)
    ranks = chance.randint(3, 9)
    job = Job(ranks)
    now = 0
    for _ in range(12):
        name = chance.choice(["Allreduce", "Barrier", "Iallreduce", "Bcast", "Alltoall"])
        size = chance.choice([8, 5000, 100_000])
        for rank in range(ranks):
            begin = now + chance.randrange(5000)
            blocking = not name.startswith("I")
            parameters: dict[str, Any] = {"object": 0, "bytes": size, "posted": size}
            if name == "Bcast":
                parameters["peer"] = 1
            if not blocking:
                parameters["request"] = 0
            job.call(rank, name, begin, begin + 10, **parameters)
            right, left = (rank + 1) % ranks, (rank - 1) % ranks
            job.call(rank, "Isend", begin + 20, begin + 30, object=0, peer=right, tag=1,
                       bytes=size, request=1)  # fmt: skip
            job.call(rank, "Recv", begin + 40, begin + 50, object=0, source=left, source_tag=1,
                       posted=size)  # fmt: skip
            waited = [1] if blocking else [1, 0]
            job.call(rank, "Waitall", begin + 60, begin + 70, requests=waited,
                       completed=list(range(len(waited))))  # fmt: skip
        now += 10_000

    prediction = check(job.write(tmp_path / "trace.ww"), machine(cost_of(seed), in_calls))

    assert prediction.messages > 12 * ranks


@progress
def test_a_deadlock_is_reported_alike(tmp_path: Path, in_calls: bool) -> None:
    job = Job(2)
    for rank in range(2):
        job.call(rank, "Send", 0, 10, object=0, peer=1 - rank, tag=1, bytes=5000)
        job.call(rank, "Recv", 20, 30, object=0, source=1 - rank, source_tag=1, posted=5000)
    path = job.write(tmp_path / "trace.ww")
    messages = []
    for threads in (1, 2):
        settings = machine(cost_of(1), in_calls)
        settings.threads = threads
        with pytest.raises(native.InvalidInput, match="comes to a deadlock") as raised:
            simulate.replay(path, settings)
        messages.append(str(raised.value))

    assert messages[0] == messages[1]
    assert (
        "rank 0 in MPI_Send waits until rank 1 receives its message of tag 1; rank 1" in messages[0]
    )


@pytest.mark.parametrize(
    "change",
    [
        {"share_nic": True},
        {"collectives": {"allreduce": "in network"}},
    ],
    ids=["nics", "switches"],
)
def test_one_thread_where_the_order_matters(tmp_path: Path, change: dict[str, Any]) -> None:
    settings = machine(cost_of(3))
    for name, value in change.items():
        setattr(settings, name, value)
    settings.threads = 2

    assert (
        simulate.replay(written(random_programs(3), tmp_path / "trace.ww"), settings).threads == 1
    )
