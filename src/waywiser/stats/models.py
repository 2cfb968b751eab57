"""Laws of scaling, fitted to times over ranks: a + b/p + c log2 p + d p, and what they foretell.

a is what does not scale, b what does, c and d what communication adds (trees, and exchanges of all
with all). All four are costs and so not negative. Squares of *relative* errors are summed, so that
1 rank does not outweigh 32. Of the 15 sets of terms the one with the least corrected information
criterion is taken: N. Sugiura, "Further analysis of the data by Akaike's information criterion and
the finite corrections", Communications in Statistics 7(1), 1978.
"""

from __future__ import annotations

import math
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
AMDAHL: Terms = (0, 1)
_ALL = tuple(terms for size in range(1, 5) for terms in combinations(range(4), size))
_REPLICATES = 2000
_EXACT_FIT = 1e-6
"""Relative error below which a fit counts as exact; times are not known better."""

TRUSTED_REACH = 2.0
"""Beyond this multiple of the largest measured number of ranks a forecast is called extrapolated:
a term that is small there can have been too small to be seen."""


@dataclass(frozen=True)
class Forecast:
    """The time of one run on `ranks` ranks, in s, with its 95 % prediction interval."""

    ranks: float
    seconds: Estimate
    note: str = ""
    """Says when the forecast is extrapolated."""


@dataclass(frozen=True)
class ScalingLaw:
    """A fitted law; coefficients are in s, in the order of `NAMES`, and 0 for terms left out."""

    coefficients: tuple[float, float, float, float]
    intervals: tuple[Estimate, Estimate, Estimate, Estimate]
    """95 %, from a parametric bootstrap in which the choice of terms is made anew."""
    relative_error: float
    """Root of the mean square of (measured - fitted) / measured, with its degrees of freedom."""
    serial_fraction: Estimate
    """a / (a + b): Amdahl's, of what one rank would take."""
    measured: tuple[float, float]
    """Fewest and most ranks."""
    replicates: Floats
    """Coefficients of the bootstrap, shape (replicates, 4), in s."""
    scatter: Floats
    """Relative error of a new point in each replicate, shape (replicates,)."""

    def seconds(self, ranks: ArrayLike) -> Floats:
        """The law at `ranks`, in s."""
        found: Floats = _terms(ranks) @ np.array(self.coefficients)
        return found

    def forecast(self, ranks: float) -> Forecast:
        """The law at `ranks` with the interval that holds a new measurement in 95 of 100 cases,
        as long as the law itself holds."""
        ahead = (self.replicates @ _terms([ranks])[0]) * (1 + self.scatter)
        low, high = np.quantile(ahead, [0.025, 0.975])
        reach = ranks / self.measured[1]
        note = ""
        if reach > TRUSTED_REACH:
            note = f"extrapolated: {ranks:g} ranks are {reach:.3g} times the most measured"
            note += f" ({self.measured[1]:g})"
        value = float(self.seconds([ranks])[0])
        return Forecast(ranks, Estimate(value, float(max(low, 0.0)), float(high)), note)

    def formula(self) -> str:
        """As "0.58 + 9.47/p", in s."""
        used = [
            f"{value:.3g}{name}"
            for value, name in zip(self.coefficients, NAMES, strict=True)
            if value > 0
        ]
        return " + ".join(used)


def fit_amdahl(ranks: Sequence[float], seconds: ArrayLike, seed: int = 0) -> ScalingLaw:
    """T = a + b/p. Arguments and errors as for `fit_law`.

    Source: G. M. Amdahl, "Validity of the single processor approach to achieving large scale
    computing capabilities", AFIPS 1967.
    """
    return _fit(ranks, seconds, [(0,), (1,), AMDAHL], seed)


def fit_law(ranks: Sequence[float], seconds: ArrayLike, seed: int = 0) -> ScalingLaw:
    """The law of the least corrected information criterion among all sets of terms.

    Args:
        ranks: shape (points,), at least 4 different.
        seconds: the median time of each point, shape (points,), in s, > 0.
        seed: of the bootstrap, so that a report can be made again.

    Raises:
        NotEnoughData: fewer than 4 different numbers of ranks, or a time that is not > 0.
    """
    return _fit(ranks, seconds, _ALL, seed)


