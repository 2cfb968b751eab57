"""Metrics along one axis of a study, or over two."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from waywiser.model.base import Model
from waywiser.model.configuration_findings import Better, Estimate
from waywiser.model.result import Scalar


class ScalingEfficiencies(Model):
    """POP's global efficiency and its factors at one count: medians over runs.

    global_efficiency = parallel * computation
    """

    global_efficiency: float
    parallel: Estimate
    computation: Estimate
    """Computation scaling: useful time of the base case / useful time here; of weak scaling, useful
    time per count. 1 at the base case."""

    load_balance: float
    communication: float
    openmp: float | None
    """Efficiency of OpenMP; None where it was not measured in every run. The same holds for
    `io`."""

    io: float | None


class ScalingPoint(Model):
    """One count of a scaling curve."""

    count: int
    configuration: str
    metric: Estimate
    speedup: Estimate
    efficiency: Estimate
    pop: ScalingEfficiencies | None = None
    """POP efficiencies; None where a count of the curve was not profiled."""


class Forecast(Model):
    """A fitted model's prediction for a count that was not run."""

    count: int
    metric: Estimate


class Fit(Model):
    """A model of the scaling curve."""

    name: str
    formula: str
    """Formula of the model, with its numbers."""

    remark: str
    """Quality of the fit, or purposes that it must not serve."""

    curve: tuple[tuple[float, float], ...]
    """(count, metric), for drawing."""

    forecast: tuple[Forecast, ...]


class Scaling(Model):
    """A metric along ranks, nodes or threads."""

    metric: str
    unit: str
    better: Better
    axis: str
    kind: Literal["strong", "weak"]
    said: str
    """Reason why the curve counts as strong or weak scaling."""

    at: dict[str, Scalar]
    label: str
    """The values of `at`, for people."""

    points: tuple[ScalingPoint, ...] = Field(min_length=2)
    """Points of the curve; the first is the base case."""

    reason: str = ""
    """Reason why the curve has no verdict although it was measured: a noisy machine, or unlike
    programs."""

    warning: str = ""
    """Warning that weak scaling is not weak, or strong scaling not strong; "" if there is none."""

    fit: Fit | None = None

    @property
    def base(self) -> ScalingPoint:
        return self.points[0]


class Cell(Model):
    """A configuration of a sweep."""

    x: Scalar
    y: Scalar
    configuration: str
    metric: Estimate


class SettingsSweep(Model):
    """Two axes of settings, and their best combination."""

    metric: str
    unit: str
    better: Better
    x_axis: str
    y_axis: str
    at: dict[str, Scalar]
    label: str
    cells: tuple[Cell, ...]
    best: Cell
    neighbours: int
    better_than: int
    """Number of the best cell's neighbours from which the best cell differs; all comparisons of
    neighbours in the grid are decided together."""

    statement: str
    """Sentence for people that names the best cell."""


class Limit(Model):
    """The worst value that a metric may have."""

    metric: str
    unit: str
    better: Better
    worst: float


class Candidate(Model):
    """A configuration with its cost and its headline."""

    configuration: str
    label: str
    metric: Estimate
    """The headline."""

    reached: tuple[float, ...]
    """Medians of the limited metrics, in the order of the limits."""

    within: bool
    """True if the configuration keeps all limits."""


class Cheapest(Model):
    """The configuration of an application with the best headline among those that keep all
    limits."""

    application: str
    metric: str
    unit: str
    better: Better
    limits: tuple[Limit, ...]
    candidates: tuple[Candidate, ...]
    best: str
    """Name of the configuration; "" if none keeps them."""

    statement: str
    """The result in a sentence for people."""
