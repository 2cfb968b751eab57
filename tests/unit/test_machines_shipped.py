"""The machines that come with Waywiser have the counts that are published of them."""

from __future__ import annotations

import functools

import pytest

from tests.support import ROOT
from waywiser.machines.library import read_machine, shipped, topology_of
from waywiser.machines.metrics import listed, machine_metrics
from waywiser.machines.text import machine_text
from waywiser.model.machine import parse_machine
from waywiser.model.machine_metrics import MachineMetrics
from waywiser.report.machines.terminal import list_text

PUBLISHED = {
    # name: nodes, switches, cables between switches, most hops between two nodes
    "rig-3": (3, 1, 0, 2),
    "rig-6": (6, 3, 3, 3),
    "fdr-4": (4, 1, 0, 2),
    "omni-path-32": (32, 1, 0, 2),
    # 32 vertices in each plane; 16 pairs in each of 5 dimensions with 4 cables.
    "ice-xa-288": (288, 64, 2 * 5 * 16 * 4, 2 + 5),
    # 264 edge switches with 16 cables up.
    "nurion": (8448, 264 + 8, 264 * 16, 4),
    # 46 groups of 16 switches that are all joined; two links between every two groups.
    "archer2": (46 * 128, 46 * 16, 46 * 120 + 2 * 46 * 45 // 2, 2 + 3),
    # 74 groups of 32 switches that are all joined; four links between every two groups.
    "frontier": (74 * 128, 74 * 32, 74 * 496 + 4 * 74 * 73 // 2, 2 + 3),
}


def test_each_machine_has_published_counts() -> None:
    assert {*PUBLISHED, "cheyenne"} == {path.stem for path in (ROOT / "machines").glob("*.toml")}
    assert set(shipped()) == {*PUBLISHED, "cheyenne"}


@functools.cache
def metrics(name: str) -> MachineMetrics:
    return machine_metrics(name, read_machine(name))


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_counts_are_those_published(name: str) -> None:
    network = metrics(name).network

    counted = (network.nodes, network.switches, network.network_cables, network.diameter_hops)
    assert counted == PUBLISHED[name]


def test_slingshot_routes_by_load() -> None:
    adaptive = {name for name in shipped() if read_machine(name).network.topology.is_adaptive}

    assert adaptive == {"archer2", "frontier"}


def test_cheyenne_is_a_cube_that_lacks_an_eighth() -> None:
    network = metrics("cheyenne").network

    pairs = sum(1 for vertex in range(448) for bit in range(9) if vertex < vertex ^ 1 << bit < 448)
    assert (network.nodes, network.switches) == (4032, 448)
    assert network.network_cables == 3 * pairs
    assert network.diameter_hops == 2 + 9
    # In the full cube each bundle of 3 cables carries what 9 nodes send, half of the time. Where
    # vertices lack, some carry more; were all bits cleared before others are set, 27 times as much.
    full = 9 / 2 / 3
    assert full < network.busiest_link < 3 * full


def test_the_list_says_what_each_is_used_by() -> None:
    used_by = {machine.name: machine.used_by for machine in listed().machines}

    assert used_by["archer2"] == used_by["frontier"] == ()
    assert used_by["nurion"] == ("whatif",)
    assert used_by["rig-6"] == ("place",)
    assert used_by["ice-xa-288"] == ("whatif", "place")
    assert used_by["rig-3"] == ("whatif", "place", "virtual")
    lines = list_text(listed()).splitlines()
    topology_only = {line.split()[0] for line in lines if "topology only" in line}
    assert (
        topology_only
        == {name for name in used_by if not read_machine(name).network.loggp}
        == used_by.keys() - {"rig-3"}
    )


def test_ice_xa_has_8064_cores() -> None:
    machine = read_machine("ice-xa-288")

    assert topology_of(machine).nodes * machine.node.cores == 8064
    assert [level.cores for level in machine.node.levels] == [14, 28]


def test_bisections_are_those_of_the_formulae() -> None:
    """Fat tree with a taper of 2: half of what nodes send; hypercube: the cables of a dimension."""
    nurion = metrics("nurion")
    ice = metrics("ice-xa-288")
    frontier = metrics("frontier")

    assert nurion.bisection_GBps_per_node == pytest.approx(12.5 / 2)
    assert ice.network.bisection_cables == 2 * 16 * 4
    # Per plane: 64 cables for the 144 nodes of a half.
    assert ice.bisection_GBps_per_node == pytest.approx(2 * 64 * 12.5 / 144)
    assert frontier.network.bisection_cables == 37 * 37 * 4


@pytest.mark.parametrize("name", [*PUBLISHED, "cheyenne"])
def test_each_says_where_it_comes_from(name: str) -> None:
    machine = read_machine(name)

    assert machine.source.document
    assert any(text.startswith("topology:") for text in machine.source.inferred) or name == "rig-3"
    assert parse_machine(machine_text(machine), name) == machine
