"""Builds Waywiser's workloads with the compiler wrapper of a site's own MPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from waywiser import __version__
from waywiser.errors import InvalidCommand, ToolMissing, there_is_no
from waywiser.launch.ask import ask
from waywiser.launch.blas import blas_library

OPTIONS = (
    *("-std=c++20", "-O3", "-DNDEBUG"),
    # The C++ bindings of MPI, which MPI-3.0 removed, are not valid C++20.
    *("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"),
)
TOGETHER = "workloads/common"
"""Directory whose files are compiled as one, since their headers would take most of the time."""
SHARED = ("base", TOGETHER)
ALSO = {"fd": ("workloads/stencil",), "propa": ("workloads/stencil",)}
"""Directories that only some workloads need: they take long to compile."""
PATIENCE_SECONDS = 1800.0


def workloads(sources: Path) -> list[str]:
    """The names of the workloads among the sources."""
    directories = (sources / "workloads").glob("*/main.cpp")
    return sorted(main.parent.name for main in directories)


def rooms(name: str) -> tuple[str, ...]:
    """The directories of the sources that are compiled for ww-NAME."""
    return (*SHARED, *ALSO.get(name, ()), f"workloads/{name}")


PLACEHOLDER = "# Placeholder: "
"""Start of the second line of a script that stands for a workload until it is first used. In a
checkout where only `make demo` has run, tools/build.py writes it."""


def make_ready(program: Path) -> None:
    """Replaces a workload's placeholder by the program.

    Raises:
        ToolMissing: the program cannot be built; the build has printed the reason.
    """
    if _begins_with(program, f"#!/bin/sh\n{PLACEHOLDER}".encode()):
        environment = os.environ | {"WAYWISER_BUILD_ONLY": "1"}
        done = subprocess.run([program], env=environment, check=False, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            raise ToolMissing(f"{program} could not be built; `make setup` builds it, too")


def _begins_with(file: Path, text: bytes) -> bool:
    """True if a file begins with a text; False for a program that may be executed and not read."""
    try:
        with file.open("rb") as opened:
            return opened.read(len(text)) == text
    except OSError:
        return False


def build_workload(name: str, compiler: str, directory: Path, sources: Path) -> Path:
    """Compiles ww-NAME into a directory.

    Raises:
        InvalidCommand: there is no such workload.
        ToolMissing: the wrapper or its compiler is not installed, or cannot compile it.
    """
    known = workloads(sources)
    if name.removeprefix("ww-") not in known:
        raise InvalidCommand(there_is_no(f"workload {name}", known))
    name = name.removeprefix("ww-")
    path = shutil.which(compiler)
    if path is None:
        raise ToolMissing(
            f"there is no compiler {compiler}; give the MPI library's wrapper for C++, as in "
            f"`waywiser build {name} --with mpicxx` (`waywiser doctor` lists those found here)"
        )
    _check_compiler(path)
    own = (room for room in rooms(name) if room != TOGETHER)
    files = [str(file) for room in own for file in sorted((sources / room).glob("*.cpp"))]
    together = "".join(
        f'#include "{TOGETHER}/{file.name}"\n'
        for file in sorted((sources / TOGETHER).glob("*.cpp"))
    )
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / f"ww-{name}"
    defined = (
        f'-DWAYWISER_VERSION="{__version__}"',
        f'-DWAYWISER_BLAS="{blas_library()}"',
    )
    command = [path, *OPTIONS, *defined, *_threads(path), f"-I{sources}"]
    # One file shows in a second whether this is such a compiler; all files take much longer.
    _compile(name, [*command, "-fsyntax-only", str(sources / "workloads" / name / "main.cpp")])
    # ww-mpibench counts the MPI library's calls of libc by functions of its own (-rdynamic);
    # before glibc 2.34, dlsym is in a separate library.
    files += ["-x", "c++", "-", "-x", "none"]
    _compile(name, [*command, "-rdynamic", *files, "-o", str(program), "-ldl"], together)
    return program


def _check_compiler(wrapper: str) -> None:
    """Raises ToolMissing where the compiler behind an MPI library's wrapper is not installed."""
    done = ask([wrapper, "-x", "c++", "-fsyntax-only", "-"], PATIENCE_SECONDS, "int main() {}\n")
    if done.returncode != 0:
        raise ToolMissing(
            f"{wrapper} finds no C++ compiler: {_reason(done.stderr)}; install GCC 11, Clang 14 or "
            "newer, as with apt-get install g++"
        )


def _reason(output: str) -> str:
    """The first line of a compiler's output that names an error, else its first line."""
    lines = [line.strip() for line in output.splitlines() if line.strip(" -")]
    errors = [line for line in lines if re.search("error|not found|unable|cannot", line, re.I)]
    return (errors or lines or ["it gave no reason"])[0]


def _threads(compiler: str) -> tuple[str, ...]:
    """The compiler's option for OpenMP; without it or its library, one that ignores pragmas."""
    with tempfile.TemporaryDirectory() as directory:
        command = [compiler, "-fopenmp", "-x", "c++", "-", "-o", f"{directory}/threads"]
        text = "#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n"
        done = ask(command, PATIENCE_SECONDS, text)
    return ("-fopenmp",) if done.returncode == 0 else ("-Wno-unknown-pragmas",)


def _compile(name: str, command: list[str], text: str = "") -> None:
    done = ask(command, PATIENCE_SECONDS, text)
    if done.returncode == 0:
        return
    raise ToolMissing(
        f"{command[0]} cannot build ww-{name}, which needs mpi.h and C++20 (GCC 11, Clang 14 or "
        f"newer): {_reason(done.stderr)}"
    )
