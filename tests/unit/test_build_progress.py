"""A build says on stderr what it builds and how far it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terminal import Terminal
from tools import build

STEPS = 'for i in 1 2 3 4 5 6 7 8; do echo "[$i/8] Building CXX object $i.o"; done'
"""Prints what Ninja prints of eight steps."""


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(build, "LOG", tmp_path)
    return tmp_path


def test_a_terminal_has_one_line_with_the_steps_of_all_builds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    progress = build.Progress("ww-minife for mpich")
    progress.update("openmpi-build", 1, 4)
    progress.update("mpich-build", 2, 10)
    progress.update("openmpi-build", 4, 4)
    progress.end()

    line = "\rwaywiser: building ww-minife for mpich: "
    assert terminal.getvalue() == f"{line}1 of 4{line}3 of 14{line}6 of 14\n"


def test_elsewhere_a_line_is_printed_at_each_quarter(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build.call("sh", "-c", STEPS, log="core", progress=build.Progress("everything"))

    printed = capsys.readouterr().err.splitlines()
    assert printed == [f"waywiser: building everything: {done} of 8" for done in (2, 4, 6, 8)]
    assert len((log / "core.txt").read_text().splitlines()) == 8


def test_a_failed_step_shows_its_output(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"waywiser: sh .* ended with 3"):
        build.call("sh", "-c", "echo '[1/8] main.cpp: no such file'; exit 3", log="core")
    assert "main.cpp: no such file" in capfd.readouterr().err
