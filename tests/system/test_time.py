"""Seconds, CPU time and memory of programs that spend known amounts; bounds are loose, because
other work shares the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build

pytestmark = [pytest.mark.every_mpi, pytest.mark.in_turn]
timed = pytest.mark.alone("tells spinning from sleeping by wall and CPU time")

SPENT_SECONDS = 0.6


def _times(
    waywiser: Waywiser, build: Build, mpi: MpiLibrary, how: str, ranks: int
) -> dict[str, Any]:
    waywiser.profiles(mpi.command(ranks, build(mpi, "times.c"), how))
    return waywiser.show("run", "--per-rank")


@timed
def test_waiting_shows_where_it_happens(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    document = _times(waywiser, build, mpi, "wait", 3)

    late, *waiting = document["per_rank"]
    for rank in waiting:
        assert 0.7 * SPENT_SECONDS < rank["functions"]["MPI_Allreduce"]["seconds"] < 5
    assert late["functions"]["MPI_Allreduce"]["seconds"] < 0.5 * SPENT_SECONDS
    assert document["per_rank"][1]["peak_memory_bytes"] > 1 << 28
    assert document["per_rank"][0]["peak_memory_bytes"] < 1 << 28


def test_times_are_consistent(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    document = _times(waywiser, build, mpi, "wait", 2)

    assert document["wall_seconds"] == max(r["wall_seconds"] for r in document["per_rank"])
    for key in ("mpi_seconds", "init_seconds", "finalize_seconds"):
        assert document[key] == [rank[key] for rank in document["per_rank"]]
    for rank in document["per_rank"]:
        functions = rank["functions"]
        for name, function in functions.items():
            in_bins = sum(seconds for _, _, seconds in function["sizes"])
            assert in_bins == pytest.approx(function["seconds"], abs=1e-9), name
        outside = {"MPI_Init", "MPI_Finalize"}
        counted = sum(f["seconds"] for name, f in functions.items() if name not in outside)
        assert rank["mpi_seconds"] == pytest.approx(counted, abs=1e-9)
        assert rank["init_seconds"] == pytest.approx(functions["MPI_Init"]["seconds"], abs=1e-9)
        assert rank["finalize_seconds"] == pytest.approx(
            functions["MPI_Finalize"]["seconds"], abs=1e-9
        )
        within = rank["init_seconds"] + rank["mpi_seconds"] + rank["finalize_seconds"]
        assert within < rank["wall_seconds"] + 1e-6


@timed
def test_cpu_time_tells_spinning_from_sleeping(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, tmp_path: Path
) -> None:
    spinning = _times(waywiser, build, mpi, "spin", 1)["per_rank"][0]
    waywiser(*["profile", "-o", "asleep", "--"], *mpi.command(1, build(mpi, "times.c"), "sleep"))
    sleeping = waywiser.show("asleep", "--per-rank")["per_rank"][0]

    assert SPENT_SECONDS < spinning["cpu_seconds"] < 1.05 * spinning["wall_seconds"] + 0.1
    assert sleeping["wall_seconds"] - sleeping["cpu_seconds"] > 0.9 * SPENT_SECONDS
    in_mpi = sum(sleeping[f"{part}_seconds"] for part in ("init", "mpi", "finalize"))
    assert SPENT_SECONDS <= sleeping["wall_seconds"] - in_mpi < SPENT_SECONDS + 0.3
