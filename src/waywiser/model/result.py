"""The result of a study's run: the part of run.json that statistics read."""

from __future__ import annotations

from pydantic import Field

from waywiser.model.base import Model
from waywiser.model.efficiency_tree import Efficiencies
from waywiser.model.reading import Metric, Reading

Scalar = bool | int | float | str


class FunctionShare(Model):
    """An MPI function in one run, over all ranks."""

    calls: int
    seconds: float
    """Time in the function, summed over ranks."""

    bytes: int
    sync_seconds: float = 0.0
    """Part of `seconds` in the barriers of --split-sync: waiting for the last rank."""


class MpiShare(Model):
    """Parts of a run's time, in a few numbers."""

    ranks: int
    wall_seconds: float
    mpi_seconds: float
    """MPI time summed over ranks, without MPI_Init and MPI_Finalize, and without threads that only
    make progress; the same holds for `functions`."""

    init_seconds: float
    """MPI_Init and MPI_Finalize, summed over ranks."""

    progress_mpi_seconds: float = 0.0
    """MPI time of threads that only make progress, in addition to that of the working threads."""

    cpu_seconds: float
    """User and system time, summed over ranks."""

    involuntary_switches: int
    """Involuntary context switches, summed over ranks."""

    efficiencies: Efficiencies | None = None
    """Efficiencies from the profile's times; None where no rank left a profile."""

    functions: dict[str, FunctionShare]
    sizes: dict[str, tuple[tuple[int, int], ...]] = Field(default_factory=dict)
    """Function -> (upper bound of the message size in bytes, calls)."""


class Result(Model):
    """One run of one configuration."""

    configuration: str
    values: dict[str, Scalar]
    """The configuration's value on each axis."""

    block: int
    """Number of the block, from 0; the runs of a block were made one after the other."""

    warm_up: bool
    headline: str
    """Name of the study's main metric."""

    reading: Reading
    failures: tuple[str, ...]
    """Reasons why the run does not count; empty if it does."""

    stderr: tuple[str, ...] = ()
    """Last lines of the standard error of a failed run."""

    unreliable: tuple[str, ...] = ()
    """Reasons why the run supports no verdict: something else used the machine as well."""

    remedies: tuple[str, ...] = ()
    """Remedies for contention, in the words of the run's launcher; a sentence each."""

    work: float | None = None
    """Amount of work of the run, from the study file; None if the file gives none."""

    mpi: MpiShare | None = None

    @property
    def counts(self) -> bool:
        return not self.failures and not self.warm_up

    def metric(self, name: str = "") -> Metric | None:
        """Return the metric of this name, by default the headline; None if the run lacks it."""
        requested = name or self.headline
        return next((metric for metric in self.reading.metrics if metric.name == requested), None)
