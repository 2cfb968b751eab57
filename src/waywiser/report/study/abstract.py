"""The findings of a study, in sentences with their numbers and intervals."""

from __future__ import annotations

from waywiser.model.configuration_findings import ConfigurationFindings, MetricSummary
from waywiser.model.findings import Findings
from waywiser.model.judged import Comparison
from waywiser.model.result import Scalar
from waywiser.model.study import LIBRARIES
from waywiser.report.study.guidelines import sentence, summary, violations
from waywiser.report.study.numbers import (
    axis_name,
    capital,
    estimate_text,
    listed,
    name_text,
    percent_estimate,
    rounded,
    value_text,
)
from waywiser.report.study.plots.comparison import of_headlines
from waywiser.report.study.plots.curve_panels import series
from waywiser.report.study.plots.profile import longest_wait, profiled
from waywiser.report.study.plots.scaling import on
from waywiser.report.study.plots.sections import changed, slower_sentence
from waywiser.report.study.plots.spread import STEADY_RSD, measured
from waywiser.report.study.texts import incomplete
from waywiser.units import counted, percent_text

VERDICTS_IN_FULL = 6
CURVES_IN_FULL = 2
BARRIER = 0.5
"""Share of a collective's time that is waiting, above which the collective acts as a barrier."""


def abstract(findings: Findings) -> list[str]:
    """The findings, the most important first."""
    sentences = [*findings.programs, _what_was_run(findings)]
    for part in (
        _refused,
        _verdicts,
        _guidelines,
        _sections,
        _scaling,
        _cheapest,
        _best,
        _mpi,
        _waiting,
        _spread,
        _caveats,
    ):
        sentences += part(findings)
    return sentences


def _what_was_run(findings: Findings) -> str:
    axes = [f"{axis_name(axis.name)} ({_values(axis.values)})" for axis in findings.axes]
    along = f", along {listed(axes)}" if axes else ""
    warm = sum(configuration.warm_up for configuration in findings.configurations)
    rest = [
        text
        for count, text in (
            (warm, f"{counted(warm, 'warm-up run')} not counted"),
            (
                len(findings.failed),
                f"{counted(len(findings.failed), 'run')} failed and not counted",
            ),
        )
        if count
    ]
    return (
        f"The study has {counted(len(findings.configurations), 'configuration')}{along}: "
        f"{counted(findings.counted, 'valid run')} in "
        f"{counted(findings.method.blocks, 'randomised block')}"
        + (f" ({listed(rest)})" if rest else "")
        + "."
    )


def _values(values: tuple[Scalar, ...]) -> str:
    labels = [LIBRARIES.get(str(value), str(value)) for value in values]
    if len(labels) > 6:
        return f"{labels[0]} … {labels[-1]}, {len(labels)} values"
    return ", ".join(labels)


def _refused(findings: Findings) -> list[str]:
    """Sentence on comparisons without a verdict, with the reason; empty if there are none."""
    refused = [comparison for comparison in of_headlines(findings) if comparison.kind == "refused"]
    if not refused:
        return []
    reasons = list(dict.fromkeys(comparison.reason for comparison in refused))
    more = f"; {counted(len(reasons) - 1, 'other reason')}" if len(reasons) > 1 else ""
    return [
        f"{counted(len(refused), 'comparison')} of {len(of_headlines(findings))} "
        f"{'has' if len(refused) == 1 else 'have'} no verdict ({reasons[0]}{more})."
    ]


def _verdicts(findings: Findings) -> list[str]:
    """Sentences on each verdict if they are few; else on their number and the largest in each
    direction."""
    comparisons = of_headlines(findings)
    if all(comparison.kind == "refused" for comparison in comparisons):
        return []
    if len(comparisons) <= VERDICTS_IN_FULL:
        return _in_full(comparisons)
    sentences = [_counts(findings, comparisons)]
    for kind in ("faster", "slower"):
        of_kind = [comparison for comparison in comparisons if comparison.kind == kind]
        if of_kind:
            largest = max(of_kind, key=lambda comparison: abs(comparison.change or 0.0))
            sentences.append(f"The largest of those that are {kind}: {largest.sentence}.")
    return sentences


