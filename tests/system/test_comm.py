"""ww-comm: which decompositions it measures, what they move, and that its check can fail."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, cases

Sample = dict[str, Any]
Three = tuple[int, int, int]

WAYS = ["sendrecv", "nonblocking", "persistent", "neighbourhood"]


def comm(mpi: MpiLibrary, folder: Path, ranks: int, *options: str) -> list[Sample]:
    file = folder / "comm.json"
    mpi.run(ranks, mpi.program("ww-comm"), *options, "--json", file)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def axes(parameters: dict[str, Any], letter: str) -> Three:
    one, two, three = (parameters[f"{letter}{axis}"] for axis in (1, 2, 3))
    return one, two, three


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
@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize("ranks", cases([3, 4], long=[2, 6]))
def test_every_decomposition_in_every_way(
    mpi: MpiLibrary, tmp_path: Path, ranks: int, precision: str
) -> None:
    points = (25, 14, 19)
    size = [f"--n{axis}={n}" for axis, n in enumerate(points, 1)]

    samples = comm(
        mpi, tmp_path, ranks, *size, "--orders=2,4", f"--precision={precision}", "--tries=2"
    )

    every = range(1, ranks + 1)
    products = {p for p in itertools.product(every, repeat=3) if p[0] * p[1] * p[2] == ranks}
    found = [(s["parameters"]["order"], axes(s["parameters"], "p"), s["variant"]) for s in samples]
    assert sorted(found) == sorted(itertools.product((2, 4), products, WAYS))
    for sample in samples:
        halo = sample["parameters"]["order"] // 2
        messages, all_points = received(points, axes(sample["parameters"], "p"), halo)
        assert sample["verified"] is True
        assert sample["details"]["wrong_points"] == 0
        assert sample["details"]["messages"] == messages
        assert sample["points"] == all_points
        assert sample["bytes"] == all_points * {"fp32": 4, "fp64": 8}[precision]


def test_decompositions_that_are_too_thin_are_left_out(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ["--n1=64", "--n2=8", "--n3=64", "--orders=12", "--variant=persistent", "--tries=1"]

    samples = comm(openmpi, tmp_path, 4, *options)

    assert {axes(s["parameters"], "p") for s in samples} == {(4, 1, 1), (2, 1, 2), (1, 1, 4)}
