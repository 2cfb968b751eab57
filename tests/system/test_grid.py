"""ww-grid: its reductions against plain loops, what it counts, and that its check can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary, cases

ARRAYS = {
    **{"fill": (1, 2, 0), "max-error": (2, 2, 2), "l1-error": (2, 2, 3), "sum-abs": (1, 1, 1)},
    **{"sum-abs-difference": (2, 2, 2), "max": (1, 1, 1), "min": (1, 1, 1)},
    "update-pressure": (5, 5, 4),
}
"""Kernel -> arrays that its formula names, with write-allocates, flops a point."""

REDUCTIONS = {"max-error", "l1-error", "sum-abs", "sum-abs-difference", "max", "min"}


def grid(mpi: MpiLibrary, directory: Path, *options: str, **how: int) -> list[Sample]:
    return samples(mpi.program("ww-grid"), mpi, directory, *options, **how)


def truth(n1: int, n2: int, n3: int) -> dict[str, float]:
    """Expected results of the reductions, point by point in whole numbers of 1/128."""
    at = [(i + 3 * j + 7 * k) % 127 for k in range(n3) for j in range(n2) for i in range(n1)]
    w = [r * 37 % 127 - 63 for r in at]
    reference = [2 * (r * 53 % 127 - 63) for r in at]
    off = [abs(a - b) for a, b in zip(w, reference, strict=True)]
    return {
        "sum-abs": sum(map(abs, w)) / 128,
        "sum-abs-difference": sum(off) / 128,
        "l1-error": sum(off) / sum(map(abs, reference)),
        "max": max(w) / 128,
        "min": min(w) / 128,
        "max-error": max(d / (abs(b) or 128) for d, b in zip(off, reference, strict=True)),
    }


@pytest.mark.in_turn
@pytest.mark.parametrize("precision", cases(["fp64"], long=["fp32"]))
@pytest.mark.parametrize(
    ("ranks", "threads", "cut"),
    [(1, 2, []), (2, 2, ["--p1=2"]), (3, 1, []), (4, 1, ["--p1=2", "--p3=2"])],
    ids=str,
)
def test_reductions_are_those_of_a_plain_loop(
    mpi: MpiLibrary, tmp_path: Path, ranks: int, threads: int, cut: list[str], precision: str
) -> None:
    size = ["--n1=37", "--n2=13", "--n3=17", "--order=4", "--tries=2", f"--precision={precision}"]

    measured = grid(mpi, tmp_path, *size, *cut, ranks=ranks, threads=threads)

    exact = truth(37, 13, 17)
    assert {sample["phase"] for sample in measured} == {*ARRAYS, "boundary"}
    for sample in measured:
        name, value = sample["phase"], sample["details"]["value"]
        assert sample["verified"] is True
        assert (sample["ranks"], sample["threads"]) == (ranks, threads)
        if name == "max-error":
            assert value == pytest.approx(exact[name], rel=3e-7)
        elif name in REDUCTIONS:
            assert value == exact[name], "in whole numbers, hence exact"
        else:
            assert value is None
    for name in REDUCTIONS:
        variants = {sample["variant"] for sample in measured if sample["phase"] == name}
        assert variants == {"plain", "vectorised"}


def test_bytes_and_flops_follow_from_the_formulae(openmpi: MpiLibrary, tmp_path: Path) -> None:
    n1, n2, n3, halo = 20, 14, 11, 3

    measured = grid(
        openmpi, tmp_path, f"--n1={n1}", f"--n2={n2}", f"--n3={n3}", "--order=6", ranks=2
    )

    for sample in measured:
        if sample["phase"] != "boundary":
            arrays, moved, flops = ARRAYS[sample["phase"]]
            assert sample["points"] == n1 * n2 * n3
            assert sample["bytes"] == 4 * arrays * n1 * n2 * n3
            assert sample["details"]["moved_bytes"] == 4 * moved * n1 * n2 * n3
            assert sample["flops"] == flops * n1 * n2 * n3
    [boundary] = [sample for sample in measured if sample["phase"] == "boundary"]
    faces = 2 * (n1 * n2 + n2 * n3 + n1 * n3)
    assert boundary["points"] == faces * (1 + halo), "the faces alone"
    assert boundary["bytes"] == 4 * faces * (1 + 2 * halo)


def test_a_barrier_is_timed_where_requested(openmpi: MpiLibrary, tmp_path: Path) -> None:
    [sample] = grid(openmpi, tmp_path, "--n1=16", "--kernel=fill", "--barrier", ranks=2)
    assert sample["parameters"]["barrier"] is True
    assert sample["verified"] is True
