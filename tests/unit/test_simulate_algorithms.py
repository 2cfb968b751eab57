"""Every algorithm of every collective, by name: the messages that a replay plays are those of its
schedule, one round after the other."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from tests.job import Job
from tests.replayed import EAGER, replay
from tests.unit.test_simulate_random import given_to_collective
from waywiser.native import _native as native
from waywiser.native.simulate import Cost, Messages, Settings

LATENCY, SIZE, ROOT = 1000.0, 4096, 1

FUNCTIONS = {"reduce_scatter": "Reduce_scatter_block"}
"""Functions of collectives whose names differ from the function's."""

REDUCING = ("reduce", "allreduce", "reduce_scatter", "scan")
ALGORITHMS = [(of, name) for of, name, _ in native.collective_algorithms(switches=False)]


def latencies(by_rank: list[list[tuple[int, int, int]]]) -> list[float]:
    """When each rank is through, where messages take a latency and nothing else does: a round
    begins once the last one is over.

    Args:
        by_rank: round, destination and bytes of each message.
    """
    rounds: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for rank, messages in enumerate(by_rank):
        for at, to, _ in messages:
            rounds[at].append((rank, to))
    ready = [0.0] * len(by_rank)
    for _, pairs in sorted(rounds.items()):
        started = list(ready)
        for rank, to in pairs:
            ready[to] = max(ready[to], started[rank] + LATENCY)
    return ready


@pytest.mark.parametrize("ranks", [2, 5, 6, 8])
@pytest.mark.parametrize(("of", "name"), ALGORITHMS)
def test_a_replay_simulates_the_algorithm_that_is_named(
    tmp_path: Path, of: str, name: str, ranks: int
) -> None:
    function = FUNCTIONS.get(of, of.title())
    root = ROOT if of in ("bcast", "reduce", "gather", "scatter") else 0
    job = Job(ranks)
    for rank in range(ranks):
        parameters = given_to_collective(rank, ranks, function, SIZE, root)
        job.then(rank, function, **parameters)
    settings = Settings()
    settings.within = settings.between = Messages([Cost(None, LATENCY, 0, 0, 0, 0)], EAGER)
    settings.collectives = {of: name}
    call = native.CollectiveCall(
        ranks,
        root=root,
        bytes=0 if of == "barrier" else SIZE,
        element_bytes=8 if of in REDUCING else 1,
    )

    prediction = replay(job, tmp_path, settings)

    if prediction.remarks:
        (remark,) = prediction.remarks
        assert remark.startswith(f"{name} does not support all calls of its collective")
        with pytest.raises(native.InvalidInput, match="does not serve"):
            native.collective_cost(of, name, call)
        return
    _, messages, sent = native.collective_cost(of, name, call)
    assert (prediction.messages, prediction.bytes) == (messages, sent)
    by_rank = [native.collective_sent(of, name, call, rank) for rank in range(ranks)]
    assert [rank.end_ns for rank in prediction.ranks] == latencies(by_rank)
