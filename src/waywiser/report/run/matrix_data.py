"""All pairs of a communication matrix in the page, for its interactive plot.

A million pairs fit. The ranks are stored as steps from one pair to the next, and every number in
groups of seven bits (LEB128, as in DWARF 5, section 7.6). Deflate follows, as halo exchanges repeat
their numbers.
"""

from __future__ import annotations

import base64
import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from waywiser.model.summary import Matrix

MOST_PAIRS = 4_000_000
"""Largest number of pairs; more take longer to pack than the report may take."""

FEWEST_BYTES, MOST_BYTES = 375_000, 6_000_000
"""Room for all matrices in base64. It keeps a page of 1,024 ranks below 2 MB, and a page of 16,384
ranks below 10 MB; in between, the room grows with the ranks.
"""

LOG2_RADIX = 7


def room(ranks: int) -> int:
    """The number of bytes for pairs in a page of `ranks` ranks."""
    return min(MOST_BYTES, max(FEWEST_BYTES, FEWEST_BYTES * ranks // 1024))


@lru_cache(maxsize=4)
def packed(matrix: Matrix, ranks: int, taken: int = 0) -> str | None:
    """The pairs of `matrix` in base64; None if the page has no room for them.

    Args:
        taken: bytes of the room that are already in use.

    Unpacked, the pairs are three columns of equal length, one after the other. The first is source
    * `ranks` + destination in ascending order, each as the step from its predecessor; then come
    bytes and messages.
    """
    if max(len(matrix.bytes), len(matrix.messages)) > MOST_PAIRS:
        return None
    keys, amounts = _columns(matrix, ranks)
    steps = np.diff(keys, prepend=np.uint64(0))
    text = b"".join(leb128(column) for column in (steps, *amounts))
    encoded = base64.b64encode(zlib.compress(text, 6)).decode("ascii")
    return encoded if len(encoded) + taken <= room(ranks) else None


def leb128(numbers: NDArray[np.uint64]) -> bytes:
    """Unsigned numbers, each in as few groups of seven bits as it needs, the lowest first."""
    groups = np.ones(len(numbers), dtype=np.intp)
    for power in range(LOG2_RADIX, 64, LOG2_RADIX):
        groups += numbers >= np.uint64(1 << power)
    ends = np.cumsum(groups)
    out = np.zeros(int(ends[-1]) if len(ends) else 0, dtype=np.uint8)
    for group in range(int(groups.max(initial=0))):
        has = groups > group
        bits = numbers[has] >> np.uint64(LOG2_RADIX * group) & np.uint64(0x7F)
        more = np.where(groups[has] > group + 1, 0x80, 0)
        out[ends[has] - groups[has] + group] = bits.astype(np.uint8) | more.astype(np.uint8)
    return out.tobytes()


def _columns(
    matrix: Matrix, ranks: int
) -> tuple[NDArray[np.uint64], tuple[NDArray[np.uint64], NDArray[np.uint64]]]:
    """Keys of all pairs, ascending, and their bytes and messages."""
    arrays = (matrix.bytes.array, matrix.messages.array)
    pair_keys = [array[:, 0] * np.uint64(ranks) + array[:, 1] for array in arrays]
    # Both are usually ascending: this sort merges them, while np.unique takes ten times as long.
    keys = np.sort(np.concatenate(pair_keys), kind="stable")
    keys = keys[np.diff(keys, prepend=~keys[:1]) != 0]
    amounts = []
    for array, of_array in zip(arrays, pair_keys, strict=True):
        column = np.zeros(len(keys), dtype=np.uint64)
        np.add.at(column, np.searchsorted(keys, of_array), array[:, 2])
        amounts.append(column)
    return keys, (amounts[0], amounts[1])
