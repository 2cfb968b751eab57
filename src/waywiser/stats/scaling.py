"""Speed-up, efficiency and throughput over ranks, each with its interval.

Every ratio is to one base point, which is stated with its absolute time: T. Hoefler, R. Belli,
"Scientific Benchmarking of Parallel Computing Systems", SC'15, rule 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waywiser.errors import NotEnoughData
from waywiser.stats.compare import ALPHA
from waywiser.stats.shift import paired_shifts
from waywiser.stats.summary import SAMPLES_NEEDED, Summary

Floats = NDArray[np.float64]

SECONDS_PER_DAY = 86_400
WORK_TOLERANCE = 0.05
"""Relative difference in work per rank that counts as none: meshes do not divide evenly."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval; None where there are fewer than 6 blocks."""

    value: float
    low: float | None = None
    high: float | None = None

    def times(self, factor: float) -> Estimate:
        """Return the estimate in another unit (`factor` > 0)."""
        low = None if self.low is None else factor * self.low
        high = None if self.high is None else factor * self.high
        return Estimate(factor * self.value, low, high)


@dataclass(frozen=True)
class ScalingPoint:
    """One number of ranks, compared with the base."""

    ranks: int
    base_ranks: int
    base_s: float
    """Median time of the base, in s."""
    n: int
    """Number of blocks in which both ran."""
    speedup: Estimate
    efficiency: Estimate
    """Efficiency; 1 is ideal."""


def strong_scaling(
    ranks: Sequence[int], seconds: ArrayLike, base: int | None = None
) -> list[ScalingPoint]:
    """Strong scaling, one problem on more and more ranks: S = T_base / T, E = S base / ranks.

    Args:
        ranks: of each point, shape (points,).
        seconds: times, shape (points, blocks), in s; NaN where no run counts.
        base: the ranks of the base point; without it the fewest.

    Raises:
        NotEnoughData: a point, or the base, has no run that counts in a block with the base.
    """
    return _against_base(ranks, seconds, base, weak=False)


def weak_scaling(
    ranks: Sequence[int], seconds: ArrayLike, base: int | None = None
) -> list[ScalingPoint]:
    """A problem that grows with the ranks: E = T_base / T, and the scaled speed-up
    S = E ranks / base (J. L. Gustafson, "Reevaluating Amdahl's law", CACM 31(5), 1988).

    Arguments are those of `strong_scaling`; `weak_fault` checks that the problem grows.
    """
    return _against_base(ranks, seconds, base, weak=True)


def weak_fault(ranks: Sequence[int], work: Sequence[float]) -> str:
    """Explain why points are not weak scaling; "" if work per rank varies by at most 5 %.

    Args:
        work: of each point, in any unit that doubles with the problem (cells, atoms, flop).
    """
    shares = [amount / count for amount, count in zip(work, ranks, strict=True)]
    least, most = (shares.index(pick(shares)) for pick in (min, max))
    spread = shares[most] / shares[least] - 1 if shares[least] else float("inf")
    if spread <= WORK_TOLERANCE:
        return ""
    return (
        f"not weak scaling: a rank has {100 * spread:.0f} % more work on {ranks[most]} ranks"
        f" than on {ranks[least]} (at most {100 * WORK_TOLERANCE:.0f} % is constant)"
    )


def rate(amount: float, times: Summary) -> Estimate:
    """`amount` of work per time, in amount/s, from the aggregated time and not from single rates.

    Divide by the nodes (`Estimate.times(1 / nodes)`) for the rate per node.
    """
    low = None if times.high is None else amount / times.high
    high = None if times.low is None else amount / times.low
    return Estimate(amount / times.median, low, high)


def jobs_per_day(times: Summary, at_once: int = 1) -> Estimate:
    """Job throughput, where `at_once` such jobs run side by side: at_once 86400 s / T."""
    return rate(SECONDS_PER_DAY * at_once, times)


def time_ratios(base_s: Floats, others_s: Floats) -> list[tuple[Estimate, int]]:
    """T_base / T_other of each row of `others_s`, shape (points, blocks), from runs in the same
    blocks, and the pairs that count.

    Raises:
        NotEnoughData: there is no pair.
    """
    base, others = np.log(base_s), np.log(others_s)
    both = np.isfinite(base) & np.isfinite(others)
    if not both.any(axis=1).all():
        raise NotEnoughData("a ratio of times needs a block in which both points have run")
    ratios: dict[int, tuple[Estimate, int]] = {}
    # Rows that ran in the same blocks are computed together.
    for mask in np.unique(both, axis=0):
        alike = np.flatnonzero((both == mask).all(axis=1))
        n, estimates = int(mask.sum()), _ratios(base[mask], others[np.ix_(alike, mask)])
        ratios |= {int(row): (estimate, n) for row, estimate in zip(alike, estimates, strict=True)}
    return [ratios[row] for row in range(len(others))]


def _ratios(base: Floats, others: Floats) -> list[Estimate]:
    """Ratios from logarithms without gaps, of shapes (n,) and (rows, n)."""
    if base.size < SAMPLES_NEEDED:
        return [Estimate(float(np.exp(np.median(base - point)))) for point in others]
    shifts = paired_shifts(others, np.broadcast_to(base, others.shape), ALPHA)
    bounds = np.exp([shifts.estimate, shifts.low, shifts.high]).T
    return [Estimate(*map(float, row)) for row in bounds]


def _against_base(
    ranks: Sequence[int], seconds: ArrayLike, base: int | None, *, weak: bool
) -> list[ScalingPoint]:
    table = np.asarray(seconds, float)
    base_ranks = min(ranks) if base is None else base
    if base_ranks not in ranks:
        measured = ", ".join(map(str, sorted(ranks)))
        raise NotEnoughData(f"no point has {base_ranks} ranks to be the base; there are {measured}")
    base_s = table[list(ranks).index(base_ranks)]
    points = []
    for count, (ratio, n) in zip(ranks, time_ratios(base_s, table), strict=True):
        growth = count / base_ranks
        speedup, efficiency = (
            (ratio.times(growth), ratio) if weak else (ratio, ratio.times(1 / growth))
        )
        median = float(np.nanmedian(base_s))
        points.append(ScalingPoint(count, base_ranks, median, n, speedup, efficiency))
    return points
