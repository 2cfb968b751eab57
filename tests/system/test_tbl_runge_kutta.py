"""ww-tbl with Runge-Kutta steps: order in time, exact solutions, messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary, Waywiser, cases
from tests.system.test_tbl import (
    SIZE,
    THIN,
    UNEVEN,
    Cut,
    N,
    centres,
    order_between,
    part,
    profile_of,
    run,
    started_from_rest,
)

RK3 = "--time=rk3"
PASSES = 3


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


def test_convection_is_of_third_order_in_time(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Kinetic energy without viscosity, which space leaves alone."""
    changes = []
    for halved in (1, 2):
        size = ["--n1=12", "--n2=10", "--n3=8", f"--dt={0.02 / halved}", f"--steps={20 * halved}"]
        options = ["--case=channel", "--inviscid", "--drive=none", "--perturbation=0.2", *size]
        [sample] = samples(openmpi.program("ww-tbl"), openmpi, tmp_path, *options, RK3)
        details = sample["details"]
        before, after = details["kinetic_energy_at_start"], details["energy"]["kinetic_energy"]
        changes.append(abs(after / before - 1))

    assert 0 < changes[0] < 1e-8
    assert order_between(*changes) == pytest.approx(3, abs=0.1)


def test_viscosity_between_the_walls_is_of_second_order(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    errors = []
    for cells in (24, 48):
        size = [f"--n2={cells}", f"--dt={1.2 / cells}", f"--steps={2 * cells}", RK3]
        _, field = run(openmpi, tmp_path, "--case=poiseuille", *THIN, *size)
        exact = started_from_rest(centres(cells), 0.1, 2.4)
        errors.append(float(np.abs(profile_of(field) - exact).max()))

    assert order_between(*errors) == pytest.approx(2, abs=0.1)


def test_both_schemes_come_to_the_same_flow(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """A disturbed channel: what is between them falls with the square of the step."""
    apart = []
    for halved in (1, 2):
        time = [f"--dt={0.02 / halved}", f"--steps={20 * halved}", "--perturbation=0.3"]
        options = ["--case=channel", "--re=100", *UNEVEN, *time]
        one, other = (
            run(openmpi, tmp_path, *options, scheme)[1] for scheme in ("--time=cn-ab", RK3)
        )
        apart.append(float(np.abs(one[:3] - other[:3]).max()))

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


CUTS: list[Cut] = [(1, 2), (2, 1), (2, 2), (4, 1), (3, 2), (2, 3), (6, 1)]


@pytest.mark.in_turn
@pytest.mark.parametrize("cut", cases([(2, 2), (3, 2)], long=CUTS))
@pytest.mark.parametrize("solver", ["transpose", "partitioned"])
@pytest.mark.parametrize("flow", ["channel", "blasius"])
def test_passes_do_not_depend_on_the_decomposition(
    mpi: MpiLibrary, tmp_path: Path, flow: str, solver: str, cut: Cut
) -> None:
    size = [*UNEVEN, "--n2=12", "--perturbation=0.05", "--steps=10", RK3]
    _, whole = run(mpi, tmp_path, f"--case={flow}", *size)
    p1, p2 = cut
    options = [f"--case={flow}", *size, f"--p1={p1}", f"--p2={p2}", f"--solver={solver}"]

    sample, parts = run(mpi, tmp_path, *options, ranks=p1 * p2, threads=2)

    assert sample["verified"] is True
    assert np.abs(whole[2]).max() > 0.01
    assert np.abs(parts - whole).max() <= 1e-12


def expected_bytes(cut: Cut, rank: int, steps: int, solver: str) -> int:
    """Given to MPI_Alltoallv: a velocity stays in its column; the pressure goes all ways."""
    p1, p2 = cut
    row, column = rank % p1, rank // p1
    n1, n2, n3 = N
    m2, m3 = part(n2, p1, row), part(n3, p2, column)

    def in_column(width: int, planes: int) -> int:
        own = part(planes, p1, row)
        if solver == "partitioned":
            return width * (2 * (planes - own) + 2 * own * (p1 - 1))
        return width * (m2 * (planes - own) + own * (n2 - m2))

    waves = n1 // 2 + 1
    own_1 = part(waves, p2, column)
    in_row = (waves - own_1) * m2 * m3 + own_1 * m2 * (n3 - m3)
    spectrum = 2 * (in_row + in_column(own_1, n3))
    return 8 * (steps * PASSES * (3 * in_column(n1, m3) + spectrum) + spectrum)


@pytest.mark.in_turn
@pytest.mark.parametrize("cut", [(1, 2), (2, 1), (2, 2)])
@pytest.mark.parametrize("solver", ["transpose", "partitioned"])
def test_messages_are_those_of_the_closed_form(
    waywiser: Waywiser, mpi: MpiLibrary, tmp_path: Path, cut: Cut, solver: str
) -> None:
    p1, p2 = cut
    options = [*SIZE, "--steps=3", f"--p1={p1}", f"--p2={p2}", f"--solver={solver}", RK3]
    [sample] = samples(mpi.program("ww-tbl"), mpi, tmp_path, *options, ranks=p1 * p2)

    done = waywiser.profile(mpi.command(p1 * p2, mpi.program("ww-tbl"), *options))

    assert done.returncode == 0, done.stderr
    for rank, one in enumerate(waywiser.show("run", "--per-rank")["per_rank"]):
        assert one["functions"]["MPI_Alltoallv"]["bytes"] == expected_bytes(cut, rank, 3, solver)
    of_step = [
        expected_bytes(cut, rank, 2, solver) - expected_bytes(cut, rank, 1, solver)
        for rank in range(p1 * p2)
    ]
    assert sample["details"]["transposed_bytes"] == sum(of_step)


@pytest.mark.parametrize(("scheme", "fields"), [("cn-ab", 4), ("rk3", PASSES)])
def test_an_open_flow_transposes_what_cans_does(
    openmpi: MpiLibrary, tmp_path: Path, scheme: str, fields: int
) -> None:
    """8 (N / P) (1 - 1 / q) bytes a rank and transposition, two of each field and pass: of the
    pressure in three passes, or with viscosity on all axes of four fields in one."""
    size = ["--n1=16", "--n2=12", "--n3=8", "--steps=1", "--p2=2"]
    options = ["--case=blasius", *size, f"--time={scheme}"]
    [sample] = samples(openmpi.program("ww-tbl"), openmpi, tmp_path, *options, ranks=2)
    assert sample["details"]["transposed_bytes"] == fields * 2 * 8 * (16 * 12 * 8) // 2
