"""Which library's launcher a file is, told by looking at the file: study files name launchers, and
checking a study starts nothing that it names.

What is looked at: the words and libraries in the file itself, and the MPI library beside it. A
script of somebody's own can only be asked, which the run itself does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from waywiser.errors import ToolMissing
from waywiser.launch import slurm
from waywiser.launch.command import KINDS, Launcher, LauncherKind
from waywiser.launch.discover import library_beside, places_of_launchers
from waywiser.launch.library import read_executable

MOST_BYTES = 1 << 26
"""No launcher is as large; a larger file is not searched for marks."""

# The first row that fits decides: Intel's Hydra has MPICH's mark as well.
MARKS: tuple[tuple[bytes, str], ...] = (
    (b"Intel(R) MPI Library for Linux", "Intel MPI"),
    (b"HYDRA build details", "MPICH"),
)
"""What a launcher prints as its version stands in its file."""

RUNTIMES = {"libopen-rte.so": "Open MPI", "libprrte.so": "Open MPI"}
"""Libraries that mpirun of Open MPI 4 and 5 is linked to."""

HYDRA = "mpiexec.hydra"
ELF = b"\x7fELF"


def recognise_launcher(path: Path) -> Launcher:
    """The launcher that a file is, without its version, which only asking tells.

    Raises:
        ToolMissing: what the file starts cannot be told by looking at it.
    """
    name = _kind_of(path)
    if name is None:
        known = ", ".join(kind.name for kind in KINDS)
        raise ToolMissing(
            f"{path} cannot be told by looking at it, and what a study file names is not started "
            f"to check it: neither the file nor a libmpi beside it is that of {known}"
        )
    return Launcher(path, kind_named(name), "")


def kind_named(name: str) -> LauncherKind:
    return next(kind for kind in KINDS if kind.name == name)


def launchers_of(name: str) -> Iterator[Launcher]:
    """The launchers of a library that are here, in the order in which they are preferred."""
    for path in places_of_launchers():
        if _kind_of(path) == name:
            yield Launcher(path, kind_named(name), "")


@cache
def _kind_of(path: Path) -> str | None:
    if path.name == slurm.COMMAND:
        return slurm.NAME
    return _by_file(path.resolve()) or _by_layout(path)


def _by_file(file: Path) -> str | None:
    """By what the file holds."""
    try:
        if file.stat().st_size > MOST_BYTES:
            return None
        data = file.read_bytes()
    except OSError:
        return None
    if not data.startswith(ELF):
        return None
    executable = read_executable(file)
    needed = executable.needed if executable else ()
    runtimes = (
        name for one in needed for runtime, name in RUNTIMES.items() if one.startswith(runtime)
    )
    return next(runtimes, None) or next((name for mark, name in MARKS if mark in data), None)


def _by_layout(path: Path) -> str | None:
    """By the library in the folder that the launcher is installed in, if there is one family's."""
    families = [name for name in ("Open MPI", "MPICH") if _has_library(path, name)]
    if families != ["MPICH"]:
        return families[0] if len(families) == 1 else None
    return _by_file(path.resolve().parent / HYDRA)


def _has_library(path: Path, name: str) -> bool:
    return library_beside(Launcher(path, kind_named(name), "")) is not None
