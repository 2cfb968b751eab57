"""`waywiser.profile` runs a program as the command does, and gives its run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import waywiser as ww
from tests.support import MpiLibrary, environment


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are started from this process's environment."""
    for name, value in environment().items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)


def test_a_profile_is_a_run_to_go_on_with(tmp_path: Path, openmpi: MpiLibrary) -> None:
    command = openmpi.command(2, openmpi.program("ww-minife"), "--nx", "6")

    run = ww.profile(*command, output=tmp_path / "run", trace=True)

    assert run.directory == tmp_path / "run"
    assert run.summary.ranks == 2
    assert run.description.options[0] == "trace"
    assert {row["rank"] for row in run.calls} == {0, 1}
    assert ww.advise(run).ranks == 2


def test_how_a_failed_program_ended_is_in_its_run(tmp_path: Path, openmpi: MpiLibrary) -> None:
    command = openmpi.command(2, openmpi.program("ww-minife"), "--no-such-option")

    run = ww.profile(*command, output=tmp_path / "run")

    assert run.description.exit_code
