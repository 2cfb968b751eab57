"""A placement before and after as one SVG: the communication matrix over the slots of the job, and
the number of hops of its bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from waywiser.model.pairs import Pairs
from waywiser.model.placement import Placement, PlacementCost
from waywiser.report.drawing.matrix_image import COLOURS, colour_numbers, data_uri, encode_png
from waywiser.report.drawing.plot import BLUE, ORANGE
from waywiser.units import bytes_text, count_text, percent_text

SIDE, MARGIN = 420, 24
WIDTH = 2 * SIDE + 3 * MARGIN
MATRIX_TOP = 84
LEGEND_TOP = MATRIX_TOP + SIDE + 14
BARS_TOP, BARS = LEGEND_TOP + 76, 150
HEIGHT = BARS_TOP + BARS + 58

MOST_SQUARES = 140
"""Largest number of squares in a row, each three pixels wide; more slots share squares."""

MOST_LINES = 64
"""Largest number of lines between hosts; more would make the picture grey."""

MOST_LABELLED = 10
"""Largest count of different numbers of hops for which the shares above the bars do not overlap."""

TITLE_LETTERS = 96

Amounts = NDArray[np.float64]
"""Bytes from square to square, shape (squares, squares)."""


def placement_svg(placement: Placement, pairs: Pairs, before: Sequence[int]) -> str:
    """The communication between slots, before and after; bytes within a host are in its block on
    the diagonal. Below is the share of the bytes by number of hops.

    Args:
        pairs: bytes by world ranks.
        before: the slot of each rank in the order that the placement is compared with.
    """
    return "\n".join(_parts(placement, pairs, before)) + "\n"


def _parts(placement: Placement, pairs: Pairs, before: Sequence[int]) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="13">'
    )
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    together = slots_per_square(placement.slots)
    title = f"{PurePath(placement.pattern).name} on {placement.machine}"
    if len(title) > TITLE_LETTERS:
        title = title[: TITLE_LETTERS - 1] + "…"
    yield _text(MARGIN, 24, title, size=16)
    yield _text(
        MARGIN, 46, f"Bytes from slot (down) to slot (right); {_square(placement, together)}"
    )
    sums = [
        summed(pairs, order, sum(placement.slots), together) for order in (before, placement.order)
    ]
    for column, (name, image) in enumerate(
        zip((placement.before_is, "placed"), _images(sums), strict=True)
    ):
        left = MARGIN + column * (SIDE + MARGIN)
        yield _text(left, MATRIX_TOP - 8, name)
        yield from _panel(left, image, placement.slots, together * sums[column].shape[0])
    yield from _legend(sums)
    yield from _hops(placement)
    yield "</svg>"


def slots_per_square(slots: Sequence[int]) -> int:
    """The smallest number of slots in a square with which all slots fit; above 1, a multiple of a
    host's slots."""
    least = math.ceil(sum(slots) / MOST_SQUARES)
    each = slots[0]
    return each * math.ceil(least / each) if least > 1 and len(set(slots)) == 1 else least


