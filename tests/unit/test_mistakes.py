"""Mistakes end with 2 and one sentence, before anything is written: see tests/cases/mistakes.txt.

A row has a command, whose words in brackets may be left out, and words of its sentence. Commands
run where tests/cases/mistakes and what is made below lie.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests import regular_programs as programs
from tests.machine_files import four_nodes
from tests.support import assert_refuses
from tests.synthetic_jobs import rounds
from tests.synthetic_placements import placement
from tests.written_traces import CASES
from waywiser.cli.main import main

ROWS = (CASES / "mistakes.txt").read_text(encoding="utf-8").splitlines()
MISTAKES = {
    (re.sub(without, "", command), says)
    for command, says in (row.split(" => ") for row in ROWS)
    for without in (r" \[.*", r"[][]")
}
NODES = ("n0", "n1", "n2", "n3", "n4")
PLACEMENTS = {"placed": NODES[:4], "three": NODES[:3], "far": (*NODES[:3], "n4")}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of four ranks on two nodes, with a trace, without and with a damaged one; of five ranks
    on five nodes; and of rings, of which each rank has a node."""
    directory = tmp_path_factory.mktemp("mistakes") / "here"
    shutil.copytree(CASES / "mistakes", directory)
    for name in ("run", "untraced", "damaged"):
        rounds(["n0", "n0", "n1", "n1"], (2.0, 2.0, 6.0, 2.0)).run(directory / name)
    (directory / "untraced" / "trace" / "trace.ww").unlink()
    (directory / "damaged" / "trace" / "trace.ww").write_bytes(b"no trace")
    rounds(NODES, (1.0,) * 5).run(directory / "run5")
    for ranks in (4, 8, 16):
        hosts = [f"n{rank}" for rank in range(ranks)]
        programs.job(programs.ring, ranks, hosts).run(directory / f"run{ranks}")
    (directory / "empty").mkdir()
    (directory / "tree.toml").write_text(four_nodes(hosts=""))
    for name, placed in PLACEMENTS.items():
        text = placement(*placed, hosts=NODES).model_dump_json()
        (directory / f"{name}.json").write_text(text)
    with contextlib.chdir(directory):
        assert main(["whatif", "run5", "--balanced", "-o", "two.json"]) == 0
    return directory


@pytest.mark.parametrize(("command", "says"), sorted(MISTAKES))
def test_a_mistake_is_one_sentence(
    directory: Path, monkeypatch: pytest.MonkeyPatch, command: str, says: str
) -> None:
    monkeypatch.chdir(directory)
    before = sorted(directory.iterdir())

    assert_refuses(shlex.split(command), says)

    assert sorted(directory.iterdir()) == before
