"""Rules that a study's design can answer its question."""

from __future__ import annotations

from collections.abc import Iterator

from waywiser.errors import InvalidCommand, there_is_no
from waywiser.model.result import Scalar
from waywiser.model.study import Level
from waywiser.study.collect import RUN_TIME
from waywiser.study.condition import evaluate
from waywiser.study.configurations import Configuration
from waywiser.study.remark import Remark, error, warning
from waywiser.study.rules.subject import Subject
from waywiser.study.setting import is_sweep
from waywiser.units import counted, percent_text, three_digits

LEAST_BLOCKS = 6
"""Least n with 1 - 2 / 2**n >= 95 %, the probability that n values enclose the median."""

EVEN = 0.1
"""Largest relative difference of constant work per rank, as the sizes of grids are integers."""


def repeated_values(subject: Subject) -> Iterator[Remark]:
    zipped = {axis for group in subject.study.zip for axis in group}
    for axis, values in subject.study.axes.items():
        if axis in zipped:
            continue  # a fixed value is allowed while others change
        names = [value.name if isinstance(value, Level) else value for value in values]
        twice = [name for i, name in enumerate(names) if name in names[:i]]
        if twice:
            again = f"duplicate value {twice[0]}; to repeat measurements set repeats.blocks"
            yield error(f"axes.{axis}", again)


def excluded_values(subject: Subject) -> Iterator[Remark]:
    """Check that excluded values exist; a value that excludes nothing is misspelt."""
    study = subject.study
    values: dict[str, list[Scalar]] = {
        axis: [value.name if isinstance(value, Level) else value for value in axis_values]
        for axis, axis_values in study.axes.items()
    }
    values |= {"application": list(study.application), "mpi": list(study.mpi)}
    for partial in study.exclude:
        for axis, accepted in partial.items():
            for value in accepted if isinstance(accepted, tuple) else (accepted,):
                if axis in values and value not in values[axis]:
                    known = ", ".join(map(str, values[axis]))
                    yield warning("exclude", f"{axis} has no value {value}; it has {known}")


def reported_metrics(subject: Subject) -> Iterator[Remark]:
    """Check the metrics that a study reports, for programs whose metrics the file names; a reader's
    metrics are not checked."""
    study = subject.study
    if any(application.reader for application in study.application.values()):
        return
    known = dict.fromkeys(
        [
            *(name for application in study.application.values() for name in application.metrics),
            RUN_TIME,
        ]
    )
    for key, names in (("metrics", study.report.metrics), ("within", tuple(study.report.within))):
        for name in names:
            if name not in known:
                yield error(f"report.{key}", there_is_no(f"metric {name}", known))


def without_configurations(subject: Subject) -> Iterator[Remark]:
    tables: dict[str, list[str]] = {
        "application": list(subject.study.application),
        "mpi": list(subject.study.mpi),
    }
    for axis, table in tables.items():
        used = {configuration.values[axis] for configuration in subject.configurations}
        for name in table:
            if name not in used:
                yield warning(f"{axis}.{name}", "exclude, when and mpi leave it no configuration")


def weak_scaling(subject: Subject) -> Iterator[Remark]:
    """Check that weak scaling keeps the work per core, and strong scaling the total work."""
    scaling = subject.study.report.scaling
    if not scaling:
        return
    for name, application in subject.study.application.items():
        key = f"application.{name}.work"
        configurations = [
            configuration
            for configuration in subject.configurations
            if configuration.values["application"] == name
        ]
        if not application.work:
            if (
                scaling == "weak"
                and len({configuration.ranks for configuration in configurations}) > 1
            ):
                yield warning(
                    key,
                    'say what a run has to do, e.g. "{nx} * {nx} * {nx}": without it nobody '
                    "knows whether the scaling is weak",
                )
            continue
        for group in _beside_size(subject, configurations):
            yield from _varies(key, scaling, group)


def _beside_size(
    subject: Subject, configurations: list[Configuration]
) -> list[list[Configuration]]:
    """Groups of configurations that differ in their counts alone, and in axes that are zipped with
    the counts or set them."""
    sizes = {"nodes", "ranks", "threads", "ranks_per_node"}
    for group in subject.study.zip:
        if sizes.intersection(group):
            sizes.update(group)
    for axis, values in subject.study.axes.items():
        brought = {name for v in values if isinstance(v, Level) for name in v.values}
        if brought & sizes:
            sizes |= {axis, *brought}
    groups: dict[tuple[tuple[str, Scalar], ...], list[Configuration]] = {}
    for configuration in configurations:
        rest = tuple(item for item in configuration.values.items() if item[0] not in sizes)
        groups.setdefault(rest, []).append(configuration)
    return list(groups.values())


def _varies(key: str, scaling: str, configurations: list[Configuration]) -> Iterator[Remark]:
    amounts: dict[str, float] = {}
    for configuration in configurations:
        try:
            work = evaluate(
                configuration.fill(configuration.application.work), configuration.values
            )
        except InvalidCommand as reason:
            yield error(key, str(reason))
            return
        if isinstance(work, bool) or not isinstance(work, int | float) or not work > 0:
            yield error(
                key, f"it comes to {work} for {configuration.name}; expected a positive number"
            )
            return
        amounts[configuration.name] = work / (
            configuration.ranks * configuration.threads if scaling == "weak" else 1
        )
    least, most = min(amounts, key=amounts.__getitem__), max(amounts, key=amounts.__getitem__)
    if amounts[most] > amounts[least] * (1 + EVEN):
        quantity = "work per rank and thread" if scaling == "weak" else "work"
        yield warning(
            key,
            f'with scaling = "{scaling}" the {quantity} stays the same, but it varies by '
            f"{percent_text(amounts[most] / amounts[least] - 1)}: {three_digits(amounts[least])} "
            f"in {least}, {three_digits(amounts[most])} in {most}",
        )


def few_blocks(subject: Subject) -> Iterator[Remark]:
    repeats = subject.study.repeats
    most = max(repeats.blocks, repeats.at_most)
    if most < LEAST_BLOCKS and not is_sweep(subject.study):
        give = "gives" if most == 1 else "give"
        yield warning(
            "repeats.blocks",
            f"{counted(most, 'block')} {give} no interval, so that nothing can be decided: it "
            f"takes {LEAST_BLOCKS} for 95 %",
        )


def comparison(subject: Subject) -> Iterator[Remark]:
    report = subject.study.report
    if not report.compare and report.base == "":
        return
    axis = report.compare or "mpi"
    values = list(
        dict.fromkeys(configuration.values.get(axis) for configuration in subject.configurations)
    )
    names = ", ".join(map(str, values))
    if report.base != "" and report.base not in values:
        yield error("report.base", f"{axis} has no value {report.base}; it has {names}")
    if report.compare and len(values) == 1:
        yield warning("report.compare", f"{axis} has one value only, {names}: nothing to compare")


def profile_options(subject: Subject) -> Iterator[Remark]:
    study = subject.study
    if study.profile_options and study.profile == "never":
        yield warning(
            "profile_options", 'they have no effect with profile = "never"; write "every"'
        )
