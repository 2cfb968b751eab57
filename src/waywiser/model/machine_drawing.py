"""What is drawn of a small machine: its vertices and cables."""

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
