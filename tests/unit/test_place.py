"""`waywiser place` from a matrix: against all orders of six ranks, and with bad input."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support import BIN, ROOT, document, printed
from waywiser.analyse.placement import cost_of, job_of
from waywiser.analyse.traffic import Traffic
from waywiser.machines.allocation import allocation_of
from waywiser.machines.library import read_machine, topology_of

Weights = dict[tuple[int, int], int]


def write_matrix(path: Path, weights: Weights, ranks: int) -> None:
    lines = [f"{a + 1} {b + 1} {amount}\n" for (a, b), amount in weights.items()]
    head = f"%%MatrixMarket matrix coordinate integer general\n{ranks} {ranks} {len(lines)}\n"
    path.write_text(head + "".join(lines))


def random_weights(seed: int, ranks: int = 6) -> Weights:
    rng = random.Random(seed)
    pairs = [(a, b) for a in range(ranks) for b in range(ranks) if a != b]
    return {pair: rng.randint(1, 1000) for pair in rng.sample(pairs, 12)}


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_matrix(tmp_path / "six.mtx", {(0, 3): 10, (3, 0): 10, (1, 4): 10, (2, 5): 10}, 6)
    (tmp_path / "three").write_text("n0 slots=2\nn1 slots=2\nn2 slots=2\n")
    (tmp_path / "six").write_text("n0\nn1\nn2\nn3\nn4\nn5\n")
    return tmp_path


def place(*words: str) -> Any:
    return document("place", *words, schema="place")


def hops(machine: str, a: int, b: int) -> int:
    """Hops between nodes of the two machines: via one switch, or via two."""
    if a == b:
        return 0
    return 2 if machine == "rig-3" or a // 2 == b // 2 else 3


@pytest.mark.parametrize(("machine", "hosts"), [("rig-3", "three"), ("rig-6", "six")])
@pytest.mark.parametrize("seed", range(3))
def test_no_order_of_six_ranks_is_cheaper(
    directory: Path, machine: str, hosts: str, seed: int
) -> None:
    weights = random_weights(seed)
    write_matrix(directory / "random.mtx", weights, 6)

    placement = place("random.mtx", "--on", machine, "--hosts", hosts)

    nodes = [0, 0, 1, 1, 2, 2] if machine == "rig-3" else [0, 1, 2, 3, 4, 5]

    def hop_bytes(where: tuple[int, ...]) -> float:
        costs = (w * hops(machine, where[a], where[b]) for (a, b), w in weights.items())
        return sum(costs) / 2

    assert placement["before"]["hop_bytes"] == hop_bytes(tuple(nodes))
    assert placement["after"]["hop_bytes"] == min(map(hop_bytes, itertools.permutations(nodes)))
    where = tuple(int(host.removeprefix("n")) for host in placement["host_of_rank"])
    assert hop_bytes(where) == placement["after"]["hop_bytes"]
    by_hops = [0] * len(placement["after"]["bytes_by_hops"])
    for (a, b), amount in weights.items():
        by_hops[hops(machine, where[a], where[b])] += amount
    assert placement["after"]["bytes_by_hops"] == by_hops


def test_what_a_rank_sends_to_itself_travels_nowhere() -> None:
    machine = read_machine("rig-3")
    ends = np.array([[0, 0], [0, 1]], dtype=np.uint32)
    sent = np.array([5, 7], dtype=np.uint64)
    traffic = Traffic(2, ends[:, 0].copy(), ends[:, 1].copy(), sent, np.zeros_like(sent))
    allocation = allocation_of(machine, "n0\nn1\n", "hosts", slots=1)

    job = job_of(traffic, machine, topology_of(machine), allocation, source="hosts")

    assert cost_of(job, (0, 1)).bytes_by_hops == (0, 0, 7)


def test_the_orders_of_the_papers(directory: Path) -> None:
    words = ("six.mtx", "--on", "rig-3", "--hosts", "three", "--order")

    def hosts_of(*order: str) -> list[str]:
        hosts: list[str] = place(*words, *order)["host_of_rank"]
        return hosts

    assert hosts_of("default") == ["n0", "n0", "n1", "n1", "n2", "n2"]
    assert hosts_of("round-robin") == ["n0", "n1", "n2", "n0", "n1", "n2"]
    shuffles = {tuple(hosts_of("random", "--seed", str(seed))) for seed in range(8)}
    assert all(sorted(shuffle) == ["n0", "n0", "n1", "n1", "n2", "n2"] for shuffle in shuffles)
    assert len(shuffles) > 4
    assert hosts_of("random", "--seed", "3") == hosts_of("random", "--seed", "3")


def test_files_for_the_launcher(directory: Path) -> None:
    words = ("six.mtx", "--on", "rig-3", "--hosts", "three", "--for", "openmpi", "-o", "placed")

    placement = place(*words)

    lines = [f"rank {rank}={host}\n" for rank, host in enumerate(placement["host_of_rank"])]
    assert (directory / "placed").read_text() == "".join(lines)
    assert (directory / "placed.hosts").read_text() == "n0 slots=2\nn1 slots=2\nn2 slots=2\n"
    assert json.loads((directory / "placed.json").read_text()) == placement
    assert placement["command"] == (
        "mpirun --hostfile placed.hosts --map-by rankfile:FILE=placed -n 6 PROGRAM"
    )


def test_renumbering_takes_the_first_slots(directory: Path) -> None:
    """A launcher starts six ranks on the first six of eight slots."""
    rig = (ROOT / "machines" / "rig-3.toml").read_text(encoding="utf-8")
    (directory / "rig.toml").write_text(rig.replace("cores = 2", "cores = 3"))
    (directory / "more").write_text("n0 slots=2\nn1 slots=3\nn2 slots=3\n")
    words = ("six.mtx", "--on", "rig.toml", "--hosts", "more", "--for", "rerank", "-o", "order")

    placement = place(*words)

    assert sorted(placement["order"]) == list(range(6))
    assert (directory / "order").read_text().split() == [str(slot) for slot in placement["order"]]


def test_messages_beside_a_matrix_take_time(directory: Path) -> None:
    """A message on rig-3 costs 9 + 2 x 2 us and 2 hops of 0.1 us, a byte 1/6.2 ns on each cable."""
    write_matrix(directory / "six.mtx.messages.mtx", {(0, 3): 5, (1, 4): 1}, 6)
    words = ("six.mtx", "--on", "rig-3", "--hosts", "three")

    before = place(*words, "--objective", "time")["before"]

    five_messages = 5 * 13.2e-6
    assert before["seconds"] == pytest.approx(five_messages, rel=1e-12)
    # n0 and n1 send 20 bytes each, and n2 gets 20: the slowest way has two such cables.
    assert before["seconds_at_most"] == pytest.approx(five_messages + 40 / 6.2e9, rel=1e-12)
    assert "Communication time" in printed("place", *words)


@pytest.mark.parametrize("kind", ["hyperx", "torus"])
def test_networks_that_route_by_load_are_named(directory: Path, kind: str) -> None:
    rig = (ROOT / "machines" / "rig-3.toml").read_text(encoding="utf-8")
    switches = "switches = 1\nnodes_per_switch = 3"
    assert switches in rig
    grid = rig.replace(switches, "lengths = [3, 1]\nnodes_per_switch = 1")
    (directory / "grid.toml").write_text(grid.replace('"all-to-all"', f'"{kind}"'))

    placement = place("six.mtx", "--on", "grid.toml", "--hosts", "three")

    sentences = [
        remark
        for remark in placement["remarks"]
        if remark.startswith("Hops and loads of links are")
    ]
    assert len(sentences) == (1 if kind == "hyperx" else 0)


def test_nothing_to_gain(directory: Path) -> None:
    write_matrix(directory / "good.mtx", {(0, 1): 5, (2, 3): 5, (4, 5): 5}, 6)

    assert "Nothing is to be gained" in printed(
        "place", "good.mtx", "--on", "rig-3", "--hosts", "three"
    )


def test_help_lists_the_forms() -> None:
    done = subprocess.run(
        [BIN / "waywiser", "place", "--help"], capture_output=True, text=True, check=True
    )
    assert "openmpi-seq" in done.stdout
    assert "rerank" in done.stdout
