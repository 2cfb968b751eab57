"""Each configuration in numbers: metrics, sections, profile, CPU use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from waywiser.analyse.contention import unreliable
from waywiser.analyse.samples import Group, Sample, Samples
from waywiser.model.configuration_findings import (
    ConfigurationFindings,
    ConfigurationProfile,
    Estimate,
    MetricSummary,
    SectionTime,
    Value,
)
from waywiser.model.reading import Metric, Section
from waywiser.model.result import FunctionShare, MpiShare
from waywiser.stats.scaling import jobs_per_day
from waywiser.stats.summary import outliers, summarise

JOB_TIME = "wall time of the command"
SHORTEST_JOB_SECONDS = 60.0
"""Shortest job with jobs per day: batch systems and launchers take seconds for each job."""

APART = frozenset({"MPI_Init", "MPI_Init_thread", "MPI_Finalize"})
"""Functions whose time a profile separates from that of MPI."""


def configuration_findings(samples: Samples, group: Group) -> ConfigurationFindings:
    """Return the findings from the runs of one configuration."""
    counted = group.counted
    headline = samples.headline(group)
    metrics = _metrics(samples, group, headline)
    per_day = _per_day(group)
    works = [s.result.work for s in counted if s.result.work is not None]
    return ConfigurationFindings(
        name=group.name,
        label=samples.name(group),
        values=group.values,
        runs=len(counted),
        failed=sum(bool(sample.result.failures) for sample in group.samples),
        warm_up=sum(s.result.warm_up and not s.result.failures for s in group.samples),
        unreliable=sum(bool(sample.result.unreliable) for sample in counted),
        reason="; ".join(unreliable(group, samples.name(group))),
        metrics=metrics,
        jobs_per_day=per_day,
        job_time=JOB_TIME if per_day else "",
        per_node=_per_node(group, metrics[0]) if metrics and headline else None,
        sections=_sections(counted),
        profile=_profile([s.result.mpi for s in counted if s.result.mpi is not None]),
        cpu_use=_cpu_use(group),
        work=works[0] if works else None,
    )


def _metrics(samples: Samples, group: Group, headline: Metric | None) -> tuple[MetricSummary, ...]:
    requested = samples.study.report.metrics
    first = headline.name if headline else ""
    names = [
        name for name in group.metrics if name != first and (not requested or name in requested)
    ]
    return tuple(
        metric_summary(group, group.metrics[name]) for name in ([first] if first else []) + names
    )


def metric_summary(group: Group, metric: Metric) -> MetricSummary:
    """Summarise a metric at one configuration; warm-ups are listed too."""
    by_sample = [
        (sample, read.value)
        for sample in group.samples
        if not sample.result.failures and (read := sample.result.metric(metric.name))
    ]
    counted = np.array([value for sample, value in by_sample if sample.result.counts])
    summary = summarise(counted)
    flags = iter(outliers(counted))
    values = tuple(
        Value(
            run=sample.name,
            block=sample.result.block,
            value=value,
            warm_up=sample.result.warm_up,
            outlier=not sample.result.warm_up and bool(next(flags)),
            unreliable=bool(sample.result.unreliable),
        )
        for sample, value in by_sample
    )
    return MetricSummary(
        name=metric.name,
        unit=metric.unit,
        better=metric.better,
        values=values,
        **asdict(summary),
    )


def _per_day(group: Group) -> Estimate | None:
    """Return the jobs that fit into a day; None if a job is too short for batch systems.

    A job takes its command's time from start to end: an application's own time excludes the launch
    and its start.
    """
    seconds = [s.run.conditions.wall_seconds for s in group.counted if s.run.conditions]
    if not seconds or min(seconds) < SHORTEST_JOB_SECONDS:
        return None
    estimate = jobs_per_day(summarise(seconds))
    return Estimate(value=estimate.value, low=estimate.low, high=estimate.high)


def _per_node(group: Group, metric: MetricSummary) -> Estimate | None:
    if metric.better != "higher" or "/" not in metric.unit:
        return None
    nodes = group.count("nodes")
    return Estimate(
        value=metric.median / nodes,
        low=None if metric.low is None else metric.low / nodes,
        high=None if metric.high is None else metric.high / nodes,
    )


def _sections(counted: Sequence[Sample]) -> tuple[SectionTime, ...]:
    by_name: dict[str, list[Section]] = {}
    for sample in counted:
        for section in sample.result.reading.sections:
            by_name.setdefault(section.name, []).append(section)
    return tuple(
        SectionTime(
            name=name,
            parent=sections[0].parent,
            seconds=float(np.median([section.seconds for section in sections])),
            minimum=_median([section.minimum for section in sections]),
            maximum=_median([section.maximum for section in sections]),
        )
        for name, sections in by_name.items()
    )


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None


def _profile(shares: Sequence[MpiShare]) -> ConfigurationProfile | None:
    if not shares:
        return None
    runs = len(shares)
    names = {name for share in shares for name in share.functions} - APART
    functions = {
        name: _mean([share.functions[name] for share in shares if name in share.functions], runs)
        for name in names
    }
    return ConfigurationProfile(
        runs=runs,
        ranks=shares[0].ranks,
        total_seconds=sum(share.ranks * share.wall_seconds for share in shares) / runs,
        mpi_seconds=sum(share.mpi_seconds for share in shares) / runs,
        init_seconds=sum(share.init_seconds for share in shares) / runs,
        progress_mpi_seconds=sum(share.progress_mpi_seconds for share in shares) / runs,
        cpu_seconds=sum(share.cpu_seconds for share in shares) / runs,
        functions=dict(sorted(functions.items(), key=lambda item: (-item[1].seconds, item[0]))),
        sizes={name: sizes for name in sorted(names) if (sizes := _sizes(shares, name))},
    )


def _mean(functions: Sequence[FunctionShare], runs: int) -> FunctionShare:
    return FunctionShare(
        calls=round(sum(function.calls for function in functions) / runs),
        seconds=sum(function.seconds for function in functions) / runs,
        bytes=round(sum(function.bytes for function in functions) / runs),
        sync_seconds=sum(function.sync_seconds for function in functions) / runs,
    )


def _sizes(shares: Sequence[MpiShare], name: str) -> tuple[tuple[int, int], ...]:
    calls: dict[int, int] = {}
    for share in shares:
        for bound, count in share.sizes.get(name, ()):
            calls[bound] = calls.get(bound, 0) + count
    return tuple((bound, round(count / len(shares))) for bound, count in sorted(calls.items()))


def _cpu_use(group: Group) -> float | None:
    cores = group.count("ranks") * group.count("threads")
    shares = [
        share for sample in group.counted if (share := _share_of_cores(sample, cores)) is not None
    ]
    return float(np.median(shares)) if shares else None


def _share_of_cores(sample: Sample, cores: int) -> float | None:
    """Return the share of cores in use, from the profile if there is one, since `conditions` cover
    one node only; None if unknown."""
    mpi, conditions = sample.result.mpi, sample.run.conditions
    if mpi is not None and mpi.wall_seconds > 0:
        return mpi.cpu_seconds / (mpi.wall_seconds * cores)
    if (
        conditions is not None
        and conditions.wall_seconds > 0
        and sample.result.values.get("nodes", 1) == 1
    ):
        return conditions.cpu_seconds / (conditions.wall_seconds * cores)
    return None
