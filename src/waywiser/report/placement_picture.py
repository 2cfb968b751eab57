"""The communication matrix over the slots of a job, before and after a placement, as one SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import accumulate

import numpy as np

from waywiser.model.placement import Placement
from waywiser.model.summary import Pairs
from waywiser.report.matrix_image import matrix_picture

SIDE, MARGIN, TOP = 420, 24, 56
MOST_LINES = 64
"""Between hosts; of more of them the picture would be grey."""


def placement_svg(found: Placement, pairs: Pairs, before: Sequence[int]) -> str:
    """Two squares: what slot sends to what slot. What stays within a host lies in its block on the
    diagonal.

    Args:
        pairs: bytes by world ranks.
        before: the slot of each rank, that the placement is compared with.
    """
    panels = ((found.before_is, before), ("placed", found.order))
    width, height = 2 * SIDE + 3 * MARGIN, TOP + SIDE + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="14">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{MARGIN}" y="22" font-size="16">{escape(found.pattern)} on '
        f"{escape(found.machine)}: bytes from slot (down) to slot (right)</text>",
    ]
    for number, (title, order) in enumerate(panels):
        left = MARGIN + number * (SIDE + MARGIN)
        parts.append(f'<text x="{left}" y="{TOP - 8}">{escape(title)}</text>')
        parts.append(_panel(left, pairs, order, found.slots))
    return "\n".join([*parts, "</svg>\n"])


def _panel(left: int, pairs: Pairs, order: Sequence[int], slots: Sequence[int]) -> str:
    count = sum(slots)
    slot_of = np.asarray(order, dtype=np.uint64)
    moved = pairs.array.copy()
    moved[:, :2] = slot_of[moved[:, :2].astype(np.intp)]
    drawn = matrix_picture(Pairs(moved), count)
    # Its last squares stand for more slots than there are where several share one.
    side = SIDE * -(-count // drawn.ranks_per_square) * drawn.ranks_per_square / count
    lines = [
        f'<image x="{left}" y="{TOP}" width="{side:g}" height="{side:g}" '
        f'style="image-rendering:pixelated" href="{drawn.data_uri}"/>',
        f'<rect x="{left}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#444"/>',
    ]
    if len(slots) <= MOST_LINES:
        for end in list(accumulate(slots))[:-1]:
            at = SIDE * end / count
            lines.append(
                f'<path d="M{left + at:g} {TOP}v{SIDE}M{left} {TOP + at:g}h{SIDE}" '
                'stroke="#bbb" stroke-width="0.7"/>'
            )
    return "\n".join(lines)
