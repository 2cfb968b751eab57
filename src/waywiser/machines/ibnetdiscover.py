"""An InfiniBand fabric as a graph, from the output of `ibnetdiscover`.

    switchguid=0x200001(200001)
    Switch  36 "S-0000000000200001"      # "leaf1" base port 0 lid 3 lmc 0
    [1]     "H-0000000000100003"[1](100004)      # "n001 mlx5_0" lid 5 4xFDR
    [4]     "S-0000000000200000"[3]      # "spine1" lid 1 4xFDR

Both ends of a cable list it. A host is the first word of its adapter's description; its adapters
are cables of one node. A switch's own aggregation node is not a host.

Source: ibnetdiscover(8), OpenFabrics infiniband-diags, 2013.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.machines.wiring import Wiring, machine_of
from waywiser.model.machine import Machine, Node

_VERTEX = re.compile(r'(Switch|Ca|Rt)\s+\d+\s+"([SHR]-[^"]+)"\s*#\s*"([^"]*)"')
_PORT = re.compile(r'\[(\d+)\](?:\[[^\]]*\])?(?:\([^)]*\))?\s+"([SHR]-[^"]+)"\[(\d+)\][^#]*#(.*)')
_RATE = re.compile(r"(\d+)x([A-Z]+\d*)\s*$")

GBPS_OF_A_LANE = {
    "SDR": 0.25,
    "DDR": 0.5,
    "QDR": 1.0,
    "FDR10": 1.25,
    "FDR": 14.0625 * 64 / 66 / 8,
    "EDR": 3.125,
    "HDR": 6.25,
    "NDR": 12.5,
    "XDR": 25.0,
}
"""Payload bytes, after the line's coding. Source: InfiniBand Trade Association, "InfiniBand
Roadmap", 2023."""

LONGEST_LINE = 1024
"""Largest length of a line; a switch with a description of 64 characters has about 200."""

AGGREGATION = "Aggregation Node"


@dataclass
class _Fabric:
    descriptions: dict[str, str] = field(default_factory=dict)
    """Vertices as "S-GUID" or "H-GUID", in their order."""

    cables: dict[frozenset[tuple[str, int]], None] = field(default_factory=dict)
    """Both ends of each cable, as vertex and port."""

    rates: Counter[str] = field(default_factory=Counter)


def read(path: Path, text: str, node: Node | None) -> Machine:
    """Read the fabric of a subnet.

    Raises:
        InvalidCommand: the text has another format, or its hosts are not all connected.
    """
    fabric = _parsed(text, path)
    names = _names(fabric)
    wiring = Wiring(
        hosts=list(dict.fromkeys(names[vertex] for vertex in names if vertex.startswith("H-"))),
        switches=[names[vertex] for vertex in names if vertex.startswith("S-")],
    )
    for ends in fabric.cables:
        vertices = [vertex for vertex, _ in sorted(ends)]
        if len(vertices) == 2 and all(vertex in names for vertex in vertices):
            wiring.cables[names[vertices[0]], names[vertices[1]]] += 1
    joined = {name for pair in wiring.cables for name in pair}
    wiring.hosts = [host for host in wiring.hosts if host in joined]
    rate = fabric.rates.most_common(1)
    return machine_of(
        f"The fabric of {path.name}",
        wiring.topology(str(path)),
        document=f"{path.name}, by ibnetdiscover",
        hosts=wiring.hosts,
        switches=wiring.switches,
        inferred=(
            (f"link_bandwidth_GBps: of {rate[0][0]}, the rate of most links",) if rate else ()
        ),
        bandwidth_GBps=_bandwidth(rate[0][0]) if rate else None,
        node=node,
    )


def _parsed(text: str, path: Path) -> _Fabric:
    fabric = _Fabric()
    here = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LONGEST_LINE:
            raise InvalidCommand(
                f"{path}, line {number}: is longer than {LONGEST_LINE} characters, as none of"
                " ibnetdiscover's is"
            )
        if match := _VERTEX.match(line):
            here = match[2]
            fabric.descriptions[here] = match[3].strip()
        elif (match := _PORT.match(line)) and here:
            cable = frozenset([(here, int(match[1])), (match[2], int(match[3]))])
            rate = _RATE.search(match[4])
            if cable not in fabric.cables and rate and _bandwidth(rate[0]):
                fabric.rates[rate[0].strip()] += 1
            fabric.cables[cable] = None
    if not fabric.descriptions:
        raise InvalidCommand(
            f'{path} has no line like Switch 36 "S-…" or Ca 1 "H-…", as ibnetdiscover prints them'
        )
    return fabric


def _names(fabric: _Fabric) -> dict[str, str]:
    """Return the names of hosts and switches; a switch without a name of its own keeps its GUID."""
    names: dict[str, str] = {}
    taken: Counter[str] = Counter(
        _word(text) for vertex, text in fabric.descriptions.items() if vertex.startswith("S-")
    )
    for vertex, text in fabric.descriptions.items():
        if vertex.startswith("H-") and AGGREGATION not in text:
            names[vertex] = _word(text.split()[0] if text.split() else vertex)
        elif vertex.startswith("S-"):
            name = _word(text)
            names[vertex] = name if name and taken[name] == 1 else vertex
    hosts = {name for vertex, name in names.items() if vertex.startswith("H-")}
    return {
        vertex: vertex if vertex.startswith("S-") and name in hosts else name
        for vertex, name in names.items()
    }


def _word(text: str) -> str:
    """Turn a description into a name that a list of hosts can have."""
    return re.sub(r"[^\w.:;/-]+", "-", text).strip("-")


def _bandwidth(rate: str) -> float | None:
    width, lane = rate.strip().split("x")
    return round(int(width[:9]) * GBPS_OF_A_LANE[lane], 3) if lane in GBPS_OF_A_LANE else None
