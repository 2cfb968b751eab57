"""Parts that many charts share: axes of names, legends, colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt


def names_of_rows(field: str, **look: Any) -> alt.Y:
    """An axis of names, in the order of their rows.

    Args:
        look: properties of the axis, beside those of all axes of names.
    """
    axis = {"ticks": False, "domain": False, "labelPadding": 8} | look
    return alt.Y(f"{field}:N", sort=None, title=None, axis=alt.Axis(**axis))


def above(**look: Any) -> alt.Legend:
    """A legend above the chart, without a title."""
    return alt.Legend(title=None, orient="top", **look)


def coloured(
    field: str, colours: Mapping[str, str], legend: alt.Legend | None, sort: Any = None
) -> alt.Color:
    """The colour of each name. Vega-Lite evaluates the names, so that none may be foreign text."""
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    return alt.Color(f"{field}:N", sort=sort, scale=scale, legend=legend)


def small_title(text: str | list[str], **look: Any) -> alt.Title:
    """The title of one of several panels."""
    return alt.Title(text, fontSize=12, fontWeight="normal", **look)
