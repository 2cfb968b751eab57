"""ww-minife against the exact discrete solution and its own promises, under every MPI library."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary
from tests.system.minife_counts import decompose, imbalance_percent, sent_nodes
from tests.verification.minife_oracle import solve

pytestmark = pytest.mark.in_turn

# In this order, 7 ranks are in turn Open MPI's, which yield the processor while they wait.
MESHES_AND_RANKS = [
    *(((20, 20, 20), ranks) for ranks in (1, 7, 4, 2, 3)),
    ((31, 9, 5), 7),
    ((10, 10, 10), 4),
    ((12, 18, 24), 3),
]

Sample = dict[str, Any]


def samples_of(path: Path) -> dict[str, Sample]:
    """The samples of one run by phase."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {sample["phase"]: sample for sample in lines}


def minife(
    mpi: MpiLibrary, tmp_path: Path, ranks: int, *options: str, code: int = 0, threads: int = 1
) -> Sample:
    """Runs ww-minife and returns its sample of the phase "cg"."""
    file = tmp_path / "samples.jsonl"
    command = [str(mpi.program("ww-minife")), *options, f"--json={file}"]
    environment = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    run = mpi.run(ranks, *command, check=False, env=environment)
    assert run.returncode == code, run.stderr
    return samples_of(file)["cg"]


def axes(elements: tuple[int, int, int]) -> list[str]:
    return [f"--n{axis}={n}" for axis, n in zip("xyz", elements, strict=True)]


@pytest.mark.parametrize(("elements", "ranks"), MESHES_AND_RANKS, ids=str)
def test_the_discrete_solution_is_exact_on_any_number_of_ranks(
    mpi: MpiLibrary, tmp_path: Path, elements: tuple[int, int, int], ranks: int
) -> None:
    exact = solve(*elements)

    sample = minife(mpi, tmp_path, ranks, *axes(elements))

    details = sample["details"]
    assert sample["verified"] is True
    assert sample["ranks"] == ranks
    assert details["centre"] == pytest.approx(exact.centre, abs=1e-9)
    assert details["free_sum"] == pytest.approx(exact.free_sum, rel=1e-9)
    assert details["free_norm"] == pytest.approx(exact.free_norm, rel=1e-9)
    # miniFE takes 65 to reach 2e-16; a solver that is merely convergent takes more.
    assert elements != (20, 20, 20) or 45 <= sample["parameters"]["iterations"] <= 60
    assert details["right_side_norm"] == pytest.approx(exact.right_side_norm, rel=1e-12)


def test_overlap_and_imbalance_leave_the_solution(mpi: MpiLibrary, tmp_path: Path) -> None:
    exact = solve(12, 18, 24)

    sample = minife(mpi, tmp_path, 5, *axes((12, 18, 24)), "--overlap", "--load-imbalance", "30")

    assert sample["variant"] == "csr-overlap"
    assert sample["verified"] is True
    assert sample["details"]["centre"] == pytest.approx(exact.centre, abs=1e-9)
    assert sample["details"]["free_norm"] == pytest.approx(exact.free_norm, rel=1e-9)


@pytest.mark.parametrize("expected", [0, 20, 75])
def test_the_decomposition_is_the_specified_one(
    mpi: MpiLibrary, tmp_path: Path, expected: int
) -> None:
    elements = (8, 10, 14)
    blocks = decompose(elements, 6, expected)
    sent = sent_nodes(elements, blocks)

    details = minife(mpi, tmp_path, 6, *axes(elements), f"--load-imbalance={expected}")["details"]

    assert details["elements_by_rank"] == [block.volume for block in blocks]
    assert details["neighbours_by_rank"] == [sum(n > 0 for n in row) for row in sent]
    assert details["sent_nodes_by_rank"] == [sum(row) for row in sent]
    assert details["element_imbalance_percent"] == pytest.approx(imbalance_percent(blocks))
    assert details["element_imbalance_percent"] >= expected


