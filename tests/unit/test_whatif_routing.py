"""Minimal routes on networks that route by load: the limit is beside every number."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from tests.machine_files import four_nodes
from tests.synthetic_jobs import rounds
from waywiser.analyse.whatif.links import links_of
from waywiser.analyse.whatif.network import of_machine
from waywiser.analyse.whatif.replay import settings_of
from waywiser.analyse.whatif.setting import Setting
from waywiser.cli.main import main
from waywiser.machines.library import machine_from_text
from waywiser.model.routing import BY_MESSAGE, MINIMAL_ROUTES

BY_LOAD = {
    "dragonfly": "nodes_per_switch = 1\nswitches_per_group = 2\ngroups = 2",
    "hyperx": "lengths = [2, 2]",
}
BY_TABLE = 'kind = "fat-tree"\ndown = [2, 2]\nup = [1, 2]'
ALONG = (("--sweep", "cpu=1:4:3"), ("--sweep", "balanced=no,yes"))
GRID = ("--sweep", "cpu=1,2", "--sweep", "noise=1,2")


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rounds(["n0", "n1", "n2", "n3"], (2.0, 2.0, 6.0, 2.0)).run(tmp_path / "run")
    (tmp_path / "tree.toml").write_text(four_nodes(BY_TABLE))
    for kind, parameters in BY_LOAD.items():
        text = four_nodes(f'kind = "{kind}"\n{parameters}')
        (tmp_path / f"{kind}.toml").write_text(text)
    return tmp_path


def query(*words: str) -> None:
    assert main(["whatif", "run", *words]) == 0


def says(text: str) -> bool:
    """Whatever its lines and tags."""
    flat = " ".join(re.sub(r"<[^>]*>", " ", unescape(text)).split())
    return "Messages take minimal routes; adaptive routing, which dragonflies" in flat


@pytest.mark.parametrize("machine", ["tree", *BY_LOAD])
@pytest.mark.parametrize("words", [("--cpu", "2"), *ALONG, GRID], ids="-".join)
@pytest.mark.parametrize("option", ["--topology", "--from"])
def test_the_limit_is_on_the_terminal_in_documents_pages_and_images(
    directory: Path,
    capsys: pytest.CaptureFixture[str],
    machine: str,
    words: tuple[str, ...],
    option: str,
) -> None:
    limited = machine in BY_LOAD
    for end in ("html", "svg", "jsonl", "json"):
        query(option, f"{machine}.toml", *words, "-o", f"answer.{end}")

    assert says(capsys.readouterr().out) == limited
    assert says(Path("answer.html").read_text()) == limited
    assert says(Path("answer.svg").read_text()) == limited
    rows = [json.loads(line) for line in Path("answer.jsonl").read_text().splitlines()]
    requested_rows = [row for row in rows if "limits" in row or row["changes"]]
    assert requested_rows
    for row in requested_rows:
        assert (MINIMAL_ROUTES in row.get("limits", row.get("remarks", []))) == limited
    document = json.loads(Path("answer.json").read_text())
    replays = [document["base"], *document["predictions"], document["sweep"] or {}]
    remarks = {remark for replay in replays for remark in replay.get("remarks", [])}
    assert (MINIMAL_ROUTES in remarks) == limited


def test_cells_of_a_heat_map_say_which_of_them_are_limited(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep = ("--sweep", "topology=tree.toml,dragonfly.toml", "--sweep", "cpu=1,2")
    query(*sweep, "-o", "grid.html")
    query(*sweep, "-o", "grid.jsonl")

    points = [json.loads(line) for line in Path("grid.jsonl").read_text().splitlines()]
    limited = [point["values"][0] for point in points if point["limits"]]
    assert limited == ["dragonfly.toml"] * 2
    tooltips = re.findall(r'"tooltip":\s*"([^"]*)"', Path("grid.html").read_text())
    assert {"minimal routes" in tooltip for tooltip in tooltips} == {True, False}


@pytest.mark.parametrize("kind", BY_LOAD)
def test_routes_by_load_have_a_note_and_no_limit(
    directory: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    adaptive = f'kind = "{kind}"\n{BY_LOAD[kind]}\nrouting = "adaptive"'
    (directory / "adaptive.toml").write_text(four_nodes(adaptive))
    query("--topology", "adaptive.toml", *GRID, "-o", "grid.jsonl")
    query("--topology", "adaptive.toml", "--cpu", "2", "-o", "answer.json")

    assert not says(capsys.readouterr().out)
    points = [json.loads(line) for line in Path("grid.jsonl").read_text().splitlines()]
    assert all(point["limits"] == [] for point in points)
    (prediction,) = json.loads(Path("answer.json").read_text())["predictions"]
    assert BY_MESSAGE in prediction["remarks"]


def test_the_seed_of_a_question_draws_the_detours() -> None:
    machine = machine_from_text(four_nodes('kind = "hyperx"\nlengths = [2, 2]'), "four")
    nodes = (0, 1, 2, 3)
    links = links_of("--topology", machine, nodes, ())
    setting = Setting(of_machine(machine), nodes, "openmpi", seed=7, interconnect=links)

    interconnect = settings_of(setting).interconnect

    assert interconnect is not None
    assert interconnect.seed == 7
