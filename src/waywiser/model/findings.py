"""The findings from the stored runs of a study: the document that its report is drawn from."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.configuration_findings import ConfigurationFindings, ExcludedRun, MetricSummary
from waywiser.model.curves import Cheapest, Scaling, SettingsSweep
from waywiser.model.gate import OPEN, Gate
from waywiser.model.judged import Comparison, Guideline
from waywiser.model.result import Scalar


class Setting(Model):
    """A row of the system configuration."""

    name: str
    text: str


class Method(Model):
    """The method of the study: its blocks, and how its runs were measured and judged."""

    blocks: int
    """Number of blocks that were run, without the warm-up."""

    warm_up: bool
    seed: int
    margin: float
    gate: str
    profile: Literal["every", "never"]
    timing: str
    """Sentences on the measurement of parallel time."""


class Axis(Model):
    """An axis with several values, in the order of the study file."""

    name: str
    values: tuple[Scalar, ...]


class Score(Model):
    """A benchmark's best score among the configurations of the study."""

    benchmark: str
    """Common name of the benchmark: "HPL", "Graph500 BFS"."""

    application: str
    """Name of the application in the study file."""

    configuration: str
    nodes: int
    score: float
    """The median of the runs that count."""

    unit: str
    of_peak: float | None = None
    """Share of the nodes' peak, 1 is all of it; None where the study file does not have the peak,
    or the score is not a rate of floating-point operations.
    """

    remarks: tuple[str, ...] = ()
    """What the benchmark's outputs say of its runs, such as that a result is not valid."""


class Findings(Model):
    """The document that `waywiser study report --json` prints."""

    format: Literal["waywiser-findings"] = "waywiser-findings"
    format_version: Literal[1] = 1
    waywiser: str
    title: str
    gate: Gate = OPEN
    """Gate of the study: whether the ranks of the runs that count had their CPUs to themselves."""

    headlines: dict[str, str]
    """Application -> its main metric."""

    axes: tuple[Axis, ...]
    scores: tuple[Score, ...] = ()
    """Scores of the benchmarks that have one."""

    compare: str
    """The axis whose values are compared; "" if no axis has several values."""

    programs: tuple[str, ...] = ()
    """Sentences on programs that differ along the compared axis: version, compiler, build."""

    runs: int
    counted: int
    configurations: tuple[ConfigurationFindings, ...]
    failed: tuple[ExcludedRun, ...]
    unreliable: tuple[ExcludedRun, ...]
    comparisons: tuple[Comparison, ...]
    guidelines: tuple[Guideline, ...] = ()
    """All guidelines that could be checked, kept or broken; they are decided together (Holm)."""

    scaling: tuple[Scaling, ...]
    sweeps: tuple[SettingsSweep, ...]
    cheapest: tuple[Cheapest, ...] = ()
    """Best configurations within the limits that the study file sets; empty where it sets none."""

    system: tuple[Setting, ...]
    commands: dict[str, tuple[str, ...]]
    """Configuration -> the command line of its first run."""

    method: Method

    def configuration(self, name: str) -> ConfigurationFindings:
        return next(
            configuration for configuration in self.configurations if configuration.name == name
        )

    def headline(self, configuration: ConfigurationFindings) -> MetricSummary | None:
        return configuration.metric(
            self.headlines.get(str(configuration.values.get("application")), "")
        )
