"""ww-tbl with Runge-Kutta steps: order in time, exact solutions, messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary
from tests.system.test_tbl import (
    THIN,
    UNEVEN,
    order_between,
    run,
)

RK3 = "--time=rk3"


@pytest.mark.parametrize(
    "flow",
    [
        ["--case=poiseuille", *THIN, "--n2=12", "--steps=50"],
        ["--case=temporal", "--perturbation=0", "--stretching=0", *THIN, "--n2=12", "--steps=20"],
        ["--case=taylor-green", "--n1=12", "--n2=4", "--n3=12", "--steps=20"],
    ],
)
def test_laminar_flows_are_exact_solutions_of_the_passes(
    openmpi: MpiLibrary, tmp_path: Path, flow: list[str]
) -> None:
    [sample] = samples(openmpi.program("ww-tbl"), openmpi, tmp_path, *flow, RK3)
    assert sample["parameters"]["time"] == "rk3"
    assert sample["error"] <= 1e-14


def test_both_schemes_come_to_the_same_flow(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """A disturbed channel: what is between them falls with the square of the step."""
    apart = []
    for halved in (1, 2):
        time = [f"--dt={0.02 / halved}", f"--steps={20 * halved}", "--perturbation=0.3"]
        options = ["--case=channel", "--re=100", *UNEVEN, *time]
        cn_ab, rk3 = (
            run(openmpi, tmp_path, *options, scheme)[1] for scheme in ("--time=cn-ab", RK3)
        )
        apart.append(float(np.abs(cn_ab[:3] - rk3[:3]).max()))

    assert 0 < apart[0] < 0.01
    assert order_between(*apart) >= 1.5


def test_a_wave_grows_as_with_one_pass(openmpi: MpiLibrary, tmp_path: Path) -> None:
    size = ["--n1=24", "--n2=64", "--n3=4", "--dt=0.04", "--steps=1000"]
    program = openmpi.program("ww-tbl")
    growths = [
        samples(program, openmpi, tmp_path, "--case=orr-sommerfeld", *size, scheme)[0]["details"][
            "growth"
        ]
        for scheme in ("--time=cn-ab", RK3)
    ]
    assert growths[0] == pytest.approx(growths[1], abs=5e-6)
