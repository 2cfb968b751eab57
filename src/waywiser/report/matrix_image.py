"""The communication matrix as a picture: one square a pair of ranks, as a PNG in a data URI.

An image of 1,024 by 1,024 ranks takes some 20 kB; as SVG rectangles it would stop a browser.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from waywiser.model.summary import Pair

Squares = NDArray[np.uint8]
"""Shape (rows, columns): 0 where nothing was sent, else the number of a colour of the palette."""

# 22 equidistant colours of cividis: J. R. Nuñez, C. R. Anderton, R. S. Renslow, "Optimizing
# colormaps with consideration for color vision deficiency", PLOS ONE 13(7), 2018,
# doi:10.1371/journal.pone.0199239.
CIVIDIS = (
    "002051 002961 083169 16396d 26426e 374a6e 47536d 555b6e 62646f 6e6d71 797673 "
    "827f75 8c8877 969178 a19b78 aea575 bbaf71 c9b96a d8c462 e7cf58 f3da4f fce647"
)

SIDE_PX = 2048
"""About the side of the image. Fewer ranks get several pixels each, because viewers smooth what
they enlarge; of more ranks, several share a pixel."""


def matrix_data_uri(pairs: tuple[Pair, ...], ranks: int) -> str:
    """The matrix with its origin at the top left, senders downwards, receivers to the right.

    Args:
        pairs: (source, destination, amount), ranks in 0..`ranks`-1; a pair without an amount
            leaves its square transparent.

    Returns:
        `data:image/png;base64,…`; colours are cividis over the logarithm of the amount, from
        yellow for the smallest amount above zero to dark blue for the largest.
    """
    png = encode_png(matrix_squares(pairs, ranks))
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def ranks_per_square(ranks: int) -> int:
    """How many ranks share a row of the picture."""
    return math.ceil(ranks / SIDE_PX)


def matrix_squares(pairs: tuple[Pair, ...], ranks: int) -> Squares:
    """The picture of `matrix_data_uri`, shape (side, side).

    Where ranks share a square, it has the colour of its largest pair.
    """
    together = ranks_per_square(ranks)
    side = math.ceil(ranks / together)
    amounts = np.zeros((side, side))
    sent = np.array([pair for pair in pairs if pair[2] > 0], dtype=np.float64).reshape(-1, 3)
    squares: Squares = np.zeros((side, side), dtype=np.uint8)
    if sent.size:
        rows, columns = (sent[:, :2] // together).astype(int).T
        np.maximum.at(amounts, (rows, columns), sent[:, 2])
        filled = amounts > 0
        squares[filled] = colour_numbers(amounts[filled], lowest=sent[:, 2].min())
    zoom = SIDE_PX // side
    enlarged: Squares = squares.repeat(zoom, axis=0).repeat(zoom, axis=1)
    return enlarged


def colour_numbers(amounts: NDArray[np.float64], lowest: float) -> Squares:
    """1 to 255, linear in the logarithm of `amounts`, shape (n,), all at least `lowest` > 0."""
    low, high = np.log(lowest), np.log(amounts.max())
    place = (np.log(amounts) - low) / (high - low) if high > low else np.ones_like(amounts)
    numbers: Squares = (1 + 254 * place).round().astype(np.uint8)
    return numbers


def palette() -> NDArray[np.uint8]:
    """Red, green and blue of each colour number, shape (256, 3); number 0 is never seen."""
    anchors = np.array([list(bytes.fromhex(code)) for code in CIVIDIS.split()], dtype=np.float64)
    dark_last = anchors[::-1]
    at, wanted = np.linspace(0, 1, len(anchors)), np.linspace(0, 1, 255)
    channels = [np.interp(wanted, at, dark_last[:, channel]) for channel in range(3)]
    colours = np.stack(channels, axis=1).round().astype(np.uint8)
    return np.vstack([np.zeros((1, 3), dtype=np.uint8), colours])


def encode_png(squares: Squares) -> bytes:
    """A PNG file (ISO/IEC 15948:2004) of 8-bit colour numbers; every row unfiltered."""
    height, width = squares.shape
    rows = np.zeros((height, 1 + width), dtype=np.uint8)
    rows[:, 1:] = squares
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette().tobytes()),
        (b"tRNS", b"\0"),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
