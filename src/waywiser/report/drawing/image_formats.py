"""Pictures of charts from their descriptions. vl-convert is imported with the first picture, as its
import takes longer than most verbs."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

PNG_SCALE = 2
"""Pixels per unit, so that a plot is sharp in print at column width."""

NO_NETWORK: list[str] = []
"""Addresses that a description may load from."""

PLOTS_OF_A_REPORT = 32


@lru_cache(maxsize=PLOTS_OF_A_REPORT)
def _drawn(specification: str) -> str:
    """The SVG, from which the other formats are converted: drawing takes longer than conversion."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(specification, allowed_base_urls=NO_NETWORK)
    return drawn


def _png(specification: str) -> bytes:
    import vl_convert

    return vl_convert.svg_to_png(_drawn(specification), scale=PNG_SCALE)


def _pdf(specification: str) -> bytes:
    import vl_convert

    return vl_convert.svg_to_pdf(_drawn(specification))


FORMATS: dict[str, Callable[[str], bytes]] = {
    "svg": lambda specification: _drawn(specification).encode("utf-8"),
    "png": _png,
    "pdf": _pdf,
}
"""Suffix -> function that draws a Vega-Lite description."""
