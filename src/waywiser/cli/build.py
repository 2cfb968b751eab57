"""`waywiser build WORKLOAD --mpi MPI`: builds a workload for a site's own MPI, offline."""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.cli.arguments import declare, named
from waywiser.launch.discover import compiler_of
from waywiser.launch.launchers.table import OWN_LAUNCHERS
from waywiser.launch.library import mpi_library_of
from waywiser.launch.workloads import build_workload, workloads
from waywiser.native import SOURCES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Compile one of Waywiser's workloads for an MPI library of this machine. This needs the "
        "library's compiler wrapper and no network."
    )
    known = ", ".join(workloads(SOURCES))
    libraries = ", ".join(OWN_LAUNCHERS)
    declare(
        parser,
        f"""
        workload WORKLOAD  workload to build: {known}
        --mpi, --with MPI  MPI library ({libraries}) or its C++ compiler wrapper (default: mpicxx)
        -o, --output DIR  directory for the program (default: the working directory)
        """,
        {named: "output"},
        {"with": {"dest": "mpi", "default": "mpicxx"}, "output": Path()},
    )


def run(arguments: argparse.Namespace) -> int:
    compiler = compiler_of(arguments.mpi)
    program = build_workload(arguments.workload, compiler, arguments.output, SOURCES)
    library = mpi_library_of(program.absolute())
    library_words = (
        f"it gets {library.path}" if library else "its MPI library is not where it is looked for"
    )
    print(f"built {program}; {library_words}")
    return 0
