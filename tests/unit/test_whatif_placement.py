"""`waywiser whatif --placement`: ranks where a file of `waywiser place` has them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.closed_form_replay import MS, Program, base_on_paper
from tests.job import Job
from tests.machine_files import four_nodes
from tests.support import document
from tests.synthetic_placements import placement
from waywiser.analyse.whatif.nodes import nodes_of_file
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.requested import requested_setting

BYTES = 1_000_000
NS_PER_BYTE = 0.5
HOSTS = ("n0", "n1", "n2", "n3")


def write_run(directory: Path, hosts: Sequence[str]) -> None:
    """Rank 0 sends to rank 2 while rank 1 sends to rank 3."""
    job = Job(4, hosts=hosts)
    end = int(BYTES * NS_PER_BYTE)
    for sender in (0, 1):
        job.call(sender, "Send", 0, end, peer=sender + 2, tag=0, bytes=BYTES)
        job.call(sender + 2, "Recv", 0, end, source=sender, source_tag=0, posted=BYTES)
    job.run(directory)


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run with a rank on each of four nodes, and a placement that has those who talk together on
    a switch."""
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "run", HOSTS)
    Path("tree.toml").write_text(four_nodes(hosts=""))
    write("placed", "n0", "n2", "n1", "n3")
    return tmp_path


def write(name: str, *host_of_rank: str, hosts: Sequence[str] = HOSTS) -> None:
    """Output of `waywiser place -o NAME`, without the launcher's own form."""
    Path(name).write_text("rank 0=...")
    Path(f"{name}.json").write_text(placement(*host_of_rank, hosts=hosts).model_dump_json())


def replayed_ns(*words: str) -> float:
    answer = prediction("--topology", "tree.toml", *words)
    return float(answer["replayed_seconds"] * 1e9)


def prediction(*words: str) -> Any:
    (answer,) = document("whatif", "run", "--from", "tree.toml", *words)["predictions"]
    return answer


def test_a_placement_decides_which_ranks_share_a_cable(directory: Path) -> None:
    """Both recorded messages take the cable between the switches, each at half its speed."""
    one_message = BYTES * NS_PER_BYTE

    assert replayed_ns() == pytest.approx(2 * one_message, rel=1e-3)
    assert replayed_ns("--placement", "placed") == pytest.approx(one_message, rel=1e-3)


def test_the_document_of_a_placement_names_it_as_well(directory: Path) -> None:
    by_document = replayed_ns("--placement", "placed.json")

    assert by_document == replayed_ns("--placement", "placed")


def test_hosts_are_numbered_as_the_placement_lists_them(directory: Path) -> None:
    """A host may hold no rank, or be missing from the list."""
    write("gap", "n3", "n0", "n3", "n9")

    nodes, hosts = nodes_of_file("gap", 4)

    assert nodes == (3, 0, 3, 4)
    assert hosts == (*HOSTS, "n9")


def test_a_placement_spreads_the_ranks_of_one_node(directory: Path) -> None:
    write_run(directory / "run", ["n0"] * 4)
    write("pairs", "n0", "n1", "n0", "n1")

    assert prediction("--placement", "placed")["nodes"] == 4
    assert prediction("--placement", "pairs")["nodes"] == 2


def test_the_best_placement_is_that_for_the_topology(directory: Path) -> None:
    """Rank r talks to rank r + 2: on one switch, as far as nobody else matters."""
    program = Program((MS,) * 4, 1000, 500, 10 * MS, {})
    recorded = base_on_paper(program, (0, 1, 2, 3)).recorded

    nodes = requested_setting(
        recorded, Question(topology="tree.toml", placement="best")
    ).setting.nodes

    assert sorted(nodes) == [0, 1, 2, 3]
    assert [nodes[rank] // 2 == nodes[rank + 2] // 2 for rank in (0, 1)] == [True, True]
