"""Forms of placements on three hosts: each rank is where the form says, and ranks of a host share
memory."""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.rigs.hosts import Host, hosts, launcher_settings, why_not
from tests.support import BIN, MpiLibrary, environment, mpi_library
from tests.system.conftest import Build, debian_library
from waywiser.launch.placing.forms import FORMS, hosts_text
from waywiser.launch.placing.placed import Placed

pytestmark = [pytest.mark.skipif(why_not() is not None, reason=str(why_not())), pytest.mark.in_turn]

NAMES = ("n0", "n1", "n2")

DEBIAN = "debian-openmpi"
"""Open MPI 4."""

FREE = (
    ("openmpi", "openmpi"),
    ("openmpi-seq", "openmpi"),
    ("openmpi-seq", DEBIAN),
    ("mpich", "mpich"),
    ("impi", "impi"),
    ("pbs", "impi"),
)
BOUND = (("openmpi-slot", "openmpi"), ("openmpi-relative", "openmpi"), ("openmpi4", DEBIAN))
"""Forms that bind ranks to the cores of this machine, of which there need be no more than two."""


@pytest.fixture(scope="module")
def nodes() -> Iterator[list[Host]]:
    with (
        tempfile.TemporaryDirectory(prefix="ww-") as directory,  # short: sockets are in it
        hosts(NAMES, Path(directory)) as started,
    ):
        yield started


def library(name: str) -> MpiLibrary:
    if name == DEBIAN:
        return replace(debian_library("openmpi"), name=name)
    return mpi_library(name)


def shuffled(ranks: int, seed: int, *, blocks: bool = False) -> Placed:
    """`ranks` ranks on unequal hosts with some slots to spare, anywhere or in one block a host."""
    rng = random.Random(seed)
    each = -(-ranks // 3)
    counts = (each, each + 1, each + 2)
    slots = [host for host, count in enumerate(counts) for _ in range(count)]
    order = rng.sample(range(len(slots)), ranks)
    if blocks:
        turn = rng.sample(range(3), 3)
        order.sort(key=lambda slot: turn[slots[slot]])
    return Placed(NAMES, tuple(slots), tuple(order))


def check(
    placed: Placed, form: str, mpi: MpiLibrary, nodes: list[Host], build: Build, options: str = ""
) -> None:
    """Launches by the command that the form gives, on the first host.

    Args:
        options: of the launcher, that the form does not know.
    """
    program = build(mpi, "sharing.c")
    directory = nodes[0].directory
    (directory / "placed").write_text(FORMS[form].text(placed), encoding="utf-8")
    (directory / "placed.hosts").write_text(hosts_text(placed), encoding="utf-8")
    command = FORMS[form].launch(placed.ranks, "placed", "placed.hosts")
    command = re.sub(
        r"\bmpi(run|exec)\b", rf"{mpi.bin}/mpi\1{mpi.suffix}{options}", command, count=1
    )
    settings = launcher_settings(directory, shared_memory="vader" if mpi.suffix else "sm")
    env = environment({**settings, "PATH": f"{BIN}:/usr/bin:/bin"})
    if options:
        # This policy would have Open MPI put all ranks on the first host.
        del env["PRTE_MCA_rmaps_default_mapping_policy"]

    done = nodes[0].run(
        *("sh", "-c", f"{command} {program}"),
        env=env,
        timeout=240 + 2 * placed.ranks,  # of a machine that others load
    )

    assert done.returncode == 0, done.stderr
    on_host = Counter(placed.hosts)
    expected = [
        f"rank {rank} of {placed.ranks} on {host} in {on_host[host]}"
        for rank, host in enumerate(placed.hosts)
    ]
    assert sorted(done.stdout.splitlines()) == sorted(expected)


@pytest.mark.parametrize(("form", "name"), FREE)
def test_ranks_go_where_the_form_says(
    form: str, name: str, nodes: list[Host], build: Build
) -> None:
    ranks = 6 if name == "impi" else 12  # its ranks poll
    check(shuffled(ranks, seed=1, blocks=form == "mpich"), form, library(name), nodes, build)


@pytest.mark.parametrize(("form", "name"), BOUND)
def test_bound_ranks_go_where_the_form_says(
    form: str, name: str, nodes: list[Host], build: Build
) -> None:
    """Two slots a host, as this machine has two cores."""
    placed = Placed(NAMES, (0, 0, 1, 1, 2, 2), (1, 4, 2, 0, 5, 3))
    check(placed, form, library(name), nodes, build)


def test_renumbered_ranks_are_where_the_form_says(
    openmpi: MpiLibrary, nodes: list[Host], build: Build
) -> None:
    slots = (0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2)
    placed = Placed(NAMES, slots, tuple(random.Random(3).sample(range(12), 12)))
    options = " --hostfile placed.hosts --bind-to none"
    check(placed, "rerank", openmpi, nodes, build, options)


@pytest.mark.long
@pytest.mark.parametrize(
    ("form", "name", "ranks"),
    [
        *(("openmpi", "openmpi", ranks) for ranks in (24, 60, 150)),
        *(("openmpi-seq", "openmpi", ranks) for ranks in (24, 60, 150)),
        *(("openmpi-seq", DEBIAN, ranks) for ranks in (24, 60, 150)),
        *(("mpich", "mpich", ranks) for ranks in (24, 60, 150)),
        *(("impi", "impi", ranks) for ranks in (24, 60)),
    ],
)
def test_many_ranks(form: str, name: str, ranks: int, nodes: list[Host], build: Build) -> None:
    """150 ranks of Intel MPI pass too, but take 22 GB: they are not run here."""
    check(shuffled(ranks, seed=ranks, blocks=form == "mpich"), form, library(name), nodes, build)
