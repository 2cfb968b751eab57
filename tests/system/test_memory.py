"""ww-memory: what it counts, what it refuses, and that its check sees what goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary, cases

ARRAYS = {
    **{"read": (1, 0, 1), "fill": (1, 1, 0), "copy": (2, 1, 0), "add": (3, 1, 1)},
    **{"multiply": (3, 1, 1), "add-update": (3, 0, 1), "triad": (3, 1, 2), "leapfrog": (4, 0, 4)},
}
"""Kernel -> arrays as STREAM counts them, write-allocates of plain stores, flops a point."""


def memory(mpi: MpiLibrary, directory: Path, *options: str, **how: int) -> list[Sample]:
    return samples(mpi.program("ww-memory"), mpi, directory, *options, **how)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "case",
    cases(
        [(1, 2, "fp64"), (2, 1, "fp32"), (3, 3, "fp64")],
        long=[(1, 2, "fp32"), (2, 1, "fp64"), (3, 3, "fp32")],
    ),
    ids=str,
)
def test_every_kernel_and_variant_is_verified_and_counted(
    mpi: MpiLibrary, tmp_path: Path, case: tuple[int, int, str]
) -> None:
    ranks, threads, precision = case
    size = ["--n1=31", "--n2=17", "--n3=5", "--tries=3", f"--precision={precision}"]

    measured = memory(mpi, tmp_path, *size, ranks=ranks, threads=threads)

    assert {sample["phase"] for sample in measured} == set(ARRAYS)
    stores = {"plain", "nontemporal"}
    for kernel in ARRAYS:
        variants = {sample["variant"] for sample in measured if sample["phase"] == kernel}
        assert variants == ({"plain"} if kernel == "read" else stores)
    points, value = ranks * 31 * 17 * 5, {"fp32": 4, "fp64": 8}[precision]
    for sample in measured:
        arrays, allocates, flops = ARRAYS[sample["phase"]]
        moved = arrays + (allocates if sample["variant"] == "plain" else 0)
        assert sample["verified"] is True
        assert (sample["ranks"], sample["threads"], sample["points"]) == (ranks, threads, points)
        assert sample["bytes"] == arrays * value * points
        assert sample["details"]["moved_bytes"] == moved * value * points
        assert sample["flops"] == flops * points


def test_every_try_is_kept_and_the_median_is_theirs(openmpi: MpiLibrary, tmp_path: Path) -> None:
    for sample in memory(openmpi, tmp_path, "--n1=20", "--tries=4"):
        tries = sorted(sample["details"]["tries_s"])
        assert len(tries) == 4
        assert sample["seconds"] == pytest.approx((tries[1] + tries[2]) / 2)
