"""Made-up studies of collectives by message size, as ww-mpibench measures them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

import numpy as np

from tests import synthetic_study
from waywiser.model.reading import Metric, Reading
from waywiser.model.result import Scalar
from waywiser.model.run import Run
from waywiser.model.study import Study

RANKS = 4
SIZES = tuple(4**power for power in range(1, 9))
LIBRARIES = {
    "title": "Collectives of two libraries",
    "mpi": ["openmpi", "mpich"],
    "application": {"collectives": {"reader": "mpibench", "workload": "mpibench"}},
    "axes": {"ranks": RANKS},
    "repeats": {"blocks": 10},
}

Time = Callable[[float], float]
"""Message size [B] -> time [us]."""

KEPT: dict[str, Time] = {
    "bcast": lambda n: 3.0 + 1.0e-3 * n,
    "reduce": lambda n: 3.0 + 1.2e-3 * n,
    "allreduce": lambda n: 4.0 + 1.6e-3 * n,
    "gather": lambda n: 2.4 + 1.0e-3 * n * (RANKS - 1),
    "scatter": lambda n: 2.4 + 0.9e-3 * n * (RANKS - 1),
    "allgather": lambda n: 3.2 + 1.0e-3 * n * RANKS,
    "alltoall": lambda n: 3.6 + 1.3e-3 * n * RANKS,
    "reduce_scatter_block": lambda n: 3.3 + 1.0e-3 * n,
}
"""Times of a library that keeps every guideline."""

Factor = Callable[[Mapping[str, Scalar], str, int], float]
"""(values of the configuration, benchmark, size) -> how many times as long it takes."""


def runs(
    study: Study,
    factor: Factor = lambda *_: 1.0,
    seed: int = 1,
    failures: Mapping[synthetic_study.Place, str] | None = None,
    only: Collection[str] = tuple(KEPT),
) -> list[Run]:
    """All runs of a study of these benchmarks; 0.5 % noise on every time."""
    random = np.random.default_rng(seed)
    all_runs = synthetic_study.runs(study, synthetic_study.Truth(failures=failures or {}))
    return [
        run if run.result and run.result.failures else _with_times(run, factor, random, only)
        for run in all_runs
    ]


def _with_times(
    run: Run, factor: Factor, random: np.random.Generator, only: Collection[str]
) -> Run:
    result = run.result
    assert result is not None
    metrics = tuple(
        Metric(
            name=f"{name}_{size}_b",
            value=time(size)
            * factor(result.values, name, size)
            * math.exp(random.normal(0, 0.005)),
            unit="us",
            better="lower",
        )
        for name, time in KEPT.items()
        if name in only
        for size in SIZES
    )
    first = metrics[0].replace(name="small_message")
    return run.replace(
        result=result.replace(headline="small_message", reading=Reading(metrics=(first, *metrics)))
    )
