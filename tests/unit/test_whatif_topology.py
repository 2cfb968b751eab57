"""`waywiser whatif --topology`: messages between nodes share links."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.job import Job
from tests.machine_files import machine_file
from tests.support import document, printed
from waywiser.analyse.whatif.network import Cost, Network, Part
from waywiser.analyse.whatif.replay import settings_of
from waywiser.analyse.whatif.setting import Interconnect, Setting
from waywiser.machines.library import machine_from_text, topology_of
from waywiser.native import simulate

BYTES = 1_000_000
LINK_NS_PER_BYTE = 0.5

ONE_SWITCH = machine_file('kind = "fat-tree"\ndown = [4]\nup = [1]', link=2.0)


def incast(path: Path, later_ns: int | None = None) -> Path:
    """Three send to rank 0 at once; and one of them again, after computing until `later_ns`."""
    job = Job(4, hosts=[f"n{rank}" for rank in range(4)])
    for sender in (1, 2, 3):
        job.call(0, "Recv", 0, 10, source=sender, source_tag=0, posted=BYTES)
        job.call(sender, "Send", 0, 10, peer=0, tag=0, bytes=BYTES)
    if later_ns is not None:
        end = later_ns + 10
        job.call(0, "Recv", later_ns, end, source=1, source_tag=0, posted=BYTES)
        job.call(1, "Send", later_ns, end, peer=0, tag=0, bytes=BYTES)
    job.write(path)
    return path


def setting(link_bytes_per_ns: float | None) -> Setting:
    """Costs of messages without overhead, gap or latency, as fast as a link."""
    part = Part((Cost(None, 0.0, 0.0, 0.0, LINK_NS_PER_BYTE),), 2 * BYTES, "made up")
    machine = machine_from_text(ONE_SWITCH, "made up")
    shared = link_bytes_per_ns and Interconnect(machine, topology_of(machine), link_bytes_per_ns)
    return Setting(Network(part, part), (0, 1, 2, 3), "", interconnect=shared or None)


def test_three_senders_to_one_take_three_times_as_long(tmp_path: Path) -> None:
    trace = str(incast(tmp_path / "trace.ww"))

    alone = simulate.replay(trace, settings_of(setting(None)))
    shared = simulate.replay(trace, settings_of(setting(1 / LINK_NS_PER_BYTE)))

    message_ns = BYTES * LINK_NS_PER_BYTE
    assert shared.makespan_ns == pytest.approx(3 * message_ns, rel=1e-3)
    assert alone.makespan_ns < 1.1 * message_ns
    assert max(shared.links.utilisation) == pytest.approx(1.0, rel=1e-3)
    assert shared.links.most_to_a_node == 3
    assert shared.links.inner_delays_ns == 0
    assert shared.links.delays_ns == pytest.approx(3 * 2 * message_ns, rel=1e-3)


def test_a_link_to_a_node_is_none_between_switches(tmp_path: Path) -> None:
    """Half as fast as the NIC, so that it and nothing else holds messages up."""
    trace = str(incast(tmp_path / "trace.ww"))

    prediction = simulate.replay(trace, settings_of(setting(0.5 / LINK_NS_PER_BYTE)))

    message_ns = BYTES * LINK_NS_PER_BYTE
    assert prediction.links.delays_ns == pytest.approx(3 * 5 * message_ns, rel=1e-3)
    assert prediction.links.inner_delays_ns == 0


def test_only_messages_that_are_in_flight_at_once_count(tmp_path: Path) -> None:
    later = incast(tmp_path / "trace.ww", later_ns=10_000_000)

    prediction = simulate.replay(str(later), settings_of(setting(1 / LINK_NS_PER_BYTE)))

    assert prediction.links.most_to_a_node == 3


@pytest.mark.parametrize(("up_links", "held_up"), [(1, True), (2, False)])
def test_delays_between_switches_are_distinguished_from_those_at_nodes(
    tmp_path: Path, up_links: int, held_up: bool
) -> None:
    """Two nodes of a switch send to two of another one, over as many links up, or half of them."""
    job = Job(4, hosts=[f"n{rank}" for rank in range(4)])
    for sender in (0, 1):
        job.call(sender + 2, "Recv", 0, 10, source=sender, source_tag=0, posted=BYTES)
        job.call(sender, "Send", 0, 10, peer=sender + 2, tag=0, bytes=BYTES)
    job.write(tmp_path / "trace.ww")
    text = ONE_SWITCH.replace("[4]", "[2, 2]").replace("[1]", f"[1, {up_links}]")
    machine = machine_from_text(text, "made up")
    tree = Interconnect(machine, topology_of(machine), 1 / LINK_NS_PER_BYTE)

    prediction = simulate.replay(
        str(tmp_path / "trace.ww"), settings_of(replace(setting(None), interconnect=tree))
    )

    assert prediction.links.most_to_a_node == 1
    assert (prediction.links.inner_delays_ns > 0) == held_up
    assert prediction.links.inner_delays_ns == pytest.approx(prediction.links.delays_ns)


def test_the_answer_says_how_links_were_shared(directory: Path) -> None:
    words = ["run", "--topology", "fdr-4", "--ranks-per-node", "1"]

    (prediction,) = document("whatif", *words)["predictions"]
    text = printed("whatif", *words)

    assert 0 < prediction["links"]["mean"] <= prediction["links"]["busiest"] < 1
    assert prediction["links"]["delayed_seconds"] >= 0
    assert "messages share the links of fdr-4" in prediction["changes"]
    assert any("are assumed to be the first 4 of" in remark for remark in prediction["remarks"])
    assert "Links between nodes" in text
