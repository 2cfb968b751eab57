"""Generates what passes the program's calls on, with the new communicator for MPI_COMM_WORLD.

For every call of the MPI standard that takes a communicator, in C and in Fortran, as the profiler
reads the standard. A forwarder ends in a jump to the next definition, so that a profiler behind it
sees the program's own return address.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

from mpi_standard import Prototype, fortran_prototypes, prototypes
from templates import rendered

INITIALISING = ("MPI_Init", "MPI_Init_thread")


@dataclass(frozen=True)
class Forwarder:
    """A call in C or Fortran, as the template reads it."""

    prototype: Prototype
    communicators: list[str]
    """The arguments that are a communicator by value."""

    @property
    def name(self) -> str:
        return self.prototype.name

    def passed(self, communicator: str = "in_place_of({})", error: str = "ierror") -> str:
        """The arguments as they are passed on, with `{}` for a communicator's name."""
        replaced = {name: communicator.format(name) for name in self.communicators}
        return self.prototype.passed({"ierror": error} | replaced)


def communicators(call: Prototype) -> list[str]:
    """The arguments that are a communicator by value; MPI_Abort of any means the whole job."""
    if call.name == "MPI_Abort":
        return []
    return [p.name for p in call.parameters if (p.type, p.mpi_type) == ("Handle", "MPI_Comm")]


def typed(forwarder: Forwarder, fortran: Prototype) -> Forwarder:
    """The procedure with its communicators as integers, also where the standard has removed it."""
    known = forwarder.communicators
    parameters = (replace(p, type="int*") if p.name in known else p for p in fortran.parameters)
    return replace(forwarder, prototype=replace(fortran, parameters=tuple(parameters)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="the file to be written")
    output: Path = parser.parse_args().output
    calls = prototypes()
    known = [Forwarder(call, communicators(call)) for call in calls]
    by_name = {forwarder.name: forwarder for forwarder in known if forwarder.communicators}
    by_name |= {forwarder.name: forwarder for forwarder in known if forwarder.name in INITIALISING}
    procedures = [typed(by_name[f.name], f) for f in fortran_prototypes(calls) if f.name in by_name]
    text = rendered(
        "forwarders.cpp.jinja",
        Path(__file__).parent,
        initialising=INITIALISING,
        calls=by_name.values(),
        procedures=procedures,
    )
    output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
