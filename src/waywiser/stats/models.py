"""Laws of scaling, fitted to times over ranks, and their forecasts: a + b/p + c log2 p + d p.

a is the serial time, b the time that scales, c and d the time of communication (trees, and
exchanges of all with all). All four are costs and so not negative. Squares of *relative* errors
are summed, so that 1 rank does not outweigh 32. Of the 15 sets of terms the one with the least Cp
is taken, with the scatter that the best fit of all leaves: C. L. Mallows, "Some comments on Cp",
Technometrics 15(4), 1973. (The corrected information criterion, AICc, allows no third term at 6
points, and its forecasts at twice the range then missed half of the times.) Intervals come from a
parametric bootstrap around the best fit of all, in which each replicate chooses its terms anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waywiser.errors import NotEnoughData
from waywiser.stats.scaling import Estimate

Floats = NDArray[np.float64]
Terms = tuple[int, ...]

NAMES = ("", "/p", " log2 p", " p")
_ALL: Sequence[Terms] = tuple(
    terms for size in range(1, 5) for terms in combinations(range(4), size)
)
_REPLICATES = 2000
_EXACT_FIT = 1e-6
"""Relative error below which a fit counts as exact."""

_FARTHEST = 3.0
"""Largest error of a replicate (a factor of 20), so that one wild draw upsets no equations."""
_RIDGE = 1e-9

TRUSTED_REACH = 2.0
"""Multiple of the largest measured number of ranks beyond which a forecast counts as extrapolated.
A small term may not show in the measurements."""


@dataclass(frozen=True)
class Forecast:
    """The time of one run on `ranks` ranks, in s, with its 95 % prediction interval."""

    ranks: float
    seconds: Estimate
    note: str = ""
    """Remark if the forecast is extrapolated, else ""."""


@dataclass(frozen=True)
class ScalingLaw:
    """A fitted law; coefficients are in s, in the order of `NAMES`, and 0 for terms left out."""

    coefficients: tuple[float, float, float, float]
    intervals: tuple[Estimate, Estimate, Estimate, Estimate]
    """Intervals at 95 %; that of a term that is sometimes left out includes 0."""
    relative_error: float
    """Root of the mean square of (fitted - measured) / measured."""
    serial_fraction: Estimate
    """Amdahl's serial fraction of the time of one rank, a / (a + b)."""
    measured: tuple[float, float]
    """Smallest and largest measured number of ranks."""
    replicates: Floats
    """Coefficients of the bootstrap, shape (replicates, 4), in s."""
    scatter: Floats
    """Factor by which a new measurement misses the law in each replicate, shape (replicates,)."""

    def seconds(self, ranks: ArrayLike) -> Floats:
        """The law's time at `ranks`, in s."""
        times: Floats = _terms(ranks) @ np.array(self.coefficients)
        return times

    def forecast(self, ranks: float) -> Forecast:
        """The law at `ranks` with the interval that holds a new measurement in 95 of 100 cases,
        as long as the law itself holds."""
        ahead = (self.replicates @ _terms([ranks])[0]) * self.scatter
        low, high = np.quantile(ahead, [0.025, 0.975])
        reach = ranks / self.measured[1]
        note = ""
        if reach > TRUSTED_REACH:
            note = f"extrapolated: {ranks:g} ranks are {reach:.3g} times the most measured"
            note += f" ({self.measured[1]:g})"
        value = float(self.seconds([ranks])[0])
        return Forecast(ranks, Estimate(value, float(low), float(high)), note)

    def formula(self) -> str:
        """The law as text, such as "0.58 + 9.47/p", in s."""
        used = [
            f"{value:.3g}{name}"
            for value, name in zip(self.coefficients, NAMES, strict=True)
            if value > 0
        ]
        return " + ".join(used)


