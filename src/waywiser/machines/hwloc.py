"""The inside of a node from hwloc's XML, as `lstopo --of xml FILE` writes it.

Cores are counted, not hardware threads. Levels are the caches and memories that several cores
share, and the sockets. Levels that differ in size within the node are left out, since a machine
file describes levels of equal parts. NICs are identified by the socket that they are attached to.

Source: "Hardware Locality (hwloc) documentation", Open MPI project, version 2.9, chapter
"Importing and exporting topologies from/to XML files"; version 1 files are read as well.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from waywiser.errors import InvalidCommand
from waywiser.inputs import xml_of
from waywiser.machines.wiring import machine_of
from waywiser.model.machine import Level, Machine, Nic, Node, Topology

LEVELS = {
    "L2Cache": "L2",
    "L3Cache": "L3",
    "L4Cache": "L4",
    "NUMANode": "NUMA",
    "Package": "socket",
}
"""Type of an object -> name of its level."""

OLD_TYPES = {"Socket": "Package"}
"""Type of version 1 -> present name, where an attribute gives the depth of a cache."""

BETWEEN_SOCKETS = 1
"""Distance of cores of different sockets, in hops of the network; nodes are at 2 or more."""

Parents = dict[ElementTree.Element, ElementTree.Element]

NETWORK_DEVICES = {"2", "3"}
"""hwloc_obj_osdev_type_e: network interface, OpenFabrics adapter."""


def read(path: Path, text: str, _node: Node | None) -> Machine:
    return machine_of(
        f"One node, {path.name}",
        Topology.model_validate({"kind": "all-to-all", "switches": 1}),
        document=f"{path.name}, by hwloc",
        hosts=(),
        inferred=("topology: one node on one switch",),
        node=read_node(path, text),
    )


def read_node(path: Path, text: str) -> Node:
    """Read the hardware of a node.

    Raises:
        InvalidCommand: the text is not hwloc's XML.
    """
    root = xml_of(text, str(path))
    cores = _count(root, "Core")
    if root.tag != "topology" or not cores:
        raise InvalidCommand(f"{path} has no cores; expected what `lstopo --of xml FILE` writes")
    packages = [element for element in root.iter("object") if _type(element) == "Package"]
    sockets = max(len(packages), 1)
    if cores % sockets:
        raise InvalidCommand(f"{path}: {cores} cores cannot be shared by {sockets} sockets")
    return Node(
        sockets=sockets, cores=cores, levels=_levels(root, cores, sockets), nics=_nics(packages)
    )


def _levels(root: ElementTree.Element, cores: int, sockets: int) -> tuple[Level, ...]:
    """Return the levels from the narrowest to the widest; of levels with equal cores, the
    innermost."""
    parents = {inner: outer for outer in root.iter() for inner in outer}
    held = _cores_held(root, parents)
    sizes: dict[int, str] = {}
    for kind, name in LEVELS.items():
        counts = {
            _near(element, parents, held)
            for element in root.iter("object")
            if _type(element) == kind
        }
        if len(counts) == 1 and 1 < (size := counts.pop()) < cores:
            sizes.setdefault(size, name)
    levels: list[Level] = []
    for size, name in sorted(sizes.items()):
        if size % (levels[-1].cores if levels else 1) == 0:
            levels.append(Level(name=name, cores=size))
    distance = BETWEEN_SOCKETS if sockets > 1 else 0
    return (*levels, Level(name="node", cores=cores, distance=distance)) if levels else ()


def _cores_held(root: ElementTree.Element, parents: Parents) -> Counter[ElementTree.Element]:
    held: Counter[ElementTree.Element] = Counter()
    for element in reversed(list(root.iter())):  # inner objects come before outer ones
        held[element] += element.tag == "object" and _type(element) == "Core"
        if element in parents:
            held[parents[element]] += held[element]
    return held


def _near(
    element: ElementTree.Element, parents: Parents, held: Counter[ElementTree.Element]
) -> int:
    """Count the cores of an object; a memory of version 2 has those of its parent."""
    while not held[element]:
        element = parents[element]
    return held[element]


def _nics(packages: list[ElementTree.Element]) -> tuple[Nic, ...]:
    """Return the adapters of fast networks; if there are none, the interfaces."""
    adapters = [
        (device.get("osdev_type"), Nic(name=device.get("name", "?"), socket=socket))
        for socket, package in enumerate(packages)
        for device in package.iter("object")
        if _type(device) == "OSDev" and device.get("osdev_type") in NETWORK_DEVICES
    ]
    fast = tuple(nic for kind, nic in adapters if kind == "3")
    return fast or tuple(nic for _, nic in adapters)


def _count(element: ElementTree.Element, kind: str) -> int:
    return sum(_type(inner) == kind for inner in element.iter("object"))


def _type(element: ElementTree.Element) -> str:
    kind = element.get("type", "")
    if kind == "Cache":
        return f"L{element.get('depth')}Cache"
    return OLD_TYPES.get(kind, kind)
