"""The files that a study file names: programs, launchers, inputs.

$NAME is an environment variable of the command that runs the study, ~ the home directory; paths
are relative to the study file's directory.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from waywiser.errors import InvalidCommand

MPI_HOME = Path(sys.prefix) / "mpi"
"""Waywiser's own environments."""


def expanded(text: str) -> str:
    """A path with its variables replaced.

    Raises:
        InvalidCommand: a variable is not set.
    """
    path = os.path.expanduser(os.path.expandvars(text))
    if "$" in path:
        raise InvalidCommand(f"{text} needs a variable that is not set")
    return path


def file_named(text: str, directory: Path) -> Path:
    """A file of the study; it need not exist.

    Raises:
        InvalidCommand: a variable is not set.
    """
    return Path(os.path.abspath(directory / expanded(text)))


def program_named(text: str, directory: Path) -> Path | None:
    """An executable: a file if the name has a slash, else one in PATH or beside the study file.

    Raises:
        InvalidCommand: a variable is not set.
    """
    name = expanded(text)
    if "/" in name:
        file = file_named(text, directory)
        return file if file.exists() else None
    path = shutil.which(name) or shutil.which(name, path=str(directory))
    return Path(os.path.abspath(path)) if path else None
