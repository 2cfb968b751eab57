"""Who sent to whom: the communication matrix as an image that can be zoomed."""

from __future__ import annotations

from typing import Literal

import altair as alt

from waywiser.model.summary import Pair, Summary
from waywiser.report.figure import AMOUNT_LABEL, Cell, Table, cut, inline
from waywiser.report.matrix_image import matrix_data_uri, ranks_per_square
from waywiser.units import bytes_text, count_text, counted

SIDE_PX = 540
NAMED_PAIRS = 1000
"""Pairs that answer to the pointer; more of them would slow the page down."""

LABELLED_RANKS = 10
"""Up to so many ranks the squares have room for their amount."""

TABLE_ROWS = 100


def heaviest(pairs: tuple[Pair, ...]) -> list[Pair]:
    """Pairs that sent something, the largest amount first, then by rank."""
    return sorted((pair for pair in pairs if pair[2] > 0), key=lambda p: (-p[2], p[0], p[1]))


def bytes_chart(summary: Summary) -> alt.TopLevelMixin:
    """Payload by sender and receiver."""
    rows = _rows(summary.matrix.bytes, [bytes_text(p[2]) for p in heaviest(summary.matrix.bytes)])
    label = alt.Legend(title="Payload", labelExpr=AMOUNT_LABEL)
    return _chart(summary.matrix.bytes, summary.ranks, rows, label)


def messages_chart(summary: Summary) -> alt.TopLevelMixin:
    """Messages by sender and receiver."""
    pairs = summary.matrix.messages
    rows = _rows(pairs, [count_text(pair[2]) for pair in heaviest(pairs)])
    return _chart(pairs, summary.ranks, rows, alt.Legend(title="Messages", format=".3~s"))


def _rows(pairs: tuple[Pair, ...], amounts: list[str]) -> list[dict[str, str | int]]:
    named = zip(heaviest(pairs)[:NAMED_PAIRS], amounts, strict=False)
    return [
        {"source": source, "destination": destination, "amount": amount, "text": text}
        for (source, destination, amount), text in named
    ]


def _chart(
    pairs: tuple[Pair, ...], ranks: int, rows: list[dict[str, str | int]], legend: alt.Legend
) -> alt.TopLevelMixin:
    ends = [-0.5, ranks - 0.5]
    together = ranks_per_square(ranks)
    far = -(-ranks // together) * together - 0.5
    ticks = min(12, ranks)

    def axis(title: str, *, orient: Literal["top", "left"]) -> alt.Axis:
        return alt.Axis(
            title=title, orient=orient, grid=False, format="d", tickMinStep=1, tickCount=ticks
        )

    x = alt.X(
        "left:Q",
        scale=alt.Scale(domain=ends, nice=False, zero=False),
        axis=axis("Receiving rank", orient="top"),
    )
    y = alt.Y(
        "top:Q",
        scale=alt.Scale(domain=ends, nice=False, zero=False, reverse=True),
        axis=axis("Sending rank", orient="left"),
    )
    picture = (
        alt.Chart(
            inline(
                [
                    {
                        "left": -0.5,
                        "right": far,
                        "top": -0.5,
                        "bottom": far,
                        "picture": matrix_data_uri(pairs, ranks),
                    }
                ]
            )
        )
        # Squares below a pixel must be averaged: without that, whole rows would vanish.
        .mark_image(aspect=False, smooth=ranks > SIDE_PX, clip=True)
        .encode(x=x, x2="right:Q", y=y, y2="bottom:Q", url="picture:N")
        .add_params(alt.selection_interval(name="zoom", bind="scales", encodings=["x", "y"]))
    )
    amounts = [pair[2] for pair in pairs if pair[2] > 0]
    low, high = min(amounts), max(amounts)
    # A logarithmic scale needs two ends; one amount alone has the colour of the largest.
    domain = [low, high] if high > low else [low / 10, high]
    steps = [low * (high / low) ** (step / 4) for step in range(5)] if high > low else [high]
    legend.gradientLength, legend.values, legend.gradientOpacity = 220, steps, 1
    named = alt.Chart(inline(rows)).transform_calculate(
        left="datum.destination - 0.5",
        right="datum.destination + 0.5",
        top="datum.source - 0.5",
        bottom="datum.source + 0.5",
    )
    squares = named.mark_rect(opacity=0, clip=True).encode(
        x=x,
        x2="right:Q",
        y=y,
        y2="bottom:Q",
        color=alt.Color(
            "amount:Q",
            legend=legend,
            scale=alt.Scale(type="log", scheme="cividis", domain=domain, nice=False, reverse=True),
        ),
        tooltip=[
            alt.Tooltip("source:Q", title="From rank"),
            alt.Tooltip("destination:Q", title="To rank"),
            alt.Tooltip("text:N", title=legend.title),
        ],
    )
    layers = [picture, squares]
    if ranks <= LABELLED_RANKS:
        middle = (low * high) ** 0.5
        layers.insert(
            1,
            named.mark_text(clip=True)
            .encode(
                x=alt.X("destination:Q"),
                y=alt.Y("source:Q"),
                text="text:N",
                color=alt.condition(
                    alt.datum.amount >= middle, alt.value("#ffffff"), alt.value("#101418")
                ),
            )
            .properties(name="amounts"),
        )
    return alt.layer(*layers).properties(
        width=SIDE_PX, height=SIDE_PX, view=alt.ViewConfig(fill="#eceff2")
    )


def caption(summary: Summary) -> str:
    """What is plotted, how to zoom, and what the pointer shows."""
    text = (
        f"Point-to-point traffic among {counted(summary.ranks, 'rank')} (world ranks), counted "
        "at the sender; the colour scale is logarithmic, grey squares sent nothing. "
        "Turn the wheel over the image to zoom, drag to move, double-click to go back."
    )
    if len(summary.matrix.bytes) > NAMED_PAIRS:
        text += f" The {NAMED_PAIRS:,} heaviest pairs show their numbers under the pointer."
    return text


def table(summary: Summary) -> Table:
    """The pairs, the largest payload first."""
    messages = {(source, to): count for source, to, count in summary.matrix.messages}
    sent = {(source, to): amount for source, to, amount in summary.matrix.bytes}
    pairs = sorted(messages | sent, key=lambda p: (-sent.get(p, 0), -messages.get(p, 0), p))
    rows: list[tuple[Cell, ...]] = [
        (*pair, sent.get(pair, 0), messages.get(pair, 0)) for pair in pairs
    ]
    shown, rest = cut(rows, TABLE_ROWS)
    columns = ("From rank", "To rank", "Bytes", "Messages")
    return Table("Point-to-point traffic by pair of ranks", columns, shown, rest)


def bytes_absent(summary: Summary) -> str:
    """Why there is no image of the payload."""
    if any(pair[2] > 0 for pair in summary.matrix.bytes):
        return ""
    return "No point-to-point payload was sent."


def messages_absent(summary: Summary) -> str:
    """Why there is no image of the messages."""
    if any(pair[2] > 0 for pair in summary.matrix.messages):
        return ""
    return "No point-to-point message was sent."
