"""Find algorithms that are faster than the library's own choice, from a study of algorithms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from waywiser.model.findings import Findings
from waywiser.model.judged import Comparison
from waywiser.model.reading import sized

OWN = "own"
"""Value of the compared axis for the library's own choice."""

SAFE = ("faster", "equivalent")
"""Verdicts on an algorithm that does no harm."""


def of_collective(findings: Findings, collective: str) -> list[tuple[int, Comparison]]:
    """Return (message size [B], comparison with the library's own choice) of one collective; the
    size of a barrier is 0."""
    comparisons = []
    for comparison in findings.comparisons:
        name, size = sized(comparison.metric) or (comparison.metric, 0)
        if name == collective:
            comparisons.append((size, comparison))
    return sorted(comparisons, key=lambda pair: pair[0])


def winners(comparisons: Iterable[tuple[int, Comparison]]) -> dict[int, Comparison]:
    """Return message size -> the algorithm that is certainly faster, by the most."""
    best: dict[int, Comparison] = {}
    for size, comparison in comparisons:
        if comparison.kind == "faster" and _gain(comparison) > (
            _gain(best[size]) if size in best else 0.0
        ):
            best[size] = comparison
    return best


def winners_everywhere(comparisons: Sequence[tuple[int, Comparison]]) -> dict[int, Comparison]:
    """Return the best algorithm of each size that is no slower than the library's own choice; no
    size can keep that choice. Empty: a size has no such algorithm, or none is faster."""
    best: dict[int, Comparison] = {}
    for size, comparison in comparisons:
        if comparison.kind in SAFE and (size not in best or _gain(comparison) > _gain(best[size])):
            best[size] = comparison
    covered = set(best) == {size for size, _ in comparisons}
    return best if covered and any(winner.kind == "faster" for winner in best.values()) else {}


def winner_everywhere(comparisons: Iterable[tuple[int, Comparison]]) -> Comparison | None:
    """Return the best algorithm for all sizes, for a library that allows one for all. It must be
    faster at some size and not measurably slower at any."""
    by_algorithm: dict[str, list[Comparison]] = {}
    for _, comparison in comparisons:
        by_algorithm.setdefault(str(comparison.candidate), []).append(comparison)
    sizes = max(map(len, by_algorithm.values()), default=0)
    safe = [
        max(group, key=_gain)
        for group in by_algorithm.values()
        if len(group) == sizes
        and any(comparison.kind == "faster" for comparison in group)
        and all(comparison.kind in SAFE for comparison in group)
    ]
    return max(safe, key=_gain, default=None)


def _gain(comparison: Comparison) -> float:
    return comparison.low if comparison.low is not None else -1.0
