"""Quantiles of times, some of which are only known to be longer, and differences of two periods.

The wait of a job that has not started is censored: it is at least the time so far. Without such
jobs, waiting is underestimated most where it is longest.

Sources: E. L. Kaplan, P. Meier, "Nonparametric estimation from incomplete observations", Journal of
the American Statistical Association 53, 1958; H. R. Künsch, "The jackknife and the bootstrap for
general stationary observations", Annals of Statistics 17(3), 1989 (blocks); T. C. Hesterberg, "What
teachers should know about the bootstrap", The American Statistician 69(4), 2015 (the expanded
percentile interval, which holds for few blocks).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from waywiser.stats.distributions import student_quantile

Floats = NDArray[np.float64]

MOST_STEPS = 1024
"""Largest number of times of a curve that is resampled; more times are rounded up to the grid."""

_REPLICATES = 2000
_CHUNK = 100
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Curve:
    """Times by block, counted on one grid."""

    times: Floats
    """Times in ascending order, shape (steps,)."""

    ended: Floats
    """Number of observations that ended at each time, shape (blocks, steps)."""

    censored: Floats
    """Number of censored observations at each time, shape (blocks, steps)."""


def curve(
    times: NDArray[np.int64],
    ended: NDArray[np.bool_],
    block: NDArray[np.int64],
    blocks: int,
    most_steps: int = MOST_STEPS,
) -> Curve:
    """
    Args:
        times, ended, block: of each observation, all of shape (n,), n >= 0.
    """
    grid = np.unique(times)
    if grid.size > most_steps:
        ordered = np.sort(times)
        last = np.ceil(np.linspace(0, 1, most_steps + 1)[1:] * times.size).astype(int) - 1
        grid = np.unique(ordered[last])
    at = block * grid.size + np.searchsorted(grid, times)
    size = blocks * grid.size

    def table(which: NDArray[np.bool_]) -> Floats:
        counts = np.bincount(at[which], minlength=size).astype(float)
        return counts.reshape(blocks, grid.size)

    return Curve(grid.astype(float), table(ended), table(~ended))


def quantile(times: Floats, ended: Floats, censored: Floats, share: float) -> Floats:
    """Return the shortest time that a `share` does not exceed, by Kaplan and Meier's estimate; inf
    if the curve ends before.

    Args:
        ended, censored: counts of shape (…, steps).
    """
    at_risk = np.cumsum((ended + censored)[..., ::-1], axis=-1)[..., ::-1]
    left = np.cumprod(1 - ended / np.maximum(at_risk, 1), axis=-1)
    reached = left <= 1 - share + _ROUNDING
    if not times.size:
        return np.full(reached.shape[:-1], math.inf)
    shortest = np.where(reached.any(axis=-1), times[reached.argmax(axis=-1)], math.inf)
    return np.asarray(shortest, float)


@dataclass(frozen=True)
class Change:
    """The second period minus the first, with an interval."""

    first: float
    second: float
    low: float
    high: float

    @property
    def decided(self) -> bool:
        return self.low > 0 or self.high < 0


Statistic = Callable[[Floats], Floats]
"""Function of the weights of blocks, shape (replicates, blocks), with a value for each
replicate."""


def quantile_of(survival: Curve, share: float) -> Statistic:
    def statistic(weights: Floats) -> Floats:
        return quantile(
            survival.times, weights @ survival.ended, weights @ survival.censored, share
        )

    return statistic


def mean_of(values: Floats) -> Statistic:
    """Return the statistic that is the weighted mean of one value for each block."""

    def statistic(weights: Floats) -> Floats:
        return np.asarray(weights @ values / weights.sum(axis=1), float)

    return statistic


def change(
    first: Statistic, second: Statistic, blocks: tuple[int, int], level: float, seed: int = 0
) -> Change:
    """Compare a statistic between two periods of `blocks` blocks each, >= 2.

    Args:
        level: probability of error of the interval.
    """
    chance = np.random.default_rng(seed)
    earlier, later = (
        np.concatenate(
            [
                statistic(chance.multinomial(count, [1 / count] * count, _CHUNK).astype(float))
                for _ in range(_REPLICATES // _CHUNK)
            ]
        )
        for statistic, count in zip((first, second), blocks, strict=True)
    )
    with np.errstate(invalid="ignore"):
        differences = later - earlier
    unknown = np.isnan(differences)  # where neither curve reaches the share
    low = np.sort(np.where(unknown, -math.inf, differences))
    high = np.sort(np.where(unknown, math.inf, differences))
    few = min(blocks)
    reach = student_quantile(level, few - 1) * math.sqrt(few / (few - 1))
    cut = int(NormalDist().cdf(-reach) * _REPLICATES)
    whole = [
        float(statistic(np.ones((1, count)))[0])
        for statistic, count in zip((first, second), blocks, strict=True)
    ]
    return Change(whole[0], whole[1], float(low[cut]), float(high[-1 - cut]))
