"""The energy of a node, from counters whose values are known: of two packages, of which one wraps,
and where nothing can be read. The collector reads them."""

from __future__ import annotations

import os
import shlex
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.powercap import advance, two_packages, zone
from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build
from waywiser.native import SHIM
from waywiser.native._native import merge_states, node_documents

COLLECTOR = SHIM.parent / "ww-collector"
COMMON = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
"""Makes root a user whom the permissions of files concern."""


def _state(pid: int) -> bytes:
    """A live state (native/trace/records/state.hpp) of rank 0 of 1, between init and finalize."""
    header = bytearray(4096)
    struct.pack_into("<8sIIQIIii", header, 0, b"WWSTATE4", 4096, 65536, 0, pid, 1, 0, 1)
    started = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    struct.pack_into("<Q", header, 2792, int(started))
    return bytes(header)


def kept(
    directory: Path, powercap: Path, meanwhile: Callable[[], object], *before: str
) -> list[dict[str, Any]]:
    """A collector's record of its node, whose process lives during `meanwhile`."""
    memory, parts = directory / "memory", directory / "run" / "parts"
    memory.mkdir(mode=0o700)
    parts.mkdir(parents=True)
    (memory / "ledger").write_bytes(struct.pack("Q128s", 0, b"node"))
    with subprocess.Popen(["sleep", "300"]) as process, (memory / "ledger").open("r+b") as ledger:
        (memory / f"{process.pid}.state").write_bytes(_state(process.pid))
        with subprocess.Popen(
            [*before, COLLECTOR, memory, parts.parent, "30"],
            env={"PATH": os.environ["PATH"], "WAYWISER_POWERCAP": str(powercap)},
            preexec_fn=lambda: os.dup2(ledger.fileno(), 3),
            pass_fds=(3,),
        ) as collector:
            for _ in range(3000):
                if (parts / "node.copy").exists():  # the counters have been read before
                    break
                time.sleep(0.01)
            meanwhile()
            process.kill()
            process.wait()
            assert collector.wait(60) == 0
    return node_documents(merge_states([str(parts / "node.states")], True))


def test_packages_are_added_and_a_counter_may_wrap(tmp_path: Path) -> None:
    powercap = tmp_path / "powercap"
    two_packages(powercap)

    [node] = kept(tmp_path, powercap, lambda: advance(powercap))

    assert node["energy_joules"] == 0.5 + 0.375
    assert node["observed_seconds"] > 0
    assert node["unknown"] == {}


def test_where_no_package_counts_the_energy_is_not_0_but_unknown(tmp_path: Path) -> None:
    zone(tmp_path / "powercap", "intel-rapl:0", "psys", 1)

    [node] = kept(tmp_path, tmp_path / "powercap", lambda: None)

    assert node["energy_joules"] is None
    why = node["unknown"]["energy_joules"]
    assert why == f"not available: no processor package in {tmp_path / 'powercap'}"[: len(why)]
    assert why.startswith("not available: no processor package in /")


@pytest.mark.parametrize("when", ["from the start", "at the end"])
def test_where_a_package_may_not_be_read_the_energy_is_unknown(tmp_path: Path, when: str) -> None:
    _, second = two_packages(tmp_path / "powercap")

    def forbid() -> None:
        advance(tmp_path / "powercap")
        second.chmod(0)

    if when == "from the start":
        second.chmod(0)
    [node] = kept(
        tmp_path, tmp_path / "powercap", forbid if when == "at the end" else lambda: None, *COMMON
    )

    assert node["energy_joules"] is None
    assert node["unknown"]["energy_joules"].startswith("not readable: /")
    assert node["unknown"]["energy_joules"].endswith(": permission denied")


@pytest.mark.parametrize("text", ["", "much"])
def test_what_is_no_number_is_unknown(tmp_path: Path, text: str) -> None:
    first, _ = two_packages(tmp_path / "powercap")
    first.write_text(text)

    [node] = kept(tmp_path, tmp_path / "powercap", lambda: None)

    assert node["energy_joules"] is None
    assert node["unknown"]["energy_joules"].endswith(": not a number")


@pytest.mark.every_mpi
@pytest.mark.in_turn
def test_a_run_shows_its_energy(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    powercap, run = waywiser.directory / "powercap", waywiser.directory / "run"
    first, second = two_packages(powercap)
    started = f"until ls {shlex.quote(str(run))}/parts/*.copy; do sleep 0.01; done >&2"
    used = f"echo 1500000 > {first} && echo 125000 > {second}"

    waywiser.profiles(
        mpi.command(2, build(mpi, "command.c"), f"{started}; {used}"),
        env={"WAYWISER_POWERCAP": str(powercap)},
    )

    document = waywiser.show()
    [node] = document["nodes"]
    assert node["energy_joules"] == 0.5 + 0.375
    assert node["observed_seconds"] > 0
    assert node["host"] == os.uname().nodename
    assert "energy 0.875 J" in " ".join(waywiser.here("show", "run").stdout.split())
