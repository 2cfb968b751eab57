"""ww-lattice on several grids of ranks, against the numbers of its specification, and refusing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary, cases

Grid = tuple[int, int, int, int]

SPECIFIED = ["--x=4", "--y=4", "--z=4", "--t=8"]
"""Extents of the lattice for which the specification gives the numbers below."""

CUT = ["--x=12", "--y=4", "--z=4", "--t=8"]


def solution(
    mpi: MpiLibrary, directory: Path, *options: str, ranks: int = 1, code: int = 0
) -> Sample:
    """The sample of a program that solves once after warming up."""
    words = [*options, "--tries=1"]
    solved, hops = samples(
        mpi.program("ww-lattice"), mpi, directory, *words, ranks=ranks, code=code
    )
    assert (solved["phase"], hops["phase"]) == ("cg", "hop")
    return solved


def grid_options(grid: Grid) -> list[str]:
    return [f"--p{axis}={ranks}" for axis, ranks in zip("xyzt", grid, strict=True)]


FEW: list[Grid] = [(1, 1, 1, 2), (2, 1, 1, 2), (3, 1, 1, 2), (2, 2, 2, 1)]
MANY: list[Grid] = [
    *((2, 1, 1, 1), (1, 2, 2, 1), (1, 1, 1, 4), (1, 1, 2, 1), (1, 2, 1, 1), (6, 1, 1, 1)),
    (1, 2, 2, 2),
]
"""Axis x is cut into boxes that a register divides, and into others."""


@pytest.fixture(scope="module")
def on_one_rank(openmpi: MpiLibrary, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return solution(openmpi, tmp_path_factory.mktemp("one"), *CUT)


@pytest.mark.parametrize("grid", cases(FEW, long=MANY))
def test_iterations_and_solution_are_those_of_any_grid_of_ranks(
    openmpi: MpiLibrary, tmp_path: Path, on_one_rank: Sample, grid: Grid
) -> None:
    ranks = grid[0] * grid[1] * grid[2] * grid[3]

    sample = solution(openmpi, tmp_path, *CUT, *grid_options(grid), ranks=ranks)

    assert sample["verified"] is True
    assert sample["ranks"] == ranks
    details, expected = sample["details"], on_one_rank["details"]
    assert details["iterations"] == expected["iterations"]
    correlations = expected["truths"]["correlations"]
    assert details["truths"]["correlations"] == pytest.approx(correlations, rel=1e-12)
    plaquette = expected["truths"]["plaquette"]
    assert details["truths"]["plaquette"] == pytest.approx(plaquette, rel=0, abs=1e-16)


def test_the_free_correlator_is_the_one_of_the_specification(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    options = [*SPECIFIED, "--gauge=unit", "--source=point", "--kappa=0.115"]

    sample = solution(openmpi, tmp_path, *options, ranks=2)

    truths = sample["details"]["truths"]
    assert truths["correlations"][:3] == pytest.approx(
        [1.2732664901605082, 0.09890433926774583, 0.036383465792146866], rel=1e-12
    )
    assert truths["correlator"] <= 1.3e-12
    assert truths["residual"] <= 4e-12
    assert sample["details"]["iterations"] == 18


@pytest.mark.parametrize("variant", ["baseline", "vector", "two-row"])
def test_truths_hold_as_far_as_the_specification_has_them(
    openmpi: MpiLibrary, tmp_path: Path, variant: str
) -> None:
    options = [*SPECIFIED, "--kappa=0.12", "--check-gauge", f"--variant={variant}"]

    truths = solution(openmpi, tmp_path, *options, ranks=2)["details"]["truths"]

    assert truths["residual"] <= 6e-12
    assert truths["hermiticity"] <= 2e-14
    assert truths["covariance"] <= 1.5e-14
    assert abs(truths["plaquette_change"]) <= 7e-17
    assert truths["gauge"] <= 3.6e-14
    assert truths["plane_wave"] <= 2e-14
    eigenvalue = [0.9297056274847714, 0.37947331922020555]
    assert truths["eigenvalue"] == pytest.approx(eigenvalue, rel=1e-14)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "options",
    [[], ["--gauge=near-unit:0.3", "--antiperiodic-t"], ["--gauge=unit", "--antiperiodic-t"]],
)
@pytest.mark.parametrize("ranks", cases([2], long=[1, 4, 8]))
def test_other_links_are_verified(
    mpi: MpiLibrary, tmp_path: Path, ranks: int, options: list[str]
) -> None:
    sample = solution(mpi, tmp_path, "--x=4", "--y=4", *options, "--source=point", ranks=ranks)

    assert sample["verified"] is True
    truths = sample["details"]["truths"]
    is_unit = "--gauge=unit" in options
    assert (truths["correlator"] is not None) == is_unit
    assert (truths["plaquette"] == 1) == is_unit


def test_threads_and_variants_do_not_change_the_solution(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    options = [*SPECIFIED, "--variant=all", "--tries=1"]
    program = openmpi.program("ww-lattice")
    on_one, on_two = (samples(program, openmpi, tmp_path, *options, threads=n) for n in (1, 2))

    assert [each["variant"] for each in on_one[::2]] == ["baseline", "vector", "two-row"]
    first = on_one[0]["details"]["truths"]["correlations"]
    for each, with_two in zip(on_one, on_two, strict=True):
        truths = [sample["details"]["truths"] for sample in (each, with_two)]
        assert truths[0]["correlations"] == truths[1]["correlations"]
        assert truths[0]["correlations"] == pytest.approx(first, rel=1e-12)


def test_a_solution_that_was_cut_short_is_not_verified(openmpi: MpiLibrary, tmp_path: Path) -> None:
    sample = solution(openmpi, tmp_path, *SPECIFIED, "--iterations=5", code=1)

    assert sample["verified"] is False
    assert sample["details"]["iterations"] == 5
