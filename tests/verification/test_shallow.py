"""ww-shallow against shallow water in NumPy, and that against what is known exactly."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary, cases
from tests.verification.shallow_oracle import RADIUS, Flow, Mesh


@cache
def mesh() -> Mesh:
    return Mesh.relaxed(3)


def test_the_oracle_has_cells_and_triangles_that_cover_the_sphere() -> None:
    sphere = 4 * math.pi * RADIUS**2
    assert (len(mesh().centres), len(mesh().edges), len(mesh().faces)) == (642, 1920, 1280)
    assert mesh().cell_areas.sum() == pytest.approx(sphere, rel=1e-14)
    assert mesh().face_areas.sum() == pytest.approx(sphere, rel=1e-14)
    moved = np.abs(mesh().centroids() - mesh().centres).max()
    assert moved <= 1e-10


def test_the_oracles_tangential_fluxes_are_antisymmetric_and_remap_divergence() -> None:
    of, by, weights = mesh().tangents
    pairs = {(e, f): w for e, f, w in zip(of.tolist(), by.tolist(), weights.tolist(), strict=True)}
    assert max(abs(weight + pairs[f, e]) for (e, f), weight in pairs.items()) <= 1e-15

    flux = np.random.default_rng(1).normal(size=len(mesh().edges))
    along = np.bincount(of, weights * flux[by], minlength=len(flux))
    i, j, right, left = mesh().edges.T
    outflow = np.zeros(len(mesh().centres))
    np.add.at(outflow, i, flux)
    np.add.at(outflow, j, -flux)
    from_triangles = np.zeros(len(mesh().faces))
    np.add.at(from_triangles, right, along)
    np.add.at(from_triangles, left, -along)
    remapped = (mesh().kites * (outflow / mesh().cell_areas)[mesh().faces]).sum(axis=1)
    assert np.abs(from_triangles - remapped).max() <= 1e-14


RUNS: dict[str, tuple[list[str], int, Flow, int]] = {
    "a steady flow": ([], 1, Flow(mesh()), 48),
    "a mountain": (["--test=5"], 3, Flow(mesh(), test=5), 48),
    "potential enstrophy": (
        ["--test=5", "--form=enstrophy"],
        2,
        Flow(mesh(), test=5, energy=False),
        48,
    ),
    "an inclined axis": (["--angle=45"], 4, Flow(mesh(), angle=math.pi / 4), 48),
    "another level": (["--levels=1", "--first-level=3"], 1, Flow(mesh(), level=3), 24),
    "twelve days": ([], 2, Flow(mesh()), 576),
}


@pytest.mark.parametrize("name", cases(["a steady flow", "potential enstrophy"], long=RUNS))
def test_runs_are_those_of_the_oracle(openmpi: MpiLibrary, tmp_path: Path, name: str) -> None:
    options, ranks, flow, steps = RUNS[name]
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
