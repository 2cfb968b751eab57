"""`waywiser build WORKLOAD --with MPICXX`: builds a workload for a site's own MPI, offline."""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.cli.arguments import declare, named
from waywiser.launch.library import mpi_library_of
from waywiser.launch.workloads import build_workload, workloads
from waywiser.native import SOURCES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Compile one of Waywiser's workloads for an MPI library of this machine. This needs the "
        "library's compiler wrapper and no network."
    )
    known = ", ".join(workloads(SOURCES))
    declare(
        parser,
        f"""
        workload WORKLOAD  workload to build: {known}
        --with MPICXX  C++ compiler wrapper of the MPI library (default: mpicxx)
        -o, --output DIR  directory for the program (default: the working directory)
        """,
        {named: "output"},
        {"with": {"dest": "compiler", "default": "mpicxx"}, "output": Path()},
    )


def run(arguments: argparse.Namespace) -> int:
    program = build_workload(arguments.workload, arguments.compiler, arguments.output, SOURCES)
    library = mpi_library_of(program.absolute())
    found = (
        f"it gets {library.path}" if library else "its MPI library is not where it is looked for"
    )
    print(f"built {program}; {found}")
    return 0
