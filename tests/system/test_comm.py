"""ww-comm: which decompositions it measures, what they move, and that its check can fail."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary, cases

Three = tuple[int, int, int]

METHODS = ["sendrecv", "nonblocking", "persistent", "neighbourhood"]


def comm(mpi: MpiLibrary, directory: Path, *options: str, **how: int) -> list[Sample]:
    return samples(mpi.program("ww-comm"), mpi, directory, *options, **how)


def axes(parameters: dict[str, Any], letter: str) -> Three:
    first, second, third = (parameters[f"{letter}{axis}"] for axis in (1, 2, 3))
    return first, second, third


def received(points: Three, ranks: Three, halo: int) -> tuple[int, int]:
    """Messages and received points of all ranks: each cut of an axis is crossed both ways."""
    messages = all_points = 0
    for axis in range(3):
        others = [a for a in range(3) if a != axis]
        pairs = (ranks[axis] - 1) * ranks[others[0]] * ranks[others[1]]
        messages += 2 * pairs
        area = points[others[0]] * points[others[1]]
        all_points += 2 * (ranks[axis] - 1) * area * halo
    return messages, all_points


@pytest.mark.in_turn
@pytest.mark.parametrize("precision", cases(["fp64"], long=["fp32"]))
@pytest.mark.parametrize("ranks", cases([3, 4], long=[2, 6]))
def test_every_decomposition_by_every_method(
    mpi: MpiLibrary, tmp_path: Path, ranks: int, precision: str
) -> None:
    points = (25, 14, 19)
    words = [f"--n{axis}={n}" for axis, n in enumerate(points, 1)]
    words += ["--orders=2,4", f"--precision={precision}", "--tries=2"]

    measured = comm(mpi, tmp_path, *words, ranks=ranks)

    every = range(1, ranks + 1)
    products = {p for p in itertools.product(every, repeat=3) if p[0] * p[1] * p[2] == ranks}
    decompositions = [
        (s["parameters"]["order"], axes(s["parameters"], "p"), s["variant"]) for s in measured
    ]
    assert sorted(decompositions) == sorted(itertools.product((2, 4), products, METHODS))
    for sample in measured:
        halo = sample["parameters"]["order"] // 2
        messages, all_points = received(points, axes(sample["parameters"], "p"), halo)
        assert sample["verified"] is True
        assert sample["details"]["wrong_points"] == 0
        assert sample["details"]["messages"] == messages
        assert sample["points"] == all_points
        assert sample["bytes"] == all_points * {"fp32": 4, "fp64": 8}[precision]


def test_decompositions_that_are_too_thin_are_left_out(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ["--n1=64", "--n2=8", "--n3=64", "--orders=12", "--variant=persistent", "--tries=1"]

    measured = comm(openmpi, tmp_path, *options, ranks=4)

    assert {axes(s["parameters"], "p") for s in measured} == {(4, 1, 1), (2, 1, 2), (1, 1, 4)}
