"""tools/placement_study.py: slowdowns, estimates and patterns against closed forms."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support import document
from tests.synthetic_placements import COST, placement
from tools import placement_study
from waywiser.machines.library import read_machine
from waywiser.model.placement import PlacementCost
from waywiser.store.matrix_market import read_matrix_market


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> None:
    monkeypatch.setattr(sys, "argv", ["placement_study.py", *map(str, words)])
    placement_study.main()


def cost(low: float, high: float, **costs: float) -> PlacementCost:
    return COST.replace(seconds=low, seconds_at_most=high, **costs)


def test_slowdowns_are_over_the_best_default_order() -> None:
    slowdowns = placement_study.slowdowns(
        {"torus": (cost(3, 5), cost(1, 1)), "tree": (cost(1, 3), cost(2, 2))}
    )

    assert slowdowns["torus"] == placement_study.Slowdown(default=2.0, placed=0.5)
    assert slowdowns["tree"] == placement_study.Slowdown(default=1.0, placed=1.0)


def test_time_in_mpi_changes_as_bytes_that_leave_nodes_do() -> None:
    before = COST.replace(
        hop_bytes=100.0, off_node_bytes=30.0, bytes_by_hops=(30, 0, 30), busiest_link_bytes=10.0
    )
    after = before.replace(hop_bytes=80.0, busiest_link_bytes=11.0)

    assert placement_study.changes_of_mpi(before, after) == pytest.approx((-0.1, 0.05))


def test_orders_stand_side_by_side_and_the_best_may_be_the_default_one() -> None:
    before = COST.replace(
        hop_bytes=100.0, off_node_bytes=30.0, bytes_by_hops=(30, 0, 30), busiest_link_bytes=10.0
    )
    result = placement("n0", "n1").replace(method="default", after=before)

    lines = placement_study.orders_text([result, result], 50).splitlines()

    assert [line.split()[0] for line in lines] == ["order", "default", "placed", "placed"]
    assert lines[-1].endswith(
        "+0.0 % to +0.0 % of the time in MPI, +0.0 % to +0.0 % of the run time"
    )


def test_bandwidth_of_a_node_over_ranks() -> None:
    before = cost(1, 3, off_node_bytes=8e9, hosts=2).replace(bytes_by_hops=(1, 0, 1, 1, 1))
    result = placement("n0", "n1").replace(before=before, after=before)

    (first, second) = placement_study.hops_rows([result])

    assert first == {"ranks": 2, "order": "default", "GBps": 2.0, "one_cable": 0.75}
    assert second == {**first, "order": "random"}


def test_the_halo_has_the_neighbours_of_a_grid_and_the_counter_one_rank() -> None:
    sources, targets = placement_study.halo_pairs(12)  # 3 x 4
    assert len(sources) == 2 * (2 * 4 + 3 * 3)
    assert {int(apart) for apart in np.abs(targets - sources)} == {1, 3}
    assert {(5, 4), (5, 2), (5, 8)} <= set(zip(sources.tolist(), targets.tolist(), strict=True))
    assert (5, 6) not in set(zip(sources.tolist(), targets.tolist(), strict=True))

    sources, targets = placement_study.counter_pairs(4)
    pairs = set(zip(sources.tolist(), targets.tolist(), strict=True))
    assert pairs == {(1, 0), (2, 0), (3, 0), (0, 1), (0, 2), (0, 3)}


def test_columns_renumber_the_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, columns = tmp_path / "rows.mtx", tmp_path / "columns.mtx"
    placement_study.write_both(rows, 6, np.array([1, 5]), np.array([0, 2]), 7)

    run(monkeypatch, "column-major", rows, columns, "--pv", 2)

    renumbered = read_matrix_market(columns)  # rank w 2 + v becomes v 3 + w
    assert (renumbered.sources.tolist(), renumbered.targets.tolist()) == ([3, 5], [0, 1])
    assert renumbered.bytes.tolist() == [7, 7]
    assert read_matrix_market(tmp_path / "columns.mtx.messages.mtx").bytes.tolist() == [1, 1]


def test_the_heat_map_of_counters_follows_the_hops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rank 0 answers all others: a message costs 1 us and 0.13 us a hop, bytes little."""
    run(monkeypatch, "machines", tmp_path, "--nodes", 288, "--like", "ice-xa-288")
    run(monkeypatch, "patterns", tmp_path, "--ranks", 288)
    (tmp_path / "hosts").write_text("n[000-287]\n", encoding="utf-8")
    capsys.readouterr()
    mean_hops = {}
    for topology in placement_study.TOPOLOGIES:
        file = tmp_path / f"{topology}.toml"
        assert read_machine(str(file)).node.cores == 28
        words = ["--on", str(file), "--hosts", str(tmp_path / "hosts"), "--order", "default"]
        matrix = str(tmp_path / "counter.mtx")
        placed = document("place", matrix, *words, "--slots", "1")
        by_hops = placed["before"]["bytes_by_hops"]
        mean_hops[topology] = sum(h * n for h, n in enumerate(by_hops)) / sum(by_hops)
        for job in placement_study.JOBS:
            (tmp_path / f"{job}.{topology}.json").write_text(json.dumps(placed), encoding="utf-8")

    run(monkeypatch, "heat", tmp_path, tmp_path / "heat.svg")

    slowdowns = placement_study.read_heat(tmp_path)["counter"]
    expected = {name: 1 + 0.13 * hops for name, hops in mean_hops.items()}
    for topology, seconds in expected.items():
        assert slowdowns[topology].default == pytest.approx(
            seconds / min(expected.values()), rel=0.01
        )
        assert slowdowns[topology].placed == slowdowns[topology].default
    assert "counter (GAMESS)" in capsys.readouterr().out
    assert (tmp_path / "heat.svg").read_text(encoding="utf-8").startswith("<svg")
