"""ww-memory: what it counts, what it refuses, and that its check sees what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary

Sample = dict[str, Any]

ARRAYS = {
    **{"read": (1, 0, 1), "fill": (1, 1, 0), "copy": (2, 1, 0), "add": (3, 1, 1)},
    **{"multiply": (3, 1, 1), "add-update": (3, 0, 1), "triad": (3, 1, 2), "leapfrog": (4, 0, 4)},
}
"""Kernel -> arrays as STREAM counts them, write-allocates of plain stores, flops a point."""


def memory(mpi: MpiLibrary, folder: Path, ranks: int, *options: str, **env: str) -> list[Sample]:
    file = folder / "memory.json"
    passive = {"OMP_WAIT_POLICY": "passive"}  # more threads than cores
    mpi.run(ranks, mpi.program("ww-memory"), *options, "--json", file, env=env | passive)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.in_turn
@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize(("ranks", "threads"), [(1, 2), (2, 1), (3, 3)])
def test_every_kernel_and_variant_is_verified_and_counted(
    mpi: MpiLibrary, tmp_path: Path, ranks: int, threads: int, precision: str
) -> None:
    size = ["--n1=31", "--n2=17", "--n3=5", "--tries=3", f"--precision={precision}"]

    samples = memory(mpi, tmp_path, ranks, *size, OMP_NUM_THREADS=str(threads))

    assert {sample["phase"] for sample in samples} == set(ARRAYS)
    stores = {"plain", "nontemporal"}
    for kernel in ARRAYS:
        found = {sample["variant"] for sample in samples if sample["phase"] == kernel}
        assert found == ({"plain"} if kernel == "read" else stores)
    points, value = ranks * 31 * 17 * 5, {"fp32": 4, "fp64": 8}[precision]
    for sample in samples:
        arrays, allocates, flops = ARRAYS[sample["phase"]]
        moved = arrays + (allocates if sample["variant"] == "plain" else 0)
        assert sample["verified"] is True
        assert (sample["ranks"], sample["threads"], sample["points"]) == (ranks, threads, points)
        assert sample["bytes"] == arrays * value * points
        assert sample["details"]["moved_bytes"] == moved * value * points
        assert sample["flops"] == flops * points


def test_every_try_is_kept_and_the_median_is_theirs(openmpi: MpiLibrary, tmp_path: Path) -> None:
    for sample in memory(openmpi, tmp_path, 1, "--n1=20", "--tries=4"):
        tries = sorted(sample["details"]["tries_s"])
        assert len(tries) == 4
        assert sample["seconds"] == pytest.approx((tries[1] + tries[2]) / 2)


def test_the_roof_is_the_lower_of_memory_and_cores(openmpi: MpiLibrary, tmp_path: Path) -> None:
    for sample in memory(openmpi, tmp_path, 2, "--n1=40", "--tries=2"):
        roof = sample["details"]["roofline"]
        bounds = [roof[f"{roof['like']}_Bps"] / roof["bytes_per_point"]]
        if roof["flops_per_point"]:
            bounds.append(roof["flops_per_s"] / roof["flops_per_point"])
        assert roof["bytes_per_point"] == sample["details"]["moved_bytes"] / sample["points"]
        assert roof["bound_points_per_s"] == pytest.approx(min(bounds))
        assert roof["points_per_s"] == pytest.approx(sample["points"] / sample["seconds"])
        assert roof["fraction"] == pytest.approx(roof["points_per_s"] / min(bounds))
        assert roof["instructions"] in ("AVX-512", "AVX2", "baseline")


def test_the_fastest_variant_is_remembered(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ["--n1=40", "--kernel=copy", "--variant=auto", "--tries=2"]
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    [first] = memory(openmpi, tmp_path, 1, *options, **env)
    [line] = (tmp_path / "waywiser" / "kernels.txt").read_text().splitlines()
    assert line.split()[-1] == first["variant"]

    other = {"plain": "nontemporal", "nontemporal": "plain"}[first["variant"]]
    (tmp_path / "waywiser" / "kernels.txt").write_text(f"{line.split()[0]} {other}\n")
    [pinned] = memory(openmpi, tmp_path, 1, *options, **env)
    assert pinned["variant"] == other
