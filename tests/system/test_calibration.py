"""`waywiser machine calibrate` on two hosts whose link and eager limit are set by the test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rigs.hosts import SlowNetwork, hosts, launcher_settings, why_not
from tests.support import MpiLibrary, Waywiser, environment, succeeded
from tests.system.conftest import Build
from waywiser.machines.library import read_machine

timed = pytest.mark.alone("fits microseconds of latency and overhead to what is measured")

SIZES = (512, 2048, 8192, 32768, 65536, 131072)
MEGABITS = 200
"""Speed of the link [Mbit/s]: so low that the machine can be busy with other things."""


@timed
@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_the_link_between_two_hosts_is_found(
    openmpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path
) -> None:
    shaped = f"tc qdisc add dev eth0 root tbf rate {MEGABITS}mbit burst 4kb limit 4mb".split()
    settings = launcher_settings(tmp_path) | {"OMPI_MCA_btl_tcp_eager_limit": "16384"}
    options = ["--benchmark", "loggp,latency", "--iterations", "10", "--json", "measured.json"]
    sizes = ["--sizes", ",".join(map(str, SIZES))]
    launch: list[str | Path] = [
        openmpi.bin / "mpirun",
        "--host",
        "n0,n1",
        "-n",
        "2",
        "--map-by",
        "ppr:1:node",
    ]
    with hosts(["n0", "n1"], tmp_path) as (first, second):
        for host in (first, second):
            assert host.run(*shaped).returncode == 0
        program = openmpi.program("ww-mpibench")
        measured = first.run(*launch, program, *options, *sizes, env=environment(settings))
    assert measured.returncode == 0, measured.stderr

    succeeded(waywiser.here("machine", "calibrate", "rig-3", "measured.json", "-o", "new.toml"))

    new = read_machine(str(tmp_path / "new.toml"))
    assert [calibration.part for calibration in new.calibration] == ["network"]
    # Open MPI counts its header of some bytes, too: of the sizes, 8192 is the longest eager one.
    assert new.network.eager_limit_bytes == 8192
    assert 8192 in [piece.up_to_bytes for piece in new.network.loggp]
    # TCP's and IP's headers take 5 % of the link's rate.
    assert new.network.loggp[-1].bandwidth_GBps == pytest.approx(MEGABITS / 8e3, rel=0.25)
    # Processors do not copy at the rate of the link, whose bytes they wait for.
    assert new.network.loggp[-1].overhead_ns_per_byte < 0.25 * 8e3 / MEGABITS
    assert "Open MPI" in new.calibration[0].document
    assert new.node.loggp == ()


@timed
@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_waiting_for_a_slow_network_is_no_overhead(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Nor is the message faster than the network."""
    network = SlowNetwork(delay_us=50, gigabit_per_s=1)
    settings = launcher_settings(tmp_path) | {"OMPI_MCA_mpi_yield_when_idle": "1"}
    hosted = ["--host", "n0,n1", "-n", "2", "--map-by", "ppr:1:node"]
    launch = [str(openmpi.bin / "mpirun"), *hosted]
    options = ["--benchmark", "loggp", "--sizes", "262144", "--iterations", "80", "--json", "m"]
    with hosts(["n0", "n1"], tmp_path, network) as (first, _):
        program = openmpi.program("ww-mpibench")
        measured = first.run(*launch, program, *options, env=environment(settings))
    assert measured.returncode == 0, measured.stderr

    details = json.loads((tmp_path / "m").read_text(encoding="utf-8"))["details"]
    assert details["minimum_ns"] > 50e3 + 8 * 262144
    assert 0 < details["sender_busy_ns"] < details["minimum_ns"] / 3
    assert 0 < details["receiver_busy_ns"] < details["minimum_ns"] / 3


def test_any_pair_and_all_ranks_are_measured_with_right_data(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    path = tmp_path / "measured.json"
    options = ["--benchmark", "loggp,memory", "--sizes", "8,70000", "--iterations", "5"]
    options += ["--pairs", "2:1", "--window", "3", "--check", "--json", str(path)]

    openmpi.run(3, openmpi.program("ww-mpibench"), *options)

    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["variant"] for line in lines] == ["loggp"] * 2 + ["memory"] * 2
    assert all(line["verified"] for line in lines)
    # Rank 0, which writes them, is none of the pair that measured.
    assert all(line["details"]["late_by_ns"] >= 200_000 for line in lines[:2])
    assert all(line["details"]["late_send_ns"] > 0 for line in lines[:2])
    # Three ranks read and write three times what a block holds.
    assert [line["bytes"] for line in lines[2:]] == [2 * 3 * 3 * size for size in (8, 70000)]


@timed
@pytest.mark.parametrize(("send_us", "receive_us"), [(100, 400), (400, 100)])
def test_overheads_of_sending_and_of_receiving_are_distinguished(
    openmpi: MpiLibrary, build: Build, tmp_path: Path, send_us: int, receive_us: int
) -> None:
    """The library under the benchmark takes so long in the calls that begin."""
    path = tmp_path / "measured.json"
    library = build(openmpi, "planted_overhead.c", "-shared", "-fPIC")
    planted = {
        "LD_PRELOAD": str(library),
        "SEND_US": str(send_us),
        "RECEIVE_US": str(receive_us),
    }
    options = ["--benchmark", "loggp", "--sizes", "8", "--iterations", "200", "--json", str(path)]

    openmpi.run(2, openmpi.program("ww-mpibench"), *options, env=planted)

    details = json.loads(path.read_text(encoding="utf-8"))["details"]
    sender, receiver = details["sender_busy_ns"], details["receiver_busy_ns"]
    # Time stamps are subtracted.
    assert sender >= 990 * send_us
    assert receiver >= 990 * receive_us
    assert (receiver - sender) * (receive_us - send_us) > 0
    assert abs(receiver - sender) == pytest.approx(300_000, rel=0.5)
