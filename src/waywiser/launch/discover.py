"""Finds the MPI installations and the tools of this machine."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from waywiser.errors import ToolMissing
from waywiser.extras import EXTRAS, install_command, packages
from waywiser.launch.ask import says_version
from waywiser.launch.command import identify_launcher
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.launchers.table import BATCH_LAUNCHERS, KINDS, LAUNCHER_NAMES, OWN_LAUNCHERS
from waywiser.launch.library import FAMILIES, library_beside
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.model.machinery import Extra, MpiInstallation, Tool

COMPILERS = ("mpicc", "mpicxx", "mpifort")

TOOLS = {
    "c++": "building workloads",
    "gfortran": "Fortran programs",
    "cmake": "building Waywiser",
    "ninja": "building Waywiser",
    **{
        name: f"starting programs in {kind.batch_system} jobs"
        for name, kind in BATCH_LAUNCHERS.items()
    },
    **{name: purpose for scheduler in SCHEDULERS.values() for name, purpose in scheduler.tools},
    "chromium": "the browser test of the report",
}


def _directories() -> Iterator[Path]:
    """Directories that may contain launchers: first Waywiser's own environments, then PATH, then
    usual places."""
    yield from sorted((Path(sys.prefix) / "mpi").glob("*/bin"))
    yield Path(sys.prefix) / "bin"  # where pip puts an MPI library
    yield from (
        Path(directory) for directory in os.environ.get("PATH", "").split(os.pathsep) if directory
    )
    yield from sorted(Path("/opt").glob("*mpi*/bin"))
    yield from sorted(Path("/usr/lib64").glob("*mpi*/bin"))


def places_of_launchers() -> Iterator[Path]:
    """Every file with a launcher's name, the preferred ones first."""
    for directory in _directories():
        for name in sorted(LAUNCHER_NAMES, key=lambda name: (len(name), name)):
            if os.access(directory / name, os.X_OK):
                yield directory / name


def _launchers() -> Iterator[Launcher]:
    """One launcher for each installation; names that lead to the same place count once."""
    seen: set[Path] = set()
    for path in places_of_launchers():
        # Open MPI's names link to a wrapper in the same directory, Debian's through alternatives
        # to another: the real directory and the family identify an installation.
        home = path.resolve().parent
        try:
            launcher = identify_launcher(path)
        except ToolMissing:
            continue
        mark = home / launcher.kind.name
        if launcher.kind.library and mark not in seen:
            seen.add(mark)
            yield launcher


def _compilers(directory: Path, suffix: str) -> dict[str, str]:
    """The compiler wrappers of one library in a directory that may hold another's as well."""
    suffixes = {kind.compiler_suffix for kind in KINDS} - {""}
    shared = any((directory / f"{COMPILERS[0]}{ending}").exists() for ending in suffixes)
    files = {name: directory / (name + suffix if shared else name) for name in COMPILERS}
    return {name: str(file) for name, file in files.items() if file.exists()}


def installation(launcher: Launcher) -> MpiInstallation:
    """The library, compilers and workloads of a launcher, with remarks on what is missing."""
    directory = launcher.path.parent
    library = library_beside(launcher)
    compilers = _compilers(directory, launcher.kind.compiler_suffix)
    remarks = []
    if library is None:
        remarks.append("no libmpi was found beside the launcher")
    if "mpifort" not in compilers:
        remarks.append("no Fortran compiler wrapper")
    if launcher.kind.as_root and os.geteuid() == 0:
        remarks.append(f"as root it requires {launcher.kind.as_root}")
    programs = ", ".join(FAMILIES[abi].name for abi in launcher.kind.starts)
    remarks.append(f"starts programs linked to {programs}")
    return MpiInstallation(
        name=launcher.kind.name,
        version=launcher.version,
        launcher=str(launcher.path),
        library=None if library is None else str(library[0]),
        abi="unknown" if library is None else library[1],
        compilers=compilers,
        workloads=tuple(sorted(path.name for path in directory.glob("ww-*"))),
        profiles=library is not None and library[1] != "unknown",
        remarks=tuple(remarks),
    )


def installations() -> list[MpiInstallation]:
    """Every MPI installation that was found."""
    return [installation(launcher) for launcher in _launchers()]


def compiler_of(mpi: str) -> str:
    """The C++ compiler wrapper of an MPI library that has the name of study files; any other name
    is that of a wrapper.

    Raises:
        ToolMissing: the library or its wrapper is not installed.
    """
    if mpi not in OWN_LAUNCHERS:
        return mpi
    library = OWN_LAUNCHERS[mpi].name
    for here in installations():
        if here.name == library and "mpicxx" in here.compilers:
            return here.compilers["mpicxx"]
    raise ToolMissing(
        f"--mpi {mpi}: no C++ compiler wrapper of {library} found; give the wrapper's path "
        "(`waywiser doctor` lists the libraries found here)"
    )


def _version_of(path: str) -> str:
    try:
        match = re.search(r"\d+\.\d+[.\w-]*", says_version(path))
    except ToolMissing:
        return "unknown"
    return match[0] if match else "unknown"


def tools() -> list[Tool]:
    """The tools of the table, installed or not."""
    path = os.pathsep.join([str(Path(sys.prefix) / "bin"), os.environ.get("PATH", "")])
    files = {name: shutil.which(name, path=path) for name in TOOLS}
    return [
        Tool(
            name=name,
            path=file,
            version=_version_of(file) if file else "",
            needed_for=TOOLS[name],
        )
        for name, file in files.items()
    ]


def extras() -> list[Extra]:
    """The features of optional packages, installed or not."""
    return [
        Extra(
            name=name,
            adds=adds,
            missing=tuple(package for package in packages(name) if not _is_installed(package)),
            command=install_command(name),
        )
        for name, adds in EXTRAS.items()
    ]


def _is_installed(requirement: str) -> bool:
    name = re.match(r"[\w.-]+", requirement)
    return name is not None and importlib.util.find_spec(name[0]) is not None


def loads(library: Path) -> bool:
    """True if the dynamic loader preloads a library without a message."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", ""],
        env=os.environ | {"LD_PRELOAD": str(library)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode == 0 and not done.stderr
