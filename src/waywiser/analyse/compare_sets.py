"""Two sets of runs against each other, from one study, from two, or from none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from waywiser import __version__
from waywiser.analyse.configurations import metric_summary
from waywiser.analyse.contention import unreliable
from waywiser.analyse.differences import differences, mixed
from waywiser.analyse.gate import gate_of_sets
from waywiser.analyse.judged import judged_in
from waywiser.analyse.match import Matched, Matching, match
from waywiser.analyse.programs import differing, programs_are_compared, unlike
from waywiser.analyse.samples import Floats, Group
from waywiser.analyse.sets import RunSet
from waywiser.errors import InvalidCommand
from waywiser.model.comparison import ComparedSet, ConfigurationComparison, SetComparison
from waywiser.model.configuration_findings import ExcludedRun
from waywiser.model.reading import Metric
from waywiser.progress import progress
from waywiser.stats.compare import (
    MARGIN,
    Verdict,
    compare_sweep,
    compare_unpaired_sweep,
    refuse,
)
from waywiser.stats.summary import SAMPLES_NEEDED


@dataclass(frozen=True)
class Case:
    """One metric at one pair of configurations, which both have the metric."""

    pair: Matched
    metric: Metric


@progress("comparing")
def compare_sets(
    a: RunSet, b: RunSet, metrics: Sequence[str] = (), ignore: Sequence[str] = ()
) -> SetComparison:
    """Return verdicts on B against A at every configuration of both sets.

    Configurations of one metric are decided together (Holm). Where both sets stand in the blocks of
    one study, runs of the same block are paired.

    Args:
        metrics: metrics to compare; by default each configuration's headline.
        ignore: names of values that matching ignores.

    Raises:
        InvalidCommand: the sets share runs, no configuration, or no metric that can be compared.
    """
    if shared := a.directories & b.directories:
        raise InvalidCommand(f"{a.name} and {b.name} share runs, such as {min(shared)}")
    matching = match(a, b, ignore)
    paired = a.study is not None and a.study == b.study
    margin = a.margin if a.margin is not None and a.margin == b.margin else MARGIN
    families = _families(a, b, matching.pairs, metrics)
    comparisons = tuple(
        _comparison(a, b, case, verdict, paired)
        for family in families
        for case, verdict in zip(family, _verdicts(a, b, family, paired, margin), strict=True)
    )
    return SetComparison(
        waywiser=__version__,
        gate=gate_of_sets(
            {
                side.name: [sample.result for group in side.groups for sample in group.counted]
                for side in (a, b)
            }
        ),
        a=_described(a),
        b=_described(b),
        matched_by=matching.by,
        only_a=matching.only_a,
        only_b=matching.only_b,
        comparisons=comparisons,
        differences=differences(matching.pairs),
        programs=tuple(dict.fromkeys(_programs(a, b, matching.pairs))),
        remarks=tuple(_remarks(a, b, matching, families, paired)),
    )


def _families(
    a: RunSet, b: RunSet, pairs: Sequence[Matched], metrics: Sequence[str]
) -> list[list[Case]]:
    """Return the families that are decided together: all headlines, or each requested metric."""
    if not metrics:
        return [[_case(pair, _headline(a, b, pair)) for pair in pairs]]
    families = []
    for name in dict.fromkeys(metrics):
        both = [pair for pair in pairs if name in pair.a.metrics and name in pair.b.metrics]
        if not both:
            raise InvalidCommand(
                f"--metric {name}: no configuration of both sets has it{_known(pairs)}"
            )
        families.append([_case(pair, name) for pair in both])
    return families


def _headline(a: RunSet, b: RunSet, pair: Matched) -> str:
    names = [group.counted[0].result.headline for group in (pair.a, pair.b)]
    if names[0] != names[1]:
        raise InvalidCommand(
            f"the headline metric of {a.name} is {names[0]}, that of {b.name} {names[1]}; "
            f"choose one with --metric{_known([pair])}"
        )
    sides = ((a, pair.a), (b, pair.b))
    if lacking := [side.name for side, group in sides if names[0] not in group.metrics]:
        raise InvalidCommand(
            f"{names[0]} is missing in {' and in '.join(lacking)}; choose another metric with "
            f"--metric{_known([pair])}"
        )
    return names[0]


def _known(pairs: Sequence[Matched]) -> str:
    names = dict.fromkeys(n for pair in pairs for n in pair.a.metrics if n in pair.b.metrics)
    return f"; both have {', '.join(names)}" if names else "; they have no metric in common"


def _case(pair: Matched, name: str) -> Case:
    a, b = pair.a.metrics[name], pair.b.metrics[name]
    if (a.unit, a.better) != (b.unit, b.better):
        descriptions = (
            f"{metric.better} is better, in {metric.unit or 'no unit'}" for metric in (a, b)
        )
        raise InvalidCommand(f"{name} differs between the two sets: {'; '.join(descriptions)}")
    if a.better == "neither":
        raise InvalidCommand(f"{name} cannot be compared: neither higher nor lower is better")
    return Case(pair, a)


def _verdicts(
    a: RunSet, b: RunSet, family: Sequence[Case], paired: bool, margin: float
) -> list[Verdict]:
    costs = [_costs(case, paired) for case in family]
    compare = compare_sweep if paired else compare_unpaired_sweep
    return [
        refuse(
            verdict,
            unlike(case.pair.a, case.pair.b, a.program_axes | b.program_axes)
            + (_gate(a, b, case.pair) if verdict.n >= SAMPLES_NEEDED else []),
        )
        for verdict, case in zip(compare(costs, margin=margin), family, strict=True)
    ]


def _programs(a: RunSet, b: RunSet, pairs: Sequence[Matched]) -> Iterator[str]:
    """Yield sentences on programs that differ between the sets."""
    for pair in pairs:
        chosen = programs_are_compared(pair.a, pair.b, a.program_axes | b.program_axes)
        yield from differing({a.name: pair.a.counted, b.name: pair.b.counted}, chosen=chosen)


def _gate(a: RunSet, b: RunSet, pair: Matched) -> list[str]:
    at = f" at {pair.label}" if pair.label else ""
    return unreliable(pair.a, a.name + at) + unreliable(pair.b, b.name + at)


def _costs(case: Case, paired: bool) -> tuple[Floats, Floats]:
    """Return the metric so that less is better, by block if runs are paired; NaN for values without
    a ratio."""
    sides = [_by_run(group, case.metric, paired) for group in (case.pair.a, case.pair.b)]
    keys = sorted(set(sides[0]) | set(sides[1])) if paired else None
    a, b = (
        np.array([side.get(key, np.nan) for key in (side if keys is None else keys)], float)
        for side in sides
    )
    return _cost(a, case.metric), _cost(b, case.metric)


def _by_run(group: Group, metric: Metric, paired: bool) -> dict[int, float]:
    """Return values by block, or by place in the set."""
    by_block = ((s.result.block, s.result.metric(metric.name)) for s in group.counted)
    known = [(block, measured.value) for block, measured in by_block if measured is not None]
    return dict(known) if paired else dict(enumerate(value for _, value in known))


def _cost(values: Floats, metric: Metric) -> Floats:
    positive = np.where(values > 0, values, np.nan)
    return positive if metric.better == "lower" else 1 / positive


def _comparison(
    a: RunSet, b: RunSet, case: Case, verdict: Verdict, paired: bool
) -> ConfigurationComparison:
    pair, metric = case.pair, case.metric
    return ConfigurationComparison(
        metric=metric.name,
        unit=metric.unit,
        better=metric.better,
        label=pair.label,
        a_configuration=pair.a.name,
        b_configuration=pair.b.name,
        a_values=pair.a.values,
        b_values=pair.b.values,
        a=metric_summary(pair.a, metric),
        b=metric_summary(pair.b, metric),
        paired=paired,
        **judged_in(metric, verdict, b.name, a.name, pair.label),
    )


def _described(side: RunSet) -> ComparedSet:
    samples = [sample for group in side.groups for sample in group.counted]
    return ComparedSet(
        name=side.name,
        path=str(side.path),
        title=side.title,
        configurations=len(side.groups),
        runs=side.runs,
        counted=len(samples),
        excluded=side.excluded,
        unreliable=tuple(
            ExcludedRun(
                run=sample.name,
                configuration=sample.result.configuration,
                block=sample.result.block,
                warm_up=False,
                reasons=sample.result.unreliable,
            )
            for sample in samples
            if sample.result.unreliable
        ),
    )


def _remarks(
    a: RunSet, b: RunSet, matching: Matching, families: Sequence[Sequence[Case]], paired: bool
) -> Iterator[str]:
    yield (
        "runs of the same block of the study are paired"
        if paired
        else "the sets share no blocks, so nothing guards the verdicts against drift between them"
    )
    if len(matching.pairs) > 1:
        yield "all configurations of a metric are decided together (Holm)"
    for side, groups in (
        (a, [pair.a for pair in matching.pairs]),
        (b, [pair.b for pair in matching.pairs]),
    ):
        yield from mixed(side.name, groups)
    for family in families:
        lacking = len(matching.pairs) - len(family)
        if lacking:
            of = f"{lacking} of {len(matching.pairs)} configurations"
            yield f"{family[0].metric.name} is missing at {of}"
