"""The rounds of bench.minife, with programs that are made up."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from bench.solving import variants

ALL = ("csr", "blocks", "matrix-free")


def run_variant(
    args: Namespace, ranks: int, options: tuple[str, ...], *_: object
) -> tuple[float, list[dict[str, Any]]]:
    cg = [option.removeprefix("--cg=") for option in options if option.startswith("--cg=")]
    operators = ALL if "--operator=all" in options else ("matrix-free",)
    parameters = [
        {"operator": operator, "cg": form, "iterations": 10}
        for operator in operators
        for form in cg
    ]
    metrics = {"seconds": 1.0, "bytes": 100, "points": 10}
    return 0.5, [{"phase": "cg", "parameters": values, **metrics} for values in parameters]


@pytest.mark.parametrize("nx", [100, 200], ids=["another size", "the solution's size"])
def test_iterations_and_solutions_of_one_size_are_kept_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, nx: int
) -> None:
    peer = tmp_path / "miniFE.x"
    peer.write_bytes(b"miniFE version 2.2")
    monkeypatch.setattr(variants, "run_variant", run_variant)
    monkeypatch.setattr(variants, "run_peer", lambda *_: (20.0, 1.0))
    args = Namespace(
        nx=nx, solution_nx=200, ranks=[1, 2], rounds=3, solution_rounds=2, iterations=10, peer=peer
    )
    samples: list[dict[str, Any]] = []

    measured = variants.measure(args, tmp_path, samples.append)
    bars = variants.bars(args, measured)
    variants.show(measured)

    assert measured.whole_s == {"minife": [20.0] * 2, "solution": [0.5] * 2}
    assert len(measured.iterations["iterations", nx, 2]["minife"]) == 3
    assert len(measured.iterations["solution", 200, 2]["minife"]) == 2
    assert len({bar["bar"] for bar in bars}) == len(bars)
    of_peer = [sample for sample in samples if sample.get("peer") == "minife"]
    assert len(of_peer) == 3 * 2 + 2
    assert all(sample["build"]["versions"] == ["miniFE version 2.2"] for sample in of_peer)
