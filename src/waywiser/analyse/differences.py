"""The other differences between two sets of runs: systems, libraries, programs, variables."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

from waywiser.analyse.findings import library_text
from waywiser.analyse.match import Matched
from waywiser.analyse.samples import Group
from waywiser.analyse.sets import launcher_text
from waywiser.analyse.system import MACHINE
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.model.comparison import Difference
from waywiser.model.run import Machine, Run

UNSET = "not set"
OF_THE_JOB = {scheduler.job_variable for scheduler in SCHEDULERS.values()}
"""Variables whose values differ in every job."""

NODE = "Node"
LIBRARY = "MPI library"
SAME_AS = {"mpi": LIBRARY}
"""Axis of a study -> the fact that has the same and more, such as the library's version."""


def _of_machine(text: Callable[[Machine], str]) -> Callable[[Run], str]:
    return lambda run: text(run.machine)


FACTS: tuple[tuple[str, Callable[[Run], str]], ...] = (
    (NODE, lambda run: run.machine.host),
    *((name, _of_machine(text)) for name, text in MACHINE),
    (LIBRARY, lambda run: library_text(run.mpi)),
    ("Transport", lambda run: run.mpi.transport),
    ("Launcher", launcher_text),
    ("Program", lambda run: run.program.path),
    ("Arguments", lambda run: shlex.join(run.program.arguments)),
    ("Version of the program", lambda run: run.result.reading.version if run.result else ""),
    ("Compiler", lambda run: run.program.compiler),
    ("Build of the program", lambda run: run.program.build_id),
    ("File of the MPI library", lambda run: run.program.mpi_library),
    ("Profiler", lambda run: "with" if run.profiler else "without"),
    ("Measured in addition", lambda run: ", ".join(run.options) or "nothing"),
    ("Waywiser", lambda run: run.waywiser),
)


def differences(pairs: Sequence[Matched]) -> tuple[Difference, ...]:
    """Return facts that differ between the sides; a difference of all pairs is listed once."""
    labels_by_row: dict[tuple[str, str, str], list[str]] = {}
    for pair in pairs:
        for row in _rows(pair.a, pair.b):
            labels_by_row.setdefault(row, []).append(pair.label)
    return tuple(
        Difference(name=name, a=a, b=b, configurations=() if len(at) == len(pairs) else tuple(at))
        for (name, a, b), at in labels_by_row.items()
    )


def mixed(side: str, groups: Sequence[Group]) -> Iterator[str]:
    """Yield sentences on facts that differ among the runs of one configuration."""
    for group in groups:
        runs = [sample.run for sample in group.counted]
        names = [name for name, text in FACTS if name != NODE and len(_texts(runs, text)) > 1]
        names += [name for name in _variables(runs) if len(_values(runs, name)) > 1]
        if names:
            yield (
                f"the runs of {side} are not alike at {group.name}: they differ in "
                f"{', '.join(names)}"
            )


def _rows(a: Group, b: Group) -> Iterator[tuple[str, str, str]]:
    sides = [[sample.run for sample in group.counted] for group in (a, b)]
    facts = [
        row for name, text in FACTS for row in _row(name, *(_texts(runs, text) for runs in sides))
    ]
    names, reported = {row[0] for row in facts}, {row[1:] for row in facts}
    for axis in dict.fromkeys([*a.values, *b.values]):
        first, second = (str(group.values.get(axis, UNSET)) for group in (a, b))
        if first != second and (first, second) not in reported and SAME_AS.get(axis) not in names:
            yield axis, first, second
    yield from facts
    for name in sorted(_variables([*sides[0], *sides[1]])):
        yield from _row(name, *(_values(runs, name) for runs in sides))


def _row(name: str, a: list[str], b: list[str]) -> Iterator[tuple[str, str, str]]:
    if sorted(a) != sorted(b):
        yield name, "; ".join(a), "; ".join(b)


def _texts(runs: Sequence[Run], text: Callable[[Run], str]) -> list[str]:
    return list(dict.fromkeys(map(text, runs)))


def _variables(runs: Sequence[Run]) -> set[str]:
    return {name for run in runs for name in run.environment} - OF_THE_JOB


def _values(runs: Sequence[Run], name: str) -> list[str]:
    return _texts(runs, lambda run: run.environment.get(name, UNSET))
