"""The drawing of a machine: its vertices and cables, or its islands and their connections."""

from __future__ import annotations

from waywiser.model.base import Model


class Drawing(Model):
    """The drawing of a machine; nodes come before switches, and no cable bundle is repeated."""

    title: str
    names: tuple[str, ...]
    nodes: int
    cables: tuple[tuple[int, int, int], ...]
    """Pairs of vertices, with the number of cables between them."""

    grid: tuple[int, ...] = ()
    """Lengths of a grid of nodes, the fastest running first; empty if the nodes form no grid."""

    about: tuple[str, ...] = ()
    """Description of each vertex; empty if the names say enough."""

    island: str = ""
    """The kind of island that replaces nodes; "" if the nodes themselves are drawn."""
