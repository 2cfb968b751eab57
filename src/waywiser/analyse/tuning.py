"""Where another algorithm than the library's own choice is faster, out of a study of algorithms."""

from __future__ import annotations

from collections.abc import Iterable

from waywiser.model.findings import Comparison, Findings
from waywiser.model.reading import sized

OWN = "own"
"""The library's own choice, among the values of the axis that is compared."""


def of_collective(findings: Findings, collective: str) -> list[tuple[int, Comparison]]:
    """(message size [B], comparison with the library's own choice) of one collective; the size of
    a barrier is 0."""
    found = []
    for one in findings.comparisons:
        name, size = sized(one.figure) or (one.figure, 0)
        if name == collective:
            found.append((size, one))
    return sorted(found, key=lambda pair: pair[0])


def winners(found: Iterable[tuple[int, Comparison]]) -> dict[int, Comparison]:
    """Message size -> the algorithm that is faster for sure by the most."""
    best: dict[int, Comparison] = {}
    for size, one in found:
        if one.kind == "faster" and _gain(one) > (_gain(best[size]) if size in best else 0.0):
            best[size] = one
    return best


def winner_everywhere(found: Iterable[tuple[int, Comparison]]) -> Comparison | None:
    """Of algorithms that can be chosen for all sizes alone: the best of those that are faster at
    some size and not slower, as far as can be told, at any."""
    by_algorithm: dict[str, list[Comparison]] = {}
    for _, one in found:
        by_algorithm.setdefault(str(one.candidate), []).append(one)
    sizes = max(map(len, by_algorithm.values()), default=0)
    safe = [
        max(ones, key=_gain)
        for ones in by_algorithm.values()
        if len(ones) == sizes
        and any(one.kind == "faster" for one in ones)
        and all(one.kind in ("faster", "equivalent") for one in ones)
    ]
    return max(safe, key=_gain, default=None)


def _gain(one: Comparison) -> float:
    return one.low if one.low is not None else -1.0
