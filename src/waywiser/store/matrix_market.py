"""Communication matrices in the Matrix Market exchange format, plain or gzipped.

Entry (row, column) of a `general` matrix is the number of bytes that rank row-1 sends to rank
column-1; in a `symmetric` matrix, that both send each way. `real` entries are rounded to whole
bytes; entries of a `pattern` count one byte.

Source: R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market Exchange Formats: Initial
Design", NISTIR 5935, 1996.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from waywiser.errors import InvalidMatrix, not_read

if TYPE_CHECKING:
    from typing_extensions import Buffer as WriteableBuffer

HEADER = "%%MatrixMarket matrix coordinate integer|real|pattern general|symmetric"
LINES_AT_A_TIME = 1 << 18
RANKS_UNSEEN = 2**18
RANKS_PER_ENTRY = 4
"""Largest number of ranks for each entry, in a matrix of more than `RANKS_UNSEEN` ranks. The work
for each rank thus stays in proportion to the file.
"""

UNPACKED_LIMIT = 16
UNPACKED_FREE_BYTES = 2**20
"""Unpacked bytes beyond the limit; gzip makes matrices of regular patterns 4 to 9 times as small. A
file that unpacks to more is an attempt to fill memory."""

BYTES_LIMIT = 2**63
"""Upper bound of the sum of a matrix, so that no total of its entries overflows 64 bits."""

REAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)

FIELDS = {
    "integer": np.dtype([("row", np.int64), ("column", np.int64), ("value", np.int64)]),
    "real": np.dtype([("row", np.int64), ("column", np.int64), ("value", np.float64)]),
    "pattern": np.dtype([("row", np.int64), ("column", np.int64)]),
}


@dataclass(frozen=True)
class CommunicationMatrix:
    """Bytes that ranks send to each other: one entry for each pair and direction with bytes."""

    ranks: int
    sources: NDArray[np.uint32]
    """Sending ranks, shape (entries,), from 0."""
    targets: NDArray[np.uint32]
    """Receiving ranks, shape (entries,)."""
    bytes: NDArray[np.uint64]
    """Bytes of each pair, shape (entries,)."""
    remarks: tuple[str, ...] = ()
    """Sentences with the file's name, on omitted entries and unusual contents."""


def read_matrix_market(path: Path) -> CommunicationMatrix:
    """Reads a matrix; the entries of a rank to itself are left out, with a remark.

    Callers add up entries of the same pair. A matrix whose ranks fall into parts that do not
    communicate gets a remark.

    Raises:
        InvalidMatrix: the file is missing, truncated, not of this format, or without communication
            between ranks; the message names the file and the line.
    """
    try:
        with _open(path) as lines:
            return _Reader(path, lines).matrix()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidMatrix(f"{path}: the compressed file is cut off or damaged") from error
    except OSError as error:
        raise InvalidMatrix(not_read(path, error)) from error


def _open(path: Path) -> IO[str]:
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    bytes_of = io.BufferedReader(_Unpacked(path)) if zipped else path.open("rb")
    # Latin-1 reads any byte, so that damage is found where numbers are read, with its line.
    return io.TextIOWrapper(bytes_of, encoding="latin-1")


