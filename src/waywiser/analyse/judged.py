"""Convert verdicts to their fields in documents."""

from __future__ import annotations

from typing import Any

from waywiser.model.judged import Judged
from waywiser.model.reading import Metric
from waywiser.stats.compare import Verdict

TIMES = frozenset({"s", "ms", "us", "µs", "ns", "min", "h"})
WORDS = {"faster": "better", "slower": "worse"}
"""Words for metrics that are neither times nor rates."""


def judged(verdict: Verdict | Judged, sentence: str) -> dict[str, Any]:
    """The fields of `Judged`.

    Args:
        sentence: the verdict with its place and names.
    """
    return {name: getattr(verdict, name) for name in Judged.model_fields} | {"sentence": sentence}


def judged_in(
    metric: Metric, verdict: Verdict, candidate: str, baseline: str, place: str
) -> dict[str, Any]:
    """Return the fields of a verdict, as `judged`; a metric that is neither a time nor a rate is
    better, not faster.

    Args:
        place: place of both sides, or "".
    """
    words, sentence = verdict.words, verdict.sentence(candidate, baseline)
    if verdict.kind in WORDS and not is_speed(metric):
        kind = WORDS[verdict.kind]
        _, _, by = words.partition(" ")
        words, sentence = f"{kind} {by}", f"{candidate} is {kind} than {baseline} {by}"
    return judged(verdict, f"{place}: {sentence}" if place else sentence) | {"words": words}


def is_speed(metric: Metric) -> bool:
    """True for a time or a rate."""
    return metric.unit in TIMES or "/" in metric.unit
