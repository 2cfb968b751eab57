"""`waywiser open`: which page it shows, and when it writes the report first."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path

import pytest

from tests import synthetic
from tests.support import executable
from waywiser.cli.main import main
from waywiser.native._native import write_profile
from waywiser.store.directory import RunDirectory


@pytest.fixture
def run(tmp_path: Path) -> Path:
    RunDirectory(tmp_path).write_run(synthetic.run(2))
    write_profile(synthetic.large_profile(2), str(tmp_path / "profile.ww"))
    return tmp_path


@pytest.fixture
def shown(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The address that a browser was opened with."""
    directory = tmp_path_factory.mktemp("browser")
    browser = executable(directory / "browser", f'#!/bin/sh\necho "$1" >{directory}/shown\n')
    monkeypatch.setenv("BROWSER", str(browser))
    monkeypatch.setattr(webbrowser, "_tryorder", None)  # found once in a process
    return directory / "shown"


def test_a_missing_report_is_written_and_shown(
    run: Path, shown: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["open", str(run)]) == 0

    assert "MPI_" in (run / "report.html").read_text(encoding="utf-8")
    assert shown.read_text() == f"file://{run}/report.html\n"
    assert capsys.readouterr().out.endswith(f"{run}/report.html\n")


@pytest.mark.parametrize(("age", "kept"), [(10, True), (-10, False)])
def test_a_report_is_written_anew_where_it_is_older_than_the_run(
    run: Path, shown: Path, age: int, kept: bool
) -> None:
    page = run / "report.html"
    page.write_text("as it was")
    modified = (run / "profile.ww").stat().st_mtime
    os.utime(page, (modified + age, modified + age))

    assert main(["open", str(run)]) == 0

    assert (page.read_text(encoding="utf-8") == "as it was") == kept
    assert shown.exists()


@pytest.mark.parametrize("name", ["report.html", "paper.html", "other.html"])
def test_pages_that_are_there_are_shown(tmp_path: Path, shown: Path, name: str) -> None:
    page = tmp_path / name
    page.write_text("a page")
    (tmp_path / "study.toml").touch()

    assert main(["open", str(page if name == "other.html" else tmp_path)]) == 0

    assert shown.read_text() == f"file://{page}\n"


def test_without_a_browser_the_path_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    page = tmp_path / "page.html"
    page.write_text("a page")

    assert main(["open", str(page)]) == 0

    output = capsys.readouterr()
    assert output.out == f"{page}\n"
    assert "no browser here" in output.err


def test_what_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["open", str(tmp_path / "nothing")]) == 2

    assert "directory not found" in capsys.readouterr().err
