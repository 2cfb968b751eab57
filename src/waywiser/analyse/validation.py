"""The errors of predictions on a machine against measurements on the machine."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from waywiser import __version__
from waywiser.analyse.whatif.answer import NS_PER_S, Base
from waywiser.errors import InvalidCommand
from waywiser.model.machine import Machine, Validation
from waywiser.model.validation import ValidatedProgram, ValidationReport
from waywiser.units import counted


def validated(
    machine: Machine,
    name: str,
    runs: Mapping[str, Base],
    date: datetime.date,
    unreliable: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Machine, ValidationReport]:
    """Return the machine with the errors of its predictions, which replace errors of the same
    programs.

    Args:
        name: the user's name for the machine.
        runs: by the names of the programs, each replayed on the machine.
        unreliable: by the names of the programs, other uses of the machine, from
            `gate_of_launch`.

    Raises:
        InvalidCommand: a program spent no time in MPI.
    """
    programs = tuple(_compared(program, base) for program, base in runs.items())
    validations = tuple(
        _entry(program, base, date) for program, base in zip(programs, runs.values(), strict=True)
    )
    new = {(validation.program, validation.part) for validation in validations}
    kept = tuple(
        validation
        for validation in machine.validation
        if (validation.program, validation.part) not in new
    )
    report = ValidationReport(
        waywiser=__version__,
        machine=name,
        date=date.isoformat(),
        ranks=max(validation.ranks for validation in validations),
        programs=programs,
        remarks=tuple(
            dict.fromkeys(
                (
                    *_not_quiet(unreliable or {}),
                    *(
                        remark
                        for base in runs.values()
                        for remark in base.recorded.base.network.remarks
                    ),
                )
            )
        ),
        error_per_cent=float(
            np.sqrt(np.mean([program.time_error_per_cent**2 for program in programs]))
        ),
    )
    return machine.replace(validation=(*kept, *validations)), report


def _not_quiet(unreliable: Mapping[str, Sequence[str]]) -> Iterator[str]:
    reasons = [(program, uses[0]) for program, uses in unreliable.items() if uses]
    if reasons:
        yield (
            f"the machine was not quiet in {len(reasons)} of {counted(len(unreliable), 'run')} "
            f"({reasons[0][0]}: {reasons[0][1]}), so that these errors are not of the predictions "
            "alone: validate it again when nothing else runs"
        )


def _entry(program: ValidatedProgram, base: Base, date: datetime.date) -> Validation:
    mpi = base.recorded.summary.mpi
    return Validation(
        program=program.program,
        part="network" if program.nodes > 1 else "node",
        ranks=base.recorded.summary.ranks,
        date=date.isoformat(),
        document=f"{mpi.library} {mpi.version}".strip(),
        time_error_per_cent=round(program.time_error_per_cent, 3),
        mpi_error_per_cent=round(program.mpi_error_per_cent, 3),
    )


def _compared(program: str, base: Base) -> ValidatedProgram:
    measured_mpi = float(sum(base.recorded.summary.mpi_seconds))
    if measured_mpi <= 0:
        raise InvalidCommand(f"{program}: it spent no time in MPI, so nothing can be predicted")
    predicted_mpi = float(base.replayed.mpi_ns.sum()) / NS_PER_S
    return ValidatedProgram(
        program=program,
        run=base.recorded.name,
        nodes=len(set(base.recorded.base.nodes)),
        measured_seconds=base.seconds,
        predicted_seconds=base.replayed.makespan_ns / NS_PER_S,
        time_error_per_cent=100 * base.error,
        measured_mpi_seconds=measured_mpi,
        predicted_mpi_seconds=predicted_mpi,
        mpi_error_per_cent=100 * (predicted_mpi / measured_mpi - 1),
    )
