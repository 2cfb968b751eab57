"""Verdicts in documents, each with the numbers that it rests on."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.result import Scalar

Kind = Literal["faster", "slower", "equivalent", "undecided", "refused"]
Rule = Literal["pattern", "monotony", "split"]


class Judged(Model):
    """A verdict of `waywiser.stats.compare`, with the same fields in all documents."""

    kind: Kind
    """`slower` and `faster` only where the interval excludes the other; `refused`: see `reason`."""

    n: int
    """Pairs of runs; of unpaired sets, runs of the smaller one."""

    change: float | None
    """Performance of the judged side / that of the other side - 1."""

    low: float | None
    high: float | None
    confidence: float | None
    """Confidence of the interval: above 95 % where several comparisons are decided together."""

    margin: float
    """Differences up to this share of performance do not matter."""

    words: str
    """The verdict."""

    sentence: str
    """The verdict with place and names."""

    reason: str
    """Reason why there is no verdict; "" if there is one."""


class SectionChange(Model):
    """A section's time in the candidate and in the baseline."""

    name: str
    base_seconds: float
    candidate_seconds: float
    difference_seconds: float
    """Median over blocks of candidate - baseline."""

    kind: Kind
    """`slower` only where the interval of the ratio excludes 1; the sections of all comparisons are
    decided together (Holm)."""


class Comparison(Judged):
    """The comparison of two configurations that differ in one axis, by one metric."""

    metric: str
    axis: str
    base: Scalar
    candidate: Scalar
    at: dict[str, Scalar]
    """The other axes' values."""

    place: str
    """The other axes' values, for people: "8 ranks"; "" if there are no others."""

    base_name: str
    candidate_name: str
    """The compared values, for people: "impi", "ndiag 4"."""

    base_configuration: str
    candidate_configuration: str
    sections: tuple[SectionChange, ...] = ()
    """Sections of the headline's comparisons, the one with the largest slowdown first."""

    @property
    def label(self) -> str:
        """ "8 ranks: impi against mpich"."""
        pair = f"{self.candidate_name} against {self.base_name}"
        return f"{self.place}: {pair}" if self.place else pair


class Guideline(Judged):
    """A call of an MPI library against its alternative, at one message size."""

    rule: Rule
    """Alternative of the guideline. `pattern`: other calls with the same result; `monotony`: a
    larger message; `split`: as many smaller messages as have the data."""

    benchmark: str
    bytes: int
    """Size of the message, as the benchmark counts it."""

    call: str
    """Call that is judged, for people: "MPI_Allreduce of 1 KiB"."""

    alternative: str
    """Calls that could replace it, for people: "MPI_Reduce + MPI_Bcast"."""

    configuration: str
    place: str
    """The configuration's values, for people."""

    unit: str
    value: float
    """Median over blocks of the call."""

    alternative_value: float

    @property
    def violated(self) -> bool:
        return self.kind == "slower"
