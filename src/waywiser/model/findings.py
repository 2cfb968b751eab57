"""What the stored runs of a study say: the document that its paper is drawn from."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from waywiser.model.base import Model
from waywiser.model.result import FunctionShare, Scalar

Better = Literal["higher", "lower", "neither"]
Kind = Literal["faster", "slower", "equivalent", "undecided", "refused"]
Rule = Literal["pattern", "monotony", "split"]


class Estimate(Model):
    """A number with its interval; no bounds where there are too few runs for one."""

    value: float
    low: float | None = None
    high: float | None = None


class Value(Model):
    """A figure of merit in one run."""

    run: str
    """POINT/bBLOCK, as its folder under runs/."""

    block: int
    value: float
    warm_up: bool = False
    """Kept, and not counted."""

    outlier: bool = False
    """Far from the others; it counts all the same."""

    contended: bool = False


class FigureSummary(Model):
    """A figure of merit at one point."""

    name: str
    unit: str
    better: Better
    n: int
    """Runs that count."""

    median: float
    low: float | None
    """Bounds of the median at `confidence`; None where `note` says why."""

    high: float | None
    confidence: float | None
    minimum: float
    maximum: float
    rsd: float | None
    """Standard deviation / mean."""

    robust_rsd: float | None
    """1.4826 median absolute deviation / median."""

    note: str = ""
    values: tuple[Value, ...]

    @property
    def estimate(self) -> Estimate:
        return Estimate(value=self.median, low=self.low, high=self.high)


class SectionTime(Model):
    """A part of the application's own time; medians over the runs that count, in s."""

    name: str
    parent: str | None
    seconds: float
    """Mean over ranks."""

    minimum: float | None
    maximum: float | None
    """Over ranks."""


class PointProfile(Model):
    """Where the time of a point's runs went; sums over ranks, means over runs, in s."""

    runs: int
    ranks: int
    total_seconds: float
    """Ranks times wall time."""

    mpi_seconds: float
    init_seconds: float
    """MPI_Init and MPI_Finalize."""

    progress_mpi_seconds: float
    """Of threads that only make progress; not in `mpi_seconds`."""

    cpu_seconds: float
    functions: dict[str, FunctionShare]
    """The longest first; calls and bytes are rounded means."""

    sizes: dict[str, tuple[tuple[int, int], ...]]

    @property
    def application_seconds(self) -> float:
        return max(0.0, self.total_seconds - self.mpi_seconds - self.init_seconds)

    @property
    def mpi_share(self) -> float:
        """Of the ranks' total time, without MPI_Init and MPI_Finalize."""
        return self.mpi_seconds / self.total_seconds if self.total_seconds > 0 else 0.0


class PointFindings(Model):
    """One point."""

    name: str
    label: str
    """The values by which it differs from other points, for people."""

    values: dict[str, Scalar]
    runs: int
    """That count."""

    failed: int
    warm_up: int
    contended: int
    """Of those that count."""

    figures: tuple[FigureSummary, ...]
    """The headline first."""

    jobs_per_day: Estimate | None = None
    """86,400 s over the time of a job."""

    job_time: str = ""
    """Which time that is."""

    per_node: Estimate | None = None
    """The headline over the nodes, where it is a rate."""

    sections: tuple[SectionTime, ...] = ()
    profile: PointProfile | None = None
    cpu_use: float | None = None
    """CPU time over wall time and cores asked for, 1 where all were busy all the time."""

    work: float | None = None

    def figure(self, name: str) -> FigureSummary | None:
        return next((figure for figure in self.figures if figure.name == name), None)


class ExcludedRun(Model):
    """A run that failed, or that was made on a contended machine."""

    run: str
    point: str
    block: int
    warm_up: bool
    reasons: tuple[str, ...]


class SectionChange(Model):
    """A section of the candidate against the baseline's."""

    name: str
    base_seconds: float
    candidate_seconds: float
    difference_seconds: float
    """Median over blocks of candidate - baseline."""

    kind: Kind
    """`slower` only where the interval of the ratio excludes 1; the sections of all comparisons are
    decided together (Holm)."""


class Comparison(Model):
    """Two points that differ in one axis, in one figure of merit."""

    figure: str
    axis: str
    base: Scalar
    candidate: Scalar
    at: dict[str, Scalar]
    """The other axes' values."""

    place: str
    """Those, for people: "8 ranks"; "" if there are none."""

    base_name: str
    candidate_name: str
    """The values, for people: "impi", "ndiag 4"."""

    base_point: str
    candidate_point: str
    kind: Kind
    n: int
    """Pairs of runs."""

    change: float | None
    """Performance of the candidate / that of the baseline - 1."""

    low: float | None
    high: float | None
    confidence: float | None
    """Of this interval, above 95 % where several comparisons are decided together."""

    margin: float
    words: str
    """The verdict."""

    sentence: str
    """The verdict with place and names."""

    reason: str
    sections: tuple[SectionChange, ...] = ()
    """Of the headline's comparisons; the one that got slower most first."""

    @property
    def label(self) -> str:
        """ "8 ranks: impi against mpich"."""
        pair = f"{self.candidate_name} against {self.base_name}"
        return f"{self.place}: {pair}" if self.place else pair


