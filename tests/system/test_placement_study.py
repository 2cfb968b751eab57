"""docs/placement-study.md: its commands are run, print what it shows, and draw its plots. What
it measures is judged by test_placement_proved.py."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from tests.support import ROOT, Waywiser
from tests.system.test_ready_studies import ONCE, findings, metric, ran
from tests.system.test_tutorial import check_steps, steps_of

PAGE = ROOT / "docs" / "placement-study.md"
DIRECTORY = ROOT / "build" / "placement-study"
PREPARING = 4
"""Commands of the first section: path, directory, nodes, and the function of four orders."""


def sections() -> dict[str, str]:
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.split("\n", 1)[0]: part for part in parts}


FIRST, *FULL_SIZE = (title for title, text in sections().items() if "```console" in text)


@pytest.fixture
def directory() -> Path:
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    return DIRECTORY


def test_four_orders_of_a_small_job(directory: Path) -> None:
    check_steps(steps_of(sections()[FIRST]))

    assert (directory / "small-placed.json").is_file()


@pytest.mark.long
@pytest.mark.parametrize("title", FULL_SIZE)
def test_jobs_at_the_papers_size(directory: Path, title: str) -> None:
    commands = steps_of(sections()[title])
    assert len(commands) >= 5

    check_steps([*steps_of(sections()[FIRST])[:PREPARING], *commands])


def test_the_heat_map_shows_the_table() -> None:
    table = re.findall(r"\d\.\d\d > \d\.\d\d", PAGE.read_text(encoding="utf-8"))
    drawn = unescape((ROOT / "docs" / "placement-heat.svg").read_text(encoding="utf-8"))

    assert len(table) == 30
    assert sorted(re.findall(r"(?<=>)\d\.\d\d > \d\.\d\d(?=<)", drawn)) == sorted(table)


def test_orders_of_ranks(tmp_path: Path, waywiser: Waywiser) -> None:
    """Each program of studies/placement.toml is launched by its order's file; here on one host."""
    changes = {
        **{"ranks = 6": "ranks = 2", "blocks = 6": ONCE, "--steps=5": "--steps=1"},
        **{'"--x=8", "--y=8", "--z=8", "--t=12"': '"--x=4", "--y=4", "--z=4", "--t=8"'},
        **{"--grid=4": "--grid=3", "--levels=20": "--levels=1"},
    }
    (tmp_path / "hosts").write_text("localhost slots=2\n")
    cases = [(name, order) for name in ("lattice", "shallow") for order in ("placed", "random")]
    for name, order in cases:
        (tmp_path / f"{name}.{order}").write_text("rank 0=localhost\nrank 1=localhost\n")
    file, runs = ran("placement.toml", waywiser, changes)

    assert all(metric(run, "rate") > 0 for run in runs)
    launched = {
        tuple(run["result"]["values"][axis] for axis in ("application", "order")): run["command"]
        for run in runs
    }
    assert set(launched) == {*cases, ("lattice", "default"), ("shallow", "default")}
    for name, order in cases:
        assert f"rankfile:FILE={tmp_path / name}.{order}" in launched[name, order]
    assert findings(waywiser, file)["compare"] == "order"