def _in_full(comparisons: list[Comparison]) -> list[str]:
    """A sentence for each candidate with equal verdicts everywhere, else for each comparison."""
    alike: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in comparisons:
        alike.setdefault((comparison.metric, str(comparison.candidate)), []).append(comparison)
    sentences = []
    for group in alike.values():
        first = group[0]
        if len(group) == 1 or {comparison.kind for comparison in group} not in (
            {"faster"},
            {"slower"},
        ):
            sentences += [
                f"{capital(name_text(comparison.metric))}, {comparison.sentence}."
                for comparison in group
            ]
            continue
        each = listed(
            [f"{comparison.words.split(' by ')[1]} at {comparison.place}" for comparison in group]
        )
        sentences.append(
            f"In {name_text(first.metric)}, {first.candidate_name} is {first.kind} than "
            f"{first.base_name} at "
            f"all {len(group)} configurations that were compared: by {each}."
        )
    return sentences


def _counts(findings: Findings, comparisons: list[Comparison]) -> str:
    words = {
        "faster": "faster than the base",
        "slower": "slower",
        "equivalent": f"no different by more than {100 * findings.method.margin:g} %",
        "undecided": "undecided",
        "refused": "without a verdict",
    }
    parts = [
        f"{count} {text}"
        for kind, text in words.items()
        if (count := sum(comparison.kind == kind for comparison in comparisons))
    ]
    return (
        f"Of {len(comparisons)} comparisons along {axis_name(findings.compare)}, {listed(parts)}."
    )


def _guidelines(findings: Findings) -> list[str]:
    """Sentences on the number of guidelines that an MPI library violates, and on the worst."""
    violated = violations(findings)
    worst = [f"The worst: {sentence(violated[0])}."] if violated else []
    return [text for text in (summary(findings), *worst) if text]


def _sections(findings: Findings) -> list[str]:
    """Sentence on the largest change if a section is slower; its plot has the others."""
    return [
        f"{text}." for comparison in changed(findings)[:1] if (text := slower_sentence(comparison))
    ]


def _scaling(findings: Findings) -> list[str]:
    sentences = []
    several = len({scaling.metric for scaling in findings.scaling}) > 1
    for scaling in findings.scaling[:CURVES_IN_FULL]:
        last = scaling.points[-1]
        label = f" of {name_text(scaling.metric)}" if several else ""
        if scaling.reason:
            at = f" at {scaling.label}" if scaling.label else ""
            sentences.append(
                f"Scaling{label} over {scaling.axis}{at} has no verdict ({scaling.reason})."
            )
            continue
        label += f", {scaling.label}" if scaling.label else ""
        sentences.append(
            f"Scaling{label}: the speed-up from {on(scaling, scaling.base.count)} "
            f"({estimate_text(scaling.base.metric, scaling.unit)}) to {on(scaling, last.count)} is "
            f"{estimate_text(last.speedup)}, an efficiency of {percent_estimate(last.efficiency)} "
            f"({scaling.kind} scaling)."
        )
    if len(findings.scaling) > CURVES_IN_FULL:
        sentences.append(f"The scaling table has all {len(findings.scaling)} curves.")
    return sentences


def _cheapest(findings: Findings) -> list[str]:
    return [
        f"{capital(choice.statement)}{_if_unreliable(findings, choice.best)}."
        for choice in findings.cheapest
    ]


def _if_unreliable(findings: Findings, configuration: str) -> str:
    """The addition to a number of a configuration that gets no verdict; "" for all others."""
    reason = findings.configuration(configuration).reason if configuration else ""
    return f"; without a verdict: {reason}" if reason else ""


def _best(findings: Findings) -> list[str]:
    return [
        (f"At {sweep.label}, " if sweep.label else "")
        + (sweep.statement if sweep.label else capital(sweep.statement))
        + f", at {estimate_text(sweep.best.metric, sweep.unit)}"
        + f"{_if_unreliable(findings, sweep.best.configuration)}."
        for sweep in findings.sweeps[:1]
    ]


def _mpi(findings: Findings) -> list[str]:
    profiles = [pair for pair in profiled(findings) if pair[1].functions]
    if not profiles:
        return []
    configuration, profile = max(profiles, key=lambda pair: pair[1].mpi_share)
    name, function = next(iter(profile.functions.items()))
    share = percent_text(function.seconds / profile.total_seconds)
    return [
        f"MPI takes {'up to ' if len(profiles) > 1 else ''}{percent_text(profile.mpi_share)} of "
        f"the ranks' time (at {configuration.label}), {name} alone {share}"
        f"{_if_unreliable(findings, configuration.name)}."
    ]