def test_the_error_falls_with_the_square_of_the_spacing(mpi: MpiLibrary, tmp_path: Path) -> None:
    coarse, fine = (minife(mpi, tmp_path, 1, "--nx", str(n)) for n in (16, 32))

    assert 3.8 < coarse["error"] / fine["error"] < 4.3
    for sample in (coarse, fine):  # the bound is neither slack nor tight
        assert 0.6 < sample["error"] / sample["details"]["error_allowed"] < 0.95


@pytest.mark.parametrize("ranks", [1, 3])
def test_one_broken_entry_is_noticed(mpi: MpiLibrary, tmp_path: Path, ranks: int) -> None:
    more = ["--fixed-iterations", "--iterations=5", "--overlap"]

    sample = minife(mpi, tmp_path, ranks, "--nx=10", "--break-entry", *more, code=1)

    assert sample["verified"] is False
    assert sample["details"]["failure"] == "1 matrix entries or right sides are wrong"


def test_giving_up_is_not_verified(mpi: MpiLibrary, tmp_path: Path) -> None:
    sample = minife(mpi, tmp_path, 2, "--nx=10", "--iterations=5", code=1)

    assert sample["verified"] is False
    assert sample["parameters"]["iterations"] == 5
    assert "not converged" in sample["details"]["failure"]


def test_a_tolerance_too_loose_for_the_mesh_is_not_verified(
    mpi: MpiLibrary, tmp_path: Path
) -> None:
    sample = minife(mpi, tmp_path, 1, "--nx=20", "--tolerance=0.1", code=1)

    assert "analytic solution" in sample["details"]["failure"]


@pytest.mark.parametrize("ranks", [1, 4])
def test_fixed_iterations_are_kept_to(mpi: MpiLibrary, tmp_path: Path, ranks: int) -> None:
    sample = minife(mpi, tmp_path, ranks, "--nx=10", "--fixed-iterations", "--iterations=60")

    assert sample["parameters"]["iterations"] == 60  # 25 converge
    assert sample["verified"] is True
    assert sample["error"] is None


def test_every_phase_leaves_a_sample_with_the_keys_of_all_workloads(
    mpi: MpiLibrary, tmp_path: Path
) -> None:
    file = tmp_path / "samples.jsonl"

    run = mpi.run(2, str(mpi.program("ww-minife")), "nx=6", "--json", str(file))

    samples = samples_of(file)
    assert list(samples) == [
        *("memory", "structure", "assembly", "boundary", "halo", "cg"),
        *("matvec", "exchange", "dot", "allreduce", "update"),
    ]
    for sample in samples.values():
        assert sample["workload"] == "minife"
        assert sample["points"] == 7**3
        assert sample["seconds"] >= 0
        assert isinstance(sample["bytes"], int)
        assert isinstance(sample["flops"], int)
        assert sample["threads"] == 1
    k = samples["cg"]["parameters"]["iterations"]
    assert samples["matvec"]["flops"] == 2 * 19**3 * (k + 1)
    assert samples["dot"]["flops"] == 2 * 7**3 * (2 * k + 1)
    assert run.stdout.endswith("verified\n")
    assert re.search(r"6 x 6 x 6 elements, 343 rows, 6859 entries", run.stdout)


@pytest.mark.parametrize(
    "spelling",
    [["-nx", "6"], ["--nx=6"], ["nx=6", "-load_imbalance=0"]],
    ids=" ".join,
)
def test_the_spellings_of_the_original_are_accepted(
    mpi: MpiLibrary, tmp_path: Path, spelling: list[str]
) -> None:
    parameters = minife(mpi, tmp_path, 1, *spelling)["parameters"]

    assert [parameters[f"n{axis}"] for axis in "xyz"] == [6, 6, 6]


def test_help_lists_every_option_once(mpi: MpiLibrary) -> None:
    run = mpi.run(2, str(mpi.program("ww-minife")), "--help")

    for option in ("nx", "load-imbalance", "overlap", "tolerance", "iterations", "break-entry"):
        assert run.stdout.count(f"  --{option}") == 1