class Guideline(Model):
    """A call of an MPI library against what could stand in its stead, at one message size."""

    rule: Rule
    """`pattern`: other calls with the same result; `monotony`: a larger message; `split`: as many
    smaller messages as have the data."""

    benchmark: str
    bytes: int
    """Of the message, as the benchmark counts it."""

    call: str
    """For people: "MPI_Allreduce of 1 KiB"."""

    alternative: str
    """For people: "MPI_Reduce + MPI_Bcast"."""

    point: str
    place: str
    """The point's values, for people."""

    unit: str
    value: float
    """Median over blocks of the call."""

    alternative_value: float
    kind: Kind
    """Of the call against the alternative: `slower` is a violation."""

    n: int
    change: float | None
    """Performance of the call / that of the alternative - 1."""

    low: float | None
    high: float | None
    confidence: float | None
    words: str
    sentence: str

    @property
    def violated(self) -> bool:
        return self.kind == "slower"


class ScalingPoint(Model):
    """One count of a scaling curve."""

    count: int
    point: str
    figure: Estimate
    speedup: Estimate
    efficiency: Estimate


class Forecast(Model):
    """What a fitted model says of a count that was not run."""

    count: int
    figure: Estimate


class Fit(Model):
    """A model of the scaling curve."""

    name: str
    formula: str
    """With its numbers."""

    remark: str
    """How well it fits, or what it must not be used for."""

    curve: tuple[tuple[float, float], ...]
    """(count, figure), for drawing."""

    forecast: tuple[Forecast, ...]


class Scaling(Model):
    """A figure of merit along ranks, nodes or threads."""

    figure: str
    unit: str
    better: Better
    axis: str
    kind: Literal["strong", "weak"]
    said: str
    """Why it is taken for strong or weak scaling."""

    at: dict[str, Scalar]
    label: str
    """Of `at`, for people."""

    points: tuple[ScalingPoint, ...] = Field(min_length=2)
    """The first is the base case."""

    warning: str = ""
    """That weak scaling is not weak, or strong not strong."""

    fit: Fit | None = None

    @property
    def base(self) -> ScalingPoint:
        return self.points[0]


class Cell(Model):
    """A point of a sweep."""

    x: Scalar
    y: Scalar
    point: str
    figure: Estimate


class Sweep(Model):
    """Two axes of settings, and which combination is best."""

    figure: str
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
    """Of the best cell's neighbours: those from which it differs, over all neighbours of the grid
    together."""

    statement: str
    """With the best cell, for people."""


class Setting(Model):
    """A row of the system configuration."""

    name: str
    text: str


class Method(Model):
    """How the study was made and is judged."""

    blocks: int
    """That were run, the warm-up left out."""

    warm_up: bool
    seed: int
    margin: float
    gate: str
    profile: Literal["every", "never"]
    timing: str
    """How parallel time was measured."""


class Axis(Model):
    """An axis with several values, in the order of the study file."""

    name: str
    values: tuple[Scalar, ...]


class Findings(Model):
    """What `waywiser study report --json` prints."""

    format: Literal["waywiser-findings"] = "waywiser-findings"
    format_version: Literal[1] = 1
    waywiser: str
    title: str
    headlines: dict[str, str]
    """Application -> its main figure of merit."""

    axes: tuple[Axis, ...]
    compare: str
    """The axis whose values are compared; "" if none has several."""

    runs: int
    counted: int
    points: tuple[PointFindings, ...]
    failed: tuple[ExcludedRun, ...]
    contended: tuple[ExcludedRun, ...]
    comparisons: tuple[Comparison, ...]
    guidelines: tuple[Guideline, ...] = ()
    """That could be checked, kept ones among them; all are decided together (Holm)."""

    scaling: tuple[Scaling, ...]
    sweeps: tuple[Sweep, ...]
    configuration: tuple[Setting, ...]
    commands: dict[str, tuple[str, ...]]
    """Point -> the command line of its first run."""

    method: Method

    def point(self, name: str) -> PointFindings:
        return next(point for point in self.points if point.name == name)

    def headline(self, point: PointFindings) -> FigureSummary | None:
        return point.figure(self.headlines.get(str(point.values.get("application")), ""))