def summed(pairs: Pairs, order: Sequence[int], slots: int, together: int) -> Amounts:
    """Bytes from `together` slots to `together` slots."""
    side = math.ceil(slots / together)
    ranks = pairs.array[:, :2].astype(np.intp)
    rows, columns = (np.asarray(order, dtype=np.intp)[ranks] // together).T
    sums: Amounts = np.zeros((side, side))
    np.add.at(sums, (rows, columns), pairs.array[:, 2].astype(np.float64))
    return sums


def _square(placement: Placement, together: int) -> str:
    if together == 1:
        return "squares enclose hosts" if len(placement.slots) <= MOST_LINES else "one dot a pair"
    if together % placement.slots[0] == 0 and len(set(placement.slots)) == 1:
        hosts = together // placement.slots[0]
        return f"one dot for {count_text(hosts)} host{'' if hosts == 1 else 's'} each way"
    return f"one dot for {count_text(together)} slots each way"


def _images(sums: Sequence[Amounts]) -> list[str]:
    """Data URIs of images that share a colour scale."""
    everything = np.stack(sums)
    squares = np.zeros(everything.shape, dtype=np.uint8)
    filled = everything > 0
    if filled.any():
        amounts = everything[filled]
        squares[filled] = colour_numbers(amounts, lowest=float(amounts.min()))
    return [data_uri(encode_png(matrix, max(1, SIDE // len(matrix)))) for matrix in squares]


def _text(x: float, y: float, words: str, *, size: int = 13, anchor: str = "start") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}">'
        f"{escape(words)}</text>"
    )


def _panel(left: int, image: str, slots: Sequence[int], drawn: int) -> Iterator[str]:
    count = sum(slots)
    # If slots share squares, the last squares of the image represent more slots than there are.
    side = SIDE * drawn / count
    yield (
        f'<svg x="{left}" y="{MATRIX_TOP}" width="{SIDE}" height="{SIDE}">'
        f'<image width="{side:g}" height="{side:g}" '
        f'style="image-rendering:pixelated" href="{image}"/></svg>'
    )
    if len(slots) <= MOST_LINES:
        for end in list(accumulate(slots))[:-1]:
            at = SIDE * end / count
            yield (
                f'<path d="M{left + at:g} {MATRIX_TOP}v{SIDE}M{left} {MATRIX_TOP + at:g}h{SIDE}" '
                'stroke="#bbb" stroke-width="0.7"/>'
            )
    yield (
        f'<rect x="{left}" y="{MATRIX_TOP}" width="{SIDE}" height="{SIDE}" fill="none" '
        'stroke="#444"/>'
    )


def _legend(sums: Sequence[Amounts]) -> Iterator[str]:
    """The colours of the smallest and the largest amount of a dot."""
    amounts = np.concatenate([matrix[matrix > 0] for matrix in sums])
    if amounts.size == 0:
        return
    scale = data_uri(encode_png(np.arange(1, COLOURS + 1, dtype=np.uint8).reshape(1, COLOURS)))
    width, left = 200, (WIDTH - 200) / 2
    yield (
        f'<image x="{left:g}" y="{LEGEND_TOP}" width="{width}" height="12" '
        f'preserveAspectRatio="none" href="{scale}"/>'
    )
    low, high = bytes_text(float(amounts.min())), bytes_text(float(amounts.max()))
    yield _text(left - 8, LEGEND_TOP + 11, low, anchor="end")
    yield _text(left + width + 8, LEGEND_TOP + 11, f"{high} a dot (logarithmic)")


def _hops(placement: Placement) -> Iterator[str]:
    """Two bars for each number of hops."""
    bars = (_shares(placement.before), _shares(placement.after))
    number = max(map(len, bars))
    highest = max(map(max, bars)) or 1.0
    step = (WIDTH - 2 * MARGIN) / number
    thick = min(46.0, 0.36 * step)
    base = BARS_TOP + BARS
    yield _text(MARGIN, BARS_TOP - 32, "Share of the bytes by the hops that they travel:")
    for place, (name, colour) in enumerate(((placement.before_is, BLUE), ("placed", ORANGE))):
        left = MARGIN + 320 + 130 * place
        yield f'<rect x="{left}" y="{BARS_TOP - 43}" width="13" height="13" fill="{colour}"/>'
        yield _text(left + 19, BARS_TOP - 32, name)
    for hops in range(number):
        middle = MARGIN + (hops + 0.5) * step
        for second, (shares, colour) in enumerate(zip(bars, (BLUE, ORANGE), strict=True)):
            share = shares[hops] if hops < len(shares) else 0.0
            x, height = middle + (second - 1) * thick, BARS * share / highest
            yield (
                f'<rect x="{x:g}" y="{base - height:g}" width="{thick:g}" height="{height:g}" '
                f'fill="{colour}"/>'
            )
            if number <= MOST_LABELLED and share > 0:
                yield _text(
                    x + thick / 2, base - height - 4, percent_text(share), size=11, anchor="middle"
                )
        yield _text(middle, base + 17, str(hops), size=12, anchor="middle")
    yield f'<path d="M{MARGIN} {base}h{WIDTH - 2 * MARGIN}" stroke="#444"/>'
    yield _text(WIDTH / 2, base + 38, "hops (0: within a node)", anchor="middle")


def _shares(cost: PlacementCost) -> list[float]:
    total = sum(cost.bytes_by_hops)
    return [amount / total if total else 0.0 for amount in cost.bytes_by_hops]
