"""The network of a base: from a machine file, or estimated from the messages of a trace."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest

from tests.job import Job
from tests.machine_files import machine_file
from waywiser.analyse.whatif.estimate import Messages, estimated_network, fitted_line, typical
from waywiser.analyse.whatif.network import ASSUMED_EAGER_LIMIT, Cost, Network, Part, of_machine
from waywiser.errors import InvalidCommand
from waywiser.machines.library import machine_from_text
from waywiser.model.machine import Calibration, LogGP

CABLES = machine_file(4, title="Cables", cores=4, link=10.0, network="link_latency_us = 0.25")

BASE = Network(
    Part((Cost(None, 100.0, 50.0, 60.0, 0.2),), 4096, "inside"),
    Part((Cost(None, 900.0, 300.0, 310.0, 1.0),), 8192, "between"),
)


def test_a_calibrated_machine_has_its_own_metrics_and_its_own_error() -> None:
    machine = machine_from_text(CABLES, "cables")
    network = machine.network.replace(
        loggp=(
            LogGP(up_to_bytes=1024, latency_us=1.5, overhead_us=0.25, bandwidth_GBps=2.0),
            LogGP(latency_us=3.0, overhead_us=0.5, gap_us=0.125, bandwidth_GBps=8.0),
        ),
        eager_limit_bytes=12345,
    )
    date = datetime.date(2026, 11, 1).isoformat()
    checked = Calibration(part="network", date=date, document="here", error_per_cent=7.5)
    machine = machine.replace(network=network, calibration=(checked,))

    calibrated = of_machine(machine, BASE)

    assert calibrated.between.costs == (
        Cost(1024, 1500.0, 250.0, 0.0, 0.5),
        Cost(None, 3000.0, 500.0, 125.0, 0.125),
    )
    assert calibrated.between.eager_limit_bytes == 12345
    assert calibrated.between.error == 0.075
    assert calibrated.inside == BASE.inside
    assert calibrated.remarks == (
        "Cables has no node.loggp: messages in a node cost as in the base",
    )
    assert of_machine(machine).inside == calibrated.between


def test_a_machine_without_calibration_has_its_cables_and_the_overhead_of_the_base() -> None:
    network = of_machine(machine_from_text(CABLES, "cables"), BASE)

    assert network.between.costs == (Cost(None, 500.0, 300.0, 300.0, 0.1),)  # two cables of 0.25 us
    assert network.between.error is None
    assert "not calibrated (no network.loggp)" in network.remarks[0]


def test_what_a_machine_file_lacks_is_named() -> None:
    silent = machine_from_text(CABLES.replace("link_latency_us = 0.25\n", ""), "silent")

    with pytest.raises(InvalidCommand, match=r"has no network\.loggp.*or give network\.link_lat"):
        of_machine(silent, BASE)
    with pytest.raises(InvalidCommand, match=r"has no network\.loggp, which a base needs"):
        of_machine(machine_from_text(CABLES, "cables"))


def test_of_each_class_of_sizes_the_median_message_counts() -> None:
    sizes = np.array([8, 8, 8, 100, 128, 0, 4096.0])
    seen = Messages(sizes, np.array([900, 700, 9000, 600, 950, 0, 2e3]))

    medians = typical(seen)

    assert medians.bytes.tolist() == [8, 100, 4096]
    assert medians.ns.tolist() == [600, 600, 2000]  # not 900: 8 B cannot take longer than 100 B


@pytest.mark.parametrize(
    ("ns", "line"),
    [
        ([1000.0, 2000.0, 11000.0], (1000.0, 1.0)),
        ([500.0, 500.0, 500.0], (500.0, 0.0)),
    ],
)
def test_the_line_through_exact_messages(ns: list[float], line: tuple[float, float]) -> None:
    fitted = fitted_line(Messages(np.array([0.0, 1000.0, 10000.0]), np.array(ns)))

    assert fitted == pytest.approx(line, abs=1e-9)


def test_short_messages_do_not_tell_the_bandwidth_nor_long_ones_the_latency() -> None:
    short = Messages(np.array([8.0, 16.0]), np.array([1000.0, 1500.0]))
    long = Messages(np.array([10_000.0]), np.array([5000.0]))

    assert fitted_line(short) == (1000.0, 0.0)
    assert fitted_line(long) == pytest.approx((0.0, 0.5))


def test_neither_latency_nor_bandwidth_is_below_nothing() -> None:
    faster = Messages(np.array([1.0, 10000.0]), np.array([100.0, 50.0]))
    no_start = Messages(np.array([1.0, 10000.0]), np.array([0.1, 10000.0]))

    empty, per_byte = fitted_line(faster)
    assert per_byte == 0
    assert 50 < empty < 100
    assert fitted_line(no_start)[0] == 0


LATENCY, OVERHEAD, PER_BYTE = 1200, 200, 0.5
SIZES = (8, 1024, 16384, 262144)


def write_messages(path: Path, hosts: tuple[str, str], scale: int = 1) -> None:
    """Rank 0 sends each size twice, once to a receiver who waits and once to one who is late."""
    job = Job(2, hosts=hosts)
    for rank in range(2):
        job.call(rank, "Init", 0, 100)
        now = 1_000_000
        for size in SIZES:
            taken = round(scale * (LATENCY + 2 * OVERHEAD + PER_BYTE * size))
            for late in (0, 50_000):
                if rank == 0:
                    job.call(0, "Send", now, now + scale * OVERHEAD, peer=1, tag=1, bytes=size)
                else:
                    begin = now + late - 500
                    job.call(1, "Recv", begin, now + late + taken, source=0, source_tag=1,
                               posted=size)  # fmt: skip
                now += 1_000_000
        job.call(rank, "Finalize", 20_000_000, 20_000_100)
    job.write(path)


@pytest.mark.parametrize("hosts", [("a", "a"), ("a", "b")])
def test_the_network_of_a_trace_is_that_of_its_awaited_messages(
    tmp_path: Path, hosts: tuple[str, str]
) -> None:
    write_messages(tmp_path / "trace.ww", hosts)

    network = estimated_network(tmp_path / "trace.ww")

    part = network.inside if hosts[0] == hosts[1] else network.between
    (cost,) = part.costs
    assert cost.overhead_ns == OVERHEAD
    assert cost.latency_ns == pytest.approx(LATENCY, rel=0.01)
    assert cost.ns_per_byte == pytest.approx(PER_BYTE, rel=0.01)
    assert part.eager_limit_bytes == ASSUMED_EAGER_LIMIT
    assert part.error is None
    assert "estimated" in network.remarks[0]


def test_a_trace_of_collectives_tells_the_latency_of_their_rounds(tmp_path: Path) -> None:
    job = Job(4)
    for rank in range(4):
        job.call(rank, "Init", 0, 100)
        begin = 1_000_000 + (60_000 if rank == 3 else 0)  # of whom the others wait
        job.call(rank, "Barrier", begin, 1_062_000)
        job.call(rank, "Allreduce", begin + 1_000_000, 2_066_000, bytes=2000, posted=2000)
        job.call(rank, "Finalize", 9_000_000, 9_000_100)
    job.write(tmp_path / "trace.ww")

    (cost,) = estimated_network(tmp_path / "trace.ww").inside.costs

    # Two rounds: 1,000 ns each for nothing, 3,000 ns each for 2,000 B.
    assert cost.latency_ns + 2 * cost.overhead_ns == pytest.approx(1000, rel=1e-6)
    assert cost.ns_per_byte == pytest.approx(1.0, rel=1e-6)


def test_the_first_message_which_makes_the_connection_does_not_count(tmp_path: Path) -> None:
    job = Job(2)
    for rank in range(2):
        job.call(rank, "Init", 0, 100)
        peers = (
            {"peer": 1, "bytes": 8} if rank == 0 else {"source": 0, "source_tag": 1, "posted": 8}
        )
        begin = 1_000_000 * (2 - rank)
        job.call(rank, ("Send", "Recv")[rank], begin, 40_000_000, tag=1, **peers)
        for number in range(1, 9):
            begin = 40_000_000 + 100_000 * number
            job.call(rank, "Barrier", begin, begin + 1500)
        job.call(rank, "Finalize", 50_000_000, 50_000_100)
    job.write(tmp_path / "trace.ww")

    (cost,) = estimated_network(tmp_path / "trace.ww").inside.costs

    assert cost.latency_ns + 2 * cost.overhead_ns == pytest.approx(1500, rel=1e-6)


def test_the_overhead_is_bounded_where_no_send_tells_it(tmp_path: Path) -> None:
    job = Job(2)
    for rank in range(2):
        job.call(rank, "Init", 0, 100)
        job.call(rank, "Barrier", 1_000_000, 3_000_000)
        job.call(rank, "Finalize", 9_000_000, 9_000_100)
    job.write(tmp_path / "trace.ww")

    (cost,) = estimated_network(tmp_path / "trace.ww").inside.costs

    assert cost.overhead_ns == 10_000
    assert cost.latency_ns == 2_000_000 - 2 * 10_000


def test_a_trace_without_messages_asks_for_a_machine(tmp_path: Path) -> None:
    job = Job(1)
    job.call(0, "Init", 0, 100)
    job.call(0, "Finalize", 9_000, 9_100)
    job.write(tmp_path / "trace.ww")

    with pytest.raises(InvalidCommand, match="name a calibrated machine with --from MACHINE"):
        estimated_network(tmp_path / "trace.ww")
