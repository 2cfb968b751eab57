"""Machines from what Slurm, Slingshot, InfiniBand and hwloc print, in their documented forms."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from waywiser.errors import InvalidCommand
from waywiser.machines.formats import FORMATS, import_machine
from waywiser.machines.hostlist import expand_all
from waywiser.machines.library import machine_from_text, topology_of
from waywiser.machines.text import machine_text
from waywiser.model.machine import Level, Machine, Nic

TREE = """\
# topology/tree
SwitchName=s0 Nodes=tux[0-3]
switchname=s1 NODES=tux[4-7] LinkSpeed=100   # case does not matter
SwitchName=s2 Nodes=tux[8-11]
SwitchName=s3 Switches=s[0-2]
"""

TREE_OF_SCONTROL = """\
SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-3]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=tux[4-7]
SwitchName=s2 Level=0 LinkSpeed=1 Nodes=tux[8-11]
SwitchName=s3 Level=1 LinkSpeed=1 Nodes=tux[0-11] Switches=s[0-2]
"""

UNEVEN = """\
SwitchName=leaf1 Nodes=n[0-2]
SwitchName=leaf2 Nodes=n3
SwitchName=spine1 Switches=leaf[1-2]
SwitchName=spine2 Switches=leaf[1-2]
"""

BLOCKS = """\
BlockName=b0 BlockIndex=0 Nodes=10.140.71.103,10.140.88.115 BlockSize=2
BlockName=b1 BlockIndex=1 Nodes=10.140.79.152,10.140.93.120 BlockSize=2
BlockName=b2 BlockIndex=2 Nodes=n[0-1] BlockSize=2
BlockName=b3 BlockIndex=3 Nodes=n[2-3] BlockSize=2
AggregatedBlock=b[0-1] BlockIndex=4 Nodes=10.140.71.103,10.140.79.152 BlockSize=4
AggregatedBlock=b[2-3] BlockIndex=5 Nodes=n[0-3] BlockSize=4
AggregatedBlock=b[0-3] BlockIndex=6 Nodes=n[0-3],10.140.71.103 BlockSize=8
"""

# The example of ibnetdiscover's manual page, with hosts' names, an adapter with two ports, and the
# aggregation node that a switch of the newer kinds runs for itself.
FABRIC = """\
#
# Topology file: generated on Tue Jun  5 14:15:10 2007
#
# Max of 3 hops discovered
# Initiated from node 0008f10403960558 port 0008f10403960559

Non-Chassis Nodes

vendid=0x8f1
devid=0x5a06
sysimgguid=0x5442ba00003000
switchguid=0x5442ba00003080(5442ba00003080)
Switch\t24 "S-005442ba00003080"\t\t# "ISR9024 Voltaire" base port 0 lid 6 lmc 0
[22]\t"H-0008f10403961354"[1](8f10403961355) \t\t# "n1 HCA-1" lid 4 4xFDR
[10]\t"S-0008f10400410015"[1]\t\t# "SW-6IB4 Voltaire" lid 3 4xFDR
[8]\t"H-0008f10403960558"[2](8f1040396055a) \t\t# "n2 HCA-1" lid 14 4xFDR
[6]\t"S-0008f10400410015"[3]\t\t# "SW-6IB4 Voltaire" lid 3 4xFDR
[12]\t"H-0008f10403960558"[1](8f10403960559) \t\t# "n2 HCA-1" lid 10 4xFDR
[25]\t"H-005442ba00003090"[1](5442ba00003090) \t\t# "Aggregation Node" lid 9 4xFDR

switchguid=0x8f10400410015(8f10400410015)
Switch\t8 "S-0008f10400410015"\t\t# "SW-6IB4 Voltaire" base port 0 lid 3 lmc 0
[6]\t"H-0008f10403960984"[1](8f10403960985) \t\t# "n3 HCA-1" lid 16 4xFDR
[4]\t"H-005442b100004900"[1](5442b100004901) \t\t# "n4 HCA-1" lid 12 4xQDR
[1]\t"S-005442ba00003080"[10]\t\t# "ISR9024 Voltaire" lid 6 4xFDR
[3]\t"S-005442ba00003080"[6]\t\t# "ISR9024 Voltaire" lid 6 4xFDR

caguid=0x5442ba00003090
Ca\t1 "H-005442ba00003090"\t\t# "Mellanox Technologies Aggregation Node"
[1](5442ba00003090) \t"S-005442ba00003080"[25]\t\t# lid 9 lmc 0 "ISR9024 Voltaire" lid 6 4xFDR

