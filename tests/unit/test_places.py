"""What ranks read of a machine, and who may name one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import assert_refuses, exit_code_of
from waywiser.machines.library import machine_from_text
from waywiser.machines.places import places_text

MACHINE = """
title = "A ring of four nodes"
hosts = ["n[0-3]"]
[source]
document = "none"
date = "2026-11"
[node]
cores = 4
levels = [{ name = "socket", cores = 2 }, { name = "node", cores = 4, distance = 1 }]
[network]
link_bandwidth_GBps = 1.0
failed = [{ between = ["n1", "n2"] }]
[network.topology]
kind = "graph"
nodes = 4
switches = 0
edges = [[0, 1], [1, 2], [2, 3], [3, 0, 2]]
"""


def test_everything_that_a_placement_depends_on_is_there() -> None:
    assert places_text(machine_from_text(MACHINE, "ring.toml"), "ring.toml").splitlines() == [
        "title A ring of four nodes",
        "topology graph",
        "number nodes 4",
        "number switches 0",
        "row edges 0 1",
        "row edges 1 2",
        "row edges 2 3",
        "row edges 3 0 2",
        "level 2 0",
        "level 4 1",
        "failed 1 2 0",
        "hosts n0 n1 n2 n3",
    ]


def test_the_verb_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "six.places"
    assert exit_code_of(("machine", "places", "rig-6", "-o", str(output))) == 0
    assert capsys.readouterr().out == f"wrote {output}: Six nodes on three switches\n"
    assert output.read_text().endswith("\nhosts n0 n1 n2 n3 n4 n5\n")


def test_a_machine_without_names_of_hosts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("machine", "places", "archer2", "-o", tmp_path / "a.places")
    assert_refuses(capsys, words, "archer2: the key `hosts` is missing, by which ranks find out")


def test_another_name_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("machine", "places", "rig-6", "-o", tmp_path / "six")
    assert_refuses(capsys, words, "six: expected FILE.places")


def test_rerank_wants_what_ranks_can_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ring.toml"
    path.write_text(MACHINE)
    words = ("rerank", path, "--", "true")
    assert_refuses(capsys, words, f"machine places {path} -o ring.places")