def _fit(
    ranks: Sequence[float], seconds: ArrayLike, choices: Sequence[Terms], seed: int
) -> ScalingLaw:
    x, times = np.asarray(ranks, float), np.asarray(seconds, float)
    if np.unique(x).size < 4:
        raise NotEnoughData("a law of scaling needs 4 different numbers of ranks")
    if not (np.isfinite(times) & (times > 0)).all():
        raise NotEnoughData("a law of scaling needs a time > 0 s at every number of ranks")
    design = _terms(x)
    best, squares = _select(design, times[None, :], choices)
    freedom = x.size - int((best[0] > 0).sum())
    squares = np.maximum(squares, x.size * _EXACT_FIT**2)

    # The scatter is itself an estimate, from few points: each replicate draws it anew.
    rng = np.random.default_rng(seed)
    scatter = np.sqrt(squares[0] / rng.chisquare(freedom, _REPLICATES))
    fitted = design @ best[0]
    errors = scatter[:, None] * rng.standard_normal((_REPLICATES, x.size))
    again = fitted * np.maximum(1 + errors, _EXACT_FIT)
    replicates, _ = _select(design, again, choices)

    def interval(value: float, drawn: Floats) -> Estimate:
        low, high = np.quantile(drawn, [0.025, 0.975])
        return Estimate(value, float(low), float(high))

    a, b, c, d = (interval(float(best[0, i]), replicates[:, i]) for i in range(4))
    return ScalingLaw(
        coefficients=(a.value, b.value, c.value, d.value),
        intervals=(a, b, c, d),
        relative_error=math.sqrt(float(squares[0]) / freedom),
        serial_fraction=interval(float(_serial_fraction(best)[0]), _serial_fraction(replicates)),
        measured=(float(x.min()), float(x.max())),
        replicates=replicates,
        scatter=scatter * rng.standard_normal(_REPLICATES),
    )


def _terms(ranks: ArrayLike) -> Floats:
    """1, 1/p, log2 p, p of each number of ranks, shape (points, 4)."""
    p = np.asarray(ranks, float)
    return np.stack([np.ones_like(p), 1 / p, np.log2(p), p], axis=1)


def _serial_fraction(coefficients: Floats) -> Floats:
    a, b = coefficients[:, 0], coefficients[:, 1]
    total = a + b
    found: Floats = np.divide(a, total, out=np.zeros_like(a), where=total > 0)
    return found


def _select(design: Floats, times: Floats, choices: Sequence[Terms]) -> tuple[Floats, Floats]:
    """Of each row of `times`, shape (rows, points), the best of `choices` without a negative
    coefficient: (coefficients, shape (rows, 4); sum of squared relative errors, shape (rows,))."""
    rows, points = times.shape
    best = np.zeros((rows, 4))
    squares = np.full(rows, np.inf)
    criterion = np.full(rows, np.inf)
    relative = design[None, :, :] / times[:, :, None]
    for terms in choices:
        parameters = len(terms) + 1  # the scatter is one
        if points - parameters < 2:
            continue
        part = relative[:, :, terms]
        # Columns are scaled to length 1, so that p = 4096 does not spoil the normal equations.
        length = np.sqrt((part**2).sum(axis=1))
        if not (length > 0).all():
            continue
        unit = part / length[:, None, :]
        normal = unit.transpose(0, 2, 1) @ unit
        found = np.linalg.solve(normal, unit.sum(axis=1)[:, :, None])[:, :, 0]
        error = ((1 - (unit @ found[:, :, None])[:, :, 0]) ** 2).sum(axis=1)
        spread = np.maximum(error / points, _EXACT_FIT**2)
        score = points * np.log(spread) + 2 * parameters * points / (points - parameters - 1)
        better = (found >= 0).all(axis=1) & (score < criterion)
        full = np.zeros((rows, 4))
        full[:, terms] = found / length
        best[better], squares[better], criterion[better] = (
            full[better],
            error[better],
            score[better],
        )
    return best, squares
