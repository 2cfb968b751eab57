"""What is drawn of a machine: its vertices and cables, or its islands and what joins them."""

from __future__ import annotations

from waywiser.model.base import Model


class Drawing(Model):
    """Nodes come first, then switches; each cable bundle stands once."""

    title: str
    names: tuple[str, ...]
    nodes: int
    cables: tuple[tuple[int, int, int], ...]
    """Two vertices, and how many cables join them."""

    grid: tuple[int, ...] = ()
    """Lengths of a grid of nodes, the fastest running first; empty where they form none."""

    about: tuple[str, ...] = ()
    """What each vertex is; empty where its name says it."""

    island: str = ""
    """What stands for a node; "" where nodes are drawn themselves."""
