"""ww-mpibench on two hosts: which pairs it finds, and how well it knows the other host's clock."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rigs.hosts import Host, hosts, launcher_settings, why_not
from tests.support import MpiLibrary, environment, mpi_library, succeeded

pytestmark = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[list[Host]]:
    """Two hosts; the launcher runs on the first."""
    with hosts(["n0", "n1"], tmp_path) as started:
        yield started


def mpibench(openmpi: MpiLibrary, nodes: list[Host], *options: str) -> list[dict[str, Any]]:
    """The JSON lines of a run with two ranks on each host."""
    directory = nodes[0].directory
    launch: list[str | Path] = [openmpi.bin / "mpirun", "--host", "n0:2,n1:2", "-n", "4"]
    launch += ["--map-by", "ppr:2:node:oversubscribe", openmpi.program("ww-mpibench")]
    settings = environment(launcher_settings(directory))

    succeeded(nodes[0].run(*launch, *options, "--json=lines.jsonl", env=settings))

    lines = (directory / "lines.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("pairs", "firsts", "carriers"),
    [("inside", [0, 2], "shared memory"), ("between", [0, 1], "TCP")],
)
def test_pairs_are_within_hosts_or_between_them(
    openmpi: MpiLibrary, nodes: list[Host], pairs: str, firsts: list[int], carriers: str
) -> None:
    options = ("--benchmark=multi_latency", "--sizes=8", "--iterations=20", "--check")

    [line] = mpibench(openmpi, nodes, *options, f"--pairs={pairs}")

    assert line["verified"] is True
    assert line["details"]["hosts"] == 2
    assert line["details"]["carriers"] == carriers
    assert [histogram["rank"] for histogram in line["histograms"]] == firsts


def test_what_carries_a_collective_is_named_inside_hosts_and_between(
    openmpi: MpiLibrary, nodes: list[Host]
) -> None:
    [line] = mpibench(openmpi, nodes, "--benchmark=alltoall", "--sizes=64", "--iterations=20")

    assert line["details"]["carriers"] == "shared memory inside, TCP between hosts"


@pytest.mark.parametrize("counters", ["one", "node"])
def test_a_counter_is_drawn_from_by_all_or_by_the_ranks_of_its_node(
    openmpi: MpiLibrary, nodes: list[Host], counters: str
) -> None:
    options = ("--benchmark=counter,dynamic", "--iterations=50", "--tasks=8", "--task-us=50")

    lines = mpibench(openmpi, nodes, *options, f"--counters={counters}")

    assert [line["verified"] for line in lines] == [True, True]
    first, second = (
        sum(
            sum(histogram["counts"])
            for histogram in lines[0]["histograms"]
            if histogram["rank"] in ranks
        )
        for ranks in ((0, 1), (2, 3))
    )
    assert first + second == 4 * 50
    if counters == "node":
        assert first == second


@pytest.mark.alone("judges how exactly clocks are estimated, in microseconds")
def test_the_other_hosts_clock_is_estimated(openmpi: MpiLibrary, nodes: list[Host]) -> None:
    """These hosts are one machine, whose counter is the truth."""
    [line] = mpibench(openmpi, nodes, "--benchmark=barrier", "--iterations=20", "--separate-clocks")

    details = line["details"]
    assert details["hosts"] == 2
    assert 0 < details["clock_spread_ns"] <= details["clock_error_ns"]


@pytest.mark.parametrize(
    ("library", "form"),
    [
        ("openmpi", ["--host", "n0:2,n1:2", "-n", "2", "--map-by", "ppr:1:node"]),
        ("mpich", ["-hosts", "n0:2,n1:2", "-n", "2", "-ppn", "1"]),
        ("impi", ["-hosts", "n0,n1", "-n", "2", "-ppn", "1"]),
    ],
)
def test_the_forms_of_the_guide_measure_between_two_hosts(
    nodes: list[Host], library: str, form: list[str]
) -> None:
    """The forms are those of docs/machines.md for calibrations. UCX would find that these hosts are
    one machine, and go through its memory."""
    mpi = mpi_library(library)
    words = ["--benchmark=loggp", "--sizes=8,4096", "--iterations=5", "--json=network.json"]
    launch: list[str | Path] = [mpi.bin / "mpirun", *form, mpi.program("ww-mpibench"), *words]

    settings = launcher_settings(nodes[0].directory) | {"UCX_TLS": "tcp,self"}
    succeeded(nodes[0].run(*launch, env=environment(settings)))

    lines = (nodes[0].directory / "network.json").read_text(encoding="utf-8").splitlines()
    details = [json.loads(line)["details"] for line in lines]
    assert [detail["hosts"] for detail in details] == [2, 2]
    assert [detail["carriers"] for detail in details] == ["TCP", "TCP"]
    assert all(detail["receiver_busy_ns"] > 0 for detail in details)
