"""Descriptions of charts as pictures. What draws them is imported with the first picture: it takes
longer than most verbs take to answer."""

from __future__ import annotations

from collections.abc import Callable

PNG_SCALE = 2
"""Pixels per unit, so that a figure is sharp in print at column width."""

NO_NETWORK: list[str] = []
"""Addresses that a description may load from."""


def _svg(specification: str) -> bytes:
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(specification, allowed_base_urls=NO_NETWORK)
    return drawn.encode("utf-8")


def _png(specification: str) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_png(specification, scale=PNG_SCALE, allowed_base_urls=NO_NETWORK)


def _pdf(specification: str) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_pdf(specification, allowed_base_urls=NO_NETWORK)


FORMATS: dict[str, Callable[[str], bytes]] = {"svg": _svg, "png": _png, "pdf": _pdf}
"""Suffix -> a Vega-Lite description's picture."""
