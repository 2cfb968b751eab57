"""The launcher of each library of a study file, determined without starting it."""

from __future__ import annotations

import os
from pathlib import Path

from waywiser.errors import InvalidCommand, ToolMissing, alike
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.launchers.table import BATCH_LAUNCHERS, NO_LAUNCHER, OWN_LAUNCHERS
from waywiser.launch.recognise import launchers_of, recognise_launcher
from waywiser.model.study import DEFAULT_MPI, LIBRARIES, MpiChoice, Study
from waywiser.study.paths import MPI_HOME, program_named

ALONE = "none"
"""The launcher of programs that are started without one."""

UNSEEN = "as the study file says"
"""Text in place of the version, which is unknown until the run queries the launcher."""


def library_of(name: str, choice: MpiChoice) -> str:
    """ "openmpi", "mpich" or "impi", from [mpi.NAME] or NAME itself; "" if neither is known."""
    return choice.library or (name if name in LIBRARIES else "")


def runs_elsewhere(study: Study) -> bool:
    """True if runs may find other launchers than this node has: on other nodes, or from modules."""
    resources = study.resources
    return not resources.local or bool(resources.modules or resources.setup)


def launcher_of(
    name: str, choice: MpiChoice, directory: Path, *, elsewhere: bool = False
) -> Launcher:
    """The launcher of a library of the study file.

    Args:
        directory: directory of the study file, to which its paths are relative.
        elsewhere: True if runs may find a launcher that is not on this node.

    Raises:
        InvalidCommand: the name is not a library's, or the launcher is not found.
        ToolMissing: the kind of the launcher cannot be determined from its file.
    """
    if choice.launcher == ALONE:
        return Launcher(Path(ALONE), NO_LAUNCHER, "")
    library = library_of(name, choice)
    file = (
        program_named(choice.launcher, directory)
        if choice.launcher
        else _default_launcher(name, library)
    )
    if library and (choice.modules or (file is None and elsewhere)):
        kind = BATCH_LAUNCHERS.get(Path(choice.launcher).name, OWN_LAUNCHERS[library])
        return Launcher(Path(choice.launcher or "mpirun"), kind, "of its modules")
    if file is None or not os.access(file, os.X_OK):
        raise InvalidCommand(_missing(name, choice, library))
    try:
        return recognise_launcher(file)
    except ToolMissing as error:
        if library:
            return Launcher(file, OWN_LAUNCHERS[library], UNSEEN)
        raise ToolMissing(
            f"mpi.{name}.launcher: {error}; say which it is with library = one of "
            f"{', '.join(LIBRARIES)}"
        ) from error


def _default_launcher(name: str, library: str) -> Path | None:
    """The launcher for a table [mpi.NAME] without one."""
    own = MPI_HOME / name / "bin" / "mpirun"
    if own.exists():
        return own
    if library:
        return next((launcher.path for launcher in launchers_of(OWN_LAUNCHERS[library])), None)
    return program_named("mpirun", Path()) if name == DEFAULT_MPI else None


def _missing(name: str, choice: MpiChoice, library: str) -> str:
    """A message that a launcher is missing, with the accepted alternatives."""
    known = ", ".join(LIBRARIES)
    if choice.launcher or name == DEFAULT_MPI:
        return (
            f"mpi.{name}.launcher: there is no {choice.launcher or 'mpirun'}; give its launcher, or"
            f" its modules and library = one of {known}"
        )
    if library:
        return (
            f"mpi.{name}: {LIBRARIES[library]} is not found here, neither among Waywiser's own "
            "environments nor in PATH; give launcher = its mpirun, or its modules"
        )
    return (
        f'mpi: "{name}" is not an MPI library that Waywiser knows{alike(name, LIBRARIES)}; '
        f"expected one of {known}, or a table [mpi.{name}] that says its launcher, or its "
        "modules and library"
    )
