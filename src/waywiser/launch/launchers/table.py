"""The launchers. Add a module, add its entry."""

from __future__ import annotations

import re
from pathlib import Path

from waywiser.launch.launchers.intel_mpi import INTEL_MPI
from waywiser.launch.launchers.jsrun import JSRUN
from waywiser.launch.launchers.launcher import LauncherKind
from waywiser.launch.launchers.mpich import MPICH
from waywiser.launch.launchers.open_mpi import OPEN_MPI
from waywiser.launch.launchers.pals import PALS
from waywiser.launch.launchers.slurm import SLURM
from waywiser.model.run import Run

KINDS = (OPEN_MPI, MPICH, INTEL_MPI, SLURM, PALS, JSRUN)
"""All known launchers. If a file fits several, the last one decides: Intel's Hydra has MPICH's mark
as well."""

NO_LAUNCHER = LauncherKind(name="no launcher")
"""Launcher of a program that is started alone."""

OWN_LAUNCHERS = {kind.library: kind for kind in KINDS if kind.library}
"""Launchers of the MPI libraries, by the names that study files use."""

LAUNCHER_NAMES = frozenset(name for kind in OWN_LAUNCHERS.values() for name in kind.commands)
"""File names of launchers; a file may belong to one of several libraries, or to none."""

BATCH_LAUNCHERS = {
    name: kind for kind in KINDS for name in kind.commands if name not in LAUNCHER_NAMES
}
"""Launchers that are recognised by name, start programs of any library and belong to none."""

COMMANDS = LAUNCHER_NAMES | BATCH_LAUNCHERS.keys()

*_FIRST, _LAST = dict.fromkeys(kind.commands[0] for kind in KINDS)
IN_WORDS = f"{', '.join(_FIRST)} or {_LAST}"
"""The launchers' commands as a list in a sentence."""


def kind_beside(path: Path) -> LauncherKind | None:
    """The kind of a launcher by the files of its installation; None if they do not identify it."""
    directory = path.resolve().parent.parent / "lib"
    return next((k for k in KINDS for name in k.beside if any(directory.glob(name))), None)


def kind_named(name: str) -> LauncherKind:
    return next(kind for kind in KINDS if kind.name == name)


def kind_of_run(run: Run) -> LauncherKind | None:
    """The launcher that started a recorded run; None if its records do not identify it."""
    program = Path(run.command[0]).name if run.command else ""
    of_library = (k for k in KINDS if k.serves and re.fullmatch(k.serves, run.mpi.library))
    return BATCH_LAUNCHERS.get(program) or next(of_library, None)
