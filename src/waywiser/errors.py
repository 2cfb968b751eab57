"""Every error that Waywiser raises on purpose, in one place.

WaywiserError
├── InvalidCommand    the command line cannot work; the message says what would
├── InvalidRun        a run directory or one of its files cannot be read
├── InvalidMatrix     a communication matrix cannot be read
├── InvalidMesh       a mesh cannot be read, or is not what it must be
├── ToolMissing       a program or library that the request needs is not here
├── NotEnoughData     a statistic was asked of fewer values than it needs
└── NotSaved          what was measured could not be written where it was asked for
"""

from __future__ import annotations

USERS_MISTAKES = (
    FileExistsError,
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
)
"""Of the operating system's errors, those that another argument mends; anything else, as a full
disk, is a failure."""


class WaywiserError(Exception):
    """Base class. The command line prints it as one sentence, without a traceback."""

    exit_code = 2


class InvalidCommand(WaywiserError):
    """The command line cannot work."""


class InvalidRun(WaywiserError):
    """A run directory, or a file in it, cannot be read."""


class InvalidMatrix(WaywiserError):
    """A communication matrix cannot be read."""


class InvalidMesh(WaywiserError):
    """A mesh cannot be read, or is not what it must be."""


class ToolMissing(WaywiserError):
    """A program or library that the request needs is not here."""


class NotEnoughData(WaywiserError):
    """A statistic was asked of fewer values than it needs."""


class NotSaved(WaywiserError):
    """A result could not be written; the message says where it is kept instead."""

    exit_code = 1
