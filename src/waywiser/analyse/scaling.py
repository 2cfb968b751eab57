"""A metric along nodes, ranks or threads: speed-up, efficiency, a law and its forecast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from waywiser.analyse.contention import unreliable
from waywiser.analyse.judged import is_speed
from waywiser.analyse.programs import program_axes, unlike
from waywiser.analyse.samples import Floats, Group, Samples
from waywiser.analyse.scaling_efficiencies import scaling_efficiencies
from waywiser.errors import NotEnoughData
from waywiser.model.configuration_findings import Estimate
from waywiser.model.curves import Fit, Forecast, Scaling, ScalingPoint
from waywiser.model.reading import Metric
from waywiser.model.study import COUNTS
from waywiser.stats import scaling as stats
from waywiser.stats.models import ScalingLaw, fit_law
from waywiser.stats.summary import summarise

Kind = Literal["strong", "weak"]

CURVE_POINTS = 60
FORECASTS = (2, 4)
"""Forecasts, as multiples of the largest count that was run."""


def scalings(samples: Samples) -> tuple[Scaling, ...]:
    """Return the scaling of each varying count, at each combination of the other axes, in the
    headline and in the metrics that the study file names."""
    all_scalings: list[Scaling] = []
    for axis in COUNTS:
        if axis not in samples.varying or samples.together(axis) & set(COUNTS) != {axis}:
            continue
        for groups in samples.alike(axis):
            headline = samples.headline(groups[0])
            names = dict.fromkeys(
                [headline.name if headline else "", *samples.study.report.metrics]
            )
            for name in names:
                with_metric = [group for group in groups if name in group.metrics]
                if scaling := _scaling(samples, axis, with_metric, name):
                    all_scalings.append(scaling)
    return tuple(all_scalings)


def _scaling(samples: Samples, axis: str, groups: Sequence[Group], name: str) -> Scaling | None:
    groups = sorted(groups, key=lambda group: group.count(axis))
    if len(groups) < 2:
        return None
    metric = groups[0].metrics[name]
    times = np.stack([_times(samples, group, metric) for group in groups])
    if metric.better == "neither" or (metric.unit and not is_speed(metric)):
        return None
    if not np.isfinite(times).any(axis=1).all():
        return None
    counts = [group.count(axis) for group in groups]
    work = [
        next((s.result.work for s in group.counted if s.result.work is not None), None)
        for group in groups
    ]
    kind, reason = _kind(samples, axis, counts, work)
    ratios = stats.weak_scaling if kind == "weak" else stats.strong_scaling
    try:
        points = ratios(counts, times)
    except NotEnoughData:
        return None  # no block has both the base and another point
    at = samples.others(groups[0], axis)
    pop = scaling_efficiencies(samples, axis, groups, weak=kind == "weak")
    return Scaling(
        metric=name,
        unit=metric.unit,
        better=metric.better,
        axis=axis,
        kind=kind,
        said=reason,
        at=at,
        label=samples.label(at),
        points=tuple(
            ScalingPoint(
                count=point.ranks,
                configuration=group.name,
                metric=_metric(samples, group, name),
                speedup=_estimate(point.speedup),
                efficiency=_estimate(point.efficiency),
                pop=efficiencies,
            )
            for point, group, efficiencies in zip(points, groups, pop, strict=True)
        ),
        reason=_reason(samples, groups),
        warning=_warning(kind, counts, work),
        fit=_fit(counts, times, metric, axis),
    )


def _reason(samples: Samples, groups: Sequence[Group]) -> str:
    """Return the reasons why these points support no verdict: faults of any, or of any beside the
    base."""
    axes = program_axes(samples.study)
    faults = [fault for group in groups for fault in unreliable(group, samples.name(group))]
    faults += [fault for group in groups[1:] for fault in unlike(groups[0], group, axes)]
    return next(iter(faults), "")


def _times(samples: Samples, group: Group, metric: Metric) -> Floats:
    """Return times in s, shape (blocks,); for a rate, the time of one unit of its work."""
    values = samples.by_block(group, metric.name)
    positive = np.where(values > 0, values, np.nan)
    return positive if metric.better == "lower" else 1 / positive


def _kind(
    samples: Samples, axis: str, counts: Sequence[int], work: Sequence[float | None]
) -> tuple[Kind, str]:
    """Return the kind of scaling, weak or strong, and the reason for it."""
    reason = samples.study.report.scaling
    if reason:
        return reason, "as the study file says"
    known = [amount for amount in work if amount is not None]
    if len(known) < len(work):
        return "strong", "assumed, since the study file gives neither scaling nor work"
    if max(known) <= (1 + stats.WORK_TOLERANCE) * min(known):
        return "strong", f"since the work is the same on each number of {axis}"
    if not stats.weak_fault(counts, known):
        return "weak", f"since the work grows in proportion to the {axis}"
    return "strong", f"assumed: the work differs, but not in proportion to the {axis}"


def _warning(kind: Kind, counts: Sequence[int], work: Sequence[float | None]) -> str:
    known = [amount for amount in work if amount is not None]
    if len(known) < len(work):
        unchecked = (
            "whether work per rank is constant was not checked: the study file gives no work"
        )
        return unchecked if kind == "weak" else ""
    if kind == "weak":
        return stats.weak_fault(counts, known)
    if max(known) > (1 + stats.WORK_TOLERANCE) * min(known):
        return f"not strong scaling: the work differs, {min(known):g} to {max(known):g}"
    return ""


def _metric(samples: Samples, group: Group, name: str) -> Estimate:
    values = samples.by_block(group, name)
    summary = summarise(values[np.isfinite(values)])
    return Estimate(value=summary.median, low=summary.low, high=summary.high)


def _estimate(estimate: stats.Estimate) -> Estimate:
    return Estimate(value=estimate.value, low=estimate.low, high=estimate.high)


def _fit(counts: Sequence[int], times: Floats, metric: Metric, axis: str) -> Fit | None:
    """Fit the law through the medians; None if there are too few counts."""
    try:
        law = fit_law(counts, np.nanmedian(times, axis=1))
    except NotEnoughData:
        return None
    rate = metric.better == "higher"
    forecasts = [law.forecast(factor * max(counts)) for factor in FORECASTS]
    notes = dict.fromkeys(forecast.note for forecast in forecasts if forecast.note)
    misses = f"{100 * law.relative_error:.2g} %"
    remark = f"it misses the medians at {len(counts)} numbers of {axis} by {misses} (rms)"
    return Fit(
        name="a + b/p + c log2 p + d p",
        formula=f"{'1 / ' if rate else ''}{metric.name} = {law.formula()}",
        remark="; ".join([remark, *notes]),
        curve=tuple(_curve(law, counts, rate)),
        forecast=tuple(
            Forecast(count=round(forecast.ranks), metric=_forecast(forecast.seconds, rate))
            for forecast in forecasts
        ),
    )


def _curve(law: ScalingLaw, counts: Sequence[int], rate: bool) -> list[tuple[float, float]]:
    x = np.geomspace(min(counts), FORECASTS[-1] * max(counts), CURVE_POINTS)
    y = law.seconds(x)
    return [(float(a), float(1 / b if rate else b)) for a, b in zip(x, y, strict=True)]


def _forecast(seconds: stats.Estimate, rate: bool) -> Estimate:
    if not rate:
        return _estimate(seconds)
    return Estimate(
        value=1 / seconds.value,
        low=1 / seconds.high if seconds.high else None,
        high=1 / seconds.low if seconds.low else None,
    )