caguid=0x8f10403961354
Ca\t2 "H-0008f10403961354"\t\t# "n1 HCA-1"
[1](8f10403961355) \t"S-005442ba00003080"[22]\t\t# lid 4 lmc 1 "ISR9024 Voltaire" lid 6 4xFDR

caguid=0x8f10403960558
Ca\t2 "H-0008f10403960558"\t\t# "n2 HCA-1"
[2](8f1040396055a) \t"S-005442ba00003080"[8]\t\t# lid 14 lmc 1 "ISR9024 Voltaire" lid 6 4xFDR
[1](8f10403960559) \t"S-005442ba00003080"[12]\t\t# lid 10 lmc 1 "ISR9024 Voltaire" lid 6 4xFDR

caguid=0x8f10403960984
Ca\t2 "H-0008f10403960984"\t\t# "n3 HCA-1"
[1](8f10403960985) \t"S-0008f10400410015"[6]\t\t# lid 16 lmc 1 "SW-6IB4 Voltaire" lid 3 4xFDR

caguid=0x5442b100004900
Ca\t2 "H-005442b100004900"\t\t# "n4 HCA-1"
[1](5442b100004901) \t"S-0008f10400410015"[4]\t\t# lid 12 lmc 1 "SW-6IB4 Voltaire" lid 3 4xQDR
"""


def imported(
    directory: Path, form: str, text: str, chassis_per_group: int | None = None
) -> Machine:
    path = directory / "file"
    path.write_text(text, encoding="utf-8")
    machine = import_machine(form, path, chassis_per_group=chassis_per_group)
    assert machine_from_text(machine_text(machine), "written") == machine
    return machine


def hops(machine: Machine, a: str, b: str) -> int:
    numbers = {host: place for place, host in enumerate(expand_all(machine.hosts))}
    from_node, to_node = (np.array([numbers[host]], dtype=np.uint32) for host in (a, b))
    return int(topology_of(machine).hops(from_node, to_node)[0])


@pytest.mark.parametrize("text", [TREE, TREE_OF_SCONTROL])
def test_a_tree_of_slurm_is_a_hierarchy(tmp_path: Path, text: str) -> None:
    machine = imported(tmp_path, "slurm", text)

    assert machine.hosts == ("tux[0-11]",)
    assert machine.network.topology.kind == "hierarchy"
    assert machine.network.topology.parameters == {"sizes": [4, 3]}
    assert hops(machine, "tux0", "tux3") == 2
    assert hops(machine, "tux3", "tux4") == 4


def test_an_uneven_network_of_slurm_is_a_graph(tmp_path: Path) -> None:
    machine = imported(tmp_path, "slurm", UNEVEN)

    assert expand_all(machine.hosts) == ["n0", "n1", "n2", "n3"]
    assert expand_all(machine.switches) == ["leaf1", "leaf2", "spine1", "spine2"]
    assert machine.network.topology.kind == "graph"
    assert topology_of(machine).properties.network_cables == 4
    assert (hops(machine, "n0", "n2"), hops(machine, "n0", "n3")) == (2, 4)


def test_blocks_of_slurm_nest_by_their_aggregates(tmp_path: Path) -> None:
    machine = imported(tmp_path, "slurm", BLOCKS)

    assert machine.network.topology.parameters == {"sizes": [2, 2, 2]}
    assert hops(machine, "10.140.71.103", "10.140.88.115") == 2
    assert hops(machine, "10.140.71.103", "10.140.79.152") == 4
    assert hops(machine, "10.140.71.103", "n3") == 6
    blocks = "".join(f"BlockName=b{i} Nodes=n[{2 * i}-{2 * i + 1}]\n" for i in range(8))
    sized = imported(tmp_path, "slurm", f"{blocks}BlockSizes=2,4,8\n")
    assert sized.network.topology.parameters == {"sizes": [2, 2, 2, 2]}
    flat = imported(tmp_path, "slurm", "BlockName=b0 Nodes=n[0-1]\nBlockName=b1 Nodes=n[2-3]\n")
    assert flat.network.topology.parameters == {"sizes": [2, 2]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "file has no line SwitchName=… or BlockName=…, as topology.conf and `scontrol"),
        ("SwitchName=s0 Nodes", "file, line 1: 'Nodes' is not a KEY=VALUE pair of Slurm"),
        ("SwitchName=s0", "s0 has neither Switches nor Nodes"),
        ("SwitchName=s0 Switches=s0", "switch s0 is below itself"),
        ("SwitchName=s0 Switches=s1\nSwitchName=s1 Switches=s0", "names no host"),
        ("SwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=b", "nothing joins a and b; a machine is one"),
        (
            "AggregatedBlock=b0 Nodes=b0",
            "file has no line SwitchName=… or BlockName=…, as topology.c",
        ),
        (
            "BlockName=all Nodes=n[4-7]\nAggregatedBlock=n[4-7]\nAggregatedBlock=all",
            "file: switches: ",
        ),
        ("SwitchName=s0 Nodes=n[1-", r"'n\[1-' is not a list of hosts"),
    ],
)
def test_what_is_no_network_of_slurm_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InvalidCommand, match=says) as raised:
        imported(tmp_path, "slurm", text)
    assert "\n" not in str(raised.value)


def test_a_fabric_is_a_graph_of_its_cables(tmp_path: Path) -> None:
    machine = imported(tmp_path, "ibnetdiscover", FABRIC)

    assert expand_all(machine.hosts) == ["n1", "n2", "n3", "n4"]
    assert expand_all(machine.switches) == ["ISR9024-Voltaire", "SW-6IB4-Voltaire"]
    # n2 has two cables to its switch, and the switches have two between them.
    properties = topology_of(machine).properties
    assert (properties.host_cables, properties.network_cables, properties.diameter) == (5, 2, 3)
    # 4 lanes of 14.0625 Gbit/s, of which 64 of 66 bits are data; most links are FDR.
    assert machine.network.link_bandwidth_GBps == pytest.approx(6.818, abs=1e-3)


def test_hosts_that_share_a_name_with_a_switch_stay_apart(tmp_path: Path) -> None:
    text = FABRIC.replace('"ISR9024 Voltaire"', '"same"').replace('"SW-6IB4 Voltaire"', '"same"')

    machine = imported(tmp_path, "ibnetdiscover", text)

    assert expand_all(machine.switches) == ["S-005442ba00003080", "S-0008f10400410015"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no line like Switch 36"),
        ("Sw 24 x\n[1] y", "has no line like Switch 36"),
        ('Switch\t8 "S-1"\t\t# "a" base port 0 lid 3 lmc 0\n', "names no host"),
        (re.sub(r"\n\[(10|6|1|3)\]\t\"S-.*", "", FABRIC), "nothing joins n1 and n3"),
    ],
)
def test_what_is_no_fabric_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InvalidCommand, match=says):
        imported(tmp_path, "ibnetdiscover", text)


def test_names_of_slingshot_nodes_tell_the_dragonfly(tmp_path: Path) -> None:
    """Two cabinets of 8 chassis with 8 blades of 4 nodes: 256 nodes and 32 switches each."""
    text = "".join(
        f"nid{256 * x + 32 * c + 4 * s + 2 * b + n:06} x{1000 + x}c{c}s{s}b{b}n{n}\n"
        for x in range(2)
        for c in range(8)
        for s in range(8)
        for b in range(2)
        for n in range(2)
    )

    machine = imported(tmp_path, "slingshot", text)

    assert machine.hosts == ("nid[000000-000511]",)
    topology = topology_of(machine)
    assert (topology.nodes, topology.switches) == (512, 64)
    assert hops(machine, "nid000000", "nid000007") == 2  # slots 0 and 1 share a switch
    assert hops(machine, "nid000000", "nid000008") == 3  # another one of the group
    assert hops(machine, "nid000000", "nid000255") == 3
    assert hops(machine, "nid000000", "nid000256") in (3, 4, 5)
    assert machine.network.topology.is_adaptive
    halves = imported(tmp_path, "slingshot", text, chassis_per_group=4)
    assert halves.network.topology.parameters["groups"] == 4
    assert halves.network.topology.parameters["switches_per_group"] == 16


def test_places_without_a_node_keep_their_numbers(tmp_path: Path) -> None:
    machine = imported(tmp_path, "slingshot", "x1000c0s0b0n0\nx1000c0s2b0n0\nx1003c7s7b0n0\n")

    hosts = expand_all(machine.hosts)
    assert len(hosts) == 2 * 64
    assert [hosts.index(name) for name in ("x1000c0s0b0n0", "x1000c0s2b0n0")] == [0, 2]
    assert hosts[-1] == "x1003c7s7b0n0"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "names no node; expected lines like x1000c0s0b0n0"),
        (
            "nid000001\n",
            "line 1: 'nid000001' is not a node of an HPE Cray EX; expected x1000c0s0b0n0",
        ),
        ("x1000c0s0b0n0\nx1000c0s0b0n0\n", "line 2: x1000c0s0b0n0 is named twice"),
        ("x1000c8s0b0n0\n", "x1000c8s0b0n0 is outside of a cabinet, which has chassis 0 to 7"),
        ("x3000c0r39b0\n", "is not a node of an HPE Cray EX"),
    ],
)
def test_what_is_no_name_of_a_slingshot_node_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InvalidCommand, match=says):
        imported(tmp_path, "slingshot", text)


def objects(kind: str, inside: str, attributes: str = "") -> str:
    return f'<object type="{kind}" {attributes}>{inside}</object>\n'


def cores(count: int) -> str:
    return objects("Core", objects("PU", "") * 2) * count


def nic(name: str, kind: int) -> str:
    device = objects("OSDev", "", f'name="{name}" osdev_type="{kind}"')
    return objects("Bridge", objects("PCIDev", device))


def xml(inside: str) -> str:
    return f'<?xml version="1.0"?>\n<topology version="2.0">{objects("Machine", inside)}</topology>'


def package(nic_name: str, kind: int) -> str:
    """Two memories with two L3 each, of four cores; in version 2 a memory holds no cores itself."""
    domain = objects("NUMANode", "") + objects("L3Cache", cores(4)) * 2
    return objects("Package", objects("Group", domain) * 2 + nic(nic_name, kind))


def test_hwloc_tells_levels_sockets_and_nics(tmp_path: Path) -> None:
    node = imported(tmp_path, "hwloc", xml(package("mlx5_0", 3) + package("ib0", 2))).node

    assert (node.sockets, node.cores) == (2, 32)
    assert node.levels == (
        Level(name="L3", cores=4),
        Level(name="NUMA", cores=8),
        Level(name="socket", cores=16),
        Level(name="node", cores=32, distance=1),
    )
    assert node.nics == (Nic(name="mlx5_0", socket=0),)


def test_levels_of_unequal_parts_are_left_out(tmp_path: Path) -> None:
    uneven = objects("Package", objects("L3Cache", cores(4)) + objects("L3Cache", cores(2)))

    node = imported(tmp_path, "hwloc", xml(uneven * 2)).node

    assert [(level.name, level.cores) for level in node.levels] == [("socket", 6), ("node", 12)]


def test_interfaces_count_where_there_is_no_faster_nic(tmp_path: Path) -> None:
    node = imported(tmp_path, "hwloc", xml(objects("Package", cores(2) + nic("eth0", 2)))).node

    assert node.nics == (Nic(name="eth0", socket=0),)
    assert node.levels == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not valid XML"),
        ("<topology", "is not valid XML"),
        ("<html></html>", "has no cores; expected what `lstopo --of xml FILE` writes"),
        (xml(objects("Package", cores(2)) + objects("Package", cores(1))), "3 cores cannot be sh"),
    ],
)
def test_what_is_not_of_hwloc_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InvalidCommand, match=says):
        imported(tmp_path, "hwloc", text)


@pytest.mark.skipif(shutil.which("lstopo") is None, reason="lstopo (hwloc) is not installed")
@pytest.mark.parametrize("version", [(), ("--export-xml-flags", "1")])
def test_what_lstopo_itself_writes_is_read(tmp_path: Path, version: tuple[str, ...]) -> None:
    """A synthetic node, as version 2 and as version 1 of hwloc write it."""
    written = subprocess.run(
        ["lstopo", "--of", "xml", *version, "-i", "package:2 numa:2 l3:2 core:4 pu:2", "-"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    node = imported(tmp_path, "hwloc", written).node

    assert [(level.name, level.cores) for level in node.levels] == [
        *(("L3", 4), ("NUMA", 8), ("socket", 16), ("node", 32))
    ]


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"hwloc"}))
def test_the_inside_of_nodes_can_be_added(tmp_path: Path, form: str) -> None:
    texts = {"slurm": TREE, "ibnetdiscover": FABRIC, "slingshot": "x1000c0s0b0n0\n"}
    (tmp_path / "file").write_text(texts[form], encoding="utf-8")
    (tmp_path / "node.xml").write_text(xml(package("mlx5_0", 3)), encoding="utf-8")

    plain = import_machine(form, tmp_path / "file")
    machine = import_machine(form, tmp_path / "file", tmp_path / "node.xml")

    assert (plain.node.cores, machine.node.cores) == (1, 16)
    assert any("cores of a node" in text for text in plain.source.inferred)
    assert not any("cores of a node" in text for text in machine.source.inferred)
