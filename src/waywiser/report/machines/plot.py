"""A machine as a picture: SVG, alone or in a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from html import escape

from waywiser.model.machine_drawing import Drawing
from waywiser.report.drawing.plot import BLUE, GREY, ORANGE

SIZE = 900
MARGIN = 60
HEAD_PX = 80
LETTER_PX = 6.2
MOST_LABELLED = 80
"""Largest number of nodes whose names have room in a picture."""

MOST_OPAQUE = 300
"""Largest number of opaque lines; the more lines, the more transparent they are drawn."""

MOST_WITH_TOOLTIP = 2_000
"""Largest number of bundles of cables with a tooltip; more bundles hide each other."""

MOST_DRAWN = 20_000
"""Largest number of bundles of cables that are all drawn; of more, all bundles of nodes and a
regular sample of the others are."""

LINES_TOGETHER = 16
"""Number of lines drawn as one path: an element for each line would take most of the file, and a
single path would be equally dark everywhere."""

Point = tuple[float, float]


def plot_page(drawing: Drawing) -> str:
    """The picture as an HTML page of its own."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8">'
        f"<title>{escape(drawing.title)}</title>\n{machine_svg(drawing)}</html>\n"
    )


def machine_svg(drawing: Drawing) -> str:
    """SVG: switches as squares, nodes or islands as discs, each bundle of cables as a line."""
    places = _places(drawing)
    about = drawing.about or drawing.names
    marks = [
        _mark(place, escape(about[vertex]), is_node=vertex < drawing.nodes)
        for vertex, place in enumerate(places)
    ]
    around = _is_around(drawing)
    labels = [
        _label(places[v], escape(drawing.names[v]), around=around and v < drawing.nodes)
        for v in _labelled(drawing)
    ]
    room = max(0, math.ceil(LETTER_PX * max(map(len, drawing.names))) + 20 - MARGIN)
    top, side = room + HEAD_PX, SIZE + 2 * room
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-room} {-top} {side} '
        f'{side + HEAD_PX}" font-family="sans-serif" font-size="11" style="background:white">'
        f"<title>{escape(drawing.title)}</title>"
    )
    words = f'<g transform="translate({-room} {-top})">'
    opacity = max(0.08, min(0.7, MOST_OPAQUE / max(1, len(drawing.cables))))
    links = f'<g stroke="{GREY}" stroke-opacity="{opacity:.2f}">'
    lines = _lines_with_tooltips if len(drawing.cables) <= MOST_WITH_TOOLTIP else _many_lines
    parts = (
        head,
        words,
        *_words(drawing),
        "</g>",
        links,
        *lines(drawing, places),
        "</g>",
        *marks,
        *labels,
    )
    return "\n".join((*parts, "</svg>")) + "\n"


def _thickness(drawing: Drawing) -> Callable[[int], str]:
    """The width of a line that stands for a number of cables, in pixels."""
    most = max((count for *_, count in drawing.cables), default=1)
    return lambda count: f"{0.6 + 1.8 * math.sqrt(count / most):.1f}"


def _lines_with_tooltips(drawing: Drawing, places: list[Point]) -> Iterator[str]:
    thickness = _thickness(drawing)
    for a, b, count in drawing.cables:
        (x1, y1), (x2, y2) = places[a], places[b]
        yield (
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
            f' stroke-width="{thickness(count)}">'
            f"<title>{escape(drawing.names[a])} - {escape(drawing.names[b])}:"
            f" {count} cable{'' if count == 1 else 's'}</title></line>"
        )


