"""`waywiser doctor`: which MPI libraries, launchers and tools are here, and what works."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from waywiser import __version__
from waywiser.cli.profile import NATIVE
from waywiser.launch.discover import installations, loads, tools
from waywiser.model.machinery import Machinery, MpiInstallation

# As the generator of the wrappers leaves them out (native/profile/generate_wrappers.py).
CALLS_WITHOUT_WRAPPER = (
    "MPI_T_*",
    "MPI_Wtime",
    "MPI_Wtick",
    "MPI_Aint_add",
    "MPI_Aint_diff",
    "MPI_Abi_get_version",
    "MPI_*_c2f, MPI_*_f2c and the other conversions of handles",
)


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser("doctor", help="what is here and works", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.set_defaults(action=run)


def run(arguments: argparse.Namespace) -> int:
    profiler = NATIVE / "libwaywiser-profile.so"
    machinery = Machinery(
        waywiser=__version__,
        profiler=str(profiler),
        profiler_loads=loads(profiler),
        mpi=tuple(installations()),
        tools=tuple(tools()),
        calls_without_wrapper=CALLS_WITHOUT_WRAPPER,
    )
    print(machinery.model_dump_json(indent=1) if arguments.json else "\n".join(_lines(machinery)))
    works = machinery.profiler_loads and any(mpi.profiles for mpi in machinery.mpi)
    return 0 if works else 1


def _lines(machinery: Machinery) -> Iterator[str]:
    yield f"Waywiser {machinery.waywiser}"
    state = "loads" if machinery.profiler_loads else "DOES NOT LOAD into programs of this machine"
    yield f"Profiler {state}: {machinery.profiler}"
    yield ""
    yield "MPI libraries" if machinery.mpi else "No MPI library was found; `make setup` brings two"
    for mpi in machinery.mpi:
        yield from _mpi_lines(mpi)
    yield ""
    yield "Tools"
    for tool in machinery.tools:
        where = f"{tool.version:<12} {tool.path}" if tool.path else "not here"
        yield f"  {tool.name:<10} {where}  ({tool.needed_for})"
    yield ""
    yield "Calls that the profiler leaves alone: " + ", ".join(machinery.calls_without_wrapper)


def _mpi_lines(mpi: MpiInstallation) -> Iterator[str]:
    verdict = "profiles" if mpi.profiles else "cannot be profiled"
    yield f"  {mpi.name} {mpi.version}: {verdict}"
    yield f"    launcher   {mpi.launcher}"
    if mpi.library:
        yield f"    library    {mpi.library}"
    if mpi.compilers:
        yield f"    compilers  {', '.join(mpi.compilers)}"
    if mpi.workloads:
        yield f"    workloads  {', '.join(mpi.workloads)}"
    for remark in mpi.remarks:
        yield f"    - {remark}"
