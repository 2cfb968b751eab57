"""Comparisons along one axis: each value against the base, at every configuration of the other
axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from waywiser.analyse.contention import unreliable
from waywiser.analyse.judged import judged_in
from waywiser.analyse.programs import program_axes, unlike
from waywiser.analyse.samples import Floats, Group, Samples, axis_text
from waywiser.model.judged import Comparison, Kind, SectionChange
from waywiser.model.reading import Metric, sized
from waywiser.model.result import Scalar
from waywiser.model.study import COUNTS
from waywiser.stats.compare import Verdict, compare_families, compare_sweep, refuse
from waywiser.stats.summary import SAMPLES_NEEDED


@dataclass(frozen=True)
class Pair:
    """Two configurations that differ in one axis, and the compared metric."""

    base: Group
    candidate: Group
    metric: Metric


def compare_axis(samples: Samples) -> str:
    """Return the axis whose values are compared; "" if no axis has several values."""
    requested = samples.study.report.compare
    if requested:
        return requested if requested in samples.varying else ""
    others = ("application", *COUNTS, *samples.study.problem)
    settings = [axis for axis in samples.varying if axis not in others]
    return next(iter(settings), "")


def comparisons(samples: Samples) -> tuple[Comparison, ...]:
    """Return all comparisons; those of headlines are decided together, and those of each other
    metric."""
    axis = compare_axis(samples)
    if not axis:
        return ()
    families = _families(samples, axis)
    all_comparisons: list[Comparison] = []
    for headline, pairs in families:
        sections = _sections(samples, pairs) if headline else [()] * len(pairs)
        all_comparisons += [
            _comparison(samples, axis, pair, verdict, changes)
            for pair, verdict, changes in zip(
                pairs, verdicts(samples, pairs), sections, strict=True
            )
        ]
    return tuple(all_comparisons)


def verdicts(samples: Samples, pairs: Sequence[Pair]) -> list[Verdict]:
    """Return verdicts on pairs that are decided together; none for pairs on a noisy machine."""
    costs = [
        (_costs(samples, pair.base, pair.metric), _costs(samples, pair.candidate, pair.metric))
        for pair in pairs
    ]
    ungated = compare_sweep(costs, better="lower", margin=samples.study.repeats.margin)
    axes = program_axes(samples.study)
    return [
        refuse(verdict, unlike(pair.base, pair.candidate, axes) + gate(samples, pair, verdict))
        for verdict, pair in zip(ungated, pairs, strict=True)
    ]


def gate(samples: Samples, pair: Pair, verdict: Verdict) -> list[str]:
    """Return reasons to refuse a verdict because of contention; none for too few runs."""
    if verdict.n < SAMPLES_NEEDED:
        return []
    return [
        reason
        for group in (pair.base, pair.candidate)
        for reason in unreliable(group, samples.name(group))
    ]


def _families(samples: Samples, axis: str) -> list[tuple[bool, list[Pair]]]:
    """Return the pairs of the headlines, then those of each other metric; a benchmark's metrics at
    its message sizes are one family."""
    headlines: list[Pair] = []
    others: dict[str, list[Pair]] = {}
    requested = samples.study.report.metrics
    for groups in samples.alike(axis):
        base = _base(samples, axis, groups)
        headline = samples.headline(base)
        for candidate in groups:
            if candidate is base or headline is None:
                continue
            for metric in base.metrics.values():
                if metric.better == "neither" or metric.name not in candidate.metrics:
                    continue
                if metric.name == headline.name:
                    headlines.append(Pair(base, candidate, metric))
                elif not requested or metric.name in requested:
                    family = (sized(metric.name) or (metric.name,))[0]
                    others.setdefault(family, []).append(Pair(base, candidate, metric))
    return [(True, headlines), *((False, pairs) for pairs in others.values())]


def _base(samples: Samples, axis: str, groups: Sequence[Group]) -> Group:
    """Return the configuration with the base's value; if that did not run, the first one."""
    requested: Scalar = samples.study.report.base
    values = samples.varying[axis]
    if requested == "":
        requested = values[0]
    return next((group for group in groups if group.values.get(axis) == requested), groups[0])


def _costs(samples: Samples, group: Group, metric: Metric) -> Floats:
    """Return the metric so that less is better, shape (blocks,)."""
    positive = _positive(samples.by_block(group, metric.name))
    return positive if metric.better == "lower" else 1 / positive


def _comparison(
    samples: Samples,
    axis: str,
    pair: Pair,
    verdict: Verdict,
    sections: tuple[SectionChange, ...],
) -> Comparison:
    at = samples.others(pair.base, axis)
    base, candidate = pair.base.values[axis], pair.candidate.values[axis]
    names = axis_text(axis, candidate), axis_text(axis, base)
    place = samples.label(at)
    return Comparison(
        metric=pair.metric.name,
        axis=axis,
        base=base,
        candidate=candidate,
        at=at,
        place=place,
        base_name=names[1],
        candidate_name=names[0],
        base_configuration=pair.base.name,
        candidate_configuration=pair.candidate.name,
        **judged_in(pair.metric, verdict, *names, place),
        sections=sections,
    )


def _sections(samples: Samples, pairs: Sequence[Pair]) -> list[tuple[SectionChange, ...]]:
    """Return the sections that both configurations of a pair have; those of one pair are decided
    together."""
    times = [_section_times(samples, pair) for pair in pairs]
    by_pair = compare_families(
        [[(_positive(base), _positive(new)) for base, new in each.values()] for each in times]
    )
    changes = []
    for pair, each, verdicts in zip(pairs, times, by_pair, strict=True):
        reasons = unlike(pair.base, pair.candidate, program_axes(samples.study))
        reasons += unreliable(pair.base) + unreliable(pair.candidate)
        named = [
            _change(name, base, new, refuse(verdict, reasons).kind)
            for (name, (base, new)), verdict in zip(each.items(), verdicts, strict=True)
            if np.isfinite(new - base).any()
        ]
        changes.append(tuple(sorted(named, key=lambda change: -change.difference_seconds)))
    return changes


def _section_times(samples: Samples, pair: Pair) -> dict[str, tuple[Floats, Floats]]:
    """Section -> times of both sides, each of shape (blocks,)."""
    base, new = (samples.sections_by_block(group) for group in (pair.base, pair.candidate))
    return {name: (base[name], new[name]) for name in base if name in new}


def _positive(seconds: Floats) -> Floats:
    """Replace values that are not above 0 by NaN, since they have no ratio."""
    with np.errstate(invalid="ignore"):
        return np.where(seconds > 0, seconds, np.nan)


def _change(name: str, base: Floats, candidate: Floats, kind: Kind) -> SectionChange:
    return SectionChange(
        name=name,
        base_seconds=float(np.nanmedian(base)),
        candidate_seconds=float(np.nanmedian(candidate)),
        difference_seconds=float(np.nanmedian(candidate - base)),
        kind=kind,
    )
