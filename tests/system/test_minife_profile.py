"""The profile of ww-minife holds exactly the calls and messages that its algorithm implies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, cases
from tests.system.minife_counts import (
    expected_calls,
    expected_matrix_bytes,
    expected_messages,
)

pytestmark = pytest.mark.in_turn

ELEMENTS = (8, 9, 10)


def profiled_minife(
    waywiser: Waywiser, mpi: MpiLibrary, ranks: int, *options: str
) -> tuple[dict[str, Any], int]:
    """The profile of a run, and the number of CG iterations that the program itself reports."""
    nx, ny, nz = map(str, ELEMENTS)
    size = ["--nx", nx, "--ny", ny, "--nz", nz]
    command = mpi.command(
        ranks, mpi.program("ww-minife"), *size, *options, "--json", "samples.json"
    )
    waywiser.profiles(command)
    samples = (waywiser.directory / "samples.json").read_text(encoding="utf-8").splitlines()
    iterations: int = json.loads(samples[0])["parameters"]["iterations"]
    return waywiser.show("run", "--per-rank"), iterations


def as_dense(pairs: list[tuple[int, int, int]], ranks: int) -> list[list[int]]:
    dense = [[0] * ranks for _ in range(ranks)]
    for source, destination, number in pairs:
        dense[source][destination] = number
    return dense


@pytest.mark.parametrize("ranks", cases([1, 2, 3, 4], long=[7]))
def test_calls_and_messages_are_those_of_the_closed_form(
    waywiser: Waywiser, mpi: MpiLibrary, ranks: int
) -> None:
    profile, iterations = profiled_minife(waywiser, mpi, ranks)

    assert profile["status"] == "complete"
    assert profile["ranks"] == ranks
    calls = [
        {name: function["calls"] for name, function in rank["functions"].items()}
        for rank in profile["per_rank"]
    ]
    assert calls == expected_calls(*ELEMENTS, ranks, iterations)
    matrix = profile["matrix"]
    assert as_dense(matrix["messages"], ranks) == expected_messages(*ELEMENTS, ranks, iterations)
    assert as_dense(matrix["bytes"], ranks) == expected_matrix_bytes(*ELEMENTS, ranks, iterations)


@pytest.mark.parametrize(
    ("options", "imbalance"), [(["--overlap"], 0), (["--load-imbalance", "20"], 20)]
)
def test_overlap_and_imbalance_keep_the_closed_form(
    waywiser: Waywiser, mpi: MpiLibrary, options: list[str], imbalance: float
) -> None:
    profile, iterations = profiled_minife(waywiser, mpi, 4, *options)

    expected = expected_matrix_bytes(*ELEMENTS, 4, iterations, load_imbalance=imbalance)
    assert as_dense(profile["matrix"]["bytes"], 4) == expected


def test_the_fused_form_calls_what_the_standard_form_calls(
    waywiser: Waywiser, openmpi: MpiLibrary
) -> None:
    options = ("--operator", "matrix-free", "--cg", "fused")

    profile, iterations = profiled_minife(waywiser, openmpi, 4, *options)

    calls = [
        {name: function["calls"] for name, function in rank["functions"].items()}
        for rank in profile["per_rank"]
    ]
    assert calls == expected_calls(*ELEMENTS, 4, iterations)
    expected = expected_matrix_bytes(*ELEMENTS, 4, iterations)
    assert as_dense(profile["matrix"]["bytes"], 4) == expected


def test_the_pipelined_form_has_one_nonblocking_reduction_an_iteration(
    waywiser: Waywiser, openmpi: MpiLibrary
) -> None:
    profile, iterations = profiled_minife(waywiser, openmpi, 2, "--cg", "pipelined")

    functions = profile["per_rank"][0]["functions"]
    assert functions["MPI_Iallreduce"]["calls"] == iterations + 1
    assert functions["MPI_Allreduce"]["calls"] == 2  # of the verification


def test_bytes_of_the_reductions_are_eight_a_call(waywiser: Waywiser, openmpi: MpiLibrary) -> None:
    profile, iterations = profiled_minife(waywiser, openmpi, 2)

    sizes = {bound: calls for bound, calls, _ in profile["functions"]["MPI_Allreduce"]["sizes"]}
    # Two 8-byte reductions an iteration, one for the first residual, and the maximum of the
    # verification, on each rank; its sum of seven doubles has the other size.
    assert sizes == {8: 2 * (2 * iterations + 2), 64: 2}


def test_the_provenance_is_that_of_the_run(
    waywiser: Waywiser, mpi: MpiLibrary, tmp_path: Path
) -> None:
    profiled_minife(waywiser, mpi, 2)

    run = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))

    assert run["mpi"]["library"] == mpi.full_name
    assert run["mpi"]["version"].startswith({"impi": "2021."}.get(mpi.name, "5.0."))
    assert (run["mpi"]["transport"] != "unknown") == (mpi.name != "impi")  # Intel's does not say
    assert "GCC" in run["program"]["compiler"]
    assert Path(run["program"]["mpi_library"]).parent == mpi.bin.parent / "lib"
    assert run["status"] == "complete"
    assert run["exit_code"] == 0
