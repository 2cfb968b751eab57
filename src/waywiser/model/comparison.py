"""Two sets of runs against each other: the document that `waywiser compare --json` prints."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.configuration_findings import Better, ExcludedRun, MetricSummary
from waywiser.model.gate import OPEN, Gate
from waywiser.model.judged import Judged
from waywiser.model.result import Scalar


class ComparedSet(Model):
    """One of the two compared sets."""

    name: str
    """Short name for sentences."""

    path: str
    title: str
    """Title of the study; "" where the runs belong to no study."""

    configurations: int
    runs: int
    counted: int
    excluded: tuple[ExcludedRun, ...]
    """Failed, unfinished and warm-up runs: in no number, with the reasons."""

    unreliable: tuple[ExcludedRun, ...]
    """Runs that count although something else used the machine at the same time."""


class ConfigurationComparison(Judged):
    """One metric at one pair of configurations."""

    metric: str
    unit: str
    better: Better
    label: str
    """Values that distinguish the pair from others, for people; "" if it is the only pair."""

    a_configuration: str
    b_configuration: str
    a_values: dict[str, Scalar]
    b_values: dict[str, Scalar]
    a: MetricSummary
    b: MetricSummary
    paired: bool
    """True if blocks of one study pair the runs; else a drift between the sets may distort the
    result."""


class Difference(Model):
    """A fact beside the metrics that differs between the two sides."""

    name: str
    a: str
    """The fact on each side; all its texts if the side's runs differ among themselves."""

    b: str
    configurations: tuple[str, ...] = ()
    """Labels of the pairs of configurations with this difference; empty if all pairs have it."""


class SetComparison(Model):
    """The comparison of a candidate, set B, with its baseline, set A."""

    format: Literal["waywiser-comparison"] = "waywiser-comparison"
    format_version: Literal[1] = 1
    waywiser: str
    gate: Gate = OPEN
    """Gate of both sets: whether the ranks of the runs that count had their CPUs to themselves."""

    a: ComparedSet
    b: ComparedSet
    matched_by: tuple[str, ...]
    """Values that configurations were matched by; empty if each set is a single configuration."""

    only_a: tuple[str, ...]
    """Configurations without a counterpart."""

    only_b: tuple[str, ...]
    comparisons: tuple[ConfigurationComparison, ...]
    differences: tuple[Difference, ...]
    programs: tuple[str, ...] = ()
    """Sentences on programs that differ between the sets: version, compiler, build."""

    remarks: tuple[str, ...]
    """Sentences that a reader of the verdicts must know."""
