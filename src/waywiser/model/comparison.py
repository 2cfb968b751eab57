"""Two sets of runs against each other: the document that `waywiser compare --json` prints."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.gate import OPEN, Gate
from waywiser.model.judged import Judged
from waywiser.model.point_findings import Better, ExcludedRun, FigureSummary
from waywiser.model.result import Scalar


class ComparedSet(Model):
    """One of the two sets."""

    name: str
    """Short, as it stands in sentences."""

    path: str
    title: str
    """Title of the study; "" where the runs belong to no study."""

    points: int
    runs: int
    counted: int
    excluded: tuple[ExcludedRun, ...]
    """Failed, unfinished and warm-up runs: in no number, with the reasons."""

    contended: tuple[ExcludedRun, ...]
    """Runs that count, and that were made while something else had the machine as well."""


class PointComparison(Judged):
    """One figure of merit at one pair of points."""

    figure: str
    unit: str
    better: Better
    label: str
    """The values by which the pair is told from the others, for people; "" if it is alone."""

    a_point: str
    b_point: str
    a_values: dict[str, Scalar]
    b_values: dict[str, Scalar]
    a: FigureSummary
    b: FigureSummary
    paired: bool
    """True if blocks of one study pair the runs; else a drift between the sets may distort the
    result."""


class Difference(Model):
    """What else is not the same on both sides."""

    name: str
    a: str
    """Text of the side; all its texts where its runs differ among themselves."""

    b: str
    points: tuple[str, ...] = ()
    """Labels of the pairs of points for which it holds; none where it holds for all."""


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
    """The values by which points were matched; none where each set is a single point."""

    only_a: tuple[str, ...]
    """Points without a counterpart."""

    only_b: tuple[str, ...]
    comparisons: tuple[PointComparison, ...]
    differences: tuple[Difference, ...]
    programs: tuple[str, ...] = ()
    """Sentences on programs that are not the same in both sets: version, compiler, build."""

    remarks: tuple[str, ...]
    """What a reader must know of the verdicts."""
