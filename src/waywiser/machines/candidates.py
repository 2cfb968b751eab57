"""Topologies with room for a number of nodes, each of switches with the same number of ports.

Each has the size that a builder would choose: the fewest switches for the number of nodes, with
parallel cables on the remaining ports.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from waywiser.errors import InvalidCommand

Value = int | str | list[int]


class Candidate(NamedTuple):
    """A topology for some nodes."""

    name: str
    about: str
    kind: str
    parameters: dict[str, Value]


LEAST_PORTS, MOST_PORTS = 8, 512
MOST_NODES = 1 << 17


def candidates(nodes: int, ports: int) -> list[Candidate]:
    """Return the topologies that have room for so many nodes.

    Raises:
        InvalidCommand: for numbers of nodes or ports that are out of bounds.
    """
    if not LEAST_PORTS <= ports <= MOST_PORTS:
        raise InvalidCommand(f"--ports {ports}: expected {LEAST_PORTS} to {MOST_PORTS}")
    if not 2 <= nodes <= MOST_NODES:
        raise InvalidCommand(f"--nodes {nodes}: expected 2 to {MOST_NODES}")
    return [candidate for size in SIZED for candidate in size(nodes, ports)]


def _fat_trees(nodes: int, ports: int) -> Iterator[Candidate]:
    half, third = ports // 2, ports // 3
    for name, about, down, up in (
        ("fat tree", "no taper", half, half),
        ("fat tree 2:1", "half as many cables up as down", 2 * third, third),
    ):
        edges = math.ceil(nodes / down)
        if edges <= 1:
            continue
        if edges <= ports:
            # Take the smallest number of switches above that has enough ports.
            above = next(n for n in range(1, up + 1) if up % n == 0 and edges * up // n <= ports)
            levels: dict[str, Value] = {
                "down": [down, edges],
                "up": [1, above],
                "cables": [1, up // above],
            }
            yield Candidate(name, f"two levels, {about}", "fat-tree", levels)
        elif (pods := math.ceil(edges / half)) <= ports:
            levels = {"down": [down, half, pods], "up": [1, up, half]}
            yield Candidate(name, f"three levels, {about} at the nodes", "fat-tree", levels)


def _all_to_all(nodes: int, ports: int) -> Iterator[Candidate]:
    for down in range(ports, 0, -1):
        switches = math.ceil(nodes / down)
        if down + switches - 1 <= ports:
            cables = (ports - down) // max(switches - 1, 1) if switches > 1 else 1
            yield Candidate(
                "all-to-all" if switches > 1 else "one switch",
                "every switch joined to every other" if switches > 1 else "with all nodes on it",
                "all-to-all",
                {"switches": switches, "nodes_per_switch": down, "cables": cables},
            )
            return


def _hyperx(nodes: int, ports: int) -> Iterator[Candidate]:
    for down in range(ports // 2, 0, -1):
        switches = math.ceil(nodes / down)
        length = math.isqrt(max(switches - 1, 0)) + 1
        width = math.ceil(switches / length)
        if down + length + width - 2 <= ports and width > 1:
            spare = (ports - down) // (length + width - 2)
            yield Candidate(
                "HyperX 2-D",
                "all-to-all along the rows and columns of a grid",
                "hyperx",
                {"lengths": [length, width], "nodes_per_switch": down, "cables": spare},
            )
            return


def _torus(nodes: int, ports: int) -> Iterator[Candidate]:
    down = min(ports // 2, ports - 6)  # two directions of three dimensions
    switches = math.ceil(nodes / down)
    lengths = _box(switches)
    if min(lengths) > 1:
        yield Candidate(
            "torus 3-D",
            "a grid whose ends meet",
            "torus",
            {"lengths": lengths, "nodes_per_switch": down, "cables": (ports - down) // 6},
        )


def _box(count: int) -> list[int]:
    """Return three lengths with room for `count`, nearly the fewest and nearly a cube."""
    boxes = (
        (z, y, x)
        for x in range(1, round(count ** (1 / 3)) + 2)
        for y in range(x, math.isqrt(count // x) + 2)
        for z in (max(math.ceil(count / (x * y)), y),)
    )
    return list(min(boxes, key=lambda box: math.prod(box) * sum(box)))


def _hypercube(nodes: int, ports: int) -> Iterator[Candidate]:
    down = ports // 4
    switches = math.ceil(nodes / down)
    dimensions = (switches - 1).bit_length()
    if 0 < dimensions <= ports - down:
        yield Candidate(
            "enhanced hypercube",
            "a binary cube of switches with parallel cables",
            "hypercube",
            {
                "dimensions": dimensions,
                "switches_per_plane": switches,
                "nodes_per_switch": down,
                "cables": (ports - down) // dimensions,
            },
        )


def _dragonfly(nodes: int, ports: int) -> Iterator[Candidate]:
    """Yield balanced dragonflies: a switch has as many global links as nodes, and a group twice as
    many switches."""
    down = (ports + 1) // 4
    switches = 2 * down
    groups = math.ceil(nodes / (switches * down))
    if 1 < groups <= switches * down + 1:
        yield Candidate(
            "dragonfly",
            "groups that are all joined, of switches that are all joined",
            "dragonfly",
            {
                "nodes_per_switch": down,
                "switches_per_group": switches,
                "groups": groups,
                "links_per_pair": switches * down // (groups - 1),
            },
        )


SIZED: tuple[Callable[[int, int], Iterator[Candidate]], ...] = (
    _fat_trees,
    _all_to_all,
    _hyperx,
    _torus,
    _hypercube,
    _dragonfly,
)
