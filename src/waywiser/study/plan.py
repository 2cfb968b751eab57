"""The plan of a study: its runs, their time, and the cores that they occupy."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from waywiser.model.run import Run
from waywiser.model.study import Study
from waywiser.study.configurations import Configuration
from waywiser.units import count_text, counted, seconds_text, three_digits


@dataclass(frozen=True)
class Planned:
    """One configuration of the plan."""

    configuration: Configuration
    runs: int
    """Number of runs, including the warm-up."""

    run_seconds: float | None
    """Expected time of one run; None if unknown."""

    run_cores: int
    """Number of cores that a run occupies; whole nodes count if a scheduler assigns nodes."""

    @property
    def seconds(self) -> float | None:
        return None if self.run_seconds is None else self.runs * self.run_seconds

    @property
    def core_hours(self) -> float | None:
        return None if self.seconds is None else self.seconds * self.run_cores / 3600


@dataclass(frozen=True)
class Plan:
    configurations: tuple[Planned, ...]
    blocks: int
    at_most: int
    """Number of blocks if no interval gets narrow enough before; `blocks` without a stopping
    rule."""

    warm_up: bool

    @property
    def runs(self) -> int:
        return sum(planned.runs for planned in self.configurations)

    @property
    def runs_at_most(self) -> int:
        return len(self.configurations) * (self.at_most + self.warm_up)

    @property
    def seconds(self) -> float | None:
        """The sum of all runs' times [s]; None if a run's time is unknown."""
        return _sum(planned.seconds for planned in self.configurations)

    @property
    def core_hours(self) -> float | None:
        return _sum(planned.core_hours for planned in self.configurations)


def _sum(amounts: Iterable[float | None]) -> float | None:
    known = list(amounts)
    return None if None in known else sum(amount for amount in known if amount is not None)


def plan_of(
    study: Study,
    configurations: tuple[Configuration, ...],
    run_seconds: Mapping[str, float] | None = None,
) -> Plan:
    """The plan of a study.

    Args:
        run_seconds: configuration's name -> time of one run in s, from `typical_seconds`; other
            configurations take `resources.expected_seconds`.
    """
    repeats, resources = study.repeats, study.resources
    known = run_seconds or {}
    whole_nodes = resources.cores_per_node if not resources.local else 0
    planned = tuple(
        Planned(
            configuration=configuration,
            runs=repeats.blocks + repeats.warm_up,
            run_seconds=known.get(configuration.name, resources.expected_seconds or None),
            run_cores=max(configuration.cores, configuration.nodes * whole_nodes),
        )
        for configuration in configurations
    )
    return Plan(planned, repeats.blocks, max(repeats.blocks, repeats.at_most), repeats.warm_up)


def typical_seconds(runs: Iterable[Run]) -> dict[str, float]:
    """Configuration -> median wall time of its complete runs in s."""
    times: dict[str, list[float]] = {}
    for run in runs:
        if run.status == "complete" and run.result and run.conditions:
            times.setdefault(run.result.configuration, []).append(run.conditions.wall_seconds)
    return {configuration: statistics.median(seconds) for configuration, seconds in times.items()}


HEADINGS = (
    "configuration",
    "nodes",
    "ranks",
    "threads",
    "cores",
    "runs",
    "each",
    "in all",
    "core-hours",
)


def plan_lines(plan: Plan) -> list[str]:
    """The plan as a table for a terminal, with its total."""
    rows = [HEADINGS, *(_row(planned) for planned in plan.configurations)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADINGS))]
    table = [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in rows
    ]
    return [*table, "", summary(plan)]


def _row(planned: Planned) -> tuple[str, ...]:
    configuration = planned.configuration
    counts = (
        configuration.nodes,
        configuration.ranks,
        configuration.threads,
        planned.run_cores,
        planned.runs,
    )
    return (
        configuration.name,
        *map(count_text, counts),
        _time(planned.run_seconds),
        _time(planned.seconds),
        _hours(planned.core_hours),
    )


def _time(seconds: float | None) -> str:
    return "?" if seconds is None else seconds_text(seconds)


def _hours(hours: float | None) -> str:
    return "?" if hours is None else three_digits(hours)


def summary(plan: Plan) -> str:
    """The plan in one sentence."""
    warm_up = " and one to warm up" if plan.warm_up else ""
    text = (
        f"{counted(len(plan.configurations), 'configuration')} x "
        f"{counted(plan.blocks, 'block')}{warm_up}: {counted(plan.runs, 'run')}"
    )
    if plan.seconds is None or plan.core_hours is None:
        text += "; resources.expected_seconds would tell how long they take"
    else:
        text += f", {_time(plan.seconds)} one after the other, {_hours(plan.core_hours)} core-hours"
    if plan.at_most > plan.blocks:
        text += f"; up to {count_text(plan.runs_at_most)} runs if no interval gets narrow before"
    return text
