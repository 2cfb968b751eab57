"""Intel's benchmarks from their wheel: counts that follow from their arguments, exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, mpi_libraries

SIZES = [0, 1, 2, 4, 8]  # -msglog 3
RANKS = 2


@pytest.fixture
def impi() -> MpiLibrary:
    """The library whose wheel has them."""
    return next(library for library in mpi_libraries() if library.name == "impi")


def functions_of(
    waywiser: Waywiser, mpi: MpiLibrary, iterations: int, *benchmarks: str
) -> dict[str, Any]:
    options = ["-iter", str(iterations), "-iter_policy", "off", "-msglog", "3"]
    command = mpi.command(RANKS, mpi.bin / "IMB-MPI1", *options, *benchmarks)
    run = f"run-{iterations}"
    done = waywiser.profile(command, run, env={"LD_LIBRARY_PATH": str(mpi.bin.parent / "lib")})
    assert done.returncode == 0, done.stderr
    document = waywiser.show(run)
    assert (document["status"], document["lost"]) == ("complete", [])
    functions: dict[str, Any] = document["functions"]
    return functions


def calls_by_size(function: dict[str, Any]) -> dict[int, int]:
    return {bound: calls for bound, calls, _ in function["sizes"]}


def test_iterations_and_sizes(impi: MpiLibrary, waywiser: Waywiser) -> None:
    """Every size is run alike, as often as the iterations say, and once more to warm up.

    The warm-up is a fixed share of the iterations, which the manual does not state: the first run
    measures it, the second must keep to it.
    """
    benchmarks = ("PingPong", "Sendrecv", "Bcast")
    few, many = (functions_of(waywiser, impi, n, *benchmarks) for n in (10, 30))
    share = Fraction(calls_by_size(few["MPI_Sendrecv"])[0], RANKS * 10)
    assert share > 1
    for iterations, functions in ((10, few), (30, many)):
        calls = RANKS * iterations * share
        for name in ("MPI_Send", "MPI_Recv", "MPI_Sendrecv", "MPI_Bcast"):
            assert calls_by_size(functions[name]) == dict.fromkeys(SIZES, calls), name
        total = sum(SIZES) * calls
        for name, sent, posted in (
            ("MPI_Send", total, 0),
            ("MPI_Recv", 0, total),
            ("MPI_Sendrecv", total, total),
            ("MPI_Bcast", total / RANKS, total / RANKS),  # each rank is the root in half of them
        ):
            got = (functions[name]["bytes"], functions[name]["posted_bytes"])
            assert got == (sent, posted), name