def _waiting(findings: Findings) -> list[str]:
    """Sentence on a collective that acts as a barrier, from the waiting that --split-sync
    separates."""
    wait = longest_wait(findings)
    if wait is None:
        return []
    configuration, profile, name = wait
    waiting, whole = profile.functions[name].sync_seconds, profile.functions[name].seconds
    barrier = ": it acts as a barrier" if waiting > BARRIER * whole else ""
    return [
        f"At {configuration.label}, ranks wait {percent_text(waiting / profile.total_seconds)} of "
        f"their time for the last one to enter {name}, {percent_text(waiting / whole)} of its "
        f"time{barrier}{_if_unreliable(findings, configuration.name)}."
    ]


def _spread(findings: Findings) -> list[str]:
    spreads = [
        (configuration, metric)
        for configuration, metric in measured(findings)
        if metric.rsd is not None
    ]
    if not spreads:
        return []
    configuration, metric = max(spreads, key=lambda pair: pair[1].rsd or 0.0)
    above = sum((spread.rsd or 0) > STEADY_RSD for _, spread in spreads)
    exceed = "exceeds" if above == 1 else "exceed"
    rest = f"; {above} of {counted(len(spreads), 'configuration')} {exceed} 5 %" if above else ""
    return [
        f"Runs of one configuration differ by up to {percent_text(metric.rsd or 0)} RSD "
        f"({configuration.label}){rest}."
    ]


def _caveats(findings: Findings) -> list[str]:
    warnings = dict.fromkeys(scaling.warning for scaling in findings.scaling if scaling.warning)
    sentences = [f"Caution: {warning}." for warning in warnings]
    empty = [
        configuration.label for configuration in findings.configurations if configuration.runs == 0
    ]
    if empty:
        named = "; ".join(empty[:4]) + (f"; {len(empty) - 4} more" if len(empty) > 4 else "")
        sentences.append(f"Configurations without valid runs: {named}{_why_empty(findings)}.")
    return sentences


def _why_empty(findings: Findings) -> str:
    """The first failure of a configuration without a valid run."""
    empty = {
        configuration.name for configuration in findings.configurations if configuration.runs == 0
    }
    failed = next((run for run in findings.failed if run.configuration in empty), None)
    return f" (first failure: {'; '.join(failed.reasons)})" if failed else ""


def key_metrics(findings: Findings) -> list[tuple[str, str]]:
    """(value, label) for the head of the page."""
    figures = [("valid runs", f"{findings.counted:,}")]
    if findings.failed:
        figures.append(("failed runs", f"{len(findings.failed):,}"))
    every = "" if incomplete(findings) else ", each in every block"
    figures.append((f"configurations{every}", f"{len(findings.configurations):,}"))
    changes = [
        comparison
        for comparison in of_headlines(findings)
        if comparison.kind in ("faster", "slower")
    ]
    if changes:
        largest = max(changes, key=lambda comparison: abs(comparison.change or 0))
        figures.append((f"largest difference: {largest.label}", largest.words.split("[")[0]))
    scaling = next((curve for curve in findings.scaling if not curve.reason), None)
    if scaling:
        last = scaling.points[-1]
        figures.append(
            (
                f"efficiency on {on(scaling, last.count)}, {series(scaling)}",
                rounded(last.efficiency, "%", 100),
            )
        )
    rates = [
        (configuration, metric)
        for configuration, metric in measured(findings)
        if metric.better != "neither"
        and not configuration.reason
        and _good_enough(findings, configuration)
    ]
    if rates and _comparable(rates):
        sign = 1 if rates[0][1].better == "lower" else -1
        alike = [pair for pair in rates if pair[1].name == rates[0][1].name]
        configuration, metric = min(alike, key=lambda pair: sign * pair[1].median)
        figures.append(
            (
                f"best {name_text(metric.name)}, {configuration.label}",
                value_text(metric.median, metric.unit),
            )
        )
    return [(value.strip(), label) for label, value in figures]


def _good_enough(findings: Findings, configuration: ConfigurationFindings) -> bool:
    """True if a configuration keeps the limits of the study file, or the file sets none."""
    within = {
        c.configuration for choice in findings.cheapest for c in choice.candidates if c.within
    }
    return not findings.cheapest or configuration.name in within


def _comparable(rates: list[tuple[ConfigurationFindings, MetricSummary]]) -> bool:
    """True if configurations can be compared: a shorter time is better for equal work only."""
    alike = [
        configuration.work for configuration, metric in rates if metric.name == rates[0][1].name
    ]
    return rates[0][1].better == "higher" or len(set(alike)) == 1
