"""One configuration of a study in numbers: median with its interval, spread and outliers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waywiser.errors import NotEnoughData

SAMPLES_NEEDED = 6
"""The extremes of 5 values bound the median at 93.8 %; those of 6 at 96.9 %."""

TOO_SMALL = f"n too small: {SAMPLES_NEEDED} needed"

OUTLIER_SCORE = 3.5
_MAD_TO_SIGMA = 1.4826
"""1 / (the 75 % quantile of the normal distribution)."""


@dataclass(frozen=True)
class Summary:
    """Result of `summarise`; everything but `n` and the spreads is in the unit of the values."""

    n: int
    median: float
    low: float | None
    """Bounds of the median at `confidence` 95 % or the next above; None: `note` says why."""
    high: float | None
    confidence: float | None
    """Confidence of the interval, exact for any continuous distribution; 0.969 for 6 values."""
    minimum: float
    maximum: float
    rsd: float | None
    """Sample standard deviation / mean (papers print it as RSD); None for one value."""
    robust_rsd: float | None
    """1.4826 median absolute deviation / median: the RSD if the noise were normal."""
    note: str = ""

    @property
    def interval(self) -> tuple[float, float]:
        """The bounds of the median; for too few values, the range of the values."""
        if self.low is None or self.high is None:
            return self.minimum, self.maximum
        return self.low, self.high


def median_ranks(n: int, alpha: float = 0.05) -> tuple[int, float] | None:
    """Return the k for which the k-th smallest and the k-th largest of `n` values bound the median.

    Returns:
        (k, confidence) with the largest k at which 1 - 2 P(Binomial(n, 1/2) < k) >= 1 - `alpha`;
        None if not even the extremes bound the median.

    Source: W. R. Thompson, "On confidence ranges for the median and other expectation
    distributions for populations of unknown distribution form", Annals of Mathematical
    Statistics 7(3), 1936.
    """
    outside, bounds = 0.0, None
    for k in range(1, n // 2 + 1):
        outside += 2 * math.comb(n, k - 1) / 2**n
        if outside > alpha:
            break
        bounds = (k, 1 - outside)
    return bounds


def summarise(values: ArrayLike, alpha: float = 0.05) -> Summary:
    """Compute median, exact order-statistic interval and spreads of `values`, shape (n,), n >= 1.

    Costs (times) and rates are summarised alike, because the median and its bounds commute with
    1/x: a rate is best had from the summary of its times (`scaling.jobs_per_day`).

    Raises:
        NotEnoughData: there is no value.
    """
    ordered = np.sort(np.asarray(values, float))
    if ordered.size == 0:
        raise NotEnoughData("a summary needs at least 1 run that counts, got none")
    ranks = median_ranks(ordered.size, alpha)
    median = float(np.median(ordered))
    several = ordered.size > 1
    return Summary(
        n=ordered.size,
        median=median,
        low=float(ordered[ranks[0] - 1]) if ranks else None,
        high=float(ordered[-ranks[0]]) if ranks else None,
        confidence=ranks[1] if ranks else None,
        minimum=float(ordered[0]),
        maximum=float(ordered[-1]),
        rsd=float(ordered.std(ddof=1) / ordered.mean()) if several and ordered.mean() else None,
        robust_rsd=_MAD_TO_SIGMA * _mad(ordered) / median if several and median else None,
        note="" if ranks else TOO_SMALL,
    )


def _mad(values: NDArray[np.float64]) -> float:
    return float(np.median(np.abs(values - np.median(values))))


def outliers(values: ArrayLike) -> NDArray[np.bool_]:
    """Flag the values whose modified z score exceeds 3.5, never to delete them; shape of `values`.

    z = 0.6745 |x - median| / MAD. Where more than half of the values are equal, the MAD is 0 and
    the mean absolute deviation takes its place (z = |x - median| / (1.2533 mean deviation)).

    Source: B. Iglewicz, D. Hoaglin, "How to Detect and Handle Outliers", ASQC 1993.
    """
    array = np.asarray(values, float)
    deviation = np.abs(array - np.median(array))
    scale = _MAD_TO_SIGMA * float(np.median(deviation))
    if scale == 0:
        scale = math.sqrt(math.pi / 2) * float(deviation.mean())
    flags: NDArray[np.bool_] = deviation > OUTLIER_SCORE * scale
    return flags