def _drawn_one_in(drawing: Drawing) -> int:
    """The number n for which every n-th bundle of cables is drawn."""
    return -(-len(drawing.cables) // MOST_DRAWN)


def _many_lines(drawing: Drawing, places: list[Point]) -> Iterator[str]:
    """Paths that join lines of equal thickness, with coordinates in whole pixels."""
    thickness, one_in = _thickness(drawing), _drawn_one_in(drawing)
    lines: dict[str, list[str]] = {}
    for i, (a, b, count) in enumerate(drawing.cables):
        if i % one_in == 0 or min(a, b) < drawing.nodes:
            (x1, y1), (x2, y2) = places[a], places[b]
            line = f"M{x1:.0f} {y1:.0f}L{x2:.0f} {y2:.0f}"
            lines.setdefault(thickness(count), []).append(line)
    for width, alike in lines.items():
        for first in range(0, len(alike), LINES_TOGETHER):
            path = "".join(alike[first : first + LINES_TOGETHER])
            yield f'<path stroke-width="{width}" d="{path}"/>'


def _labelled(drawing: Drawing) -> Iterator[int]:
    """Vertices whose names have room: a regular sample of many nodes, and none of many switches."""
    switches = range(drawing.nodes, len(drawing.names))
    yield from range(0, drawing.nodes, -(-drawing.nodes // MOST_LABELLED))
    yield from switches if len(switches) <= MOST_LABELLED // 2 else ()


def _words(drawing: Drawing) -> Iterator[str]:
    """The title, and a legend of the marks."""
    yield f'<text x="12" y="22" font-size="16">{escape(drawing.title)}</text>'
    node = escape(drawing.island) or "node"
    yield f'<text x="12" y="42"><tspan fill="{BLUE}">●</tspan> {node}</text>'
    if len(drawing.names) > drawing.nodes:
        yield f'<text x="12" y="58"><tspan fill="{ORANGE}">■</tspan> switch</text>'
    if len({count for *_, count in drawing.cables}) > 1:
        yield '<text x="12" y="74">thicker lines stand for more cables</text>'
    if (one_in := _drawn_one_in(drawing)) > 1:
        yield f'<text x="200" y="42">One in {one_in} links between switches is drawn</text>'


def _mark(place: Point, about: str, *, is_node: bool) -> str:
    x, y = place
    if is_node:
        return (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{BLUE}"><title>{about}</title></circle>'
        )
    return (
        f'<rect x="{x - 7:.1f}" y="{y - 7:.1f}" width="14" height="14" fill="{ORANGE}">'
        f"<title>{about}</title></rect>"
    )


def _label(place: Point, name: str, *, around: bool) -> str:
    """The name beside a mark; outwards if marks are on a circle."""
    x, y = place
    turn, before = 0.0, False
    if around:
        turn = math.degrees(math.atan2(y - SIZE / 2, x - SIZE / 2))
        before = abs(turn) > 90
        turn += 180 if before else 0
    elif y > SIZE - 1.5 * MARGIN:  # the bottom row has no room for horizontal names
        turn = 50
    turned = f' transform="rotate({turn:.1f} {x:.1f} {y:.1f})"' if turn else ""
    anchor = ' text-anchor="end"' if before else ""
    beside = -9 if before else 9
    return f'<text x="{x + beside:.1f}" y="{y + 4:.1f}"{turned}{anchor}>{name}</text>'


def _is_around(drawing: Drawing) -> bool:
    """True if nodes are on a circle."""
    if len(drawing.names) == drawing.nodes:
        return not 0 < len(drawing.grid) <= 2
    return max(_layers(drawing)) <= 1


def _places(drawing: Drawing) -> list[Point]:
    """The positions of vertices. Directly connected nodes are in their grid or on a ring, one layer
    of switches is on a ring inside the nodes, and several layers are above each other."""
    if len(drawing.names) == drawing.nodes:
        ring = [_at(node / drawing.nodes, 1.0) for node in range(drawing.nodes)]
        return ring if _is_around(drawing) else _grid(drawing)
    if _is_around(drawing):
        return _around(drawing)
    layers = _layers(drawing)
    height = max(layers)
    places: list[Point] = [(0.0, 0.0)] * len(layers)
    for layer in range(height + 1):
        members = [vertex for vertex, vertex_layer in enumerate(layers) if vertex_layer == layer]
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


def _at(turn: float, radius: float) -> Point:
    reach = (SIZE / 2 - MARGIN) * radius
    angle = 2 * math.pi * turn - math.pi / 2
    return SIZE / 2 + reach * math.cos(angle), SIZE / 2 + reach * math.sin(angle)


def _around(drawing: Drawing) -> list[Point]:
    """Positions of switches on a ring, with the nodes of each outside in its part of the circle. A
    switch whose nodes all belong to others already, as in a second plane, is further inside."""
    switches = range(drawing.nodes, len(drawing.names))
    joined: dict[int, list[int]] = {switch: [] for switch in switches}
    for a, b, _ in drawing.cables:
        node, switch = min(a, b), max(a, b)
        if node < drawing.nodes:
            joined[switch].append(node)
    central = sum(len(nodes) == drawing.nodes for nodes in joined.values())
    turns: dict[int, float] = {}
    places: list[Point] = [(0.0, 0.0)] * len(drawing.names)
    for switch, nodes in joined.items():
        if central > 1 and len(nodes) == drawing.nodes:
            places[switch] = _at((switch - drawing.nodes) / len(switches), 0.2)
            turns |= {node: (node + 0.5) / drawing.nodes for node in nodes}
            continue
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
    """The number of links from each vertex to the nearest node."""
    neighbours: dict[int, list[int]] = {}
    for a, b, _ in drawing.cables:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    layers = [0 if vertex < drawing.nodes else -1 for vertex in range(len(drawing.names))]
    reached: Iterable[int] = range(drawing.nodes)
    while reached:
        further = []
        for vertex in reached:
            for neighbour in neighbours.get(vertex, ()):
                if layers[neighbour] < 0:
                    layers[neighbour] = layers[vertex] + 1
                    further.append(neighbour)
        reached = further
    return [max(layer, 0) for layer in layers]
