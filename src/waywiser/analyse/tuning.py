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
    found = []
    for one in findings.comparisons:
        name, size = sized(one.metric) or (one.metric, 0)
        if name == collective:
            found.append((size, one))
    return sorted(found, key=lambda pair: pair[0])


def winners(found: Iterable[tuple[int, Comparison]]) -> dict[int, Comparison]:
    """Return message size -> the algorithm that is certainly faster, by the most."""
    best: dict[int, Comparison] = {}
    for size, one in found:
        if one.kind == "faster" and _gain(one) > (_gain(best[size]) if size in best else 0.0):
            best[size] = one
    return best


def winners_everywhere(found: Sequence[tuple[int, Comparison]]) -> dict[int, Comparison]:
    """Return the best algorithm of each size that is no slower than the library's own choice; no
    size can keep that choice. Empty: a size has no such algorithm, or none is faster."""
    best: dict[int, Comparison] = {}
    for size, one in found:
        if one.kind in SAFE and (size not in best or _gain(one) > _gain(best[size])):
            best[size] = one
    covered = set(best) == {size for size, _ in found}
    return best if covered and any(one.kind == "faster" for one in best.values()) else {}


def winner_everywhere(found: Iterable[tuple[int, Comparison]]) -> Comparison | None:
    """Return the best algorithm for all sizes, for a library that allows one for all. It must be
    faster at some size and not measurably slower at any."""
    by_algorithm: dict[str, list[Comparison]] = {}
    for _, one in found:
        by_algorithm.setdefault(str(one.candidate), []).append(one)
    sizes = max(map(len, by_algorithm.values()), default=0)
    safe = [
        max(ones, key=_gain)
        for ones in by_algorithm.values()
        if len(ones) == sizes
        and any(one.kind == "faster" for one in ones)
        and all(one.kind in SAFE for one in ones)
    ]
    return max(safe, key=_gain, default=None)


def _gain(one: Comparison) -> float:
    return one.low if one.low is not None else -1.0
