"""The findings from the stored runs of one configuration of a study."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.result import FunctionShare, Scalar

Better = Literal["higher", "lower", "neither"]


class Estimate(Model):
    """A number with its interval; the bounds are None if there are too few runs."""

    value: float
    low: float | None = None
    high: float | None = None


class Value(Model):
    """A metric in one run."""

    run: str
    """Name of the run, CONFIGURATION/bBLOCK, as its directory under runs/."""

    block: int
    value: float
    warm_up: bool = False
    """True for a warm-up, which is kept and not counted."""

    outlier: bool = False
    """True for a value far from the others, which counts all the same."""

    unreliable: bool = False


class MetricSummary(Model):
    """A metric at one configuration."""

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
    """Extremes over ranks; None if the application does not report them."""


class ConfigurationProfile(Model):
    """Parts of the run time of a configuration: sums over ranks, means over runs [s]."""

    runs: int
    ranks: int
    total_seconds: float
    """Ranks times wall time."""

    mpi_seconds: float
    init_seconds: float
    """MPI_Init and MPI_Finalize."""

    progress_mpi_seconds: float
    """MPI time of threads that only make progress; not in `mpi_seconds`."""

    cpu_seconds: float
    functions: dict[str, FunctionShare]
    """MPI functions, the longest time first; calls and bytes are rounded means."""

    sizes: dict[str, tuple[tuple[int, int], ...]]

    @property
    def application_seconds(self) -> float:
        return max(0.0, self.total_seconds - self.mpi_seconds - self.init_seconds)

    @property
    def mpi_share(self) -> float:
        """Share of MPI calls in the ranks' total time, without MPI_Init and MPI_Finalize."""
        return self.mpi_seconds / self.total_seconds if self.total_seconds > 0 else 0.0


class ConfigurationFindings(Model):
    """One configuration."""

    name: str
    label: str
    """Values that distinguish the configuration from the others, for people."""

    values: dict[str, Scalar]
    runs: int
    """Number of runs that count."""

    failed: int
    warm_up: int
    unreliable: int
    """Number of runs that count although they were unreliable."""

    reason: str = ""
    """Reason why the runs support no verdict; "" if the machine was quiet enough."""

    metrics: tuple[MetricSummary, ...]
    """Metrics, the headline first."""

    jobs_per_day: Estimate | None = None
    """86,400 s over the time of a job; None for jobs of less than a minute."""

    job_time: str = ""
    """Meaning of the time of a job; "" where `jobs_per_day` is None."""

    per_node: Estimate | None = None
    """The headline divided by the number of nodes; None if the headline is not a rate."""

    sections: tuple[SectionTime, ...] = ()
    profile: ConfigurationProfile | None = None
    cpu_use: float | None = None
    """CPU time over wall time and cores asked for, 1 where all were busy all the time."""

    work: float | None = None

    def metric(self, name: str) -> MetricSummary | None:
        return next((metric for metric in self.metrics if metric.name == name), None)


class ExcludedRun(Model):
    """A run that failed, or that was made on a noisy machine."""

    run: str
    configuration: str
    block: int
    warm_up: bool
    reasons: tuple[str, ...]
    stderr: tuple[str, ...] = ()
    """Last lines of the standard error of a failed run."""
