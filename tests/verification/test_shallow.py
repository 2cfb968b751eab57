"""ww-shallow against shallow water in NumPy."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary, cases
from tests.verification.shallow_oracle import Flow, Mesh


@cache
def mesh() -> Mesh:
    return Mesh.relaxed(3)


RUNS: dict[str, tuple[list[str], int, dict[str, Any], int]] = {
    "a steady flow": ([], 1, {}, 48),
    "a mountain": (["--test=5"], 3, {"test": 5}, 48),
    "potential enstrophy": (["--test=5", "--form=enstrophy"], 2, {"test": 5, "energy": False}, 48),
    "an inclined axis": (["--angle=45"], 4, {"angle": math.pi / 4}, 48),
    "another level": (["--levels=1", "--first-level=3"], 1, {"level": 3}, 24),
    "twelve days": ([], 2, {}, 576),
}
"""Options, ranks, the same of the oracle's flow, and steps."""


@pytest.mark.parametrize("name", cases(["a steady flow", "potential enstrophy"], long=RUNS))
def test_runs_are_those_of_the_oracle(openmpi: MpiLibrary, tmp_path: Path, name: str) -> None:
    options, ranks, same, steps = RUNS[name]
    flow = Flow(mesh(), **same)
    h, u = flow.integrate(1800, steps)
    expected = flow.invariants(h, u)

    words = ["--levels=2", *options, f"--steps={steps}"]
    [sample] = samples(openmpi.program("ww-shallow"), openmpi, tmp_path, *words, ranks=ranks)

    truths = sample["details"]["truths"]
    assert {key: truths[key] for key in expected} == pytest.approx(expected, rel=1e-11)
    if flow.test == 2:
        assert truths["errors"][0] == pytest.approx(flow.errors(h, u), rel=1e-6)
    else:
        start = flow.invariants(flow.h, flow.u)
        changed = expected["enstrophy"] / start["enstrophy"] - 1
        assert truths["enstrophy_change"] == pytest.approx(changed, rel=1e-2, abs=1e-13)
