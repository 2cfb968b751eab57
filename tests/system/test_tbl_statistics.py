"""Profiles and stresses that ww-tbl averages, against closed forms and against its own fields."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary, cases
from tests.system.test_tbl import THIN, UNEVEN, centres

PROFILES = ("u", "uu", "ww", "vv", "uv", "stress")


def averages(mpi: MpiLibrary, directory: Path, *options: str, **where: int) -> dict[str, Any]:
    [sample] = samples(mpi.program("ww-tbl"), mpi, directory, *options, **where)
    statistics: dict[str, Any] = sample["details"]["statistics"]
    return {
        name: np.array(value) if isinstance(value, list) else value
        for name, value in statistics.items()
    }


def test_a_parabola_has_no_reynolds_stress(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Settled: exact but for a constant, as in `test_poiseuille_settles_to_the_parabola`."""
    options = ["--case=poiseuille", *THIN, "--l1=100", "--n2=12", "--dt=1", "--steps=170"]

    mean = averages(openmpi, tmp_path, *options, "--average-from=160")

    y = centres(12)
    assert mean["steps"] == 11
    assert mean["y_centre"] == pytest.approx(y)
    assert mean["u"] == pytest.approx(y * (2 - y) + (2 / 12) ** 2 / 4, abs=1e-12)
    for stress in ("uu", "vv", "ww", "uv"):
        assert np.abs(mean[stress]).max() <= 1e-14
    # Viscosity 1 / 10 and a force of 2 / 10.
    assert mean["stress"] == pytest.approx(0.2 * (1 - mean["y_face"]), abs=1e-12)
    assert mean["friction_velocity"] == pytest.approx(math.sqrt(0.2), rel=1e-12)
    assert mean["stress_residual"] <= 1e-11


def test_vortices_have_the_stresses_of_their_waves(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """u = g^m sin x cos z and w = -g^m cos x sin z after m steps: means of squares are 1 / 4."""
    n, dt, nu = 12, 0.1, 1 / 20
    size = [f"--n1={n}", "--n2=4", f"--n3={n}", f"--dt={dt}", "--steps=8"]

    mean = averages(
        openmpi, tmp_path, "--case=taylor-green", "--re=20", *size, "--average-from=0.3"
    )

    rate = -nu * (2 * math.sin(math.pi / n) * n / math.tau) ** 2
    factor = 1 + 2 * dt * rate / (1 - dt / 2 * rate) ** 2
    square = sum(factor ** (2 * m) for m in range(3, 9)) / 6 / 4
    assert mean["steps"] == 6
    assert mean["uu"] == pytest.approx(square, rel=1e-12)
    assert mean["ww"] == pytest.approx(square, rel=1e-12)
    for name in ("u", "vv", "uv"):
        assert np.abs(mean[name]).max() <= 1e-13
    assert mean["friction_velocity"] == 0


def test_averages_are_those_of_the_fields(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Averages are over the last two steps of a disturbed channel, whose fields were written."""
    size = ["--n1=12", "--n2=10", "--n3=8", "--perturbation=0.3"]
    fields = []
    for steps in (9, 10):
        file = tmp_path / f"{steps}.npy"
        options = [*size, f"--steps={steps}", f"--field={file}", "--average-from=0.09"]
        mean = averages(openmpi, tmp_path, *options)
        fields.append(np.load(file))

    u, v, w, _ = np.stack(fields, axis=1)  # by time, axis 3, 2 and 1
    over = (0, 1, 3)
    assert mean["steps"] == 2
    assert mean["u"] == pytest.approx(u.mean(over), abs=1e-14)
    assert mean["uu"] == pytest.approx(u.var(over), abs=1e-14)
    assert mean["ww"] == pytest.approx(w.var(over), abs=1e-14)
    assert mean["vv"] == pytest.approx(v.var(over), abs=1e-14)
    at_edges = (v + np.roll(v, -1, axis=3))[:, :, :-1] / 2 * (u[:, :, :-1] + u[:, :, 1:]) / 2
    assert mean["uv"][:-1] == pytest.approx(at_edges.mean(over), abs=1e-14)
    assert np.abs(mean["uv"]).max() > 1e-4
    assert mean["uv"][-1] == 0
    viscous = np.diff(mean["u"]) / np.diff(mean["y_centre"]) / 2800
    assert mean["stress"][:-1] == pytest.approx(viscous - mean["uv"][:-1], abs=1e-14)


@pytest.mark.in_turn
@pytest.mark.parametrize("where", cases([{"ranks": 6}, {"threads": 3}], long=[{"ranks": 4}]))
def test_averages_do_not_depend_on_ranks_and_threads(
    mpi: MpiLibrary, tmp_path: Path, where: dict[str, int]
) -> None:
    options = ["--case=channel", *UNEVEN, "--steps=10", "--average-from=0.05"]

    single = averages(mpi, tmp_path, *options)
    many = averages(mpi, tmp_path, *options, **where)

    assert single["steps"] == many["steps"] == 6
    for name in PROFILES:
        assert many[name] == pytest.approx(single[name], abs=1e-12)


def test_a_file_has_the_averages_of_every_1000_steps(openmpi: MpiLibrary, tmp_path: Path) -> None:
    file = tmp_path / "averages.jsonl"
    options = ["--case=poiseuille", *THIN, "--n2=4", "--steps=1010", f"--statistics={file}"]

    mean = averages(openmpi, tmp_path, *options)

    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [line["steps"] for line in lines] == [1000, 1010]
    assert lines[-1]["u"] == list(mean["u"])
