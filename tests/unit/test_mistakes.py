"""Mistakes end with 2 and one sentence, before anything is written: see tests/cases/mistakes.txt.

A row has a command, whose words in brackets may be left out, and words of its sentence.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests import regular_programs as programs
from tests.made_run import made_run, write_profile
from tests.support import assert_refuses
from tests.written_traces import CASES

ROWS = (CASES / "mistakes.txt").read_text(encoding="utf-8").splitlines()
MISTAKES = {
    (re.sub(without, "", command), says)
    for command, says in (row.split(" => ") for row in ROWS)
    for without in (r" \[.*", r"[][]")
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four ranks on two nodes, and three of a ring, of which each rank has a node."""
    directory = tmp_path_factory.mktemp("mistakes")
    made_run(directory / "run", ["n0", "n0", "n1", "n1"], (2.0, 2.0, 6.0, 2.0))
    for ranks in (4, 8, 16):
        run = directory / f"run{ranks}"
        (run / "trace").mkdir(parents=True)
        programs.write(programs.ring, ranks, run / "trace" / "trace.ww")
        times = {"init_ns": programs.CALL_NS, "finalize_ns": programs.CALL_NS}
        write_profile(run, [f"n{rank}" for rank in range(ranks)], 10_000_000, **times)
    (directory / "file").touch()
    return directory


@pytest.mark.parametrize(("command", "says"), sorted(MISTAKES))
def test_a_mistake_is_one_sentence(
    directory: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    says: str,
) -> None:
    monkeypatch.chdir(directory)
    before = sorted(directory.iterdir())

    assert_refuses(capsys, shlex.split(command), says)

    assert sorted(directory.iterdir()) == before
