"""Faults in the system calls of a process, and what a power cut leaves of its files on the disk."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")

CRASHED = 86
"""Exit code of a process that ended at its fault."""

FAULTS = (
    "crash",
    "short",
    "EINTR",
    "ENOSPC",
    "ENOSPC+",
    "EDQUOT",
    "EDQUOT+",
    "ESTALE",
    "ESTALE+",
)
"""Faults; "+" also puts them into every call that follows."""

UNSEEN = ("short", "EINTR")
"""Faults that nobody may notice."""


def built_injector(directory: Path) -> Path:
    """The library that is preloaded."""
    library = directory / "faults.so"
    options = ["-O1", "-Wall", "-Werror", "-fPIC", "-shared"]
    subprocess.run(["cc", *options, SOURCE, "-o", library, "-ldl"], check=True)
    return library


@dataclass
class Node:
    """A file or a directory: what it is now, and what of it is on the disk."""

    content: Path | None = None
    """File with the bytes; None for a directory."""

    synced_bytes: int = 0
    now: dict[str, Node] = field(default_factory=dict)
    synced: dict[str, Node] = field(default_factory=dict)


class Disk:
    """A directory before a process worked in it, and after it ended at some call.

    The file system that is modelled keeps of a file what was synced, and may or may not keep the
    changes of names in a directory that was not synced since; but no removed name comes back.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.kept = directory.with_name(f"{directory.name}.kept")
        self.kept.mkdir()
        self._root = self._found(directory)

    def _found(self, path: Path) -> Node:
        if path.is_dir() and not path.is_symlink():
            names = {entry.name: self._found(entry) for entry in path.iterdir()}
            return Node(now=names, synced=dict(names))
        kept = self.kept / str(path.lstat().st_ino)
        os.link(path, kept, follow_symlinks=False)
        return Node(kept, synced_bytes=path.lstat().st_size)

    def follow(self, log: Path) -> None:
        """Applies the recorded actions of the process."""
        for line in log.read_text(encoding="utf-8").splitlines():
            action, *words = line.split(" ")
            if action == "made":
                self._directory(words[0]).now.setdefault(Path(words[0]).name, Node(Path(words[0])))
            elif action == "synced":
                self._sync(Path(words[0]), int(words[1]), words[2])
            elif action == "renamed":
                source, target = map(Path, words)
                # One that a stream of libc's has made, whose calls are not seen, is not synced.
                moved = self._directory(words[0]).now.pop(source.name, Node(target))
                self._directory(words[1]).now[target.name] = moved
            elif action == "removed":
                directory = self._directory(words[0])
                directory.now.pop(Path(words[0]).name, None)
                directory.synced.pop(Path(words[0]).name, None)

    def _directory(self, path: str) -> Node:
        node = self._root
        for name in Path(path).relative_to(self.directory).parts[:-1]:
            node = node.now[name]
        return node

    def _sync(self, path: Path, size: int, inode: str) -> None:
        node = self._root
        for name in path.relative_to(self.directory).parts:
            node = node.now[name]
        if size < 0:
            node.synced = dict(node.now)
        else:
            node.synced_bytes, node.content = size, self.kept / inode

    def leave(self, directory: Path, *, names_synced: bool) -> None:
        """Writes what is left after a power cut: of names those that were synced, or all."""
        _leave(self._root, directory, names_synced=names_synced)


def _leave(node: Node, path: Path, *, names_synced: bool) -> None:
    if node.content is None or node.content.is_dir():
        path.mkdir()
        for name, inner in (node.synced if names_synced else node.now).items():
            _leave(inner, path / name, names_synced=names_synced)
    elif node.content.is_symlink():
        path.symlink_to(node.content.readlink())
    else:
        there = node.content.read_bytes() if node.synced_bytes else b""
        path.write_bytes(there[: node.synced_bytes])


@dataclass(frozen=True)
class Cut:
    fault: str
    at: int

    def __str__(self) -> str:
        return f"{self.fault} at call {self.at}"


def copied(directory: Path, to: Path) -> Path:
    """A directory to work in, for ever new."""
    for old in (to, to.with_name(f"{to.name}.kept")):
        shutil.rmtree(old, ignore_errors=True)
    return Path(shutil.copytree(directory, to, symlinks=True))


def calls_in(log: Path) -> int:
    """The number of calls that a process made."""
    return log.read_text(encoding="utf-8").count("call ")


def cuts(calls: int, *, every: int) -> list[Cut]:
    """Each fault at each call, or at one of so many, each fault at calls of its own."""
    return [
        Cut(fault, at)
        for number, fault in enumerate(FAULTS)
        for at in range(1 + number % every, calls + 1, every)
    ]
