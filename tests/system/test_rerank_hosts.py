"""Ranks in another order on three hosts: where they run, whose memory they share."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rigs.hosts import Host, hosts, launcher_settings, why_not
from tests.support import BIN, ROOT, MpiLibrary, Waywiser, captured, environment
from tests.system.conftest import Build
from tests.system.rank_orders import placed, write_order

pytestmark = pytest.mark.in_turn


@pytest.fixture(scope="module")
def nodes() -> Iterator[list[Host]]:
    if why_not() is not None:
        pytest.skip(str(why_not()))
    with (
        tempfile.TemporaryDirectory(prefix="ww-") as directory,  # short: sockets are in it
        hosts(("n0", "n1", "n2"), Path(directory)) as started,
    ):
        yield started


def on_hosts(mpi: MpiLibrary, slots: int) -> list[str]:
    """Launches that many ranks a host, one host after the other."""
    launcher = str(mpi.bin / "mpirun")
    ranks = ["-n", str(3 * slots)]
    if mpi.abi == "openmpi":
        listed = ",".join(f"n{i}:{slots}" for i in range(3))
        return [launcher, "--host", listed, *ranks, "--map-by", f"ppr:{slots}:node:oversubscribe"]
    return [launcher, "-hosts", "n0,n1,n2", "-ppn", str(slots), *ranks]


def check_on_hosts(
    mpi: MpiLibrary, nodes: list[Host], build: Build, ranks: int, seed: int, *how: str
) -> None:
    """Each rank runs where the launcher has put the process, and shares that host's memory."""
    slots = ranks // 3
    order = random.Random(seed).sample(range(ranks), ranks)
    directory = nodes[0].directory
    write_order(directory, order)
    program = build(mpi, "rerank.c")
    result = directory / f"made-{mpi.name}-{ranks}-{seed}.bin"

    command = [*on_hosts(mpi, slots), str(program), str(directory / "plain"), str(result), *how]
    done = captured(
        nodes[0].command(BIN / "waywiser", "rerank", "order", "--", *command),
        env=launcher_settings(directory),
        timeout=200 + 2 * ranks,
    )

    assert done.returncode == 0, done.stderr
    assert "0 checks failed" in done.stdout.splitlines(), done.stdout
    expected = {rank: (at, f"n{at // slots}", slots) for rank, at in enumerate(order)}
    assert placed(done.stdout) == expected


@pytest.mark.every_mpi
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_random_order_on_three_hosts(
    mpi: MpiLibrary, nodes: list[Host], build: Build, seed: int
) -> None:
    """Libraries whose ranks poll get only a few messages."""
    how = () if mpi.abi == "openmpi" else ("briefly",)
    check_on_hosts(mpi, nodes, build, 12, seed, *how)


@pytest.mark.long
@pytest.mark.every_mpi
@pytest.mark.parametrize("ranks", [24, 60, 150])
def test_many_ranks_on_three_hosts(
    mpi: MpiLibrary, nodes: list[Host], build: Build, ranks: int
) -> None:
    if mpi.name == "impi" and ranks > 60:
        pytest.skip("150 ranks of Intel MPI take 22 GB")
    check_on_hosts(mpi, nodes, build, ranks, ranks, "briefly")


def test_the_profile_has_the_new_ranks(
    openmpi: MpiLibrary, nodes: list[Host], build: Build, tmp_path: Path
) -> None:
    order = random.Random(3).sample(range(12), 12)
    directory = nodes[0].directory
    write_order(directory, order)
    program = build(openmpi, "rerank.c")
    command = [
        *on_hosts(openmpi, 4),
        str(program),
        str(directory / "plain"),
        str(directory / "made.bin"),
    ]

    done = nodes[0].run(
        BIN / "waywiser",
        *("profile", "-o", str(tmp_path / "run"), "--rerank", "order", "--"),
        *command,
        env=environment(launcher_settings(directory)),
    )

    assert done.returncode == 0, done.stderr
    assert "0 checks failed" in done.stdout.splitlines(), done.stdout
    document = Waywiser(tmp_path).show("run", "--per-rank")
    assert (document["status"], document["lost"]) == ("complete", [])
    assert [rank["host"] for rank in document["per_rank"]] == [f"n{at // 4}" for at in order]
    # The ring: every rank sends to its right neighbour.
    sent = {(source, target) for source, target, _ in document["matrix"]["messages"]}
    assert {(rank, (rank + 1) % 12) for rank in range(12)} <= sent


def test_the_ranks_of_a_topology(openmpi: MpiLibrary, nodes: list[Host], tmp_path: Path) -> None:
    """The example of the page: a grid of 3 x 2 ranks, dealt out to three hosts of two slots. All of
    its 14 neighbours are on other hosts; with a row on each, 8 are."""
    directory = nodes[0].directory
    program = openmpi.build(ROOT / "examples" / "plate.c", directory / "plate", "-O2")
    shutil.copy(ROOT / "machines" / "rig-3.toml", directory)
    launch = [str(openmpi.bin / "mpirun"), "--host", "n0:2,n1:2,n2:2", "-n", "6"]
    command = [*launch, "--map-by", "node:oversubscribe", str(program)]

    done = nodes[0].run(
        BIN / "waywiser",
        *("profile", "-o", str(tmp_path / "run"), "--rerank", "rig-3.toml", "--"),
        *command,
        env=environment(launcher_settings(directory)),
    )

    assert done.returncode == 0, done.stderr
    assert "MPI_Cart_create reorders its 6 ranks: weighted hops fall from 28 to 16" in done.stderr
    document = Waywiser(tmp_path).show("run", "--per-rank")
    hosts_of = [rank["host"] for rank in document["per_rank"]]
    assert hosts_of == ["n0", "n1", "n2"] * 2
    faces = [(s, t) for s, t, size in document["matrix"]["bytes"] if size > 40 * 1000]
    assert len(faces) == 14
    assert sum(hosts_of[s] != hosts_of[t] for s, t in faces) == 8
