"""Rules that the texts of a study name values that its configurations have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from waywiser.errors import InvalidCommand
from waywiser.model.study import OWN_AXES, Level
from waywiser.study.configurations import IN_BRACES, Configuration
from waywiser.study.paths import file_named
from waywiser.study.remark import Remark, error, warning
from waywiser.study.rules.subject import Subject

IN_TEMPLATE = re.compile(r"@(\w+)@")
LARGEST_TEMPLATE = 16 << 20


def undefined_names(subject: Subject) -> Iterator[Remark]:
    for configuration in subject.configurations:
        for key, text in _texts(subject, configuration):
            try:
                configuration.fill(text, subject.more)
            except InvalidCommand as reason:
                hint = "; a brace of the shell is written twice" if key.endswith("shell") else ""
                yield error(key, f"{reason}{hint}")


def _texts(subject: Subject, configuration: Configuration) -> Iterator[tuple[str, str]]:
    """Key and text of every text that takes a configuration's values."""
    application, mpi = configuration.application, configuration.mpi
    key = f"application.{configuration.values['application']}"
    for kind in ("program", "shell", "work"):
        yield f"{key}.{kind}", getattr(application, kind)
    for kind in ("arguments", "inputs", "templates"):
        yield from ((f"{key}.{kind}", text) for text in getattr(application, kind))
    yield from ((f"{key}.environment.{n}", text) for n, text in application.environment.items())
    key = f"mpi.{configuration.values['mpi']}"
    yield from ((f"{key}.programs.{name}", text) for name, text in mpi.programs.items())
    yield from ((f"{key}.launcher_arguments", text) for text in mpi.launcher_arguments)
    yield from ((f"{key}.environment.{name}", text) for name, text in mpi.environment.items())
    for level in configuration.levels:
        key = f"axes.{subject.axis_of(configuration, level.name)}"
        for text in (*level.arguments, *level.launcher_arguments, *level.environment.values()):
            yield key, text


def idle_axes(subject: Subject) -> Iterator[Remark]:
    """Refuse an axis that no text reads and whose values set nothing: it repeats the same run."""
    study = subject.study
    read = {
        name
        for configuration in subject.configurations
        for _, text in _texts(subject, configuration)
        for name in IN_BRACES.findall(text)
    }
    read |= {name for text in study.when for name in re.findall(r"\w+", text)}
    for application in study.application.values():
        for template in application.templates:
            names = _names_in_template(subject, template)
            if names is None:
                return  # another rule reports a missing file
            read |= names
    for axis, values in study.axes.items():
        levels = [value for value in values if isinstance(value, Level)]
        if axis in OWN_AXES or axis == "ranks_per_node" or axis in read or _sets(levels, read):
            continue
        if len(values) > 1:
            yield warning(
                f"axes.{axis}",
                f"nothing reads it: its values need to stand in a text as {{{axis}}}, or in a "
                f"template as @{axis}@",
            )


def _names_in_template(subject: Subject, template: str) -> set[str] | None:
    """Each NAME that the template contains as @NAME@; None if it cannot be read."""
    try:
        file = file_named(template, subject.directory)
        if file.stat().st_size > LARGEST_TEMPLATE:
            return None
        return set(IN_TEMPLATE.findall(file.read_text("utf-8", "replace")))
    except (OSError, ValueError, InvalidCommand):
        return None


def _sets(levels: list[Level], read: set[str]) -> bool:
    return any(
        level.arguments
        or level.launcher_arguments
        or level.environment
        or read.intersection(level.values)
        or set(level.values) & {*OWN_AXES, "ranks_per_node"}
        for level in levels
    )
