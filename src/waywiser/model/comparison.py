"""Two sets of runs against each other: the document that `waywiser compare --json` prints."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.configuration_findings import Better, ExcludedRun, MetricSummary
from waywiser.model.gate import OPEN, Gate
from waywiser.model.judged import Judged
from waywiser.model.result import Scalar


class ComparedSet(Model):
    """One of the two sets."""

    name: str
    """Short, as it stands in sentences."""

    path: str
    title: str
    """Title of the study; "" where the runs belong to no study."""

    configurations: int
    runs: int
    counted: int
    excluded: tuple[ExcludedRun, ...]
    """Failed, unfinished and warm-up runs: in no number, with the reasons."""

    contended: tuple[ExcludedRun, ...]
    """Runs that count, and that were made while something else had the machine as well."""


class ConfigurationComparison(Judged):
    """One metric at one pair of configurations."""

    metric: str
    unit: str
    better: Better
    label: str
    """The values by which the pair is told from the others, for people; "" if it is alone."""

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
    """What else is not the same on both sides."""

    name: str
    a: str
    """Text of the side; all its texts where its runs differ among themselves."""

    b: str
    configurations: tuple[str, ...] = ()
    """Labels of the pairs of configurations for which it holds; none where it holds for all."""


class SetComparison(Model):
    """A is the baseline, B the candidate."""

    format: Literal["waywiser-comparison"] = "waywiser-comparison"
    format_version: Literal[1] = 1
    waywiser: str
    gate: Gate = OPEN
    """Whether the ranks of the runs that count had their CPUs to themselves, in both sets."""

    a: ComparedSet
    b: ComparedSet
    matched_by: tuple[str, ...]
    """The values by which configurations were matched; none where each set is a single
    configuration."""

    only_a: tuple[str, ...]
    """Configurations without a counterpart."""

    only_b: tuple[str, ...]
    comparisons: tuple[ConfigurationComparison, ...]
    differences: tuple[Difference, ...]
    programs: tuple[str, ...] = ()
    """Sentences on programs that are not the same in both sets: version, compiler, build."""

    remarks: tuple[str, ...]
    """What a reader must know of the verdicts."""
