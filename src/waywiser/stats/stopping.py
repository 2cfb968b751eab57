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

from waywiser.stats.summary import SAMPLES_NEEDED
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


def decide(rule: StoppingRule, blocks: int, half_widths: Sequence[float]) -> Decision:
    """Decide whether `blocks` blocks are enough.

    Args:
        half_widths: of the intervals that the study is about, all relative.
    """
    widest = max(half_widths, default=math.inf)
    if blocks >= rule.most:
        return Decision(True, f"{counted(blocks, 'block')}, the most that were allowed")
    if blocks < rule.fewest:
        return Decision(False, f"{counted(blocks, 'block')} of at least {rule.fewest}")
    width = "unknown" if math.isinf(widest) else f"±{100 * widest:.2g} %"
    reason = f"the widest interval is {width} (target: ±{100 * rule.target:.2g} %)"
    return Decision(widest <= rule.target, reason)
