"""docs/placement-study.md: its commands are run, print what it shows, and draw its figures. What
it measures is judged by test_placement_proved.py."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.system.test_tutorial import check_steps, steps_of

PAGE = ROOT / "docs" / "placement-study.md"
FOLDER = ROOT / "build" / "placement-study"
PREPARING = 4
"""Commands of the first section: path, folder, nodes, and the function of four orders."""


def sections() -> dict[str, str]:
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.split("\n", 1)[0]: part for part in parts}


FIRST, *FULL_SIZE = (title for title, text in sections().items() if "```console" in text)


@pytest.fixture
def folder() -> Path:
    shutil.rmtree(FOLDER, ignore_errors=True)
    return FOLDER


def test_four_orders_of_a_small_job(folder: Path) -> None:
    check_steps(steps_of(sections()[FIRST]))

    assert (folder / "small-placed.json").is_file()


@pytest.mark.long
@pytest.mark.parametrize("title", FULL_SIZE)
def test_jobs_at_the_papers_size(folder: Path, title: str) -> None:
    commands = steps_of(sections()[title])
    assert len(commands) >= 5

    check_steps([*steps_of(sections()[FIRST])[:PREPARING], *commands])


def test_the_heat_map_shows_the_table() -> None:
    table = re.findall(r"\d\.\d\d > \d\.\d\d", PAGE.read_text(encoding="utf-8"))
    drawn = unescape((ROOT / "docs" / "placement-heat.svg").read_text(encoding="utf-8"))

    assert len(table) == 30
    assert sorted(re.findall(r"(?<=>)\d\.\d\d > \d\.\d\d(?=<)", drawn)) == sorted(table)
