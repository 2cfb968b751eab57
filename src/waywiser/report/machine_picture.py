"""A small machine as a picture: SVG, alone or in a page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from html import escape

from waywiser.model.machine_drawing import Drawing
from waywiser.report.figure import BLUE, GREY, ORANGE

SIZE = 900
MARGIN = 60
Point = tuple[float, float]


def picture_page(drawing: Drawing) -> str:
    """The picture as an HTML page of its own."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8">'
        f"<title>{escape(drawing.title)}</title>\n{picture(drawing)}</html>\n"
    )


def picture(drawing: Drawing) -> str:
    """SVG: switches as squares, nodes as discs, each bundle of cables as a line."""
    places = _places(drawing)
    lines = [
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        f' stroke-width="{0.8 + 0.6 * math.sqrt(count):.1f}">'
        f"<title>{escape(drawing.names[a])} - {escape(drawing.names[b])}:"
        f" {count} cable{'' if count == 1 else 's'}</title></line>"
        for a, b, count in drawing.cables
        for (x1, y1), (x2, y2) in [(places[a], places[b])]
    ]
    marks = [
        _mark(place, escape(name), is_node=vertex < drawing.nodes, labels=len(places) <= 80)
        for vertex, (name, place) in enumerate(zip(drawing.names, places, strict=True))
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}"'
        f' font-family="sans-serif" font-size="11" style="background:white">'
        f"<title>{escape(drawing.title)}</title>"
    )
    links = f'<g stroke="{GREY}" stroke-opacity="0.7">'
    parts = [head, *_words(drawing), links, *lines, "</g>", *marks, "</svg>"]
    return "\n".join(parts) + "\n"


def _words(drawing: Drawing) -> Iterator[str]:
    """The title, and what the marks are."""
    yield f'<text x="12" y="22" font-size="16">{escape(drawing.title)}</text>'
    yield f'<text x="12" y="42"><tspan fill="{BLUE}">●</tspan> node</text>'
    if len(drawing.names) > drawing.nodes:
        yield f'<text x="70" y="42"><tspan fill="{ORANGE}">■</tspan> switch</text>'
    if len({count for *_, count in drawing.cables}) > 1:
        yield '<text x="140" y="42">thicker lines stand for more cables</text>'


def _mark(place: Point, name: str, *, is_node: bool, labels: bool) -> str:
    x, y = place
    # Nodes in a row at the bottom are closer than their names are long.
    turned = f' transform="rotate(50 {x:.1f} {y:.1f})"' if y > SIZE - 1.5 * MARGIN else ""
    label = f'<text x="{x + 8:.1f}" y="{y + 4:.1f}"{turned}>{name}</text>' if labels else ""
    if is_node:
        return (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{BLUE}"><title>{name}</title></circle>'
            f"{label}"
        )
    return (
        f'<rect x="{x - 7:.1f}" y="{y - 7:.1f}" width="14" height="14" fill="{ORANGE}">'
        f"<title>{name}</title></rect>{label}"
    )


def _places(drawing: Drawing) -> list[Point]:
    """Joined nodes in their grid or on a ring; one layer of switches on a ring with the nodes
    outside of it; more layers above each other."""
    if len(drawing.names) == drawing.nodes:
        return _grid(drawing) if 0 < len(drawing.grid) <= 2 else _ring(drawing.nodes, 1.0)
    layers = _layers(drawing)
    height = max(layers)
    if height <= 1:
        return _around(drawing)
    places: list[Point] = [(0.0, 0.0)] * len(layers)
    for layer in range(height + 1):
        members = [vertex for vertex, one in enumerate(layers) if one == layer]
        for place, vertex in enumerate(members):
            places[vertex] = (
                MARGIN + (SIZE - 2 * MARGIN) * (place + 0.5) / len(members),
                SIZE - MARGIN - (SIZE - 2 * MARGIN) * layer / height,
            )
    return places


def _grid(drawing: Drawing) -> list[Point]:
    length = drawing.grid[0]
    rows = math.ceil(drawing.nodes / length)
    return [
        (
            MARGIN + (SIZE - 2 * MARGIN) * (node % length + 0.5) / length,
            MARGIN + (SIZE - 2 * MARGIN) * (node // length + 0.5) / rows,
        )
        for node in range(drawing.nodes)
    ]


def _ring(count: int, radius: float) -> list[Point]:
    return [_at(place / count, radius) for place in range(count)]


def _at(turn: float, radius: float) -> Point:
    reach = (SIZE / 2 - MARGIN) * radius
    angle = 2 * math.pi * turn - math.pi / 2
    return SIZE / 2 + reach * math.cos(angle), SIZE / 2 + reach * math.sin(angle)


def _around(drawing: Drawing) -> list[Point]:
    """Switches on a ring; the nodes of each outside of it, in its part of the circle. A switch
    whose nodes are all on others already, as in a second plane, is further in."""
    switches = range(drawing.nodes, len(drawing.names))
    joined: dict[int, list[int]] = {switch: [] for switch in switches}
    for a, b, _ in drawing.cables:
        node, switch = min(a, b), max(a, b)
        if node < drawing.nodes:
            joined[switch].append(node)
    turns: dict[int, float] = {}
    places: list[Point] = [(0.0, 0.0)] * len(drawing.names)
    for switch, nodes in joined.items():
        own = [node for node in nodes if node not in turns]
        first = len(turns)
        turns |= {node: (first + place + 0.5) / drawing.nodes for place, node in enumerate(own)}
        middle = sum(turns[node] for node in nodes) / len(nodes) if nodes else 0.0
        radius = 0.0 if len(switches) == 1 else 0.6 if own else 0.4
        places[switch] = _at(middle, radius)
    for node, turn in turns.items():
        places[node] = _at(turn, 1.0)
    return places


def _layers(drawing: Drawing) -> list[int]:
    """Of each vertex: links to the nearest node."""
    neighbours: dict[int, list[int]] = {}
    for a, b, _ in drawing.cables:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    layers = [0 if vertex < drawing.nodes else -1 for vertex in range(len(drawing.names))]
    reached: Iterable[int] = range(drawing.nodes)
    while reached:
        further = []
        for vertex in reached:
            for other in neighbours.get(vertex, ()):
                if layers[other] < 0:
                    layers[other] = layers[vertex] + 1
                    further.append(other)
        reached = further
    return [max(layer, 0) for layer in layers]
