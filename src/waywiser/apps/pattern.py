"""Any other program: figures of merit by regular expression, and checks of a result."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import number
from waywiser.model.reading import Check, Figure, FigurePattern, Patterns, Reading

CHOICES: dict[str, Callable[[Sequence[float]], float]] = {
    "last": lambda values: values[-1],
    "first": lambda values: values[0],
    "sum": sum,
    "mean": lambda values: sum(values) / len(values),
    "minimum": min,
    "maximum": max,
}


def _figure(wanted: FigurePattern, output: Output) -> Figure:
    text = output.file(wanted.file) if wanted.file else output.stdout
    place = wanted.file or "standard output"
    found = [
        match[1] if match.re.groups else match[0]
        for match in re.finditer(wanted.pattern, text, re.MULTILINE)
    ]
    if not found:
        raise NoResult(f"no {wanted.name}: nothing in {place} matches {wanted.pattern!r}")
    values = []
    for each in found:
        value = number((each or "").strip())
        if value is None:
            raise NoResult(
                f"no {wanted.name}: what {wanted.pattern!r} matches in {place} is {each!r}, which "
                "is not a finite number"
            )
        values.append(value)
    chosen = CHOICES[wanted.which](values)
    return Figure(name=wanted.name, value=chosen, unit=wanted.unit, better=wanted.better)


def _read(patterns: Patterns, output: Output) -> Reading:
    for name, text in (("standard output", output.stdout), ("standard error", output.stderr)):
        said = patterns.failure and re.search(patterns.failure, text, re.MULTILINE)
        if said:
            raise NoResult(f"{name} says {said[0][:200]!r}, which stands for a failure")
    if patterns.success and not re.search(patterns.success, output.stdout, re.MULTILINE):
        raise NoResult(f"nothing in standard output matches {patterns.success!r}")
    return Reading(figures=tuple(_figure(wanted, output) for wanted in patterns.figures))


def read_patterns(patterns: Patterns, output: Output) -> Reading:
    """The figures that the patterns find, or why not all of them are there."""
    try:
        return _read(patterns, output)
    except NoResult as failure:
        return Reading(failure=str(failure))


def by_patterns(name: str, patterns: Patterns) -> Application:
    """A program without a reader of its own, as an application."""
    success = f"`{patterns.success}`" if patterns.success else "its figures are there"
    return Application(
        name=name,
        title=name,
        headline=patterns.figures[0].name,
        reader=lambda output: _read(patterns, output),
        documents="figures by regular expression",
        success=success,
    )


def checked(reading: Reading, checks: Sequence[Check]) -> Reading:
    """The reading, as a failure if a figure is not what it must be for the result to be right."""
    if reading.failure:
        return reading
    for check in checks:
        figure = reading.figure(check.figure)
        if figure is None:
            known = ", ".join(figure.name for figure in reading.figures)
            return Reading(failure=f"no {check.figure} to check; the output has {known}")
        allowed = max(check.tolerance, check.relative_tolerance * abs(check.expected))
        if abs(figure.value - check.expected) > allowed:
            return Reading(
                failure=f"the result is wrong: {figure.name} is {figure.value!r} {figure.unit}, "
                f"not {check.expected!r} within {allowed:.3g}"
            )
    return reading
