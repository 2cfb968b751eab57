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
    refused = [one for one in of_headlines(findings) if one.kind == "refused"]
    if not refused:
        return []
    reasons = list(dict.fromkeys(one.reason for one in refused))
    more = f"; {counted(len(reasons) - 1, 'other reason')}" if len(reasons) > 1 else ""
    return [
        f"{counted(len(refused), 'comparison')} of {len(of_headlines(findings))} "
        f"{'has' if len(refused) == 1 else 'have'} no verdict ({reasons[0]}{more})."
    ]


def _verdicts(findings: Findings) -> list[str]:
    """Sentences on each verdict if they are few; else on their number and the largest in each
    direction."""
    found = of_headlines(findings)
    if all(one.kind == "refused" for one in found):
        return []
    if len(found) <= VERDICTS_IN_FULL:
        return _in_full(found)
    sentences = [_counts(findings, found)]
    for kind in ("faster", "slower"):
        of_kind = [one for one in found if one.kind == kind]
        if of_kind:
            largest = max(of_kind, key=lambda one: abs(one.change or 0.0))
            sentences.append(f"The largest of those that are {kind}: {largest.sentence}.")
    return sentences


def _in_full(found: list[Comparison]) -> list[str]:
    """A sentence for each candidate with equal verdicts everywhere, else for each comparison."""
    alike: dict[tuple[str, str], list[Comparison]] = {}
    for one in found:
        alike.setdefault((one.metric, str(one.candidate)), []).append(one)
    sentences = []
    for group in alike.values():
        first = group[0]
        if len(group) == 1 or {one.kind for one in group} not in ({"faster"}, {"slower"}):
            sentences += [f"{capital(name_text(one.metric))}, {one.sentence}." for one in group]
            continue
        each = listed([f"{one.words.split(' by ')[1]} at {one.place}" for one in group])
        sentences.append(
            f"In {name_text(first.metric)}, {first.candidate_name} is {first.kind} than "
            f"{first.base_name} at "
            f"all {len(group)} configurations that were compared: by {each}."
        )
    return sentences


def _counts(findings: Findings, found: list[Comparison]) -> str:
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
        if (count := sum(one.kind == kind for one in found))
    ]
    return f"Of {len(found)} comparisons along {axis_name(findings.compare)}, {listed(parts)}."


def _guidelines(findings: Findings) -> list[str]:
    """Sentences on the number of guidelines that an MPI library violates, and on the worst."""
    found = violations(findings)
    worst = [f"The worst: {sentence(found[0])}."] if found else []
    return [text for text in (summary(findings), *worst) if text]


def _sections(findings: Findings) -> list[str]:
    """Sentence on the largest change if a section is slower; its plot has the others."""
    return [f"{text}." for one in changed(findings)[:1] if (text := slower_sentence(one))]


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
        f"{capital(one.statement)}{_if_unreliable(findings, one.best)}."
        for one in findings.cheapest
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
    found = [one for one in profiled(findings) if one[1].functions]
    if not found:
        return []
    configuration, profile = max(found, key=lambda one: one[1].mpi_share)
    name, function = next(iter(profile.functions.items()))
    share = percent_text(function.seconds / profile.total_seconds)
    return [
        f"MPI takes {'up to ' if len(found) > 1 else ''}{percent_text(profile.mpi_share)} of the "
        f"ranks' time (at {configuration.label}), {name} alone {share}"
        f"{_if_unreliable(findings, configuration.name)}."
    ]


def _waiting(findings: Findings) -> list[str]:
    """Sentence on a collective that acts as a barrier, from the waiting that --split-sync
    separates."""
    found = longest_wait(findings)
    if found is None:
        return []
    configuration, profile, name = found
    waiting, whole = profile.functions[name].sync_seconds, profile.functions[name].seconds
    barrier = ": it acts as a barrier" if waiting > BARRIER * whole else ""
    return [
        f"At {configuration.label}, ranks wait {percent_text(waiting / profile.total_seconds)} of "
        f"their time for the last one to enter {name}, {percent_text(waiting / whole)} of its "
        f"time{barrier}{_if_unreliable(findings, configuration.name)}."
    ]


def _spread(findings: Findings) -> list[str]:
    found = [
        (configuration, metric)
        for configuration, metric in measured(findings)
        if metric.rsd is not None
    ]
    if not found:
        return []
    configuration, metric = max(found, key=lambda one: one[1].rsd or 0.0)
    above = sum((one.rsd or 0) > STEADY_RSD for _, one in found)
    exceed = "exceeds" if above == 1 else "exceed"
    rest = f"; {above} of {counted(len(found), 'configuration')} {exceed} 5 %" if above else ""
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
    failed = next((one for one in findings.failed if one.configuration in empty), None)
    return f" (first failure: {'; '.join(failed.reasons)})" if failed else ""


def key_metrics(findings: Findings) -> list[tuple[str, str]]:
    """(value, label) for the head of the page."""
    found = [("valid runs", f"{findings.counted:,}")]
    if findings.failed:
        found.append(("failed runs", f"{len(findings.failed):,}"))
    every = "" if incomplete(findings) else ", each in every block"
    found.append((f"configurations{every}", f"{len(findings.configurations):,}"))
    changes = [one for one in of_headlines(findings) if one.kind in ("faster", "slower")]
    if changes:
        one = max(changes, key=lambda one: abs(one.change or 0))
        found.append((f"largest difference: {one.label}", one.words.split("[")[0]))
    scaling = next((one for one in findings.scaling if not one.reason), None)
    if scaling:
        last = scaling.points[-1]
        found.append(
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
        alike = [one for one in rates if one[1].name == rates[0][1].name]
        configuration, metric = min(alike, key=lambda one: sign * one[1].median)
        found.append(
            (
                f"best {name_text(metric.name)}, {configuration.label}",
                value_text(metric.median, metric.unit),
            )
        )
    return [(value.strip(), label) for label, value in found]


def _good_enough(findings: Findings, configuration: ConfigurationFindings) -> bool:
    """True if a configuration keeps the limits of the study file, or the file sets none."""
    within = {c.configuration for one in findings.cheapest for c in one.candidates if c.within}
    return not findings.cheapest or configuration.name in within


def _comparable(rates: list[tuple[ConfigurationFindings, MetricSummary]]) -> bool:
    """True if configurations can be compared: a shorter time is better for equal work only."""
    alike = [
        configuration.work for configuration, metric in rates if metric.name == rates[0][1].name
    ]
    return rates[0][1].better == "higher" or len(set(alike)) == 1
