"""`--from MACHINE` whose file lists the run's hosts: the base shares the links of that machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.job import Job
from tests.machine_files import four_nodes
from tests.support import document, gated, here
from tests.synthetic_placements import placement

BYTES = 1_000_000
ALONE_NS = 500_000
"""Duration of a message that has its links for itself."""

SHARED_NS = 2 * ALONE_NS
"""Duration of each of two messages that share a link."""

CROSSING, ASIDE = ("n0", "n1", "n2", "n3"), ("n0", "n2", "n1", "n3")
"""Hosts of the ranks: both messages cross the cable, or none does."""


def recorded(directory: Path, hosts: Sequence[str], ns: int) -> None:
    """Rank 0 sends to rank 2 while rank 1 sends to rank 3, in so many ns."""
    job = Job(4, hosts=hosts)
    for sender in (0, 1):
        job.call(sender, "Send", 0, ns, peer=sender + 2, tag=0, bytes=BYTES)
        job.call(sender + 2, "Recv", 0, ns, source=sender, source_tag=0, posted=BYTES)
    job.run(directory)


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run behind the cable, the machine with and without the hosts, and an order of the ranks."""
    monkeypatch.chdir(tmp_path)
    recorded(tmp_path / "run", CROSSING, SHARED_NS)
    Path("tree.toml").write_text(four_nodes())
    Path("nameless.toml").write_text(four_nodes(hosts=""))
    Path("placed.json").write_text(placement(*ASIDE, hosts=CROSSING).model_dump_json())
    return tmp_path


def answered(*words: str) -> Any:
    return gated(here("whatif", "run", *words, "--json"))


def predicted_ns(*words: str) -> float:
    (prediction,) = answered("--from", "tree.toml", *words)["predictions"]
    return float(prediction["predicted_seconds"] * 1e9)


def test_the_base_shares_the_cable_that_the_run_was_recorded_behind(directory: Path) -> None:
    answer = answered("--from", "tree.toml", "--placement", "placed")

    assert answer["base"]["replayed_seconds"] * 1e9 == pytest.approx(SHARED_NS, rel=1e-3)
    assert answer["base_error"] == pytest.approx(0, abs=1e-3)
    assert answer["base"]["links"]["busiest"] == pytest.approx(1, rel=1e-3)
    assert answer["gate"] == {"unreliable": [], "unlike": "", "remedies": []}
    (aside,) = answer["predictions"]
    assert aside["predicted_seconds"] * 1e9 == pytest.approx(ALONE_NS, rel=1e-3)
    assert not any("assumed to be the first" in remark for remark in aside["remarks"])


def test_without_the_hosts_the_gate_refuses_and_names_the_remedy(directory: Path) -> None:
    """A file may not name the machine: costs are then estimated, and the cable is left out."""
    answer = answered("--from", "nameless.toml", "--placement", "placed")

    assert answer["predictions"] == []
    assert "50 % less than the recorded" in answer["gate"]["unlike"]
    assert any("--from MACHINE" in remark for remark in answer["gate"]["remedies"])
    assert any(
        "list the run's hosts in the file" in remark for remark in answer["gate"]["remedies"]
    )
    (left_out,) = [
        remark for remark in answer["base"]["remarks"] if "not modelled in the base" in remark
    ]
    assert "--from MACHINE, whose file lists the run's hosts, models them" in left_out


def test_hosts_are_at_their_places_in_the_topology(directory: Path) -> None:
    """The ranks' hosts come in another order than in the file; so does a domain behind each."""
    recorded(directory / "run", [f"{host}.site" for host in ASIDE], ALONE_NS)

    answer = answered("--from", "tree.toml", "--topology", "tree.toml")

    (same,) = answer["predictions"]
    for prediction in (answer["base"], same):
        assert prediction["replayed_seconds"] * 1e9 == pytest.approx(ALONE_NS, rel=1e-3)


@pytest.mark.parametrize(
    ("words", "ns"),
    [
        (("--cpu", "2"), SHARED_NS),
        (("--bandwidth", "x2"), SHARED_NS / 2),
        (("--placement", "best"), ALONE_NS),
        (("--ranks-per-node", "1"), SHARED_NS),
        (("--ideal-network",), 0),
        (("--on", "nameless.toml"), ALONE_NS),
        (("--on", "nameless.toml", "--topology", "nameless.toml"), SHARED_NS),
    ],
)
def test_predictions_share_the_links_too_where_the_network_is_the_same(
    directory: Path, words: tuple[str, ...], ns: float
) -> None:
    assert predicted_ns(*words) == pytest.approx(ns, rel=1e-3, abs=1)


def test_the_interval_of_another_route_is_a_fifth_of_the_transfer(directory: Path) -> None:
    """The interval does not depend on a gain: ranks 0 and 1 have changed places."""
    Path("turned.json").write_text(placement("n1", "n0", "n2", "n3").model_dump_json())

    words = ("--from", "tree.toml", "--placement", "turned")
    (turned,) = answered(*words)["predictions"]
    (quicker,) = answered("--from", "tree.toml", "--bandwidth", "x2")["predictions"]

    assert turned["predicted_seconds"] * 1e9 == pytest.approx(SHARED_NS, rel=1e-3)
    assert turned["low_seconds"] * 1e9 == pytest.approx(0.8 * SHARED_NS, rel=1e-3)
    assert turned["high_seconds"] * 1e9 == pytest.approx(1.2 * SHARED_NS, rel=1e-3)
    assert quicker["high_seconds"] * 1e9 == pytest.approx(0.55 * SHARED_NS, rel=1e-3)


def test_more_nodes_than_the_machine_has_share_no_links(directory: Path) -> None:
    recorded(directory / "run", ("n0", "n0", "n1", "n1"), SHARED_NS)
    small = four_nodes().replace("n[0-3]", "n[0-1]").replace("[2, 2]", "[1, 2]")
    Path("tree.toml").write_text(small)

    answer = answered("--from", "tree.toml", "--ranks-per-node", "1")

    assert answer["base"]["links"] is not None
    (spread,) = answer["predictions"]
    assert spread["links"] is None
    assert any("the run has 4 nodes, but Four nodes" in remark for remark in spread["remarks"])
    assert any("links that several nodes share" in remark for remark in spread["remarks"])


def test_advice_is_given_behind_a_shared_cable(directory: Path) -> None:
    answer = document("advise", "run", "--from", "tree.toml")

    shares = {opportunity["name"]: opportunity["share"] for opportunity in answer["opportunities"]}
    assert shares["placement"] == pytest.approx(0.5, rel=1e-3)
    assert shares["bandwidth"] == pytest.approx(0.5, rel=1e-3)
