"""Every error that Waywiser raises on purpose, in one place.

WaywiserError
├── InvalidCommand    the command line cannot work; the message says how to correct it
├── InvalidRun        a run directory or one of its files cannot be read
├── InvalidMatrix     a communication matrix cannot be read
├── InvalidMesh       a mesh cannot be read, or is not valid
├── ToolMissing       a program or library that the request needs is not installed
├── NotEnoughData     a statistic got fewer values than it needs
└── NotSaved          a result could not be written to the requested place
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

USERS_MISTAKES = (
    FileExistsError,
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
)
"""Errors of the operating system that another argument can correct; any other, such as a full disk,
is a failure."""


MOST_CHARACTERS = 4000
"""Largest number of characters in a message; a study file with a dozen wrong keys needs 2,000."""


def there_is_no(missing: str, known: Iterable[object]) -> str:
    """ "there is no axis size; there are mpi, ranks": a name that is not among those known."""
    names = [*map(str, known)]
    meant = alike(missing.split()[-1], names)
    return f"there is no {missing}{meant}; there are {', '.join(names) or 'none'}"


def not_found(path: Path, kind: str) -> str:
    """ "rnu: directory not found (did you mean run?)": a path that does not exist."""
    return f"{path}: {kind} not found{_neighbour(path)}"


def not_read(path: Path, error: OSError) -> str:
    """ "m.tom: No such file or directory (did you mean m.toml?)": a file that cannot be read."""
    meant = _neighbour(path) if isinstance(error, FileNotFoundError) else ""
    return f"{path}: {error.strerror or error}{meant}"


def _neighbour(path: Path) -> str:
    """ " (did you mean run?)", or "" if nothing in the path's directory has a similar name.

    An equal suffix alone makes no names similar.
    """
    beside = path.absolute().parent
    names = [Path(name) for name in (os.listdir(beside) if beside.is_dir() else ())]
    stems = {name.stem: name.name for name in names if name.suffix == path.suffix}
    others = [name.name for name in names if name.suffix not in ("", path.suffix)]
    meant = stems.get(nearest(path.stem, stems)) or nearest(path.name, others)
    return f" (did you mean {meant}?)" if meant else ""


def alike(word: str, known: Iterable[str]) -> str:
    """ " (did you mean csv?)", or "" if no known name is similar to a word."""
    meant = nearest(word, known)
    return f" (did you mean {meant}?)" if meant else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The other name that is most similar to a word; "" if none is similar."""
    from difflib import get_close_matches

    return next((name for name in get_close_matches(word, known, 1) if name != word), "")


class WaywiserError(Exception):
    """Base class. The command line prints it as one sentence, without a traceback."""

    exit_code = 2

    def __str__(self) -> str:
        """The message, shortened in its middle if it is too long, as with quotes of a damaged
        file."""
        text = super().__str__()
        cut = len(text) > MOST_CHARACTERS
        return f"{text[: MOST_CHARACTERS // 2]} … {text[-MOST_CHARACTERS // 2 :]}" if cut else text


class InvalidCommand(WaywiserError):
    """The command line cannot work."""


class InvalidRun(WaywiserError):
    """A run directory, or a file in it, cannot be read."""


class InvalidMatrix(WaywiserError):
    """A communication matrix cannot be read."""


class InvalidMesh(WaywiserError):
    """A mesh cannot be read, or is not valid."""


class ToolMissing(WaywiserError):
    """A program or library that the request needs is not installed."""


class NotEnoughData(WaywiserError):
    """A statistic got fewer values than it needs."""


class NotSaved(WaywiserError):
    """A result could not be written; the message says where it is kept instead."""

    exit_code = 1
