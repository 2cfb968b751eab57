"""Decide when a study has enough blocks: its intervals are narrow enough, or its budget is spent.

The width alone decides, never the position of the interval: no study can be prolonged until it
shows a difference. Widths are estimates too, and stopping at the first narrow one slightly raises
the error of the final interval. `tests/verification/test_stats_error_rates.py` shows that it stays
within 5 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from waywiser.stats.compare import Verdict
from waywiser.stats.summary import SAMPLES_NEEDED, Summary
from waywiser.units import counted


@dataclass(frozen=True)
class StoppingRule:
    """Stop when every half-width is at most `target`, and between `fewest` and `most` blocks."""

    target: float = 0.01
    """Relative half-width of the median or of the performance ratio: 0.01 is ±1 %."""
    most: int = 30
    """Largest number of blocks that count, without the warm-up."""
    fewest: int = SAMPLES_NEEDED


@dataclass(frozen=True)
class Decision:
    """The decision whether to stop before the next block, with its reason as a sentence."""

    stop: bool
    reason: str
    blocks_expected: int
    """Number of blocks at which the target should be met, or the most; half-widths shrink as
    1/sqrt(blocks)."""


def decide(
    rule: StoppingRule,
    blocks: int,
    half_widths: Sequence[float],
    *,
    budget_left: float = math.inf,
    next_block: float = 0.0,
) -> Decision:
    """Decide whether `blocks` blocks are enough.

    Args:
        half_widths: of the intervals that the study is about (`half_width`), all relative.
        budget_left, next_block: the remaining budget and the cost of one more block, in
            core-hours (or any other unit, the same for both).
    """
    widest = max(half_widths, default=math.inf)
    expected = _expected(rule, blocks, widest)
    if budget_left < next_block:
        return Decision(True, "the budget does not hold another block", blocks)
    if blocks >= rule.most:
        return Decision(True, f"{counted(blocks, 'block')}, the most that were allowed", blocks)
    if blocks < rule.fewest:
        reason = f"{counted(blocks, 'block')} of at least {rule.fewest}"
        return Decision(False, reason, expected)
    found = "unknown" if math.isinf(widest) else f"±{100 * widest:.2g} %"
    target = f"±{100 * rule.target:.2g} %"
    done = widest <= rule.target
    reason = f"the widest interval is {found} (target: {target})"
    return Decision(done, reason, blocks if done else expected)


def half_width(found: Summary | Verdict) -> float:
    """Half the width of an interval: of a summary relative to its median, of a verdict in units of
    performance; infinite if there is no interval."""
    if found.low is None or found.high is None:
        return math.inf
    scale = found.median if isinstance(found, Summary) else 1 + (found.change or 0.0)
    return (found.high - found.low) / 2 / scale if scale else math.inf


def _expected(rule: StoppingRule, blocks: int, widest: float) -> int:
    if math.isinf(widest):
        return rule.most
    needed = math.ceil(blocks * (widest / rule.target) ** 2)
    return min(rule.most, max(needed, rule.fewest, blocks))
