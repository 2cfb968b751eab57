"""Decide whether a study is precise enough, or needs another block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from waywiser.analyse.study import analyse_study
from waywiser.model.findings import Findings
from waywiser.model.run import Run
from waywiser.stats.stopping import StoppingRule, decide
from waywiser.store.study import Place
from waywiser.study.campaign import Campaign


@dataclass(frozen=True)
class Outlook:
    """The number of blocks that a study needs, from its present runs."""

    blocks: int
    """Number of blocks without the warm-up."""

    reason: str


def outlook(campaign: Campaign, done: Mapping[Place, Run]) -> Outlook:
    """The number of blocks needed: one more than present while intervals are too wide."""
    repeats = campaign.study.repeats
    if not repeats.at_most:
        return Outlook(repeats.blocks, "as many as the study file says")
    last = max([repeats.blocks, *(place.block for place in done)])
    if campaign.missing_runs(last, done):
        return Outlook(last, "these are not all done yet")
    if campaign.stopped(done) >= campaign.configurations.keys():
        return Outlook(last, "no configuration is left: the warm-up of each failed")
    rule = StoppingRule(target=repeats.precision, fewest=repeats.blocks, most=repeats.at_most)
    findings = analyse_study(campaign.study, list(done.values()))
    decision = decide(rule, last, half_widths(findings))
    return Outlook(last if decision.stop else last + 1, decision.reason)


def half_widths(findings: Findings) -> list[float]:
    """Relative half width of each interval: of the comparisons in the headline metric or, without
    comparisons, of the configurations' medians."""
    headlines = set(findings.headlines.values())
    widths = [
        _half_width(1 + (comparison.change or 0.0), comparison.low, comparison.high)
        for comparison in findings.comparisons
        if comparison.metric in headlines
    ]
    if widths:
        return widths
    return [
        _half_width(
            configuration.metrics[0].median,
            configuration.metrics[0].low,
            configuration.metrics[0].high,
        )
        for configuration in findings.configurations
        if configuration.metrics
    ]


def _half_width(value: float, low: float | None, high: float | None) -> float:
    if low is None or high is None or not value:
        return float("inf")
    return abs((high - low) / 2 / value)
