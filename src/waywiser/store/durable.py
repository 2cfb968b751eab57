"""Files that are on the disk, whole, before they bear their name (native/base/durable_file.hpp)."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from waywiser.errors import NotSaved

NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)
"""Some file systems sync no folders; who may not read a folder cannot sync it."""


def replace_text(path: Path, text: str) -> None:
    """Replaces a file: at any moment, a power cut included, it is the old one or the new one.

    Raises:
        NotSaved: the file system does not take it.
    """
    _replace(path, lambda file: file.write(text.encode("utf-8")))


def copy_file(source: Path, path: Path) -> None:
    """The same, with what another file holds.

    Raises:
        NotSaved: the file system does not take it.
    """

    def fill(file: BinaryIO) -> None:
        with source.open("rb") as read:
            shutil.copyfileobj(read, file)

    _replace(path, fill)


def make_folder(path: Path) -> None:
    """Makes a folder that stays, and those that it lies in as far as they are missing.

    Raises:
        OSError: the file system does not take it.
    """
    if path.is_dir():
        return
    make_folder(path.parent)
    _uninterrupted(lambda: path.mkdir(exist_ok=True))
    _sync_folder(path.parent)


def rename(path: Path, to: Path) -> None:
    """Gives a file or a folder another name, for good.

    Raises:
        OSError: the file system does not take it.
    """
    _uninterrupted(lambda: path.rename(to))
    _sync_folder(to.parent)


def sync_file(path: Path) -> None:
    """Makes durable what is in a file that was written as it came; there may be none.

    Raises:
        NotSaved: the file system does not take it.
    """
    try:
        with path.open("rb") as file:
            os.fsync(file.fileno())
    except FileNotFoundError:
        return
    except OSError as error:
        raise NotSaved(f"{path} cannot be written: {error.strerror}") from error


def remove_temporaries(path: Path) -> None:
    """Removes what writers of a file have left that were killed."""
    for temporary in path.parent.glob(f"{path.name}.*.tmp"):
        with suppress(OSError):
            temporary.unlink()


ATTEMPTS = 8


def _replace(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        # Processes of several hosts may write one file at once.
        temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
        try:
            with temporary.open("xb") as file:
                fill(file)
                file.flush()
                os.fsync(file.fileno())
            rename(temporary, path)
        except FileNotFoundError as error:
            # Whoever has finished the run removes what it takes for left by a killed writer.
            if attempt == ATTEMPTS or not path.parent.is_dir():
                raise NotSaved(f"{path} cannot be written: {error.strerror}") from error
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise NotSaved(f"{path} cannot be written: {error.strerror}") from error
        else:
            return


def _sync_folder(folder: Path) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
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
