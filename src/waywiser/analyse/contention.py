"""Whether a configuration has so many runs from a contended machine that nothing is decided by
it."""

from __future__ import annotations

from waywiser.analyse.samples import Group
from waywiser.stats.gate import CONTENDED_RUNS


def contended(group: Group, name: str = "") -> list[str]:
    """Why a side has no verdict: more contended runs than the estimates bear.

    Args:
        name: of the side, as sentences have it.
    """
    found = [sample.result.contended for sample in group.counted if sample.result.contended]
    if len(found) <= CONTENDED_RUNS * len(group.counted):
        return []
    return [
        f"contended machine in {len(found)} of {len(group.counted)} runs of {name or group.name}"
        f" ({found[0][0]})"
    ]
