"""`waywiser machine calibrate` on two hosts whose link and eager limit are set by the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rigs.hosts import hosts, launcher_settings, why_not
from tests.support import MpiLibrary, Waywiser, environment
from waywiser.machines.library import read_machine

SIZES = (512, 2048, 8192, 32768, 65536, 131072)
MEGABITS = 200
"""Of the link: so few that the machine can be busy with other things."""


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_the_link_between_two_hosts_is_found(
    openmpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path
) -> None:
    shaped = f"tc qdisc add dev eth0 root tbf rate {MEGABITS}mbit burst 4kb limit 4mb".split()
    settings = launcher_settings(tmp_path) | {"OMPI_MCA_btl_tcp_eager_limit": "16384"}
    options = ["--benchmark", "loggp,latency", "--iterations", "20", "--json", "measured.json"]
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

    done = waywiser("machine", "calibrate", "rig-3", "measured.json", "-o", "new.toml")

    assert done.returncode == 0, done.stderr
    new = read_machine(str(tmp_path / "new.toml"))
    assert [one.part for one in new.calibration] == ["network"]
    # Open MPI counts its header of some bytes, too: of the sizes, 8192 is the longest eager one.
    assert new.network.eager_limit_bytes == 8192
    assert 8192 in [piece.up_to_bytes for piece in new.network.loggp]
    # TCP's and IP's headers take 5 % of the link's rate.
    assert new.network.loggp[-1].bandwidth_GBps == pytest.approx(MEGABITS / 8e3, rel=0.25)
    assert "Open MPI" in new.calibration[0].document
    assert new.node.loggp == ()
