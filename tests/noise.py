"""Noise of run times for simulations, at the levels at which the statistics are judged.

Each function gives times relative to a quiet run, of shape (studies, blocks, sides); the order of
the sides within each block is random, as in a study.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Shape = tuple[int, int, int]
Noise = Callable[[np.random.Generator, Shape], Floats]


def normal(rng: np.random.Generator, shape: Shape) -> Floats:
    """1 %, on both sides."""
    return 1 + 0.01 * rng.standard_normal(shape)


def skewed(rng: np.random.Generator, shape: Shape) -> Floats:
    """Jitter that only delays: lognormal, 2 % in the median (RSD 4 %), with a long tail."""
    return 1 + 0.02 * rng.lognormal(0, 1, shape)


def delays(rng: np.random.Generator, shape: Shape) -> Floats:
    """Quiet runs, of which one in five is delayed by 10 % on average."""
    hit = rng.random(shape) < 0.2
    return 1 + 0.005 * rng.standard_normal(shape) + hit * rng.exponential(0.1, shape)


def drifting(rng: np.random.Generator, shape: Shape) -> Floats:
    """1 % normal, on a machine that gets 4 % slower during the study."""
    return normal(rng, shape) * (1 + 0.04 * _moment(rng, shape))


def swinging(rng: np.random.Generator, shape: Shape) -> Floats:
    """1 % normal, on a machine that gets 10 % slower and 10 % faster again."""
    return normal(rng, shape) * (1 + 0.1 * np.sin(2 * np.pi * _moment(rng, shape)))


def in_sequence(rng: np.random.Generator, shape: Shape) -> Floats:
    """Drift as in `drifting`, but each side has all its runs in a row: how not to do it."""
    _, blocks, sides = shape
    moment = np.arange(blocks * sides).reshape(sides, blocks).T / (blocks * sides)
    return normal(rng, shape) * (1 + 0.04 * moment)


def _moment(rng: np.random.Generator, shape: Shape) -> Floats:
    """When each run begins, as a share of the study."""
    _, blocks, sides = shape
    place = np.argsort(rng.random(shape), axis=2)
    return (np.arange(blocks)[None, :, None] * sides + place) / (blocks * sides)
