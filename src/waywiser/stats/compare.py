"""Verdicts: is one set of runs faster than another? Many comparisons can be decided together.

All comparisons are on the logarithm of performance: 1/time for metrics of which less is better,
the metric itself for those of which more is better. "Faster by 3 %" is always 3 % more performance,
so 103 s against 100 s is faster by 3 %, and so is 103 GFLOP/s against 100.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waywiser.stats.shift import paired_shifts, unpaired_shift
from waywiser.stats.summary import SAMPLES_NEEDED, TOO_SMALL

Floats = NDArray[np.float64]
Better = Literal["lower", "higher"]
Kind = Literal["faster", "slower", "equivalent", "undecided", "refused"]

ALPHA = 0.05
MARGIN = 0.01
"""Differences up to this share of performance do not matter, unless the user says otherwise."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on a candidate against its baseline."""

    kind: Kind
    n: int
    """Pairs of runs; of unpaired sets, runs of the smaller one."""
    change: float | None = None
    """Performance of the candidate / that of the baseline - 1."""
    low: float | None = None
    """Bounds of `change` at `confidence`; high is infinite where n cannot bound it."""
    high: float | None = None
    confidence: float | None = None
    """Confidence of the interval: above 95 % where several comparisons are decided together."""
    margin: float = MARGIN
    reason: str = ""
    """Reason why there is no verdict (`refused`)."""

    @property
    def words(self) -> str:
        """The verdict in the fixed words, with the candidate as the subject."""
        match self.kind:
            case "faster" | "slower":
                return f"{self.kind} by {self._interval()}"
            case "equivalent":
                return f"no difference larger than {100 * self.margin:.3g} %"
            case "refused":
                return f"no verdict: {self.reason}"
            case "undecided":
                return "undecided"

    def sentence(self, candidate: str, baseline: str) -> str:
        """The verdict with both names: "B is faster than A by 3.0 % [2.1, 3.9]"."""
        match self.kind:
            case "faster" | "slower":
                return f"{candidate} is {self.kind} than {baseline} by {self._interval()}"
            case _:
                return f"{candidate} against {baseline}: {self.words}"

    def _interval(self) -> str:
        assert self.change is not None
        assert self.low is not None
        assert self.high is not None
        percents = [100 * abs(share) for share in (self.change, self.low, self.high)]
        if self.kind == "slower":
            percents[1:] = percents[:0:-1]
        # Two significant digits of the width: more would be noise.
        width = abs(percents[2] - percents[1])
        decimals = 1 if not 0 < width < math.inf else max(0, 1 - math.floor(math.log10(width)))
        value, low, high = (f"{percent:.{min(decimals, 3)}f}" for percent in percents)
        return f"{value} % [{low}, {high}]"


def compare_sweep(
    pairs: Sequence[tuple[ArrayLike, ArrayLike]],
    *,
    better: Better = "lower",
    margin: float = MARGIN,
    alpha: float = ALPHA,
) -> list[Verdict]:
    """Verdicts on all points of a sweep, of which none is false with probability 1 - `alpha`.

    Holm's procedure: with m comparisons open, each gets the interval at confidence 1 - alpha/m.
    Comparisons whose interval excludes 0 are decided and closed; the rest is tried again with the m
    that remain. A configuration is called equivalent by the last interval that it was given. At any
    configuration at most one of the two claims can be false, so both share one level.

    Args:
        pairs: (baseline, candidate) of each configuration: runs that stand in the same blocks, both
            of shape (blocks,). A block in which either run is missing (NaN) does not count; fewer
            than 6 pairs are refused.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
    Journal of Statistics 6(2), 1979.
    """
    return compare_families([pairs], better=better, margin=margin, alpha=alpha)[0]


def compare_families(
    families: Sequence[Sequence[tuple[ArrayLike, ArrayLike]]],
    *,
    better: Better = "lower",
    margin: float = MARGIN,
    alpha: float = ALPHA,
) -> list[list[Verdict]]:
    """Apply `compare_sweep` to each family by itself; at once, because many rows in one array take
    a fraction of their time one by one."""

    def decide(rows: Sequence[_Row], level: float, family: int) -> None:
        for blocks in {row.blocks for row in rows}:
            alike = [row for row in rows if row.blocks == blocks]
            for start in range(0, len(alike), ROWS_AT_ONCE):
                part = alike[start : start + ROWS_AT_ONCE]
                first, second = (np.stack([row.logs[side] for row in part]) for side in (0, 1))
                shifts = paired_shifts(first, second, level, family)
                bounds = zip(shifts.estimate, shifts.low, shifts.high, strict=True)
                for row, interval in zip(part, bounds, strict=True):
                    row.verdict = _verdict(interval, blocks, 1 - level, margin)

    rows = [[_Row(_paired_logs(*pair, better), margin) for pair in pairs] for pairs in families]
    return _holm(rows, decide, alpha)


