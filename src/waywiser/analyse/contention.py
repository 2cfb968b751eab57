"""Configurations with too many runs from a noisy machine for a verdict."""

from __future__ import annotations

from waywiser.analyse.samples import Group
from waywiser.stats.gate import UNRELIABLE_RUNS


def unreliable(group: Group, name: str = "") -> list[str]:
    """Return the reasons why a side has no verdict: more unreliable runs than the estimates bear.

    Args:
        name: name of the side in sentences.
    """
    reasons_by_run = [
        sample.result.unreliable for sample in group.counted if sample.result.unreliable
    ]
    if len(reasons_by_run) <= UNRELIABLE_RUNS * len(group.counted):
        return []
    return [
        f"{len(reasons_by_run)} of {len(group.counted)} runs of {name or group.name} failed the "
        f"validity gate ({reasons_by_run[0][0]})"
    ]
