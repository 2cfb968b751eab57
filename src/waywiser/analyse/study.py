"""The findings of a study from its runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from waywiser import __version__
from waywiser.analyse.cheapest import cheapest
from waywiser.analyse.compare import compare_axis, comparisons
from waywiser.analyse.configurations import configuration_findings
from waywiser.analyse.gate import gate_of_sets
from waywiser.analyse.guidelines import guidelines
from waywiser.analyse.programs import sentences_of_sides
from waywiser.analyse.samples import Group, Sample, Samples
from waywiser.analyse.scaling import scalings
from waywiser.analyse.scores import scores
from waywiser.analyse.sweep import sweeps
from waywiser.analyse.system import system
from waywiser.errors import NotEnoughData
from waywiser.launch.launchers.table import kind_of_run
from waywiser.model.configuration_findings import ConfigurationFindings, ExcludedRun
from waywiser.model.findings import Axis, Findings, Method
from waywiser.model.run import Run
from waywiser.model.study import Study
from waywiser.stats.gate import UNRELIABLE_RUNS
from waywiser.units import counted, percent_text

REPORTED = (
    "Metrics, and the times among them, are those that the applications report of themselves."
)
MPI_TIMES = (
    "Times in MPI were taken on each rank's own clock, from the end of MPI_Init to the beginning "
    "of MPI_Finalize. Shares are of the wall time of all ranks together, with MPI_Init and "
    "MPI_Finalize."
)


def analyse_study(study: Study, runs: Sequence[Run]) -> Findings:
    """Analyse the runs of a study, in any order.

    Args:
        runs: runs that have ended; a run without its `result` counts as failed.

    Raises:
        NotEnoughData: there is no run that counts.
    """
    samples = Samples(study, runs)
    axis = compare_axis(samples)
    valid = sum(len(group.counted) for group in samples.groups)
    if valid == 0:
        raise NotEnoughData(
            f"this study has no valid run: all of {counted(len(runs), 'run')} failed or were "
            f"warm-ups{_first_failure(samples)}; `waywiser study status` lists them with reasons"
            if runs
            else "this study has no runs yet; `waywiser study run` makes them"
        )
    profiled = any(s.result.mpi for group in samples.groups for s in group.counted)
    return Findings(
        waywiser=__version__,
        title=study.title,
        gate=gate_of_sets({"": [s.result for group in samples.groups for s in group.counted]}),
        headlines=_headlines(samples),
        scores=scores(samples),
        axes=tuple(Axis(name=name, values=values) for name, values in samples.varying.items()),
        compare=axis,
        programs=sentences_of_sides(samples, axis),
        runs=len(runs),
        counted=valid,
        configurations=tuple(
            configuration_findings(samples, group) if group.counted else _empty(samples, group)
            for group in samples.groups
        ),
        failed=_failed(samples),
        unreliable=tuple(
            _excluded(sample, sample.result.unreliable)
            for group in samples.groups
            for sample in group.counted
            if sample.result.unreliable
        ),
        comparisons=comparisons(samples),
        guidelines=guidelines(samples),
        scaling=scalings(samples),
        sweeps=sweeps(samples),
        cheapest=cheapest(samples),
        system=system(samples),
        commands={
            group.name: group.samples[0].run.command for group in samples.groups if group.samples
        },
        method=_method(samples, profiled),
    )


def _first_failure(samples: Samples) -> str:
    failed = _failed(samples)
    return f" ({failed[0].run}: {'; '.join(failed[0].reasons)})" if failed else ""


def _headlines(samples: Samples) -> dict[str, str]:
    by_application: dict[str, str] = {}
    for group in samples.groups:
        if metric := samples.headline(group):
            by_application.setdefault(str(group.values.get("application", "")), metric.name)
    return by_application


def _empty(samples: Samples, group: Group) -> ConfigurationFindings:
    """Return the findings of a configuration without a run that counts."""
    return ConfigurationFindings(
        name=group.name,
        label=samples.label(samples.others(group)) or group.name,
        values=group.values,
        runs=0,
        failed=sum(bool(sample.result.failures) for sample in group.samples),
        warm_up=sum(s.result.warm_up and not s.result.failures for s in group.samples),
        unreliable=0,
        metrics=(),
    )


def _failed(samples: Samples) -> tuple[ExcludedRun, ...]:
    named = [
        _excluded(sample, sample.result.failures)
        for group in samples.groups
        for sample in group.samples
        if sample.result.failures
    ]
    unread = [
        ExcludedRun(
            run=run.directory,
            configuration="",
            block=0,
            warm_up=False,
            reasons=(f"its status is {run.status}, and its result was not recorded",),
        )
        for run in samples.unread
    ]
    return (*named, *unread)


def _excluded(sample: Sample, reasons: tuple[str, ...]) -> ExcludedRun:
    result = sample.result
    return ExcludedRun(
        run=sample.name,
        configuration=result.configuration,
        block=result.block,
        warm_up=result.warm_up,
        reasons=reasons,
        stderr=result.stderr if reasons == result.failures else (),
    )


def _method(samples: Samples, profiled: bool) -> Method:
    repeats = samples.study.repeats
    return Method(
        blocks=len(samples.blocks),
        warm_up=repeats.warm_up,
        seed=repeats.seed,
        margin=repeats.margin,
        gate=_gate(samples, profiled),
        profile="every" if profiled else "never",
        timing=" ".join([REPORTED, MPI_TIMES]) if profiled else REPORTED,
    )


def _gate(samples: Samples, profiled: bool) -> str:
    """Describe the checks of each run; without a profile, they cover one node only."""
    several = any(group.count("nodes") > 1 for group in samples.groups)
    where = "" if profiled or not several else " where it had one node"
    checks = ", ".join(_checked(samples, profiled))
    return (
        f"each run was checked{where} for {checks}; where more than "
        f"{percent_text(UNRELIABLE_RUNS)} of the runs of a side fail, no verdict is given"
    )


def _checked(samples: Samples, profiled: bool) -> Iterator[str]:
    """Yield names of the checks that `contention_reasons` made; a daemon's children hide other
    programs."""
    yield "oversubscribed cores"
    if profiled:
        yield "ranks without a CPU"
        yield "ranks bound to the same CPUs"
    launchers = [kind_of_run(s.run) for group in samples.groups for s in group.counted]
    if not any(kind and kind.remote for kind in launchers):
        yield "other programs"
    yield "stolen CPU time"
