"""A lock for one command at a time: of the file system or, without such locks, an exclusive file.

Lustre is often mounted without flock, and so are some NFS and FUSE file systems.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from waywiser.errors import InvalidCommand
from waywiser.store.live import start_of

NO_FLOCK = frozenset({errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK})
"""Errors of flock on a file system without locks."""

LOOK_SECONDS = 0.2
GRACE_SECONDS = 10.0
"""Time that a command may take from creating a lock file to writing its name into it."""


class _Unsupported(Exception):
    """The file system has no locks."""


class _Owner(NamedTuple):
    """The command that has written its name into a lock file."""

    pid: int
    start: int
    host: str

    @property
    def elsewhere(self) -> bool:
        """True if the owner is on another host, so that this host cannot check whether it lives."""
        return self.host != platform.node()

    @property
    def lives(self) -> bool:
        return start_of(self.pid) == self.start

    def __str__(self) -> str:
        return f"process {self.pid}" + (f" on {self.host}" if self.elsewhere else "")


class _Flock:
    """A lock of the kernel, which releases it with the last process that has the file open."""

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def take(self) -> bool:
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno in NO_FLOCK:
                raise _Unsupported from error
            raise
        return True

    def owner(self) -> str:
        """The owner of the lock; "" if its command has ended and one of its runs has the file
        open."""
        owner = _owner_in(os.pread(self.descriptor, 4096, 0))
        return str(owner) if owner and (owner.elsewhere or owner.lives) else ""

    def release(self) -> None:
        os.close(self.descriptor)


class _LockFile:
    """A file that only one command can create, and that the command removes at its end.

    A killed command's file is taken over as soon as no process of this host has it open.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}.held")
        self._guard = path.with_name(f"{path.name}.takeover")
        self.descriptor = -1

    def take(self) -> bool:
        if (descriptor := _created(self._path)) is None:
            return self._is_stale() and self._remove_stale() and self.take()
        self.descriptor = descriptor
        return True

    def owner(self) -> str:
        owner = self._owner()
        if owner is None:
            return ""
        if owner.elsewhere:
            return f"{owner}; if that process has ended, remove {self._path}"
        return str(owner) if owner.lives else ""

    def release(self) -> None:
        if self.descriptor >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self.descriptor)

    def _owner(self) -> _Owner | None:
        try:
            return _owner_in(self._path.read_bytes())
        except OSError:
            return None

    def _is_stale(self) -> bool:
        owner = self._owner()
        if owner is None:
            return _age_seconds(self._path) > GRACE_SECONDS
        return not (owner.elsewhere or owner.lives or _is_open_here(self._path))

    def _remove_stale(self) -> bool:
        """Removes a lock file under a guard, so that nobody removes the next command's.

        Raises:
            InvalidCommand: a command was killed while it had the guard.
        """
        guard = _created(self._guard)
        if guard is None:
            if _age_seconds(self._guard) > GRACE_SECONDS:
                raise InvalidCommand(
                    f"{self._guard}: left behind by a command that was killed; remove it"
                )
            return False
        try:
            if stale := self._is_stale():
                self._path.unlink(missing_ok=True)
            return stale
        finally:
            self._guard.unlink(missing_ok=True)
            os.close(guard)


@contextmanager
def locked(path: Path, subject: Path, say: Callable[[str], None]) -> Iterator[int]:
    """Holds the lock, and yields its descriptor for child processes to inherit.

    If the command that started them was killed, child processes still hold the lock; the next
    command waits for their end.

    Args:
        subject: path of the study, for messages.

    Raises:
        InvalidCommand: another command has the lock, or no lock file can be created.
    """
    lock: _Flock | _LockFile
    try:
        lock = _Flock(path)
        try:
            taken = lock.take()
        except _Unsupported:
            lock.release()
            lock = _LockFile(path)
            taken = lock.take()
    except OSError as error:
        raise InvalidCommand(f"{path} cannot be locked: {error.strerror}") from error
    try:
        reported = False
        while not taken:
            if owner := lock.owner():
                raise InvalidCommand(f"{subject} is being run by {owner}")
            if not reported:
                say("waiting for the run that an earlier command has left behind")
                reported = True
            time.sleep(LOOK_SECONDS)
            taken = lock.take()
        mark = {"pid": os.getpid(), "start": start_of(os.getpid()), "host": platform.node()}
        os.ftruncate(lock.descriptor, 0)
        os.pwrite(lock.descriptor, json.dumps(mark).encode(), 0)
        yield lock.descriptor
    finally:
        lock.release()


def _created(path: Path) -> int | None:
    """The descriptor of a newly created file; None if the file exists."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        return None


def _owner_in(data: bytes) -> _Owner | None:
    try:
        mark = json.loads(data)
        return _Owner(int(mark["pid"]), int(mark["start"]), str(mark["host"]))
    except (ValueError, KeyError, TypeError):
        return None


def _age_seconds(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:  # the file has just been removed
        return 0.0


def _is_open_here(path: Path) -> bool:
    """True if a process of this host has the file open, such as a run that outlives its command."""
    try:
        target = path.stat()
    except OSError:
        return False
    for entry in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if os.path.samestat(entry.stat(), target):
                return True
    return False
