"""Files that are on the disk, whole, before they bear their name (native/base/durable_file.hpp)."""

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
"""Errors of a directory that cannot be synced: some file systems sync none, and a user who may not
read a directory cannot sync it."""


def replace_text(path: Path, text: str) -> None:
    """Replaces a file: at any moment, a power cut included, it is the old one or the new one.

    Raises:
        NotSaved: the file system does not take it.
    """
    with _not_saved(path):
        _replace(path, lambda file: file.write(text.encode("utf-8")))


def copy_file(source: Path, path: Path) -> None:
    """Replaces a file with a copy of another, as `replace_text` does with a text.

    Raises:
        NotSaved: the file system does not take it.
    """

    def fill(file: BinaryIO) -> None:
        with source.open("rb") as read:
            shutil.copyfileobj(read, file)

    with _not_saved(path):
        _replace(path, fill)


STDOUT = Path("-")
"""What users call standard output, wherever they name a file to write."""


def beside(path: Path | None) -> TextIO:
    """The stream for messages while `write_output` writes `path`, so that piped output has none."""
    return sys.stderr if path == STDOUT else sys.stdout


def write_output(path: Path, content: str | bytes) -> None:
    """Writes what a user asked for where they asked for it, `STDOUT` included.

    A file is replaced as by `replace_text`, and keeps its mode. A terminal, a pipe, or a file in a
    directory that only holds it still is written as it is.

    Raises:
        OSError: it is not taken.
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
        BrokenPipeError: nobody reads standard output any more, which is not a failure.
    """
    try:
        write_output(path, content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NotSaved(f"{path} cannot be written: {error.strerror}") from error


def make_directory(path: Path) -> None:
    """Makes a directory that stays, and those that it lies in as far as they are missing.

    Raises:
        OSError: the file system does not take it.
    """
    if path.is_dir():
        return
    make_directory(path.parent)
    _uninterrupted(lambda: path.mkdir(exist_ok=True))
    _sync_directory(path.parent)


def rename(path: Path, to: Path) -> None:
    """Gives a file or a directory another name, for good.

    Raises:
        OSError: the file system does not take it.
    """
    _uninterrupted(lambda: path.rename(to))
    _sync_directory(to.parent)


def sync_file(path: Path) -> None:
    """Makes durable what is in a file that was written as it came; there may be none.

    Raises:
        NotSaved: the file system does not take it.
    """
    with _not_saved(path), suppress(FileNotFoundError), path.open("rb") as file:
        os.fsync(file.fileno())
        _sync_directory(path.parent)


def remove_temporaries(path: Path) -> None:
    """Removes what writers of a file have left that were killed."""
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
            # Whoever has finished the run removes what it takes for left by a killed writer.
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
    """Whether a path is a terminal, a pipe, or a name of an open file such as /dev/stdout."""
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
    """Repeats what a signal has interrupted; Python does so itself where it opens, reads, writes
    and syncs (PEP 475)."""
    while True:
        try:
            call()
        except InterruptedError:
            continue
        return
