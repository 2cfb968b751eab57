"""The barrier experiment: --split-sync tells waiting for others from transferring data."""

from __future__ import annotations

import re

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build

pytestmark = [pytest.mark.alone("waits are imbalances of 400 ms, within 2 %"), pytest.mark.in_turn]

ROUNDS, LATE_MS, OTHER_MS = 2, 500, 100
"""Few and long, so that what the machine does besides is small against them."""


def run(mpi: MpiLibrary, waywiser: Waywiser, build: Build, *options: str) -> tuple[float, str]:
    """The delay of rank 1 after rank 0, by their own clocks [s], and the output of `show`."""
    program = build(mpi, "imbalance.c")
    command = mpi.command(2, program, str(ROUNDS), str(LATE_MS), str(OTHER_MS))
    done = waywiser.succeeds("profile", "-o", "run", *options, "--", *command)
    came_ns = dict(re.findall(r"rank (\d) came at (\d+) ns", done.stdout))
    planted = (int(came_ns["1"]) - int(came_ns["0"])) / 1e9
    assert planted > 0.75 * ROUNDS * (LATE_MS - OTHER_MS) / 1e3
    return planted, " ".join(waywiser.here("show", "run").stdout.split())


def test_synchronisation_is_the_planted_imbalance_and_names_who_is_late(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    planted, output = run(mpi, waywiser, build, "--split-sync")

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
    exact = r"of its time, rank 0 on host \S+ waits in MPI_Allreduce (mostly )?for rank 1 on host"
    assert re.search(exact, output), output


def test_without_barriers_the_profile_estimates_it_and_accuses_nobody(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    planted, output = run(mpi, waywiser, build)

    estimate = waywiser.show("run")["waiting_estimate"]
    assert estimate["seconds"] == [pytest.approx(planted, rel=0.02), 0.0]
    assert "estimated from" in output
    assert re.search(r"MPI; most of it in MPI_Allreduce \(\d", output), output
    assert "so others may wait for rank 1" in output, output
    assert "MPI_Allreduce for" not in output
