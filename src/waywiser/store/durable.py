"""Files that are complete on the disk before they get their name (native/base/durable_file.hpp)."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from waywiser.errors import NotSaved

NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)
"""Errors of a directory that cannot be synced: some file systems do not support it, and a user who
may not read a directory cannot sync it."""


def replace_text(path: Path, text: str) -> None:
    """Replaces a file: at any moment, a power cut included, the old or the new file is complete.

    Raises:
        NotSaved: the file cannot be written.
    """
    with _not_saved(path):
        _replace(path, lambda file: file.write(text.encode("utf-8")))


def copy_file(source: Path, path: Path) -> None:
    """Replaces a file with a copy of another, as `replace_text` does with a text.

    Raises:
        NotSaved: the file cannot be written.
    """

    def fill(file: BinaryIO) -> None:
        with source.open("rb") as read:
            shutil.copyfileobj(read, file)

    with _not_saved(path):
        _replace(path, fill)


STDOUT = Path("-")
"""Name of standard output in arguments for output files."""


def beside(path: Path | None) -> TextIO:
    """The stream for messages while `write_output` writes `path`, so that piped output has none."""
    return sys.stderr if path == STDOUT else sys.stdout


def write_output(path: Path, content: str | bytes) -> None:
    """Writes a user's output to the named file or `STDOUT`.

    A file is replaced as by `replace_text`, and keeps its mode. A terminal, a pipe, or a file in a
    directory without write permission is written in place.

    Raises:
        OSError: the file cannot be written.
    """
    if path == STDOUT:
        _print(content)
        return
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    if _is_stream(path) or not os.access(target.parent, os.W_OK):
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                os.fsync(file.fileno())
        return

    def fill(file: BinaryIO) -> None:
        file.write(data)
        if target.exists():
            os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))

    _replace(target, fill)


def _print(content: str | bytes) -> None:
    if isinstance(content, str):
        sys.stdout.write(content)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
    sys.stdout.flush()


def save_output(path: Path, content: str | bytes) -> None:
    """Writes as `write_output` does, with errors that name the file.

    Raises:
        NotSaved: the file cannot be written.
        BrokenPipeError: the reader of standard output has gone, which is not a failure.
    """
    try:
        write_output(path, content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NotSaved(f"{path} cannot be written: {error.strerror}") from error


def make_directory(path: Path) -> None:
    """Creates a directory durably, with its missing parent directories.

    Raises:
        OSError: a directory cannot be created.
    """
    if path.is_dir():
        return
    make_directory(path.parent)
    _uninterrupted(lambda: path.mkdir(exist_ok=True))
    _sync_directory(path.parent)


def rename(path: Path, to: Path) -> None:
    """Renames a file or a directory durably.

    Raises:
        OSError: the path cannot be renamed.
    """
    _uninterrupted(lambda: path.rename(to))
    _sync_directory(to.parent)


def sync_file(path: Path) -> None:
    """Syncs a file that was written as a stream; a missing file is ignored.

    Raises:
        NotSaved: the file cannot be synced.
    """
    with _not_saved(path), suppress(FileNotFoundError), path.open("rb") as file:
        os.fsync(file.fileno())
        _sync_directory(path.parent)


def remove_temporaries(path: Path) -> None:
    """Removes the temporary files that killed writers of a file have left."""
    for temporary in path.parent.glob(f"{path.name}.*.tmp"):
        with suppress(OSError):
            temporary.unlink()


ATTEMPTS = 8


def _replace(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        # Processes of several hosts may write one file at once.
        temporary = path.with_name(f"{path.name}.{os.urandom(8).hex()}.tmp")
        try:
            with temporary.open("xb") as file:
                fill(file)
                file.flush()
                os.fsync(file.fileno())
            rename(temporary, path)
        except FileNotFoundError as error:
            # The process that finishes the run removes temporary files as left by killed writers.
            if attempt == ATTEMPTS or not path.parent.is_dir():
                raise OSError(error.errno, error.strerror, str(path)) from error
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise OSError(error.errno, error.strerror, str(path)) from error
        else:
            return


@contextmanager
def _not_saved(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotSaved(f"{path} cannot be written: {error.strerror}") from error


def _is_stream(path: Path) -> bool:
    """True if a path is a terminal, a pipe, or the name of an open file such as /dev/stdout."""
    named = path.is_relative_to("/dev") or path.is_relative_to("/proc")
    return named or (path.exists() and not path.is_file())


def _sync_directory(directory: Path) -> None:
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise


def _uninterrupted(call: Callable[[], object]) -> None:
    """Repeats a call that a signal has interrupted; Python itself repeats open, read, write and
    sync (PEP 475)."""
    while True:
        try:
            call()
        except InterruptedError:
            continue
        return
