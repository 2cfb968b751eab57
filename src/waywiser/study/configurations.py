"""The configurations of a study: the combinations of its axes' values."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from waywiser.errors import InvalidCommand, there_is_no
from waywiser.model.result import Scalar
from waywiser.model.study import COUNTS, Application, Level, MpiChoice, Study
from waywiser.study.condition import evaluate

MOST_COMBINATIONS = 100_000
IN_BRACES = re.compile(r"\{\{|\}\}|\{(\w+)\}")


@dataclass(frozen=True)
class Configuration:
    """One combination of the axes' values."""

    name: str
    """Name of the directory of its runs, from the values of axes with several values."""

    values: dict[str, Scalar]
    """Value on each axis: application, mpi, nodes, ranks, threads, then the axes of the file."""

    application: Application
    mpi: MpiChoice
    levels: tuple[Level, ...]

    @property
    def ranks(self) -> int:
        return int(self.values["ranks"])

    @property
    def nodes(self) -> int:
        return int(self.values["nodes"])

    @property
    def threads(self) -> int:
        return int(self.values["threads"])

    @property
    def cores_per_rank(self) -> int:
        return self.threads + self.application.free_cores

    @property
    def cores(self) -> int:
        """Number of cores that the configuration occupies, including deliberately free cores."""
        return self.ranks * self.cores_per_rank

    def fill(self, text: str, more: Mapping[str, Scalar] | None = None) -> str:
        """`text` with each {NAME} replaced by the configuration's value; {{ is a brace.

        Raises:
            InvalidCommand: the configuration has no value of that name.
        """
        values = {**self.values, **(more or {})}

        def value(match: re.Match[str]) -> str:
            if match[1] is None:
                return match[0][0]
            if match[1] not in values:
                raise InvalidCommand(f'"{text}": {there_is_no(f"value {match[1]}", values)}')
            return str(values[match[1]])

        return IN_BRACES.sub(value, text)


def configurations_of(study: Study) -> tuple[Configuration, ...]:
    """Every configuration of a study, in the order of its file.

    Raises:
        InvalidCommand: a condition cannot be evaluated, a level sets an invalid count, there are
            too many configurations, or none is left.
    """
    lengths = [len(axis) for axis in study.axes.values()]
    zipped_again = [len(study.axes[name]) for group in study.zip for name in group[1:]]
    combinations = len(study.application) * len(study.mpi) * math.prod(lengths)
    if combinations > MOST_COMBINATIONS * math.prod(zipped_again):
        raise InvalidCommand(
            f"the axes make {combinations // math.prod(zipped_again):,} combinations; at most "
            f"{MOST_COMBINATIONS:,} are possible, before exclude and when"
        )
    kept = [
        (values, levels)
        for values, levels in _combinations(study)
        if not any(_agrees(values, partial) for partial in study.exclude)
        and all(evaluate(condition, _conditions_see(study, values)) for condition in study.when)
    ]
    if not kept:
        raise InvalidCommand(
            "no configuration is left: application, mpi, exclude and when rule out all"
        )
    varying = _varying([values for values, _ in kept])
    named: dict[str, Configuration] = {}
    for values, levels in kept:
        name = "-".join(_word(axis, values[axis]) for axis in varying) or str(values["application"])
        if name in named:  # the values differ in characters that a directory's name cannot have
            name = f"{name}-{len(named)}"
        application = study.application[str(values["application"])]
        mpi = study.mpi[str(values["mpi"])]
        named[name] = Configuration(name, values, application, mpi, levels)
    return tuple(named.values())


def _combinations(study: Study) -> Iterator[tuple[dict[str, Scalar], tuple[Level, ...]]]:
    """Cross product of applications, their libraries and the axes; zipped axes count as one."""
    zipped = {name for group in study.zip for name in group}
    bundles: list[list[tuple[tuple[str, Any], ...]]] = [
        [
            tuple((name, study.axes[name][i]) for name in group)
            for i in range(len(study.axes[group[0]]))
        ]
        for group in study.zip
    ]
    bundles += [
        [((name, value),) for value in axis]
        for name, axis in study.axes.items()
        if name not in zipped
    ]
    for name, application in study.application.items():
        for mpi in application.mpi or study.mpi:
            for combination in itertools.product(*bundles):
                chosen = dict(itertools.chain.from_iterable(combination))
                levels = tuple(value for value in chosen.values() if isinstance(value, Level))
                yield _values(name, mpi, chosen), levels


def _values(application: str, mpi: str, chosen: dict[str, Any]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {"application": application, "mpi": mpi}
    values |= dict.fromkeys(COUNTS, 1)
    for axis, value in chosen.items():
        values[axis] = value.name if isinstance(value, Level) else value
        if isinstance(value, Level):
            _check_level(axis, value)
            values |= value.values
    if "ranks" not in chosen:
        values["ranks"] = int(values["nodes"]) * int(values.get("ranks_per_node", 1))
    return values


def _conditions_see(study: Study, values: dict[str, Scalar]) -> dict[str, Scalar]:
    """The values for a condition: a configuration's, and the application's number of free cores."""
    free_cores = study.application[str(values["application"])].free_cores
    return {"free_cores": free_cores, **values}


def _check_level(axis: str, level: Level) -> None:
    for name, value in level.values.items():
        if name in ("application", "mpi"):
            raise InvalidCommand(f"axes.{axis}: a level cannot choose {name}")
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        if name in (*COUNTS, "ranks_per_node") and not whole:
            raise InvalidCommand(
                f"axes.{axis}: {name} = {json.dumps(value)}: expected a whole number from 1 on"
            )


def _agrees(values: dict[str, Scalar], partial: Mapping[str, Scalar | tuple[Scalar, ...]]) -> bool:
    return all(
        values[axis] in (accepted if isinstance(accepted, tuple) else (accepted,))
        for axis, accepted in partial.items()
    )


def _varying(configurations: list[dict[str, Scalar]]) -> list[str]:
    axes = dict.fromkeys(axis for values in configurations for axis in values)
    return [axis for axis in axes if len({str(values.get(axis)) for values in configurations}) > 1]


def _word(axis: str, value: Scalar) -> str:
    """A value as part of a directory's name: "r4" for 4 ranks, "ndiag2", "rhodo"."""
    short = {"ranks": "r", "nodes": "n", "threads": "t"}.get(axis, axis)
    text = re.sub(r"[^A-Za-z0-9_.+]+", "_", str(value)).strip("_.") or "none"
    return f"{short}{text}" if not isinstance(value, str) else text
