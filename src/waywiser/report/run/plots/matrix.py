"""Plot the communication matrix as an image that can be zoomed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import altair as alt
import numpy as np
from numpy.typing import NDArray

from waywiser.model.pairs import Pairs
from waywiser.model.summary import Matrix, Summary
from waywiser.report.drawing.matrix_image import matrix_image
from waywiser.report.drawing.plot import AMOUNT_LABEL, Drawn, Explored, Table, inline, left_out
from waywiser.report.run.matrix_data import packed
from waywiser.units import bytes_text, count_text, counted, percent_text

SIDE_PX = 540
NAMED_PAIRS = 1000
"""Largest number of pairs with a tooltip; more would slow the page down."""

FEWEST_RANKS = 4
"""Smallest number of ranks with an image; for fewer ranks a table is enough."""

LABELLED_RANKS = 10
"""Largest number of ranks whose squares have room for their amount."""

TABLE_ROWS = 100

ALIKE = 1.05
"""Largest ratio of the rank that sends most to the mean with which ranks send alike."""

POINT_TO_POINT = "Point-to-point traffic, counted at the sender: "
COLLECTIVES = (
    "Traffic of collectives by pair of ranks, from their arguments or the operation's logical "
    "pattern, independent of the library's algorithm. "
)
NOTHING = {
    (False, "bytes"): "No point-to-point payload was recorded.",
    (False, "messages"): "No point-to-point message was recorded.",
    (True, "bytes"): "No payload of collectives is known by pair of ranks.",
}


def matrix_bytes(summary: Summary) -> Drawn:
    """Payload from rank to rank, point to point."""
    return _plot(
        "matrix-bytes",
        "Communication matrix (bytes)",
        POINT_TO_POINT,
        *(summary, summary.matrix, "bytes", _point_to_point(summary)),
    )


def matrix_messages(summary: Summary) -> Drawn | None:
    """Messages from rank to rank; None if the ranks are too few for an image."""
    if summary.ranks < FEWEST_RANKS:
        return None
    return _plot(
        "matrix-messages",
        "Communication matrix (messages)",
        POINT_TO_POINT,
        *(summary, summary.matrix, "messages", _point_to_point(summary)),
    )


def matrix_collectives(summary: Summary) -> Drawn | None:
    """Payload of collectives from rank to rank; None without payload and without a remark on
    collectives that cannot be drawn."""
    drawn = _plot(
        "matrix-collectives",
        "Communication matrix of collectives (bytes)",
        COLLECTIVES,
        *(summary, summary.collective_matrix, "bytes", _collectives(summary)),
    )
    remarks = summary.collective_remarks
    return None if drawn.absent and not remarks else replace(drawn, remarks=remarks)


def _plot(
    name: str,
    title: str,
    caption_start: str,
    summary: Summary,
    matrix: Matrix,
    amount: Literal["bytes", "messages"],
    explored: str | None,
) -> Drawn:
    """
    Args:
        caption_start: start of the caption, with the counted quantity.
        explored: all pairs, if the page contains them.
    """
    collectives = caption_start == COLLECTIVES
    pairs: Pairs = getattr(matrix, amount)
    if not pairs.array[:, 2].any():
        return Drawn(name, title, absent=NOTHING[collectives, amount], topic="mpi")
    pictured = summary.ranks >= FEWEST_RANKS
    of_bytes = amount == "bytes"
    legend = "Payload" if of_bytes else "Messages"
    look: dict[str, Any] = {"labelExpr": AMOUNT_LABEL} if of_bytes else {"format": ".3~s"}
    text = bytes_text if of_bytes else count_text
    element = "pairs-collectives" if collectives else "pairs-messages"
    return Drawn(
        name,
        title,
        _heaviest(pairs, summary, amount, text) + caption_start + _caption(explored, pairs, summary)
        if pictured
        else "",
        lambda: pair_chart(pairs, summary.ranks, text, alt.Legend(title=legend, **look)),
        _table(matrix, collectives=collectives),
        pictured=pictured,
        zooms=True,
        explored=Explored(element, explored, amount, legend) if pictured and explored else None,
        topic="mpi",
    )


def _heaviest(pairs: Pairs, summary: Summary, amount: str, text: Callable[[int], str]) -> str:
    """The rank that sends most, and the share that stays within nodes."""
    source, to, amounts = pairs.array.T
    sent = np.bincount(source.astype(np.intp), weights=amounts, minlength=summary.ranks)
    most, ratio = int(sent.argmax()), sent.max() / sent.mean()
    unit = " messages" if amount == "messages" else ""
    said = (
        f"Rank {most} sends most, {text(int(sent[most]))}{unit}, {ratio:.3g} times the mean. "
        if ratio > ALIKE
        else f"All ranks send about alike, {text(int(sent.mean()))}{unit}. "
    )
    hosts = {rank.rank: rank.host for rank in summary.per_rank or ()}
    if len(hosts) < summary.ranks or len(set(hosts.values())) < 2:
        return said
    node = np.unique([hosts[rank] for rank in range(summary.ranks)], return_inverse=True)[1]
    within = amounts[node[source] == node[to]].sum() / amounts.sum()
    return said + f"{percent_text(float(within))} of the {amount} stay within a node. "


def _caption(explored: str | None, pairs: Pairs, summary: Summary) -> str:
    ranks = summary.ranks
    unknown = ranks - len(summary.per_rank or ())
    text = (
        f"{counted(ranks, 'rank')} (world ranks); the colour scale is logarithmic, ranks of grey "
        f"squares sent nothing{' or left no profile' if unknown else ''}. "
    )
    if explored is not None:
        return text + (
            "A square is a block of ranks and has the colour of its largest pair; zoomed in, it is "
            "one pair. Turn the wheel over it to zoom, drag to move, double-click to go back; on "
            "the keyboard: arrows, + and -, 0 for all."
        )
    text += "Turn the wheel over the image to zoom, drag to move, double-click to go back."
    together = matrix_image(pairs, ranks).ranks_per_square
    if together > 1:
        text += (
            f" A square stands for {together} by {together} ranks and has the colour of the "
            "largest of their pairs."
        )
    if len(pairs) > NAMED_PAIRS:
        text += (
            f" The {NAMED_PAIRS:,} heaviest pairs show their numbers under the pointer; all of "
            f"the {len(pairs):,} would make this page too large."
        )
    return text


def _point_to_point(summary: Summary) -> str | None:
    """All pairs, packed; None if the image has them all or the page has no room for them."""
    few = max(len(summary.matrix.bytes), len(summary.matrix.messages)) <= NAMED_PAIRS
    return None if few else packed(summary.matrix, summary.ranks)


def _collectives(summary: Summary) -> str | None:
    """All pairs of collectives, packed; None if the image has them all or the page has no room for
    them beside point-to-point pairs."""
    matrix = summary.collective_matrix
    few = max(len(matrix.bytes), len(matrix.messages)) <= NAMED_PAIRS
    taken = len(_point_to_point(summary) or "")
    return None if few else packed(matrix, summary.ranks, taken)


@lru_cache(maxsize=2)
def joined(matrix: Matrix) -> NDArray[np.uint64]:
    """Bytes and messages of every pair, shape (n, 4), the largest payload first.

    The result is cached, because the tables of both plots show it.
    """
    payload, messages = matrix.bytes.array, matrix.messages.array
    if np.array_equal(payload[:, :2], messages[:, :2]):
        rows = np.column_stack([payload, messages[:, 2]])
        return rows[np.lexsort((rows[:, 1], rows[:, 0], ~rows[:, 3], ~rows[:, 2]))]
    # Both ranks in one number, so that they can be sorted and found together.
    keys = [array[:, 0] << np.uint64(32) | array[:, 1] for array in (payload, messages)]
    pairs = np.union1d(*keys)
    rows = np.zeros((len(pairs), 4), dtype=np.uint64)
    rows[:, 0], rows[:, 1] = pairs >> np.uint64(32), pairs & np.uint64(0xFFFFFFFF)
    rows[np.searchsorted(pairs, keys[0]), 2] = payload[:, 2]
    rows[np.searchsorted(pairs, keys[1]), 3] = messages[:, 2]
    largest_first: NDArray[np.uint64] = rows[np.lexsort((pairs, ~rows[:, 3], ~rows[:, 2]))]
    return largest_first


def _table(matrix: Matrix, *, collectives: bool) -> Table:
    rows = joined(matrix)
    point_to_point = "Point-to-point traffic by pair of ranks"
    caption = "Traffic of collectives by pair of ranks" if collectives else point_to_point
    columns = ("From rank", "To rank", "Bytes", "Messages")
    shown = tuple(map(tuple, rows[:TABLE_ROWS].tolist()))
    return Table(caption, columns, shown, left_out(TABLE_ROWS, len(rows)))


@dataclass(frozen=True)
class AxisTitles:
    """The titles of a pair's two ranks, on the axes and in tooltips."""

    x: str = "Receiving rank"
    y: str = "Sending rank"
    from_: str = "From rank"
    to: str = "To rank"


