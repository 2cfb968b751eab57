"""The cheapest good configuration: the one with the best headline that keeps all limits."""

from __future__ import annotations

from collections.abc import Sequence

from waywiser.analyse.samples import Group, Samples
from waywiser.errors import NotEnoughData, there_is_no
from waywiser.model.configuration_findings import Estimate
from waywiser.model.curves import Candidate, Cheapest, Limit
from waywiser.model.reading import Metric
from waywiser.stats.summary import summarise
from waywiser.units import three_digits


def cheapest(samples: Samples) -> tuple[Cheapest, ...]:
    """Return the cheapest configuration of each application whose runs have the limited metrics.

    Raises:
        NotEnoughData: no run has a metric that the study file limits.
    """
    limits_by_metric = samples.study.report.within
    if not limits_by_metric:
        return ()
    by_application: dict[str, list[Group]] = {}
    for group in samples.groups:
        if samples.headline(group) is not None:
            application = str(group.values.get("application", ""))
            by_application.setdefault(application, []).append(group)
    for name in limits_by_metric:
        if not any(name in group.metrics for group in samples.groups):
            known = dict.fromkeys(f for group in samples.groups for f in group.metrics)
            raise NotEnoughData(f"report.within: {there_is_no(f'metric {name}', known)}")
    choices = (_cheapest(samples, name, groups) for name, groups in by_application.items())
    return tuple(choice for choice in choices if choice is not None)


def _cheapest(samples: Samples, application: str, groups: list[Group]) -> Cheapest | None:
    headline = samples.headline(groups[0])
    limits_by_metric = samples.study.report.within
    having = [group for group in groups if set(limits_by_metric) <= set(group.metrics)]
    if headline is None or headline.better == "neither" or not having:
        return None
    limits = tuple(
        _limit(having[0].metrics[name], worst) for name, worst in limits_by_metric.items()
    )
    candidates = tuple(_candidate(samples, group, headline, limits) for group in having)
    sign = 1 if headline.better == "lower" else -1
    kept = [candidate for candidate in candidates if candidate.within]
    best = min(kept, key=lambda candidate: sign * candidate.metric.value, default=None)
    return Cheapest(
        application=application,
        metric=headline.name,
        unit=headline.unit,
        better=headline.better,
        limits=limits,
        candidates=candidates,
        best=best.configuration if best else "",
        statement=_statement(headline, limits, best, len(kept), len(candidates)),
    )


def _limit(metric: Metric, worst: float) -> Limit:
    return Limit(metric=metric.name, unit=metric.unit, better=metric.better, worst=worst)


def _candidate(
    samples: Samples, group: Group, headline: Metric, limits: tuple[Limit, ...]
) -> Candidate:
    cost = summarise(_values(group, headline.name))
    reached = tuple(summarise(_values(group, limit.metric)).median for limit in limits)
    return Candidate(
        configuration=group.name,
        label=samples.label(samples.others(group)) or group.name,
        metric=Estimate(value=cost.median, low=cost.low, high=cost.high),
        reached=reached,
        within=all(_keeps(limit, value) for limit, value in zip(limits, reached, strict=True)),
    )


def _values(group: Group, name: str) -> list[float]:
    metrics = (sample.result.metric(name) for sample in group.counted)
    return [metric.value for metric in metrics if metric is not None]


def limited(samples: Samples, groups: Sequence[Group]) -> tuple[str, ...]:
    """Return the metrics that the study file limits, of those that these configurations have."""
    within = samples.study.report.within
    return tuple(name for name in within if any(name in group.metrics for group in groups))


def good_enough(samples: Samples, group: Group, metrics: Sequence[str]) -> bool:
    """True if a configuration has all these metrics, and their medians keep the study file's
    limits."""
    if not set(metrics) <= set(group.metrics):
        return False
    limits = (_limit(group.metrics[name], samples.study.report.within[name]) for name in metrics)
    return all(_keeps(limit, summarise(_values(group, limit.metric)).median) for limit in limits)


def _keeps(limit: Limit, value: float) -> bool:
    return value >= limit.worst if limit.better == "higher" else value <= limit.worst


def _statement(
    headline: Metric, limits: tuple[Limit, ...], best: Candidate | None, kept: int, of: int
) -> str:
    bounds = " and ".join(map(_limit_text, limits))
    if best is None:
        return f"no configuration of {of} has {bounds}"
    reached = ", ".join(
        f"{_name(limit.metric)} {_amount(value, limit.unit)}"
        for limit, value in zip(limits, best.reached, strict=True)
    )
    return (
        f"of the configurations with {bounds} ({kept} of {of}), {best.label} has the best median "
        f"{_name(headline.name)}: {_amount(best.metric.value, headline.unit)}, {reached}"
    )


def _limit_text(limit: Limit) -> str:
    bound = "at least" if limit.better == "higher" else "at most"
    return f"{_name(limit.metric)} {bound} {_amount(limit.worst, limit.unit)}"


def _name(metric: str) -> str:
    return metric.replace("_", " ")


def _amount(value: float, unit: str) -> str:
    return f"{three_digits(value)} {unit}".rstrip()
