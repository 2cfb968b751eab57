"""The metrics of a run without its first iterations, which come from its trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build
from waywiser.store.read import read_run

PROGRAMS = [
    ("traced", 2, "calls"),
    ("traced", 1, "spin 2000"),
    ("persistent", 2, ""),
    ("matrix", 4, ""),
    ("collective_matrix", 5, ""),
    ("one_sided", 2, "file"),
]


def counts(functions: Mapping[str, Any]) -> dict[str, tuple[object, ...]]:
    """All of each function that is no time."""
    return {
        name: (
            *(function.calls, function.pending_calls, function.bytes, function.receive_bytes),
            tuple((bound, calls) for bound, calls, _ in function.sizes),
        )
        for name, function in functions.items()
    }


@pytest.mark.parametrize(("program", "ranks", "arguments"), PROGRAMS)
def test_a_window_with_the_whole_run_has_the_counts_of_its_profile(
    openmpi: MpiLibrary,
    waywiser: Waywiser,
    build: Build,
    program: str,
    ranks: int,
    arguments: str,
) -> None:
    command = openmpi.command(ranks, build(openmpi, f"{program}.c"), *arguments.split())
    waywiser.succeeds("profile", "--trace", "-o", "run", "--", *command)

    _, whole = read_run(waywiser.directory / "run")
    _, window = read_run(waywiser.directory / "run", (0, 1e6))

    assert counts(window.functions) == counts(whole.functions)
    for matrix in ("matrix", "collective_matrix"):
        assert getattr(window, matrix) == getattr(whole, matrix)
    assert window.per_rank is not None
    assert whole.per_rank is not None
    for in_window, expected in zip(window.per_rank, whole.per_rank, strict=True):
        assert counts(in_window.functions) == counts(expected.functions)
        assert in_window.mpi_seconds == pytest.approx(expected.mpi_seconds, rel=0.01, abs=1e-4)
    assert window.status == whole.status


def test_what_is_left_out_is_in_no_metric(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    """Two of 12 rounds with an Allgather, a Barrier and a Gather are skipped."""
    program = build(openmpi, "planted_delay.c")
    command = openmpi.command(4, program, "barrier", "12", "20")
    waywiser.succeeds("profile", "--trace", "-o", "run", "--", *command)

    whole = waywiser.show("run")["functions"]
    rest = waywiser.show("run", "--skip-iterations", "2")

    assert whole["MPI_Allgather"]["calls"] == 4 * 12
    functions = rest["functions"]
    assert abs(functions["MPI_Allgather"]["calls"] - 4 * 10) <= 4  # ranks are not quite in step
    assert functions["MPI_Allgather"]["seconds"] < whole["MPI_Allgather"]["seconds"]
    assert "MPI_Init" not in functions
    assert "all metrics are of calls that begin between" in rest["lost"][0]