def pair_chart(
    pairs: Pairs,
    ranks: int,
    text: Callable[[int], str],
    legend: alt.Legend,
    titles: AxisTitles = AxisTitles(),
) -> alt.TopLevelMixin:
    """A matrix of amounts above 0 as an image that can be zoomed."""
    rows = [
        {"source": source, "destination": to, "amount": amount, "text": text(amount)}
        for source, to, amount in pairs.heaviest(NAMED_PAIRS)
    ]
    drawn = matrix_image(pairs, ranks)
    far = -(-ranks // drawn.ranks_per_square) * drawn.ranks_per_square - 0.5
    look: dict[str, Any] = {"grid": False, "format": "d", "tickMinStep": 1}
    look["tickCount"] = min(12, ranks)
    scale: dict[str, Any] = {"domain": [-0.5, ranks - 0.5], "nice": False, "zero": False}
    x = alt.X("left:Q").scale(**scale).axis(title=titles.x, orient="top", **look)
    y = alt.Y("top:Q").scale(**scale, reverse=True).axis(title=titles.y, orient="left", **look)
    ends = {"left": -0.5, "right": far, "top": -0.5, "bottom": far, "picture": drawn.data_uri}
    image = (
        alt.Chart(inline([ends]))
        # Squares below a pixel must be averaged: without that, whole rows would vanish.
        .mark_image(aspect=False, smooth=ranks > SIDE_PX, clip=True)
        .encode(x=x, x2=alt.X2("right:Q"), y=y, y2=alt.Y2("bottom:Q"), url=alt.Url("picture:N"))
        .add_params(alt.selection_interval(name="zoom", bind="scales", encodings=["x", "y"]))
    )
    amounts = pairs.array[:, 2]
    low, high = int(amounts[amounts > 0].min()), int(amounts.max())
    # A logarithmic scale needs two ends; one amount alone has the colour of the largest.
    domain = [low, high] if high > low else [low / 10, high]
    steps = [low * (high / low) ** (step / 4) for step in range(5)] if high > low else [high]
    if high > low:
        legend.gradientLength, legend.gradientOpacity = 220, 1
        legend.labelOverlap = "parity"  # keeps the largest amount where the legend lies flat
    else:
        legend.type, legend.symbolType = "symbol", "square"
        # A border that fills the square, which has no other colour.
        legend.symbolSize, legend.symbolStrokeWidth = 16, 8
    legend.values = steps
    named = alt.Chart(inline(rows)).transform_calculate(
        left="datum.destination - 0.5",
        right="datum.destination + 0.5",
        top="datum.source - 0.5",
        bottom="datum.source + 0.5",
    )
    # A border of its colour keeps a pair visible that is smaller than a pixel.
    border = 2 if ranks > SIDE_PX / 2 and len(pairs) <= NAMED_PAIRS else 0
    squares = named.mark_rect(
        filled=False, fill="transparent", strokeWidth=border, clip=True
    ).encode(
        **{"x": x, "x2": alt.X2("right:Q"), "y": y, "y2": alt.Y2("bottom:Q")},
        color=alt.Color("amount:Q", legend=legend).scale(
            type="log", scheme="cividis", domain=domain, nice=False, reverse=True
        ),
        tooltip=[
            alt.Tooltip("source:Q", title=titles.from_),
            alt.Tooltip("destination:Q", title=titles.to),
            alt.Tooltip("text:N", title=legend.title),
        ],
    )
    layers = [image, squares]
    if ranks <= LABELLED_RANKS:
        middle = (low * high) ** 0.5
        layers.insert(
            1,
            named.mark_text(clip=True)
            .encode(
                x=alt.X("destination:Q"),
                y=alt.Y("source:Q"),
                text=alt.Text("text:N"),
                color=alt.ColorValue(
                    **alt.condition(
                        alt.datum.amount >= middle, alt.value("#ffffff"), alt.value("#101418")
                    )
                ),
            )
            .properties(name="amounts"),
        )
    return alt.layer(*layers).properties(
        width=SIDE_PX, height=SIDE_PX, view=alt.ViewConfig(fill="#eceff2")
    )
