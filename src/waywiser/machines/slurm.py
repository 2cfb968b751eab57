"""Slurm's view of the network: topology.conf, or what `scontrol show topology` prints.

Both have a line for each switch or block; only the names of some keys differ:

    SwitchName=s0 Nodes=tux[0-3]                        topology.conf, topology/tree
    SwitchName=s2 Switches=s[0-1]
    SwitchName=s2 Level=1 LinkSpeed=1 Nodes=tux[0-7] Switches=s[0-1]          scontrol
    BlockName=b0 Nodes=tux[0-3]                         topology.conf, topology/block
    BlockSizes=4,8
    BlockName=b0 BlockIndex=0 Nodes=tux[0-3] BlockSize=4                      scontrol
    AggregatedBlock=b[0-1] BlockIndex=2 Nodes=tux[0-7] BlockSize=8

Neither says how many cables there are: one stands for those between two switches.

Source: topology.conf(5) and "Topology Guide" of Slurm, SchedMD, 2025.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.machines.hostlist import MOST_NAMES, expand, expand_each
from waywiser.machines.wiring import Wiring, machine_of, regular_tree
from waywiser.model.machine import Machine, Node, Topology

MOST_BLOCK_LEVELS = 16
"""Source: MAX_BLOCK_LEVELS of Slurm's topology/block plugin, release 24.05."""

SIZE = re.compile(r"\d{1,9}", re.ASCII)


def read(path: Path, text: str, node: Node | None) -> Machine:
    """Read a tree of switches; a block counts as a switch.

    Raises:
        InvalidCommand: the text has neither format, or is not one network.
    """
    lines = [_keys(line, path, place) for place, line in enumerate(text.splitlines(), start=1)]
    children = _switches([keys for keys in lines if "switchname" in keys], path)
    children |= _blocks(lines, children)
    if not children:
        raise InvalidCommand(
            f"{path} has no line SwitchName=… or BlockName=…, as topology.conf and"
            " `scontrol show topology` have"
        )
    below = {child for names in children.values() for child in names}
    roots = [name for name in children if name not in below]
    tree = regular_tree(children, roots[0]) if len(roots) == 1 else None
    if tree is not None:
        hosts, sizes = tree
        topology = Topology.model_validate({"kind": "hierarchy", "sizes": sizes})
        switches: list[str] = []
    else:
        wiring = _wiring(children)
        hosts, switches, topology = wiring.hosts, wiring.switches, wiring.topology(str(path))
    return machine_of(
        f"The network of {path.name}",
        topology,
        document=f"{path.name}, as Slurm knows the network",
        hosts=hosts,
        switches=switches,
        inferred=("cables: Slurm does not say how many there are, 1 stands for them",),
        node=node,
    )


def _keys(line: str, path: Path, place: int) -> dict[str, str]:
    keys = {}
    for word in line.split("#", 1)[0].split():
        key, equals, value = word.partition("=")
        if not equals:
            raise InvalidCommand(f"{path}, line {place}: {word!r} is not a KEY=VALUE pair of Slurm")
        keys[key.lower()] = value
    return keys


def _switches(lines: list[dict[str, str]], path: Path) -> dict[str, list[str]]:
    """Return the children of each switch. A switch with switches below has no nodes of its own:
    scontrol repeats the nodes of those switches."""
    children: dict[str, list[str]] = {}
    left = MOST_NAMES
    for keys in lines:
        below = keys.get("switches") or keys.get("nodes")
        if below is None:
            raise InvalidCommand(f"{path}: {keys['switchname']} has neither Switches nor Nodes")
        names = expand(below, left)
        for name in expand(keys["switchname"], left // max(len(names), 1)):
            children[name] = names
            left -= len(names)
    for name, names in children.items():
        for child in names:
            if child == name:
                raise InvalidCommand(f"{path}: switch {name} is below itself")
    return children


def _blocks(lines: list[dict[str, str]], above: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return blocks with their nodes, and aggregated blocks with their blocks, below one root."""
    named = [keys for keys in lines if "blockname" in keys and keys.get("nodes")]
    nodes = expand_each(keys["nodes"] for keys in named)
    blocks = dict(zip((keys["blockname"] for keys in named), nodes, strict=True))
    joined = dict(blocks)
    inside = {name: {name} for name in blocks}  # the blocks of the outermost aggregate
    outermost = {name: name for name in blocks}
    aggregates = [keys["aggregatedblock"] for keys in lines if "aggregatedblock" in keys]
    for aggregate, parts in zip(aggregates, expand_each(aggregates), strict=True):
        if aggregate in joined:
            continue
        # A larger aggregate names its blocks, not the aggregates in between.
        named_here = set(parts)
        around = dict.fromkeys(outermost[part] for part in parts if part in outermost)
        joined[aggregate] = [name for name in around if inside[name] <= named_here]
        inside[aggregate] = set().union(*(inside.pop(name) for name in joined[aggregate]))
        outermost |= dict.fromkeys(inside[aggregate], aggregate)
    top = list(inside)
    sizes = next((keys["blocksizes"] for keys in lines if "blocksizes" in keys), "")
    if not aggregates:
        top = _aggregated(top, sizes, joined)
    if len(top) > 1:
        joined["all blocks"] = top
    return joined if blocks and not above else {}


def _aggregated(blocks: list[str], sizes: str, joined: dict[str, list[str]]) -> list[str]:
    """Aggregate neighbouring blocks by BlockSizes of topology.conf, whose first size is that of a
    block."""
    nodes = [int(size) for size in sizes.split(",")[:MOST_BLOCK_LEVELS] if SIZE.fullmatch(size)]
    for smaller, larger in itertools.pairwise(nodes):
        count = max(larger // max(smaller, 1), 1)
        parts = [blocks[at : at + count] for at in range(0, len(blocks), count)]
        blocks = [f"{larger} nodes from {part[0]}" for part in parts]
        joined |= zip(blocks, parts, strict=True)
    return blocks


def _wiring(children: dict[str, list[str]]) -> Wiring:
    wiring = Wiring(switches=list(children))
    seen: set[str] = set()
    for name, below in children.items():
        for child in below:
            if child not in children and child not in seen:
                seen.add(child)
                wiring.hosts.append(child)
            wiring.cables[child, name] += 1
    return wiring
