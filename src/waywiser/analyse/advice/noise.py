"""How much computing differs from time to time: what the system, other jobs and the processor's
speed do to stretches that the program repeats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waywiser.native import _native as native

Floats = NDArray[np.float64]

MOST_CALLS = 20_000
"""Of a thread, and so many threads of it."""
MOST_THREADS = 64

REPEATED = 8
"""Stretches between the same two calls, from which on they are compared with their median."""


SAMPLES = 256


def noise_of(trace: Path) -> Floats:
    """Delays of stretches of computing beyond the median of their kind, as shares of it: quantiles
    of their distribution by the time that is computed. Empty where nothing is repeated.

    A stretch is what a thread does between two calls, of one kind where these have the same two
    call sites. One that took less than the median is not delayed.
    """
    file = native.TraceFile(str(trace))
    found = [
        delays_of(next(file.calls(stream, most=MOST_CALLS)))
        for stream, what in enumerate(file.job.streams[:MOST_THREADS])
        if what.calls > 1
    ]
    return quantiles(*np.concatenate(found, axis=1)) if found else np.empty(0)


def delays_of(calls: dict[str, Any]) -> Floats:
    """Of repeated stretches, the delay and the median of their kind [ns]; shape (2, stretches).

    Args:
        calls: of a thread, in columns `function`, `site`, `begin_ns` and `end_ns`.
    """
    begin, end = (np.asarray(calls[name]).astype(np.int64) for name in ("begin_ns", "end_ns"))
    stretch = (begin[1:] - end[:-1]).astype(float)
    places = np.stack([np.asarray(calls[name]).astype(np.int64) for name in ("function", "site")])
    pairs = np.concatenate([places[:, :-1], places[:, 1:]])
    _, kinds, counts = np.unique(pairs, axis=1, return_inverse=True, return_counts=True)
    kinds = kinds.reshape(-1)
    found = [np.empty((2, 0))]
    for kind in np.flatnonzero(counts >= REPEATED):
        times = stretch[kinds == kind]
        median = np.median(times)
        if median > 0:
            found.append(
                np.stack([np.maximum(0.0, times / median - 1), np.full_like(times, median)])
            )
    return np.concatenate(found, axis=1)


def quantiles(delays: Floats, weights: Floats) -> Floats:
    """Of delays that count by their weights, at SAMPLES equal steps."""
    if not delays.size:
        return delays
    order = np.argsort(delays, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    steps = (np.arange(SAMPLES) + 0.5) / SAMPLES
    return delays[order][np.minimum(np.searchsorted(reached, steps), delays.size - 1)]
