"""The nodes, ranks, threads and cores of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """The nodes, ranks, threads and cores of a run."""

    nodes: int
    ranks: int
    threads: int = 1
    free_cores: int = 0
    """Number of cores of each rank that stay free for a communication thread."""

    cores_per_node: int = 0
    """0 means unknown."""

    @property
    def ranks_per_node(self) -> int:
        """Number of ranks on the fullest node."""
        return -(-self.ranks // self.nodes)

    @property
    def cores_per_rank(self) -> int:
        return self.threads + self.free_cores

    @property
    def fits(self) -> bool:
        """True if each rank can have cores of its own, or if the cores of a node are unknown."""
        needed = self.ranks_per_node * self.cores_per_rank
        return not self.cores_per_node or needed <= self.cores_per_node


def enclosing(shapes: Sequence[Shape]) -> Shape:
    """The smallest allocation with enough tasks and cores for a run of each shape.

    A launcher accepts as many ranks as the allocation has tasks, however many cores these have.
    """
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    nodes = max(shape.nodes for shape in shapes)
    ranks = max(shape.ranks_per_node for shape in shapes)
    cores = max(shape.ranks_per_node * shape.cores_per_rank for shape in shapes)
    return Shape(nodes, ranks * nodes, -(-cores // ranks), cores_per_node=first.cores_per_node)
