"""The communication matrix as a picture: a square for each pair of ranks, as a PNG in a data URI.

An image of 1,024 ranks with 26 neighbours each takes some 20 kB; a browser could not display it as
SVG rectangles.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from waywiser.model.pairs import Pairs

Squares = NDArray[np.uint8]
"""Shape (rows, columns): 0 where nothing was sent, else the number of a colour of the palette."""

Colours = NDArray[np.uint8]
"""Red, green and blue by number of a colour, shape (n, 3)."""

# 22 equidistant colours of cividis: J. R. Nuñez, C. R. Anderton, R. S. Renslow, "Optimizing
# colormaps with consideration for color vision deficiency", PLOS ONE 13(7), 2018,
# doi:10.1371/journal.pone.0199239.
CIVIDIS = (
    "002051 002961 083169 16396d 26426e 374a6e 47536d 555b6e 62646f 6e6d71 797673 "
    "827f75 8c8877 969178 a19b78 aea575 bbaf71 c9b96a d8c462 e7cf58 f3da4f fce647"
)

MOST_SQUARES = 2048
"""Largest number of squares in a row; more ranks share squares."""

SIDE_PX = 1024
"""Approximate smallest side of the image: viewers smooth what they enlarge."""

FEWEST_PX = 2
"""Smallest side of a square, so that its colour stays visible in its middle when enlarged."""

COLOURS = 32
"""Number of colours in a scale; the eye distinguishes no more, and more enlarge the file."""

LARGEST_PNG_BYTES = 200_000
"""Largest file. Two images in base64 take 0.53 MB of the page's 2 MB; without them, a page of 1,024
ranks takes 1.2 MB."""


@dataclass(frozen=True)
class MatrixImage:
    """The matrix with its origin at the top left, senders downwards, receivers to the right."""

    data_uri: str
    """`data:image/png;base64,…`"""

    ranks_per_square: int
    """Number of ranks that share a row; a square has the colour of its largest pair."""


MATRICES = 5
"""Most matrices of a page, of which each caption and each chart wants the picture: bytes and
messages, those of collectives, and waits."""


@lru_cache(maxsize=MATRICES)
def matrix_image(pairs: Pairs, ranks: int) -> MatrixImage:
    """The finest picture whose file is not too large.

    Args:
        pairs: (source, destination, amount), ranks in 0..`ranks`-1; a pair without an amount
            leaves its square transparent.

    Returns:
        A picture in the colours of cividis over the logarithm of the amount, from yellow for the
        smallest amount above zero to dark blue for the largest.
    """
    sent = pairs.array
    together = math.ceil(ranks / MOST_SQUARES)
    while True:
        png = encode_png(*matrix_squares(sent, ranks, together))
        if len(png) <= LARGEST_PNG_BYTES or together >= ranks:
            return MatrixImage(data_uri(png), together)
        together *= 2


def matrix_squares(pairs: NDArray[np.uint64], ranks: int, together: int = 1) -> tuple[Squares, int]:
    """A colour number for each `together` by `together` pairs, from the largest of them.

    Args:
        pairs: shape (n, 3): source, destination, amount.

    Returns:
        The squares, shape (side, side), and the width of a square in pixels.
    """
    side = math.ceil(ranks / together)
    sent = pairs[pairs[:, 2] > 0]
    squares: Squares = np.zeros((side, side), dtype=np.uint8)
    if sent.size:
        amounts = np.zeros((side, side))
        rows, columns = (sent[:, :2] // together).astype(np.intp).T
        np.maximum.at(amounts, (rows, columns), sent[:, 2].astype(np.float64))
        filled = amounts > 0
        squares[filled] = colour_numbers(amounts[filled], lowest=float(sent[:, 2].min()))
    return squares, max(FEWEST_PX, SIDE_PX // side)


def colour_numbers(amounts: NDArray[np.float64], lowest: float) -> Squares:
    """Colour numbers 1 to `COLOURS`, linear in the logarithm of `amounts`, shape (n,), all >=
    `lowest` > 0."""
    low, high = np.log(lowest), np.log(amounts.max())
    place = (np.log(amounts) - low) / (high - low) if high > low else np.ones_like(amounts)
    numbers: Squares = (1 + (COLOURS - 1) * place).round().astype(np.uint8)
    return numbers


def palette() -> Colours:
    """Red, green and blue of each colour number, shape (1 + COLOURS, 3); 0 is transparent."""
    return interpolated(CIVIDIS.split()[::-1], COLOURS)


def interpolated(codes: Sequence[str], count: int) -> Colours:
    """`count` colours interpolated between `codes`, equidistant, shape (1 + count, 3); 0 is
    black."""
    anchors = np.array([list(bytes.fromhex(code)) for code in codes], dtype=np.float64)
    at, shades = np.linspace(0, 1, len(anchors)), np.linspace(0, 1, count)
    channels = [np.interp(shades, at, anchors[:, channel]) for channel in range(3)]
    colours = np.stack(channels, axis=1).round().astype(np.uint8)
    return np.vstack([np.zeros((1, 3), dtype=np.uint8), colours])


def data_uri(png: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def encode_png(squares: Squares, zoom: int = 1, colours: Colours | None = None) -> bytes:
    """A PNG file (ISO/IEC 15948:2004) of 8-bit colour numbers, each `zoom` by `zoom` pixels.

    Args:
        colours: red, green and blue of each number, shape (n, 3); number 0 is transparent.
            None: the colours of `palette`.
    """
    height, width = (zoom * side for side in squares.shape)
    rows = np.zeros((squares.shape[0], zoom, 1 + width), dtype=np.uint8)
    rows[:, 0, 1:] = squares.repeat(zoom, axis=1)
    # Further rows of a square use the filter "Up": they do not differ from the row above.
    rows[:, 1:, 0] = 2
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", (palette() if colours is None else colours).tobytes()),
        (b"tRNS", b"\0"),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