class _Unpacked(io.RawIOBase):
    """The contents of a compressed file, up to the largest size of a matrix in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = gzip.GzipFile(path)
        self._left = UNPACKED_FREE_BYTES + UNPACKED_LIMIT * path.stat().st_size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = self._file.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise InvalidMatrix(
                f"{self._path}: unpacks to more than {UNPACKED_LIMIT} times its size; expected at"
                " most that of a matrix, or the file unpacked"
            )
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


class _Reader:
    def __init__(self, path: Path, lines: IO[str]) -> None:
        self.path = path
        self.lines = lines
        self.line = 0  # number of the last line read

    def error(self, line: int, message: str) -> InvalidMatrix:
        return InvalidMatrix(f"{self.path}, line {line}: {message}")

    def matrix(self) -> CommunicationMatrix:
        self.field, self.symmetric = self._header()
        self.ranks, self.promised = self._size()
        blocks = list(self._blocks())
        rows, columns, values = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        if rows.size < self.promised:
            raise InvalidMatrix(
                f"{self.path}: ends after {rows.size} of {self.promised} entries; it is cut off,"
                " or its size line is wrong"
            )
        return self._checked(rows, columns, values)

    def _header(self) -> tuple[str, bool]:
        self.line = 1
        words = self.lines.readline().lower().split()
        if words[:1] != ["%%matrixmarket"]:
            raise self.error(1, f"expected a Matrix Market header: {HEADER}")
        if (
            len(words) != 5
            or words[1:3] != ["matrix", "coordinate"]
            or words[3] not in FIELDS
            or words[4] not in ("general", "symmetric")
        ):
            raise self.error(1, f"'{' '.join(words[1:])}' is not read; expected {HEADER}")
        return words[3], words[4] == "symmetric"

    def _size(self) -> tuple[int, int]:
        for text in self.lines:
            self.line += 1
            if text.strip() and not text.startswith("%"):
                break
        else:
            raise self.error(self.line, "the file ends before its size line, 'ranks ranks entries'")
        if not re.fullmatch(r"\s*\d{1,1000}\s+\d{1,1000}\s+\d{1,1000}\s*", text, re.ASCII):
            raise self.error(
                self.line, f"expected 'ranks ranks entries', three whole numbers: {_quoted(text)}"
            )
        rows, columns, entries = map(int, text.split())
        if rows != columns:
            raise self.error(
                self.line,
                f"{rows} rows and {columns} columns; a communication matrix has a row and a column"
                " for each rank",
            )
        most = min(max(RANKS_UNSEEN, RANKS_PER_ENTRY * entries), 2**31 - 1)
        if not 1 <= rows <= most:
            raise self.error(
                self.line, f"{rows} ranks; 1 to {most} are accepted of {entries} entries"
            )
        return rows, entries

    def _blocks(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        none = np.empty(0, np.int64)
        yield none, none, none
        seen = 0
        while texts := list(islice(self.lines, LINES_AT_A_TIME)):
            block = self._block(texts)
            seen += block[0].size
            if seen > self.promised:
                raise InvalidMatrix(
                    f"{self.path}: more entries than the {self.promised} that its size line says"
                )
            self.line += len(texts)
            yield block

    def _block(
        self, texts: list[str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Rows and columns from 0, and bytes, of lines that follow `self.line`."""
        kind = FIELDS[self.field]
        try:
            if not any(map(str.strip, texts)):
                table = np.empty(0, kind)
            else:
                table = np.loadtxt(texts, kind, comments=None, ndmin=1)
        except ValueError:
            table = None
        if table is None:
            raise self._fault(texts)
        rows, columns = table["row"] - 1, table["column"] - 1
        values = table["value"] if self.field != "pattern" else np.ones(rows.size, np.int64)
        good = (rows >= 0) & (rows < self.ranks) & (columns >= 0) & (columns < self.ranks)
        good &= (values >= 0) & (values < BYTES_LIMIT)
        if self.symmetric:
            good &= rows >= columns
        if not good.all():
            raise self._fault(texts)
        if self.field == "real":
            values = np.rint(values).astype(np.int64)
        return rows, columns, values

    def _fault(self, texts: list[str]) -> InvalidMatrix:
        """The error of the first invalid line, found line by line."""
        for number, text in enumerate(texts, self.line + 1):
            if complaint := self._complaint(text.split()):
                return self.error(number, complaint)
        raise AssertionError("a block of lines was refused, and none of its lines")

    def _complaint(self, words: list[str]) -> str | None:
        if not words:
            return None
        form = "row column" if self.field == "pattern" else "row column bytes"
        if len(words) != len(form.split()):
            return f"expected '{form}': {_quoted(' '.join(words))}"
        for word in words[:2]:
            if not re.fullmatch(r"\+?\d{1,1000}", word, re.ASCII):
                return f"expected the number of a rank, from 1: {_quoted(word)}"
            if not 1 <= int(word) <= self.ranks:
                return f"{word} is not a row or column of {self.ranks}, which count from 1"
        row, column = map(int, words[:2])
        if self.symmetric and row < column:
            return (
                f"({row}, {column}) lies above the diagonal, where a symmetric matrix holds"
                " nothing; write it as general, or swap the two"
            )
        return None if self.field == "pattern" else self._complaint_of_bytes(words[2])

    def _complaint_of_bytes(self, word: str) -> str | None:
        if self.field == "integer" and not re.fullmatch(r"[+-]?\d+", word, re.ASCII):
            return f"expected a whole number of bytes: {_quoted(word)}"
        if not REAL.fullmatch(word):
            return f"expected a number of bytes: {_quoted(word)}"
        value = float(word) if self.field != "integer" or len(word) > 20 else int(word)
        if value < 0:
            return f"{word} bytes; a message has 0 or more"
        if value >= BYTES_LIMIT:
            return f"{word} bytes; at most 2^63 - 1 are accepted"
        return None

    def _checked(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.int64]
    ) -> CommunicationMatrix:
        remarks = []
        if own := int(np.count_nonzero(rows == columns)):
            remarks.append(f"{self.path}: {own} entries of a rank to itself are left out")
        used = (rows != columns) & (values > 0)
        rows, columns, values = rows[used], columns[used], values[used]
        if not rows.size:
            raise InvalidMatrix(f"{self.path}: no rank sends a byte to another")
        if self.symmetric:
            rows, columns = np.concatenate((rows, columns)), np.concatenate((columns, rows))
            values = np.concatenate((values, values))
        # Bounded first in floating point, which does not wrap; then the exact sum cannot either.
        total = values.sum(dtype=np.float64)
        if total > 1.5 * BYTES_LIMIT or int(values.sum(dtype=np.uint64)) >= BYTES_LIMIT:
            raise InvalidMatrix(f"{self.path}: all entries together exceed 2^63 - 1 bytes")
        if (parts := component_count(self.ranks, rows, columns)) > 1:
            remarks.append(f"{self.path}: its ranks fall into {parts} parts that never talk")
        return CommunicationMatrix(
            self.ranks,
            rows.astype(np.uint32),
            columns.astype(np.uint32),
            values.astype(np.uint64),
            tuple(remarks),
        )


def component_count(ranks: int, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> int:
    """Number of components of the graph of `ranks` vertices with the undirected edges (rows,
    columns).

    Roots are hooked onto smaller ones and paths shortened until nothing moves: O(log ranks) rounds.

    Source: Y. Shiloach, U. Vishkin, "An O(log n) parallel connectivity algorithm", Journal of
    Algorithms 3(1), 1982.
    """
    parent = np.arange(ranks)
    while True:
        a, b = parent[rows], parent[columns]
        apart = a != b
        if not apart.any():
            return int(np.count_nonzero(parent == np.arange(ranks)))
        rows, columns, a, b = rows[apart], columns[apart], a[apart], b[apart]
        np.minimum.at(parent, np.maximum(a, b), np.minimum(a, b))
        while (parent[parent] != parent).any():
            parent = parent[parent]


def _quoted(text: str) -> str:
    text = text.strip()
    return f"'{text[:40]}…'" if len(text) > 40 else f"'{text}'"
