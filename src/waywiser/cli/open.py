"""`waywiser open RUN`: the report in a browser, written first where it is missing or outdated."""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from pathlib import Path

from waywiser.cli.arguments import declare
from waywiser.cli.main import parser as command_line

PAGES = ("report.html", "paper.html")
"""Names of a page, and of a study's page as earlier versions wrote it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show the report of a run or of a study in a browser. The report of a run is written first "
        "if it is missing or older than the run. Without a browser, its path is printed."
    )
    text = "run RUN  directory of a run, directory of a study with a report, or an HTML page"
    declare(parser, text, {Path: "run"})


def run(arguments: argparse.Namespace) -> int:
    page = _page_of(arguments.run)
    print(page, flush=True)
    # On a node without a display, webbrowser would start a text browser if one is installed.
    displays = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    if not (displays and webbrowser.open(page.resolve().as_uri())):
        print(
            "waywiser: no browser here (DISPLAY, WAYLAND_DISPLAY and BROWSER are not set, or none "
            "of them works); copy the page, or point BROWSER at a browser",
            file=sys.stderr,
        )
    return 0


def _page_of(path: Path) -> Path:
    if path.suffix == ".html" and path.is_file():
        return path
    report, earlier = (path / name for name in PAGES)
    if (path / "study.toml").exists() and report.exists():
        return report
    if earlier.exists():
        return earlier
    if not _is_current(report):
        arguments = command_line(["report"]).parse_args(["report", str(path)])
        arguments.action(arguments)
    return report


def _is_current(page: Path) -> bool:
    """True if no other file in the page's directory is newer than the page."""
    if not page.exists():
        return False
    written = page.stat().st_mtime
    files = (file for file in page.parent.rglob("*") if file.is_file() and file.suffix != ".html")
    return all(file.stat().st_mtime <= written for file in files)
