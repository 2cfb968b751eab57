"""Common properties of ww-fd and ww-propa, with any grid, block and decomposition."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary, cases
from tests.system import test_fd, test_propa

ODD = ["--n1=53", "--n2=29", "--n3=38"]
CUT = ["--n1=33", "--n2=34", "--n3=35", "--mode1=6", "--mode2=4", "--mode3=5"]
STEPS = {"fd": [], "propa": ["--steps=17", "--check-every=4"]}
VARIANT_COUNTS = {
    "fd": len(test_fd.OPERATORS) * len(test_fd.VARIANTS),
    "propa": len(test_propa.VARIANTS),
}
"""Samples of all variants."""

pytestmark = pytest.mark.parametrize("name", VARIANT_COUNTS)


def run(mpi: MpiLibrary, directory: Path, name: str, *options: str, **how: int) -> list[Sample]:
    """All variants, which the program has held against the exact discrete solution."""
    words = [*options, *STEPS[name], "--variant=all", "--tries=1"]
    measured = samples(mpi.program(f"ww-{name}"), mpi, directory, *words, **how)
    assert len(measured) == VARIANT_COUNTS[name]
    assert all(sample["verified"] for sample in measured)
    return measured


@pytest.mark.parametrize(
    "row", cases([(145, "fp32")], long=[(n, p) for n in (144, 145, 290) for p in ("fp32", "fp64")])
)
def test_rows_of_several_runs_are_exact(
    openmpi: MpiLibrary, tmp_path: Path, name: str, row: tuple[int, str]
) -> None:
    points, precision = row
    size = [f"--n1={points}", "--n2=21", "--n3=19", f"--precision={precision}"]
    run(openmpi, tmp_path, name, *size, threads=2)


@pytest.mark.parametrize(
    "cut",
    cases([(2, 1, 1), (1, 2, 1), (1, 1, 2), (1, 2, 2)], long=[(2, 2, 1), (2, 1, 2), (1, 1, 3)]),
    ids=str,
)
def test_every_decomposition_gives_the_same(
    openmpi: MpiLibrary, tmp_path: Path, name: str, cut: tuple[int, int, int]
) -> None:
    cuts = [f"--p{axis}={n}" for axis, n in enumerate(cut, 1)]
    ranks = cut[0] * cut[1] * cut[2]

    for sample in run(openmpi, tmp_path, name, *CUT, *cuts, "--precision=fp64", ranks=ranks):
        assert sample["details"]["gap"] < 1e-13
        assert [sample["parameters"][f"p{axis}"] for axis in (1, 2, 3)] == list(cut)


BLOCKS = ["1x1x1", "17x5x3", "1000000x1x2", "1000000x2x6", "48x7x1", "16x3x6"]


@pytest.mark.parametrize(
    "case",
    cases(
        [("17x5x3", "fp64"), ("1000000x1x2", "fp32")],
        long=[(block, precision) for block in BLOCKS for precision in ("fp32", "fp64")],
    ),
    ids=" ".join,
)
def test_every_block_gives_the_same(
    openmpi: MpiLibrary, tmp_path: Path, name: str, case: tuple[str, str]
) -> None:
    """Blocks do not divide the grids; the last block of an axis is smaller."""
    block, precision = case
    for how in ({"threads": 2}, {"ranks": 2}):
        options = [*ODD, f"--block={block}", f"--precision={precision}"]
        for sample in run(openmpi, tmp_path, name, *options, **how):
            assert sample["details"]["block"] == block.replace("1000000", "53")
