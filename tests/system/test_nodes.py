"""Data of ranks on other nodes: one file per node, states of killed ranks, lost memory."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.rigs.hosts import Host, hosts, launcher_settings, why_not
from tests.support import BIN, MpiLibrary, Waywiser, environment, wait_for
from tests.system.conftest import Build

pytestmark = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[list[Host]]:
    """Two hosts; the launcher runs on the first."""
    with hosts(["n0", "n1"], tmp_path) as started:
        yield started


def _has_no_collector(host: Host) -> bool:
    return not host.processes("ww-collector")


@contextmanager
def _waiting(
    openmpi: MpiLibrary, nodes: list[Host], directory: Path, program: Path, *options: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Two ranks a host: rank 1 sleeps, the others wait for it in MPI_Barrier."""
    launch: list[str | Path] = [openmpi.bin / "mpirun", "--host", "n0:2,n1:2", "-n", "4"]
    launch += ["--map-by", "ppr:2:node:oversubscribe", program, "wait", "barrier"]
    process = subprocess.Popen(
        nodes[0].command(BIN / "waywiser", "profile", "-o", "run", *options, "--", *launch),
        cwd=directory,
        env=environment(launcher_settings(directory)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.3)  # until the ranks are where they wait
        yield process
    finally:
        for host in nodes:
            host.kill(program.name)
        process.communicate(timeout=200)


def _check_kept(document: dict[str, Any]) -> None:
    assert document["status"] == "partial"
    assert [rank["host"] for rank in document["per_rank"]] == ["n0", "n0", "n1", "n1"]
    assert document["functions"]["MPI_Sendrecv"]["calls"] == 4
    # They enter the barrier together, and are in it until they are killed.
    for rank in (2, 3):
        barrier = document["per_rank"][rank]["functions"]["MPI_Barrier"]
        assert (barrier["calls"], barrier["bytes"]) == (1, 0)
    text = " ".join(document["lost"])
    assert "3 ended inside MPI_Barrier (killed); the profile holds what came before, and" in text


def test_ranks_killed_on_another_node(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build, nodes: list[Host]
) -> None:
    program = build(openmpi, "actor.c")
    run = waywiser.directory / "run"

    with _waiting(openmpi, nodes, waywiser.directory, program) as process:
        time.sleep(1)
        kept = {path.name.rpartition("-")[0] for path in run.glob("parts/*")}
        assert kept == {"n0", "n1"}
        assert len(nodes[1].processes("ww-collector")) == 1
        nodes[1].kill(program.name)
        process.wait(30)

    document = waywiser.show("run", "--per-rank")
    _check_kept(document)
    # More than a second: the time up to the end, not up to the last call that returned.
    barrier = document["per_rank"][2]["functions"]["MPI_Barrier"]
    assert 1 < barrier["seconds"] < document["per_rank"][2]["wall_seconds"]
    for host in nodes:
        wait_for(partial(_has_no_collector, host))
        assert host.run("find", "/dev/shm", "-name", "waywiser*").stdout == ""
    assert not (run / "parts").exists()


def test_a_node_is_lost(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build, nodes: list[Host]
) -> None:
    """A node's ranks, their collector and the memory are lost; the last copy remains."""
    program = build(openmpi, "actor.c")
    parts = waywiser.directory / "run" / "parts"

    with _waiting(openmpi, nodes, waywiser.directory, program, "--copy-every", "0.5") as process:
        before = time.time()
        wait_for(lambda: all(p.stat().st_mtime > before + 0.5 for p in parts.glob("n1-*.copy")))
        nodes[1].kill()
        process.wait(30)

    _check_kept(waywiser.show("run", "--per-rank"))


def test_one_file_a_node(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build, nodes: list[Host]
) -> None:
    """`waywiser profile` is killed, which would merge the files of the run that are looked at."""
    program = build(openmpi, "actor.c")
    parts = waywiser.directory / "run" / "parts"

    with _waiting(openmpi, nodes, waywiser.directory, program) as process:
        (pid,) = nodes[0].processes("waywiser")
        subprocess.run(["kill", "-KILL", str(pid)], check=True)
        process.wait()
        for host in nodes:
            host.kill(program.name)
        wait_for(lambda: not list(parts.glob("*.copy")))

        names = sorted(path.name for path in parts.iterdir())
        assert [name.rpartition("-")[0] for name in names] == ["n0", "n1"]
        assert all(name.endswith(".states") for name in names)
        shown = nodes[0].run(BIN / "waywiser", "show", "run", "--json", "--per-rank")
        # The host of the run finishes it; the files of both nodes are in the profile then.
        assert not shown.stderr
    assert not parts.exists()
    _check_kept(json.loads(shown.stdout))
