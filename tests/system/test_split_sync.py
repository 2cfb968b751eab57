"""The barrier experiment: --split-sync tells waiting for others from transferring data."""

from __future__ import annotations

import re

import pytest

from tests.support import MpiLibrary, Waywiser, mpi_libraries
from tests.system.conftest import Build

pytestmark = pytest.mark.alone

ROUNDS, LATE_MS, OTHER_MS = 2, 900, 100
"""Few and long, so that what the machine does besides is small against them."""


@pytest.fixture(params=["mpich", "openmpi"])
def library(request: pytest.FixtureRequest) -> MpiLibrary:
    return next(library for library in mpi_libraries() if library.name == request.param)


def test_synchronisation_is_the_planted_imbalance(
    library: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    program = build(library, "imbalance.c")

    done = waywiser(
        *("profile", "-o", "run", "--split-sync", "--"),
        *library.command(2, program, str(ROUNDS), str(LATE_MS), str(OTHER_MS)),
    )

    assert done.returncode == 0, done.stderr
    came_ns = dict(re.findall(r"rank (\d) came at (\d+) ns", done.stdout))
    planted = (int(came_ns["1"]) - int(came_ns["0"])) / 1e9
    assert planted > 0.75 * ROUNDS * (LATE_MS - OTHER_MS) / 1e3
    document = waywiser.show("run", "--per-rank")
    allreduce = document["functions"]["MPI_Allreduce"]
    ranks = document["per_rank"]
    assert document["split_sync"]
    assert allreduce["calls"] == 2 * ROUNDS
    # Without the last rank's: both ranks wait for the barrier itself, and for CPUs that others use.
    waited, own = (rank["functions"]["MPI_Allreduce"]["sync_seconds"] for rank in ranks)
    assert waited - own == pytest.approx(planted, rel=0.02)
    assert allreduce["sync_seconds"] == pytest.approx(waited + own)
    assert allreduce["seconds"] < 0.01 * sum(rank["wall_seconds"] for rank in ranks)
    assert document["sync_seconds"] == pytest.approx([waited, own])


def test_without_barriers_the_profile_estimates_it(
    library: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    program = build(library, "imbalance.c")
    command = library.command(2, program, str(ROUNDS), str(LATE_MS), str(OTHER_MS))

    done = waywiser("profile", "-o", "run", "--", *command)

    came_ns = dict(re.findall(r"rank (\d) came at (\d+) ns", done.stdout))
    planted = (int(came_ns["1"]) - int(came_ns["0"])) / 1e9
    estimate = waywiser.show("run")["waiting_estimate"]
    assert estimate["seconds"] == [pytest.approx(planted, rel=0.02), 0.0]
    assert "estimated from" in " ".join(waywiser("show", "run").stdout.split())


def test_the_verdict_names_who_is_late(
    library: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    program = build(library, "imbalance.c")
    command = library.command(2, program, str(ROUNDS), str(LATE_MS), str(OTHER_MS))
    said = {}
    for run, options in (("plain", ()), ("split", ("--split-sync",))):
        done = waywiser("profile", "-o", run, *options, "--", *command)
        assert done.returncode == 0, done.stderr
        said[run] = " ".join(waywiser("show", run).stdout.split())

    exact = r"of its time, rank 0 on host \S+ waits in MPI_Allreduce (mostly )?for rank 1 on host"
    assert re.search(exact, said["split"]), said
    assert re.search(r"MPI; most of it in MPI_Allreduce \(\d", said["plain"]), said
    assert "so others may wait for rank 1" in said["plain"], said
    assert "MPI_Allreduce for" not in said["plain"]
