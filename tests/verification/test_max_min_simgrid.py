"""Max-min fair flows beside SimGrid's, which come from other hands: the times at which they end.

SimGrid gets our routes, link by link, and no latency: its default weighs flows by theirs.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support import captured, environment
from waywiser.native._native import Speeds, Topology, flow_arrivals_ns, make_topology

SOURCE = Path(__file__).with_name("simgrid_flows.cpp")
RELATIVE = 1e-3

NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "fat tree": ("k-ary-n-tree", {"k": 5, "n": 3}),
    "tapered fat tree": ("fat-tree", {"down": [6, 6, 4], "up": [1, 3, 2]}),
    "torus": ("torus", {"lengths": [5, 4, 6]}),
    "dragonfly": ("dragonfly", {"nodes_per_switch": 2, "switches_per_group": 4, "groups": 9}),
}


@pytest.fixture(scope="module")
def simgrid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not Path("/usr/include/simgrid/s4u.hpp").is_file() or shutil.which("c++") is None:
        pytest.skip("needs SimGrid (libsimgrid-dev) and a C++ compiler")
    program = tmp_path_factory.mktemp("simgrid") / "flows"
    command = ["c++", "-O1", "-std=c++17", str(SOURCE), "-o", str(program), "-lsimgrid"]
    captured(command, check=True, timeout=300)
    return program


def ends_s(
    program: Path, topology: Topology, flows: list[tuple[int, int, float, float]]
) -> list[float]:
    """Ends by SimGrid [s] of flows from a to b that start at a time [ns] with some bytes."""
    lines = [
        f"{len(topology.link_cables)}",
        *(f"{cables * 1e9}" for cables in topology.link_cables),
    ]
    lines.append(f"{len(flows)}")
    for a, b, start_ns, size in flows:
        route = topology.route(a, b)
        assert all(part == 1 for _, part in route)
        links = " ".join(str(link) for link, _ in route)
        lines.append(f"{start_ns * 1e-9!r} {size:.0f} {len(route)} {links}")
    done = subprocess.run(
        [program],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env=environment(),
    )
    return [float(line) for line in done.stdout.split()]


def compare(program: Path, topology: Topology, flows: list[tuple[int, int, float, float]]) -> None:
    a, b, start_ns, size = (np.array(column) for column in zip(*flows, strict=True))
    arrivals = flow_arrivals_ns(
        topology, Speeds(1.0), a.astype(np.uint32), b.astype(np.uint32), start_ns, size
    )

    took_s = np.array(ends_s(program, topology, flows)) - start_ns * 1e-9

    assert np.max(np.abs((arrivals - start_ns) * 1e-9 / took_s - 1)) < RELATIVE


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("network", NETWORKS)
def test_random_permutations_end_when_simgrid_says(simgrid: Path, network: str, seed: int) -> None:
    topology = make_topology(*NETWORKS[network])
    random = np.random.default_rng(seed)
    pairs = enumerate(random.permutation(topology.nodes).tolist())

    compare(simgrid, topology, [(a, b, 0.0, 1e6) for a, b in pairs if a != b])


@pytest.mark.parametrize("seed", [4, 5])
@pytest.mark.parametrize("network", NETWORKS)
def test_flows_that_come_and_go_end_when_simgrid_says(
    simgrid: Path, network: str, seed: int
) -> None:
    topology = make_topology(*NETWORKS[network])
    random = np.random.default_rng(seed)
    flows = []
    for _ in range(200):
        a, b = random.choice(topology.nodes, 2, replace=False).tolist()
        flows.append((a, b, float(random.uniform(0, 4e6)), float(random.integers(1, 4_000_000))))

    compare(simgrid, topology, flows)
