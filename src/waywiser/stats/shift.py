"""Interval of the shift between two samples: the ratio of two configurations, on logarithms.

Two tests share the level, so that their intervals may be cut with each other:

- **ranks**: distribution-free. Paired values: every pair is drawn towards the common level by as
  much as the blocks differ, and all values are ranked together. The sum of the ranks of one side is
  compared with its values under all swaps within blocks. This randomisation test holds its error
  for any noise and any drift, because the order within a block was random and the alignment does
  not know the sides. Unpaired values: Mann and Whitney's test.
- **t**: Student's (paired) and Welch's. With few runs and many configurations ranks cannot reach
  the level however large the difference (6 blocks: p >= 2/64). The t interval can, and on the
  difference of two samples of one distribution it errs less than it says where tails are heavy.

Simpler tests compared (10 blocks, 3,000 comparisons a cell, level 5 %; false / found a true 3 %):

    noise               Mann-Whitney   signed rank   paired t   aligned ranks
    normal 1 %            4.5 / 100      4.9 / 100   5.1 / 100      4.4 / 100
    jitter, 2 % lognormal 3.9 /  75      4.5 /  55   2.6 /  51      3.8 /  68
    rare 10 % delays      4.3 /  85      4.8 /  46   1.4 /  40      5.1 /  77
    4 % drift             0.2 /  99      5.7 / 100   5.8 / 100      5.3 / 100
    10 % swing            0.0 /   0      4.8 /  88   5.3 /  91      4.2 /  88

Sources: J. L. Hodges, E. L. Lehmann, "Rank methods for combination of independent experiments in
analysis of variance", Annals of Mathematical Statistics 33(2), 1962 (aligned ranks). J. L. Hodges,
E. L. Lehmann, "Estimates of location based on rank tests", ibid. 34(2), 1963 (estimate and
interval).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from waywiser.stats.distributions import rank_sum_cut, student_quantile

Floats = NDArray[np.float64]

_RANK_SHARE = 0.8
"""Part of the level for the rank test; the rest is for the t test. 6 blocks and 5 % need at least
0.625. The two tests mostly err together, so that a part remains in reserve; stopping by the width
uses up the reserve."""

_EXACT_BLOCKS = 13
_RANDOM_SWAPS = 4096
_SWAP_SEED = 1962
_BISECTIONS = 20


@dataclass(frozen=True)
class Shifts:
    """Second sample minus first of each row, shape (rows,), in the unit of the values."""

    estimate: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Shares:
    """The levels (probabilities of error) of the two tests."""

    ranks: float
    t: float


def shares(level: float, smallest: float) -> Shares:
    """Divide `level` between the tests; `smallest` is the smallest p that ranks can reach.

    The t test never gets the whole level, even alone, because it is approximate.
    """
    if smallest > _RANK_SHARE * level:
        return Shares(0.0, _RANK_SHARE)
    return Shares(_RANK_SHARE, 1 - _RANK_SHARE)


def blocks_needed(family: int) -> int:
    """Return the fewest blocks whose ranks can decide each of `family` comparisons made together:
    of n blocks all alike, p is 2^(1-n)."""
    return 1 + math.ceil(math.log2(family / (_RANK_SHARE * 0.05)))


def paired_shifts(first: Floats, second: Floats, level: float, family: int = 1) -> Shifts:
    """Estimate the shift of `second` against `first`, of shape (rows, blocks), blocks >= 2.

    Args:
        level: probability of error of each row's interval.
        family: number of comparisons decided together; fixes the tests, so that
            an interval never gets wider when Holm's procedure raises `level`.
    """
    blocks = first.shape[1]
    share = shares(0.05 / family, 1 / _swaps(blocks).shape[1])
    difference = second - first
    middle = difference.mean(axis=1)
    reach = student_quantile(share.t * level, blocks - 1) * (
        difference.std(axis=1, ddof=1) / np.sqrt(blocks)
    )
    low, high = middle - reach, middle + reach
    values = np.stack([first, second], axis=2)
    estimate = _balanced(values)
    if share.ranks:
        rank_low, rank_high = _boundaries(values, estimate, share.ranks * level)
        low, high = np.maximum(low, rank_low), np.minimum(high, rank_high)
    return _ordered(estimate, low, high)


def unpaired_shift(first: Floats, second: Floats, level: float, family: int = 1) -> Shifts:
    """Estimate the shift of one row of samples, shapes (n,) and (m,), that share no blocks, as
    `paired_shifts` does."""
    n, m = first.size, second.size
    differences = np.sort((second[:, None] - first[None, :]).ravel())
    estimate = np.array([np.median(differences)])
    share = shares(0.05 / family, 0.0 if rank_sum_cut(n, m, _RANK_SHARE * 0.05 / family) else 1.0)
    variances = first.var(ddof=1) / n, second.var(ddof=1) / m
    total = sum(variances)
    freedom = min(n, m) - 1
    if total > 0:
        freedom = int(total**2 / (variances[0] ** 2 / (n - 1) + variances[1] ** 2 / (m - 1)))
    middle = second.mean() - first.mean()
    reach = student_quantile(share.t * level, freedom) * np.sqrt(total)
    low, high = np.array([middle - reach]), np.array([middle + reach])
    if share.ranks:
        cut = rank_sum_cut(n, m, share.ranks * level)
        low = np.maximum(low, differences[cut - 1])
        high = np.minimum(high, differences[-cut])
    return _ordered(estimate, low, high)


def _ordered(estimate: Floats, low: Floats, high: Floats) -> Shifts:
    """Sort the ends: two tests that disagree strongly leave an empty interval, whose ends are
    kept."""
    low, high = np.minimum(low, high), np.maximum(low, high)
    return Shifts(np.clip(estimate, low, high), low, high)


def _boundaries(values: Floats, inside: Floats, level: float) -> tuple[Floats, Floats]:
    """The shifts below and above `inside` from which on the rank test rejects."""
    twice, reach = np.concatenate([values, values]), 2 * np.ptp(values, axis=(1, 2))

    def accepted(shift: Floats) -> NDArray[np.bool_]:
        mask: NDArray[np.bool_] = _two_sided(_signed_ranks(twice, shift)) > level
        return mask

    return _crossings((inside, inside), (inside - reach, inside + reach), accepted)


def _balanced(values: Floats) -> Floats:
    """The Hodges-Lehmann estimate: the middle of the shifts that balance the signed ranks."""
    low = values[:, :, 1].min(axis=1) - values[:, :, 0].max(axis=1)
    high = values[:, :, 1].max(axis=1) - values[:, :, 0].min(axis=1)
    twice, sign = np.concatenate([values, values]), np.repeat([1, -1], len(values))

    def unbalanced(shift: Floats) -> NDArray[np.bool_]:
        mask: NDArray[np.bool_] = sign * _signed_ranks(twice, shift).sum(axis=1) > 0
        return mask

    begin, end = _crossings((low, high), (high, low), unbalanced)
    middle: Floats = (begin + end) / 2
    return middle


def _crossings(
    begin: tuple[Floats, Floats],
    end: tuple[Floats, Floats],
    holds: Callable[[Floats], NDArray[np.bool_]],
) -> tuple[Floats, Floats]:
    """Return both crossings of each row; to search them together halves the calls of NumPy, which
    take longer than its work on few rows."""
    first, second = np.split(_crossing(np.concatenate(begin), np.concatenate(end), holds), 2)
    return first, second


def _crossing(begin: Floats, end: Floats, holds: Callable[[Floats], NDArray[np.bool_]]) -> Floats:
    """Return the value between `begin`, where the predicate holds, and `end` from which on it does
    not."""
    for _ in range(_BISECTIONS):
        middle = (begin + end) / 2
        still = holds(middle)
        begin, end = np.where(still, middle, begin), np.where(still, end, middle)
    return end


def _signed_ranks(values: Floats, shift: Floats) -> Floats:
    """Rank of each block's second value, moved back by `shift`, minus the rank of its first value.

    The level of a block is removed by the share of the variance of block means that their own noise
    does not explain. Nothing is removed without drift, everything where there is only drift.
    """
    values = np.stack([values[:, :, 0], values[:, :, 1] - shift[:, None]], axis=2)
    means = values.mean(axis=2)
    noise = ((values[:, :, 0] - values[:, :, 1]) ** 2).mean(axis=1) / 4
    spread = means.var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(spread > noise, 1 - noise / spread, 0.0)
    aligned = values - (share[:, None] * means)[:, :, None]
    flat = np.round(aligned.reshape(len(values), -1), 12)
    paired = _ranks(flat).reshape(values.shape)
    signed: Floats = paired[:, :, 1] - paired[:, :, 0]
    return signed


def _ranks(values: Floats) -> Floats:
    """Ranks within each row, shape of `values`; equal values share the mean of their ranks."""
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    place = np.arange(values.shape[1])
    starts, ends = np.ones(values.shape, bool), np.ones(values.shape, bool)
    starts[:, 1:] = ends[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, place, place[-1])[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2, axis=1)
    return ranks


def _two_sided(signed: Floats) -> Floats:
    """Share of all swaps within blocks whose sum is at least as far from 0 as the one seen."""
    seen = np.abs(signed.sum(axis=1))
    sums = np.abs(signed.astype(np.float32) @ _swaps(signed.shape[1]))
    # Half ranks are exact in float32, so that equal sums compare equal.
    share: Floats = (sums >= seen[:, None]).mean(axis=1)
    return share


@cache
def _swaps(blocks: int) -> NDArray[np.float32]:
    """Signs of shape (blocks, swaps): all up to a common sign, or a seeded choice of them.

    With the identity (no swap) among them, a random choice holds the level too: B. Phipson,
    G. K. Smyth, "Permutation p-values should never be zero", Statistical Applications in Genetics
    and Molecular Biology 9(1), 2010.
    """
    if blocks <= _EXACT_BLOCKS:
        signs = np.array(list(product([1], *[[1, -1]] * (blocks - 1))))
    else:
        rng = np.random.default_rng(_SWAP_SEED)
        signs = rng.choice([1, -1], size=(_RANDOM_SWAPS, blocks))
        signs[0] = 1
    return np.ascontiguousarray(signs.T.astype(np.float32))
