"""ww-spectral on several grids of ranks, by all its exchanges, and refusing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary, cases

Grid = tuple[int, int]

SMALL = ["--truncation=21", "--levels=5", "--steps=2", "--tries=1"]


def grid_options(grid: Grid) -> list[str]:
    return [f"--pw={grid[0]}", f"--pv={grid[1]}"]


def checksums(measured: list[Sample]) -> list[str]:
    assert all(sample["verified"] is True for sample in measured)
    return [sample["details"]["checksum"] for sample in measured]


@pytest.fixture(scope="module")
def on_one_rank(openmpi: MpiLibrary, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    program, directory = openmpi.program("ww-spectral"), tmp_path_factory.mktemp("one")
    return checksums(samples(program, openmpi, directory, *SMALL))


@pytest.mark.parametrize("grid", cases([(2, 2)], long=[(1, 3), (1, 5), (2, 1), (3, 2), (7, 1)]))
def test_values_are_those_of_any_grid_of_ranks_bit_for_bit(
    openmpi: MpiLibrary, tmp_path: Path, on_one_rank: list[str], grid: Grid
) -> None:
    words = [*SMALL, *grid_options(grid), "--exchange=all"]
    ranks = grid[0] * grid[1]

    measured = samples(openmpi.program("ww-spectral"), openmpi, tmp_path, *words, ranks=ranks)

    assert checksums(measured) == 2 * on_one_rank
    assert [sample["variant"] for sample in measured] == 2 * ["alltoallv"] + 2 * ["pairwise"]
    for sample in measured:
        assert sample["ranks"] == ranks
        assert (sample["parameters"]["pw"], sample["parameters"]["pv"]) == grid


STARTS = {
    "--equations=shallow-water": ["steady", "gravity-wave", "unsteady"],
    "--start=triad": ["triad"],
}
"""Options and their phases."""


@pytest.mark.parametrize("option", STARTS)
@pytest.mark.parametrize("grid", cases([(2, 2)], long=[(1, 3), (3, 2), (7, 1)]))
def test_other_starts_have_the_values_of_any_grid_of_ranks_bit_for_bit(
    openmpi: MpiLibrary, tmp_path: Path, grid: Grid, option: str
) -> None:
    program, words = openmpi.program("ww-spectral"), [*SMALL, option]
    ranks = grid[0] * grid[1]

    single = samples(program, openmpi, tmp_path, *words)
    several = samples(program, openmpi, tmp_path, *words, *grid_options(grid), ranks=ranks)

    assert checksums(several) == checksums(single)
    assert [sample["phase"] for sample in several] == ["round-trip", *STARTS[option]]


def test_threads_do_not_change_values(
    openmpi: MpiLibrary, tmp_path: Path, on_one_rank: list[str]
) -> None:
    program = openmpi.program("ww-spectral")
    assert checksums(samples(program, openmpi, tmp_path, *SMALL, threads=2)) == on_one_rank


BOUNDS = {"full": 1e-13, "octahedral": 1e-11}
"""Bounds of a round trip's error at T42, above what the specification has found."""


@pytest.mark.in_turn
@pytest.mark.parametrize("grid", BOUNDS)
@pytest.mark.parametrize("ranks", cases([2], long=[1, 4, 8]))
def test_truths_hold_as_far_as_the_specification_has_them(
    mpi: MpiLibrary, tmp_path: Path, grid: str, ranks: int
) -> None:
    words = [f"--grid={grid}", "--tries=1"]

    measured = samples(mpi.program("ww-spectral"), mpi, tmp_path, *words, ranks=ranks)

    round_trip, vorticity = measured
    assert (round_trip["phase"], vorticity["phase"]) == ("round-trip", "vorticity")
    truths = round_trip["details"]["truths"]
    assert truths["round_trip"] <= BOUNDS[grid]
    assert truths["orthonormality"] <= BOUNDS[grid]
    truths = vorticity["details"]["truths"]
    assert truths["leak"] <= 1e-13
    assert truths["wave"] <= truths["wave_allowed"]


def test_the_sums_of_the_grid_are_those_of_closed_forms(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    """8 F points, 16 F sum of M and 8 F (T+1)(T+2) bytes for each field of F in a transform."""
    for grid in ("octahedral", "full"):
        words = [*SMALL, f"--grid={grid}", *grid_options((3, 1))]
        round_trip, vorticity = samples(
            openmpi.program("ww-spectral"), openmpi, tmp_path, *words, ranks=3
        )
        t, levels = 21, 5
        n = t + 1
        points = 4 * n * (n + 9) if grid == "octahedral" else 8 * n * n
        waves = (
            2 * sum(min(t, 7 + 2 * i) for i in range(1, n + 1)) + 2 * n
            if grid == "octahedral"
            else 2 * n * (t + 1)
        )
        assert round_trip["points"] == points * levels
        field = {"rows": 8 * points, "columns": 16 * waves, "coefficients": 8 * (t + 1) * (t + 2)}
        assert round_trip["details"]["transposed_bytes"] == {
            name: 2 * levels * value for name, value in field.items()
        }
        assert vorticity["details"]["transposed_bytes"] == {
            **{name: 4 * 5 * levels * field[name] for name in ("rows", "columns")},
            "coefficients": 0,
        }
        assert vorticity["bytes"] == sum(vorticity["details"]["transposed_bytes"].values())
