"""Files of `waywiser place`, and the documents beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

MARK = b'"waywiser-placement"'
"""Mark of a placement's document, in its second line."""

HEAD_BYTES = 64


def document_of(path: Path) -> Path:
    """The document beside the file of a launcher's form; of a document, itself."""
    beside = path.with_name(f"{path.name}.json") if path.name else path
    return path if path.suffix == ".json" and not beside.exists() else beside


def placements_named(words: Iterable[str], directory: Path) -> Iterator[str]:
    """The files of placements that words end in: values of options (`--map-by
    rankfile:FILE=placed`) and of variables.

    Args:
        words: of a command, or what its variables say.
        directory: from which they are named.
    """
    for word in words:
        name = word.rpartition("=")[2]
        with suppress(OSError, ValueError), document_of(directory / name).open("rb") as document:
            if MARK in document.read(HEAD_BYTES):
                yield name
