"""Recognise the library of a launcher by its file alone: study files name launchers, and checking a
study starts none of them.

The file's texts, the libraries that it is linked to and the MPI library beside it identify a
launcher. A site's own script can only be recognised by running it, which the run itself does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from waywiser.errors import ToolMissing
from waywiser.launch.discover import places_of_launchers
from waywiser.launch.launchers import hydra
from waywiser.launch.launchers.launcher import Launcher, LauncherKind
from waywiser.launch.launchers.table import BATCH_LAUNCHERS, KINDS, kind_beside
from waywiser.launch.library import library_beside, read_executable

MOST_BYTES = 1 << 26
"""Largest file that is searched for marks; no launcher is as large."""

ELF = b"\x7fELF"


def recognise_launcher(path: Path) -> Launcher:
    """Recognise a file's launcher; its version stays unknown, as only running it would show that.

    Raises:
        ToolMissing: the file does not identify its launcher.
    """
    kind = _kind_of(path)
    if kind is None:
        known = ", ".join(kind.name for kind in KINDS)
        raise ToolMissing(
            f"{path} is not recognised: neither it nor a libmpi beside it is that of {known}; "
            "Waywiser does not start it to find out, because a study file names it"
        )
    return Launcher(path, kind, "")


def launchers_of(kind: LauncherKind) -> Iterator[Launcher]:
    """The installed launchers of a kind, in order of preference."""
    for path in places_of_launchers():
        if _kind_of(path) is kind:
            yield Launcher(path, kind, "")


@cache
def _kind_of(path: Path) -> LauncherKind | None:
    named = BATCH_LAUNCHERS.get(path.name)
    return named or _by_file(path.resolve()) or kind_beside(path) or _by_layout(path)


def _by_file(file: Path) -> LauncherKind | None:
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
    linked = (kind for soname in needed for kind in KINDS if soname.startswith(kind.runtimes))
    marked = (kind for kind in reversed(KINDS) if any(mark in data for mark in kind.marks))
    return next(linked, None) or next(marked, None)


def _by_layout(path: Path) -> LauncherKind | None:
    """The kind of launcher of the MPI library beside it; None unless all libraries there are of one
    family."""
    kinds = [kind for kind in KINDS if library_beside(Launcher(path, kind, "")) is not None]
    if len({kind.starts for kind in kinds}) != 1:
        return None
    return kinds[0] if len(kinds) == 1 else _by_file(path.resolve().parent / hydra.FILE)
