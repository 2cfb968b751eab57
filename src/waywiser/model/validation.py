"""The report of `waywiser machine validate`, beside the machine file that it writes."""

from __future__ import annotations

from waywiser.model.base import Model


class ValidatedProgram(Model):
    """A program that ran on the machine, and its replay with the machine's costs of messages."""

    program: str
    run: str
    """Directory of the traced run."""

    nodes: int
    measured_seconds: float
    predicted_seconds: float
    time_error_per_cent: float
    measured_mpi_seconds: float
    """MPI time of the measured run, summed over ranks."""

    predicted_mpi_seconds: float
    mpi_error_per_cent: float


class ValidationReport(Model):
    """`waywiser machine validate --json`."""

    waywiser: str
    machine: str
    date: str
    ranks: int
    programs: tuple[ValidatedProgram, ...]
    error_per_cent: float
    """Root of the mean square of the errors of the run times: what `waywiser whatif` quotes."""

    remarks: tuple[str, ...] = ()
    """Sentences on other load of the machine during the runs, and on assumptions for values that
    its file lacks."""
