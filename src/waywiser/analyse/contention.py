"""Configurations with too many runs from a noisy machine for a verdict."""

from __future__ import annotations

from waywiser.analyse.samples import Group
from waywiser.stats.gate import UNRELIABLE_RUNS


def unreliable(group: Group, name: str = "") -> list[str]:
    """Return the reasons why a side has no verdict: more unreliable runs than the estimates bear.

    Args:
        name: name of the side in sentences.
    """
    found = [sample.result.unreliable for sample in group.counted if sample.result.unreliable]
    if len(found) <= UNRELIABLE_RUNS * len(group.counted):
        return []
    return [
        f"{len(found)} of {len(group.counted)} runs of {name or group.name} failed the "
        f"validity gate ({found[0][0]})"
    ]
