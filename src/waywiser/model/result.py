"""What a run of a study came to: the part of run.json that statistics read."""

from __future__ import annotations

from pydantic import Field

from waywiser.model.base import Model
from waywiser.model.efficiency_tree import Efficiencies
from waywiser.model.reading import Figure, Reading

Scalar = bool | int | float | str


class FunctionShare(Model):
    """An MPI function in one run, over all ranks."""

    calls: int
    seconds: float
    """Summed over ranks."""

    bytes: int
    sync_seconds: float = 0.0
    """Of `seconds`, in the barriers of --split-sync: waiting for the last rank to come."""


class MpiShare(Model):
    """Where a run's time went, in a few numbers."""

    ranks: int
    wall_seconds: float
    mpi_seconds: float
    """Summed over ranks, without MPI_Init and MPI_Finalize, and without threads that only make
    progress; the same holds for `functions`."""

    init_seconds: float
    """MPI_Init and MPI_Finalize, summed over ranks."""

    progress_mpi_seconds: float = 0.0
    """Of threads that only make progress, beside those that do the ranks' work."""

    cpu_seconds: float
    """User and system time, summed over ranks."""

    involuntary_switches: int
    """Summed over ranks."""

    efficiencies: Efficiencies | None = None
    """Of the profile's times; None where no rank left one."""

    functions: dict[str, FunctionShare]
    sizes: dict[str, tuple[tuple[int, int], ...]] = Field(default_factory=dict)
    """Function -> (upper bound of the message size in bytes, calls)."""


class Result(Model):
    """One run of one point."""

    point: str
    values: dict[str, Scalar]
    """Of the point, by axis."""

    block: int
    """From 0 on; the runs of a block were made one after the other."""

    warm_up: bool
    headline: str
    """Name of the figure that the study is about."""

    reading: Reading
    failures: tuple[str, ...]
    """Why the run does not count; none if it does."""

    stderr: tuple[str, ...] = ()
    """Of a run that failed: the last lines of its standard error."""

    contended: tuple[str, ...] = ()
    """Why nothing can be decided by it: something else had the machine as well."""

    remedies: tuple[str, ...] = ()
    """What the user can do about that, in the words of the run's launcher; a sentence each."""

    work: float | None = None
    """What it had to do, as the study file says."""

    mpi: MpiShare | None = None

    @property
    def counts(self) -> bool:
        return not self.failures and not self.warm_up

    def figure(self, name: str = "") -> Figure | None:
        """The figure of that name, the headline if none is given; None if it was not found."""
        wanted = name or self.headline
        return next((figure for figure in self.reading.figures if figure.name == wanted), None)