ROWS_AT_ONCE = 256
"""Number of rows in one array; their signs for 4,096 swaps fill 4 MB."""


class _Row:
    """One comparison, and the verdict on it so far."""

    def __init__(self, logs: tuple[Floats, Floats], margin: float) -> None:
        self.logs = logs
        self.blocks = min(side.size for side in logs)
        self.verdict = _refused(self.blocks, margin)

    @property
    def decided(self) -> bool:
        return self.verdict.kind in ("faster", "slower")


def compare_unpaired_sweep(
    pairs: Sequence[tuple[ArrayLike, ArrayLike]],
    *,
    better: Better = "lower",
    margin: float = MARGIN,
    alpha: float = ALPHA,
) -> list[Verdict]:
    """Compare several pairs of sets that share no blocks, as from different systems, by Holm's
    procedure, as `compare_sweep` does.

    The verdicts are not guarded against drift between the two sets: where both can run in the same
    blocks, use `compare_sweep`.
    """

    def decide(rows: Sequence[_Row], level: float, family: int) -> None:
        for row in rows:
            shift = unpaired_shift(*row.logs, level, family)
            interval = (shift.estimate[0], shift.low[0], shift.high[0])
            row.verdict = _verdict(interval, row.blocks, 1 - level, margin)

    def finite(values: ArrayLike) -> Floats:
        logs = _logs(values, better)
        return logs[np.isfinite(logs)]

    rows = [_Row((finite(first), finite(second)), margin) for first, second in pairs]
    return _holm([rows], decide, alpha)[0]


def _holm(
    families: Sequence[Sequence[_Row]],
    decide: Callable[[Sequence[_Row], float, int], None],
    alpha: float,
) -> list[list[Verdict]]:
    """Apply Holm's procedure to the comparisons of each family; those of too few runs stay refused.

    Args:
        decide: (rows, level of each, how many are decided together) sets the rows' verdicts.
    """
    open_ = [[row for row in rows if row.blocks >= SAMPLES_NEEDED] for rows in families]
    sizes = [len(rows) for rows in open_]
    while any(open_):
        rounds: dict[tuple[int, int], list[_Row]] = {}
        for rows, size in zip(open_, sizes, strict=True):
            rounds.setdefault((len(rows), size), []).extend(rows)
        for (remaining, size), rows in rounds.items():
            if rows:
                decide(rows, alpha / remaining, size)
        left = [[row for row in rows if not row.decided] for rows in open_]
        # A round that has decided nothing is a family's last.
        open_ = [
            after if len(after) < len(before) else []
            for before, after in zip(open_, left, strict=True)
        ]
    return [[row.verdict for row in rows] for rows in families]


def refuse(verdict: Verdict, reasons: Sequence[str]) -> Verdict:
    """Withdraw `verdict` for `reasons` (`gate.found_reasons`); without any, return it unchanged.

    The interval stays, to be shown as a measurement on a machine that was not quiet.
    """
    if not reasons:
        return verdict
    return replace(verdict, kind="refused", reason="; ".join(reasons))


def _logs(values: ArrayLike, better: Better) -> Floats:
    array = np.asarray(values, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs: Floats = np.log(array)
    return -logs if better == "lower" else logs


def _paired_logs(
    baseline: ArrayLike, candidate: ArrayLike, better: Better
) -> tuple[Floats, Floats]:
    first, second = _logs(baseline, better), _logs(candidate, better)
    both = np.isfinite(first) & np.isfinite(second)
    return first[both], second[both]


def _refused(n: int, margin: float) -> Verdict:
    return Verdict("refused", n, margin=margin, reason=TOO_SMALL)


def _verdict(
    bounds: tuple[float, float, float], n: int, confidence: float, margin: float
) -> Verdict:
    """The verdict of an interval of log performance."""
    change, low, high = (float(np.expm1(bound)) for bound in bounds)
    kind: Kind = "undecided"
    if low > 0:
        kind = "faster"
    elif high < 0:
        kind = "slower"
    elif low > 1 / (1 + margin) - 1 and high < margin:
        kind = "equivalent"
    return Verdict(kind, n, change, low, high, confidence, margin)
