"""Files of `waywiser place`, and their JSON documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

MARK = b'"waywiser-placement"'
"""Mark of a placement's document, in its second line."""

HEAD_BYTES = 64


def document_of(path: Path) -> Path:
    """The document beside a file of a launcher's form; for a document, the document itself."""
    beside = path.with_name(f"{path.name}.json") if path.name else path
    return path if path.suffix == ".json" and not beside.exists() else beside


def placements_named(words: Iterable[str], directory: Path) -> Iterator[str]:
    """The files of placements at the end of words: values of options (`--map-by
    rankfile:FILE=placed`) and of variables.

    Args:
        words: words of a command, or values of its variables.
        directory: directory to which relative names refer.
    """
    for word in words:
        name = word.rpartition("=")[2]
        with suppress(OSError, ValueError), document_of(directory / name).open("rb") as document:
            if MARK in document.read(HEAD_BYTES):
                yield name
