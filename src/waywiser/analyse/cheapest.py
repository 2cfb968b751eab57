"""What is good enough, and the cheapest of it: a headline among points that keep limits."""

from __future__ import annotations

from collections.abc import Sequence

from waywiser.analyse.samples import Group, Samples
from waywiser.errors import NotEnoughData, there_is_no
from waywiser.model.curves import Candidate, Cheapest, Limit
from waywiser.model.point_findings import Estimate
from waywiser.model.reading import Figure
from waywiser.stats.summary import summarise
from waywiser.units import three_digits


def cheapest(samples: Samples) -> tuple[Cheapest, ...]:
    """The cheapest point of each application whose runs have the limited figures.

    Raises:
        NotEnoughData: no run has a figure that the study file limits.
    """
    wanted = samples.study.report.within
    if not wanted:
        return ()
    by_application: dict[str, list[Group]] = {}
    for group in samples.groups:
        if samples.headline(group) is not None:
            application = str(group.values.get("application", ""))
            by_application.setdefault(application, []).append(group)
    for name in wanted:
        if not any(name in group.figures for group in samples.groups):
            known = dict.fromkeys(f for group in samples.groups for f in group.figures)
            raise NotEnoughData(f"report.within: {there_is_no(f'figure {name}', known)}")
    found = (_cheapest(samples, name, groups) for name, groups in by_application.items())
    return tuple(one for one in found if one is not None)


def _cheapest(samples: Samples, application: str, groups: list[Group]) -> Cheapest | None:
    headline = samples.headline(groups[0])
    wanted = samples.study.report.within
    having = [group for group in groups if set(wanted) <= set(group.figures)]
    if headline is None or headline.better == "neither" or not having:
        return None
    limits = tuple(_limit(having[0].figures[name], worst) for name, worst in wanted.items())
    candidates = tuple(_candidate(samples, group, headline, limits) for group in having)
    sign = 1 if headline.better == "lower" else -1
    kept = [one for one in candidates if one.within]
    best = min(kept, key=lambda one: sign * one.figure.value, default=None)
    return Cheapest(
        application=application,
        figure=headline.name,
        unit=headline.unit,
        better=headline.better,
        limits=limits,
        candidates=candidates,
        best=best.point if best else "",
        statement=_statement(headline, limits, best, len(kept), len(candidates)),
    )


def _limit(figure: Figure, worst: float) -> Limit:
    return Limit(figure=figure.name, unit=figure.unit, better=figure.better, worst=worst)


def _candidate(
    samples: Samples, group: Group, headline: Figure, limits: tuple[Limit, ...]
) -> Candidate:
    cost = summarise(_values(group, headline.name))
    reached = tuple(summarise(_values(group, limit.figure)).median for limit in limits)
    return Candidate(
        point=group.name,
        label=samples.label(samples.others(group)) or group.name,
        figure=Estimate(value=cost.median, low=cost.low, high=cost.high),
        reached=reached,
        within=all(_keeps(limit, value) for limit, value in zip(limits, reached, strict=True)),
    )


def _values(group: Group, name: str) -> list[float]:
    found = (sample.result.figure(name) for sample in group.counted)
    return [figure.value for figure in found if figure is not None]


def limited(samples: Samples, groups: Sequence[Group]) -> tuple[str, ...]:
    """The figures that the study file limits, of those that some of these points have."""
    within = samples.study.report.within
    return tuple(name for name in within if any(name in group.figures for group in groups))


def good_enough(samples: Samples, group: Group, figures: Sequence[str]) -> bool:
    """Whether a point has all these figures, and their medians keep the study file's limits."""
    if not set(figures) <= set(group.figures):
        return False
    limits = (_limit(group.figures[name], samples.study.report.within[name]) for name in figures)
    return all(_keeps(one, summarise(_values(group, one.figure)).median) for one in limits)


def _keeps(limit: Limit, value: float) -> bool:
    return value >= limit.worst if limit.better == "higher" else value <= limit.worst


def _statement(
    headline: Figure, limits: tuple[Limit, ...], best: Candidate | None, kept: int, of: int
) -> str:
    asked = " and ".join(map(_limit_text, limits))
    if best is None:
        return f"no configuration of {of} has {asked}"
    reached = ", ".join(
        f"{_name(limit.figure)} {_amount(value, limit.unit)}"
        for limit, value in zip(limits, best.reached, strict=True)
    )
    return (
        f"of the configurations with {asked} ({kept} of {of}), {best.label} has the best median "
        f"{_name(headline.name)}: {_amount(best.figure.value, headline.unit)}, {reached}"
    )


def _limit_text(limit: Limit) -> str:
    bound = "at least" if limit.better == "higher" else "at most"
    return f"{_name(limit.figure)} {bound} {_amount(limit.worst, limit.unit)}"


def _name(figure: str) -> str:
    return figure.replace("_", " ")


def _amount(value: float, unit: str) -> str:
    return f"{three_digits(value)} {unit}".rstrip()
