"""Replays of made traces on a machine of round costs, and what messages take on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.job import Job
from tests.native_records import record
from waywiser.native import _native as native
from waywiser.native import simulate
from waywiser.native.simulate import Cost, Messages, Prediction, Settings

L, O_, G_GAP, G, O_BYTE = 1500.0, 400.0, 150.0, 0.25, 0.0625
"""L, o, g, G, O."""

EAGER = 1 << 30


def machine(
    *, eager: int = EAGER, scale: float = 1.0, latency: float = L, **settings: Any
) -> Settings:
    cost = Cost(None, latency * scale, O_ * scale, G_GAP * scale, G * scale, O_BYTE * scale)
    messages = Messages([cost], eager)
    return record(Settings, **{"within": messages, "between": messages, **settings})


def replay(job: Job, directory: Path, settings: Settings) -> Prediction:
    prediction = simulate.replay(job.write(directory / "trace.ww"), settings)
    check_sums(prediction)
    return prediction


def check_sums(prediction: Prediction) -> None:
    path = prediction.critical_path
    parts = path.compute_ns + path.overhead_ns + path.latency_ns + path.transfer_ns
    assert parts == pytest.approx(prediction.makespan_ns, rel=1e-12)
    assert min(path.overhead_ns, path.latency_ns, path.transfer_ns) >= 0
    assert path.compute_ns >= -1e-6
    assert max(rank.end_ns for rank in prediction.ranks) == prediction.makespan_ns
    for rank in prediction.ranks:
        assert rank.end_ns == pytest.approx(rank.compute_ns + rank.mpi_ns)
        within = rank.waiting_ns + rank.transfer_ns + rank.overhead_ns
        assert rank.mpi_ns == pytest.approx(within)
    assert sum(f.ns for f in prediction.functions) == pytest.approx(
        sum(r.mpi_ns for r in prediction.ranks)
    )


def one_way(size: float) -> float:
    """A message from the begin of its send to the end of its receive: 2 o + L + G s."""
    return 2 * O_ + L + G * size


def step(size: float) -> float:
    """Two ranks exchange: each sends (o + O s), and then takes what has come meanwhile."""
    busy = O_ + O_BYTE * size
    return max(one_way(size), 2 * busy)


def answered(path: str, settings: Settings, *, threaded: bool = False) -> dict[str, Any]:
    """The quantities that cases of tests/cases name.

    Args:
        threaded: several threads of a rank call, whose times overlap.
    """
    try:
        prediction = simulate.replay(path, settings)
    except native.InvalidInput as error:
        return {"error": str(error), "remarks": []}
    if not threaded:
        check_sums(prediction)
    return {
        "makespan": prediction.makespan_ns,
        "ends": [rank.end_ns for rank in prediction.ranks],
        "ranks": prediction.ranks,
        "messages": prediction.messages,
        "bytes": prediction.bytes,
        "links": prediction.links,
        "times": {function.name: function.ns for function in prediction.functions},
        "path": prediction.critical_path,
        "remarks": prediction.remarks,
    }
