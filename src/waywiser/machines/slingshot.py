"""The nodes of an HPE Cray EX, whose names give their place in the machine and the dragonfly.

    x1000c0s0b0n0
    nid001000 x1000c0s0b0n0

Each line is one node; a name in front is the name of its host. In the xname, xX is the cabinet, cC
the chassis in it, sS the slot of the blade, bB the board, nN the node on it. A cabinet has 8
chassis of 8 compute blades and 4 switch blades, and is one group; so two neighbouring slots share a
switch. Where a cabinet holds two groups, as in ARCHER2, `chassis_per_group` is 4.

Sources: "Component Names (xnames)", Cray System Management documentation, HPE, 2022; "Perlmutter
interconnect", NERSC, 2021.
"""

from __future__ import annotations

import re
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.machines.hostlist import MOST_NAMES
from waywiser.machines.wiring import machine_of
from waywiser.model.machine import Machine, Node, Topology

_XNAME = re.compile(r"x(\d{1,5})c(\d)s(\d{1,2})b(\d)n(\d{1,2})", re.ASCII)

CHASSIS_PER_CABINET = 8
SLOTS_PER_CHASSIS = 8
SLOTS_PER_SWITCH = 2
SLINGSHOT_GBps = 25.0


def read(
    path: Path, text: str, node: Node | None, chassis_per_group: int = CHASSIS_PER_CABINET
) -> Machine:
    """Read a dragonfly of all groups with a node.

    Raises:
        InvalidCommand: a line is not such a name, or two lines name the same place.
    """
    host_of = _places(path, text)
    boards = 1 + max(board for _, _, _, board, _ in host_of)
    per_board = 1 + max(number for *_, number in host_of)
    groups = sorted({(cabinet, chassis // chassis_per_group) for cabinet, chassis, *_ in host_of})
    slots = chassis_per_group * SLOTS_PER_CHASSIS
    if (places := len(groups) * slots * boards * per_board) > MOST_NAMES:
        raise InvalidCommand(
            f"{path}: {len(groups)} groups of {slots} slots with {boards * per_board} nodes are"
            f" {places} places for nodes; at most {MOST_NAMES} are accepted"
        )
    hosts: list[str] = []
    for cabinet, part in groups:
        for chassis in range(part * chassis_per_group, (part + 1) * chassis_per_group):
            for slot in range(SLOTS_PER_CHASSIS):
                for board in range(boards):
                    for number in range(per_board):
                        place = (cabinet, chassis, slot, board, number)
                        hosts.append(host_of.get(place) or "x{}c{}s{}b{}n{}".format(*place))
    topology = Topology.model_validate(
        {
            "kind": "dragonfly",
            "nodes_per_switch": SLOTS_PER_SWITCH * boards * per_board,
            "switches_per_group": chassis_per_group * SLOTS_PER_CHASSIS // SLOTS_PER_SWITCH,
            "groups": len(groups),
            "routing": "adaptive",
        }
    )
    return machine_of(
        f"The nodes of {path.name}",
        topology,
        document=f"{path.name}: names of the nodes of an HPE Cray EX",
        hosts=hosts,
        inferred=(
            f"topology: a group is {chassis_per_group} chassis, and two neighbouring slots share a"
            " switch; one global link between two groups, which the names do not tell",
            "hosts: places of which the file names no node have the name of the place",
            "link_bandwidth_GBps: that of Slingshot, 200 Gbit/s",
        ),
        bandwidth_GBps=SLINGSHOT_GBps,
        node=node,
    )


Place = tuple[int, int, int, int, int]
"""Place of a node: cabinet, chassis, slot, board, node."""


def _places(path: Path, text: str) -> dict[Place, str]:
    """Place of a node -> name of its host."""
    host_of: dict[Place, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#", 1)[0].replace(",", " ").split()
        if not words:
            continue
        match = _XNAME.fullmatch(words[-1])
        if match is None or len(words) > 2:
            raise InvalidCommand(
                f"{path}, line {number}: {line.strip()!r} is not a node of an HPE Cray EX; expected"
                " x1000c0s0b0n0, or nid001000 x1000c0s0b0n0"
            )
        cabinet, chassis, slot, board, node = (int(part) for part in match.groups())
        if chassis >= CHASSIS_PER_CABINET or slot >= SLOTS_PER_CHASSIS:
            raise InvalidCommand(
                f"{path}, line {number}: {words[-1]} is outside of a cabinet, which has chassis 0"
                f" to {CHASSIS_PER_CABINET - 1} and slots 0 to {SLOTS_PER_CHASSIS - 1}"
            )
        place = (cabinet, chassis, slot, board, node)
        if place in host_of:
            raise InvalidCommand(f"{path}, line {number}: {words[-1]} is named twice")
        host_of[place] = words[0]
    if not host_of:
        raise InvalidCommand(f"{path} names no node; expected lines like x1000c0s0b0n0")
    return host_of