def fit_law(
    ranks: Sequence[float], seconds: ArrayLike, *, noise: float = 0.0, seed: int = 0
) -> ScalingLaw:
    """Fit the best law among all sets of terms, from 5 points on.

    Args:
        ranks: shape (points,).
        seconds: the median time of each point, shape (points,), in s, > 0.
        noise: relative standard error of these times, as far as it is known from repeats; no fit
            is taken to be better than that.
        seed: of the bootstrap, so that a report can be made again.

    Raises:
        NotEnoughData: too few different numbers of ranks, or a time that is not > 0.
    """
    x, times = np.asarray(ranks, float), np.asarray(seconds, float)
    needed = max(map(len, _ALL)) + 1
    if np.unique(x).size < needed:
        raise NotEnoughData(f"this law of scaling needs {needed} different numbers of ranks")
    if not (np.isfinite(times) & (times > 0)).all():
        raise NotEnoughData("a law of scaling needs a time > 0 s at every number of ranks")
    design = _terms(x)
    exact = np.full(1, _EXACT_FIT)
    full, squares = _select(design, times[None, :], exact)
    freedom = x.size - int((full[0] > 0).sum())
    floor = max(noise, _EXACT_FIT)
    error = np.maximum(np.sqrt(squares / freedom), floor)
    best, _ = _select(design, times[None, :], error)

    # The scatter is itself an estimate, from few points: each replicate draws it anew.
    rng = np.random.default_rng(seed)
    scatter = np.maximum(np.sqrt(squares / rng.chisquare(freedom, _REPLICATES)), floor)
    errors = scatter[:, None] * rng.standard_normal((_REPLICATES, x.size))
    again = (design @ full[0]) * np.exp(np.clip(errors, -_FARTHEST, _FARTHEST))
    replicates, _ = _select(design, again, scatter)

    def interval(value: float, drawn: Floats) -> Estimate:
        low, high = np.quantile(drawn, [0.025, 0.975])
        return Estimate(value, float(min(low, value)), float(max(high, value)))

    a, b, c, d = (interval(float(best[0, i]), replicates[:, i]) for i in range(4))
    serial = float(_serial_fraction(best)[0])
    return ScalingLaw(
        coefficients=(a.value, b.value, c.value, d.value),
        intervals=(a, b, c, d),
        relative_error=float(np.sqrt(np.mean((design @ best[0] / times - 1) ** 2))),
        serial_fraction=interval(serial, _serial_fraction(replicates)),
        measured=(float(x.min()), float(x.max())),
        replicates=replicates,
        scatter=np.exp(np.clip(scatter * rng.standard_normal(_REPLICATES), -_FARTHEST, _FARTHEST)),
    )


def _terms(ranks: ArrayLike) -> Floats:
    """Return 1, 1/p, log2 p, p of each number of ranks, shape (points, 4)."""
    p = np.asarray(ranks, float)
    return np.stack([np.ones_like(p), 1 / p, np.log2(p), p], axis=1)


def _serial_fraction(coefficients: Floats) -> Floats:
    a, b = coefficients[:, 0], coefficients[:, 1]
    total = a + b
    fraction: Floats = np.divide(a, total, out=np.zeros_like(a), where=total > 0)
    return fraction


def _select(design: Floats, times: Floats, error: Floats) -> tuple[Floats, Floats]:
    """Select for each row of `times`, shape (rows, points), the best terms without a negative
    coefficient. The relative errors have the standard deviation `error`, shape (rows,).

    Returns:
        coefficients, shape (rows, 4), and sums of squared relative errors, shape (rows,).
    """
    rows = len(times)
    best = np.zeros((rows, 4))
    squares = np.full(rows, np.inf)
    criterion = np.full(rows, np.inf)
    relative = design[None, :, :] / times[:, :, None]
    for terms in _ALL:
        part = relative[:, :, terms]
        # Columns are scaled to length 1, so that p = 4096 does not spoil the normal equations.
        length = np.sqrt((part**2).sum(axis=1))
        unit = part / length[:, None, :]
        normal = unit.transpose(0, 2, 1) @ unit + _RIDGE * np.eye(len(terms))
        solution = np.linalg.solve(normal, unit.sum(axis=1)[:, :, None])[:, :, 0]
        residual = ((1 - (unit @ solution[:, :, None])[:, :, 0]) ** 2).sum(axis=1)
        score = residual / error**2 + 2 * len(terms)
        better = (solution >= 0).all(axis=1) & (score < criterion)
        full = np.zeros((rows, 4))
        full[:, terms] = solution / length
        best[better] = full[better]
        squares[better], criterion[better] = residual[better], score[better]
    return best, squares
