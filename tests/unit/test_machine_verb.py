"""`waywiser machine`: what it prints is right by brute force, and fits its schemas."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from tests.machine_files import machine_file
from tests.support import document, printed
from waywiser.machines import metrics
from waywiser.machines.candidates import candidates
from waywiser.machines.drawing import drawing_of
from waywiser.machines.library import read_machine, shipped, topology_of
from waywiser.machines.metrics import network_metrics
from waywiser.model.machine_drawing import Drawing
from waywiser.model.machine_metrics import MachineComparison, MachineList, MachineMetrics
from waywiser.native import _native as native
from waywiser.report.machines.plot import machine_svg

THREE_PAIRS = 'kind = "all-to-all"\nswitches = 3\nnodes_per_switch = 2'


def rig(topology: str = THREE_PAIRS, title: str = "Six") -> str:
    return machine_file(topology, title=title, top='hosts = ["n[0-5]"]', cores=2, link=10)


def shown(*words: str) -> str:
    return printed("machine", *words)


def graph_of(topology: native.Topology) -> dict[int, Counter[int]]:
    """Vertices -> their neighbours with the cables to each."""
    graph: dict[int, Counter[int]] = {}
    for a, b, cables in zip(
        topology.link_from.tolist(),
        topology.link_to.tolist(),
        topology.link_cables.tolist(),
        strict=True,
    ):
        graph.setdefault(a, Counter())[b] += round(cables)
    return graph


def distances(graph: dict[int, Counter[int]], start: int, nodes: int) -> dict[int, int]:
    """Distances by breadth-first search; nodes on switches pass nothing on."""
    passes = len(graph) == nodes
    hops = {start: 0}
    reached = [start]
    for vertex in reached:
        if vertex == start or passes or vertex >= nodes:
            for neighbour in graph[vertex]:
                if neighbour not in hops:
                    hops[neighbour] = hops[vertex] + 1
                    reached.append(neighbour)
    return hops


@pytest.mark.parametrize("nodes", [24, 100])
def test_metrics_of_sized_networks_are_those_of_their_links(nodes: int) -> None:
    """Distances and cables by search, the busiest link by following each route."""
    for network in candidates(nodes, 12):
        topology = native.make_topology(network.kind, network.parameters)
        computed = network_metrics(topology)
        graph = graph_of(topology)
        assert computed.nodes >= nodes, network
        assert max(cables.total() for cables in graph.values()) <= 12, network

        loads: defaultdict[int, float] = defaultdict(float)
        followed: list[float] = []
        for a, b in itertools.permutations(range(topology.nodes), 2):
            route = topology.route(a, b)
            followed.append(sum(part for _, part in route))
            for link, part in route:
                loads[link] += part / (topology.nodes - 1)
        hops = [
            away
            for a in range(topology.nodes)
            for b, away in distances(graph, a, topology.nodes).items()
            if b != a and b < topology.nodes
        ]
        # Minimal routes of a dragonfly pass no third group, though it be shorter.
        if network.kind == "dragonfly":
            assert sum(followed) >= sum(hops)
            hops = [round(length) for length in followed]
        assert sum(followed) == pytest.approx(sum(hops)), network
        busiest = max(load / topology.link_cables[link] for link, load in loads.items())

        assert computed.diameter_hops == max(hops), network
        assert computed.mean_hops == pytest.approx(np.mean(hops)), network
        assert computed.busiest_link == pytest.approx(busiest), network
        assert (computed.switches, computed.sampled) == (len(graph) - topology.nodes, False), (
            network
        )
        assert 2 * (computed.host_cables + computed.network_cables) == sum(
            cables.total() for cables in graph.values()
        ), network


@pytest.mark.parametrize("ports", [8, 36, 64])
@pytest.mark.parametrize("nodes", [2, 3, 31, 288, 1024, 5000])
def test_candidates_have_room_and_keep_to_their_ports(nodes: int, ports: int) -> None:
    networks = candidates(nodes, ports)

    for network in networks:
        topology = native.make_topology(network.kind, network.parameters)
        used = np.zeros(topology.nodes + topology.switches)
        np.add.at(used, topology.link_from, topology.link_cables)
        assert topology.nodes >= nodes, network
        assert used.max() <= ports, network
    assert networks or nodes == 5000


def test_a_sample_of_pairs_comes_near_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    topology = native.make_topology("hypercube", {"dimensions": 5, "nodes_per_switch": 9})
    exact = network_metrics(topology)
    monkeypatch.setattr(metrics, "MOST_PAIRS", 288 * 100)
    sampled = network_metrics(topology)

    assert (exact.sampled, sampled.sampled) == (False, True)
    assert sampled.busiest_link == pytest.approx(exact.busiest_link, rel=0.25)


def test_the_list_has_each_machine() -> None:
    text = shown("list")
    listing = MachineList.model_validate(document("machine", "list", schema="machine-list"))

    assert [machine.name for machine in listing.machines] == list(shipped())
    for machine in listing.machines:
        assert machine.name in text
        assert machine.title in text


def test_a_small_machine_is_shown_and_drawn(tmp_path: Path) -> None:
    path = tmp_path / "six.toml"
    path.write_text(rig())

    text = shown("show", str(path))
    machine_metrics = MachineMetrics.model_validate(
        document("machine", "show", str(path), schema="machine-show")
    )

    assert (machine_metrics.network.diameter_hops, machine_metrics.network.network_cables) == (3, 3)
    # Two nodes of a switch send to four others over two cables; 3 of 5 pairs would hold both up.
    assert machine_metrics.network.bisection_cables == 2
    assert machine_metrics.bisection_GBps_per_node == pytest.approx(2 * 10 / 3)
    assert "switch 0: n0, n1, switch 1, switch 2\nswitch 1: n2, n3" in text
    assert "3 of 2 nodes" in text


def test_a_grid_of_nodes_is_drawn_as_one(tmp_path: Path) -> None:
    path = tmp_path / "torus.toml"
    path.write_text(rig('kind = "torus"\nlengths = [3, 2]'))

    assert "n0 - n1 - n2\nn3 - n4 - n5" in shown("show", str(path))


@pytest.mark.parametrize("suffix", [".svg", ".html"])
@pytest.mark.parametrize(
    "topology",
    [
        'kind = "all-to-all"\nswitches = 3\nnodes_per_switch = 2\n',
        'kind = "torus"\nlengths = [3, 2]\n',
        'kind = "torus"\nlengths = [3, 2, 1]\n',
        'kind = "fat-tree"\ndown = [3, 2]\nup = [1, 2]\n',
        'kind = "hypercube"\ndimensions = 1\nnodes_per_switch = 3\nplanes = 2\n',
        'kind = "all-to-all"\nswitches = 1\nnodes_per_switch = 6\n',
    ],
)
def test_a_plot_has_each_vertex_in_its_own_place(
    tmp_path: Path, topology: str, suffix: str
) -> None:
    path, machine_svg = tmp_path / "m.toml", tmp_path / f"m{suffix}"
    path.write_text(rig(topology, "<Six> & more"))

    shown("show", str(path), "-o", str(machine_svg))

    text = machine_svg.read_text(encoding="utf-8")
    svg = ElementTree.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])
    space = "{http://www.w3.org/2000/svg}"
    nodes = [(circle.get("cx"), circle.get("cy")) for circle in svg.iter(f"{space}circle")]
    switches = [(rectangle.get("x"), rectangle.get("y")) for rectangle in svg.iter(f"{space}rect")]
    assert len(nodes) == 6
    assert len({*nodes, *switches}) == 6 + len(switches)
    assert svg.findtext(f"{space}title") == "<Six> & more"
    for x, y in [*nodes, *switches]:
        assert 0 <= float(x or -1) <= 900
        assert 0 <= float(y or -1) <= 900


def test_a_plot_of_many_joined_switches_is_small_and_joins_every_node() -> None:
    switches = range(600, 1200)
    between = ((a, b, 1) for a in switches for b in range(a + 1, 1200))
    names = tuple(f"v{vertex}" for vertex in range(1200))
    cables = (*((node, 600 + node, 1) for node in range(600)), *between)
    drawn = machine_svg(Drawing(title="M", names=names, nodes=600, cables=cables))

    lines = re.findall(r"M(\d+) (\d+)L", drawn)
    started = {complex(int(x), int(y)) for x, y in lines}
    nodes = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)
    assert len(drawn) < 1_000_000
    assert len(nodes) == 600
    for x, y in nodes:
        assert min(abs(complex(float(x), float(y)) - begin) for begin in started) < 1
    assert len(lines) == len(range(0, len(cables), 10)) + 540
    assert "One in 10 links between switches is drawn" in drawn


def test_vertices_have_their_names_where_there_is_room() -> None:
    for nodes, labels in ((80, 80), (81, 41)):
        names = tuple(f"n{node}" for node in range(nodes))
        drawn = machine_svg(Drawing(title="M", names=names, nodes=nodes, cables=()))
        texts = re.findall(r'<text x="[\d.]+" y="[\d.]+"[^>]*>(n\d+)</text>', drawn)
        assert len(texts) == labels


@pytest.mark.parametrize(
    ("name", "islands", "switches", "says"),
    [
        ("frontier", 74, 0, "island of 128 nodes and 32 switches"),
        ("nurion", 264, 8, "island of 32 nodes and 1 switch"),
        ("cheyenne", 56, 0, "island of 72 nodes and 8 switches"),
    ],
)
def test_a_large_machine_is_drawn_by_its_islands(
    name: str, islands: int, switches: int, says: str
) -> None:
    machine = read_machine(name)
    topology = topology_of(machine)
    drawing = drawing_of(machine)

    assert (drawing.nodes, len(drawing.names) - drawing.nodes) == (islands, switches)
    assert drawing.island == says
    # No cable between islands is lost, and none within one is drawn.
    group = topology.groupings[[int(g.max()) + 1 for g in topology.groupings].index(islands)]
    inside = dict(enumerate(group.tolist()))
    graph = graph_of(topology)
    for vertex in range(topology.nodes, topology.nodes + topology.switches):
        near = {inside[node] for node in graph[vertex] if node < topology.nodes}
        inside[vertex] = near.pop() if len(near) == 1 else islands + vertex
    between = sum(
        cables
        for a, near in graph.items()
        for b, cables in near.items()
        if a < b and inside[a] != inside[b]
    )
    assert sum(count for *_, count in drawing.cables) == between
    drawn = machine_svg(drawing)
    assert f"</tspan> {says}</text>" in drawn
    assert re.search(r"<title>island 1: .* to .*, \d+ nodes and \d+ switch", drawn)
    labels = re.findall(r">(island \d+)</text>", drawn)
    assert len(labels) == -(-islands // -(-islands // 80))
    places = re.findall(r'<(?:circle c|rect )x="([\d.]+)" c?y="([\d.]+)"', drawn)
    assert len(set(places)) == islands + switches, "no mark hides another"


def test_networks_and_machines_stand_side_by_side() -> None:
    words = ("compare", "rig-6", "--nodes", "288")
    text = shown(*words)
    comparison = MachineComparison.model_validate(
        document("machine", *words, schema="machine-compare")
    )

    names = [network.name for network in comparison.networks]
    assert {"fat tree", "fat tree 2:1", "all-to-all", "torus 3-D", "dragonfly"} <= set(names)
    assert [machine.name for machine in comparison.machines] == ["rig-6"]
    lines = text.splitlines()
    for line, name in zip(lines[1:], [*names, "rig-6"], strict=False):
        assert line.startswith(name)
    by_name = {network.name: network.network for network in comparison.networks}
    # What the comparison is for: a taper halves the bisection, and holds up all-to-all traffic.
    assert by_name["fat tree"].bisection_cables_per_node == 1
    assert by_name["fat tree 2:1"].bisection_cables_per_node == pytest.approx(0.5)
    assert by_name["fat tree 2:1"].busiest_link > by_name["fat tree"].busiest_link


def test_an_imported_machine_is_one_that_can_be_shown(tmp_path: Path) -> None:
    (tmp_path / "topology.conf").write_text(
        "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\nSwitchName=s2 Switches=s[0-1]\n"
    )
    words = ("import", str(tmp_path / "topology.conf"), "--from", "slurm")

    on_screen = shown(*words)
    output = shown(*words, "-o", str(tmp_path / "m.toml"))

    assert (tmp_path / "m.toml").read_text(encoding="utf-8") == on_screen
    assert output == f"wrote {tmp_path / 'm.toml'}: The network of topology.conf\n"
    assert "8, each with 1 core" in shown("show", str(tmp_path / "m.toml"))
