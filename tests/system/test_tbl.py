"""ww-tbl against exact solutions, and against itself on other ranks and threads."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import Sample, samples
from tests.mutants import mutant
from tests.support import ROOT, MpiLibrary, Waywiser, cases

Field = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Cut = tuple[int, int]

THIN = ["--n1=4", "--n3=4"]
"""Of flows that depend on the distance from the walls alone."""


def run(
    mpi: MpiLibrary, folder: Path, *options: str, ranks: int = 1, threads: int = 1, code: int = 0
) -> tuple[Sample, Field]:
    """The sample and the field (u, v, w, pressure) that a run leaves."""
    file = folder / f"{ranks}-{threads}.npy"
    [sample] = samples(
        mpi.program("ww-tbl"),
        mpi,
        folder,
        *options,
        f"--field={file}",
        ranks=ranks,
        threads=threads,
        code=code,
    )
    field: Field = np.load(file)
    return sample, field


def profile_of(field: Field) -> Field:
    """u by the distance from the lower wall, of a flow that has no other direction."""
    u = field[0]
    assert np.ptp(u, axis=(0, 2)).max() <= 1e-12
    mean: Field = u.mean(axis=(0, 2))
    return mean


def centres(cells: int, height: float = 2) -> Field:
    return (np.arange(cells) + 0.5) * height / cells


@pytest.mark.in_turn
@pytest.mark.parametrize("ranks", cases([1, 2], long=[4, 6]))
def test_poiseuille_settles_to_the_parabola(mpi: MpiLibrary, tmp_path: Path, ranks: int) -> None:
    """Exact on a uniform grid but for a constant, which is the walls' half cells' doing."""
    options = ["--case=poiseuille", *THIN, "--l1=100", "--n2=12", "--dt=1", "--steps=160"]

    sample, field = run(mpi, tmp_path, *options, ranks=ranks)

    y = centres(12)
    assert profile_of(field) == pytest.approx(y * (2 - y) + (2 / 12) ** 2 / 4, abs=1e-12)
    assert np.abs(field[1:3]).max() <= 1e-14
    assert sample["verified"] is True
    assert sample["details"]["shear_bottom"] == pytest.approx(2 / 10, rel=1e-12)
    assert sample["details"]["shear_top"] == pytest.approx(2 / 10, rel=1e-12)


def started_from_rest(y: Field, viscosity: float, time: float) -> Field:
    """Between walls 2 apart, where a force 2 nu has acted from t = 0 on (a series of sines)."""
    u = y * (2 - y)
    for m in range(1, 400, 2):
        amplitude = 32 / (m * math.pi) ** 3
        decay = math.exp(-viscosity * (m * math.pi / 2) ** 2 * time)
        u = u - amplitude * decay * np.sin(m * math.pi * y / 2)
    return u


def order_between(coarse: float, fine: float) -> float:
    """Of two errors, the finer grid and step being half of the coarser ones."""
    return math.log2(coarse / fine)


def test_poiseuille_from_rest_converges_to_the_series(openmpi: MpiLibrary, tmp_path: Path) -> None:
    errors = []
    for cells in (24, 48):
        size = [f"--n2={cells}", f"--dt={1.2 / cells}", f"--steps={2 * cells}"]
        _, field = run(openmpi, tmp_path, "--case=poiseuille", *THIN, *size)
        exact = started_from_rest(centres(cells), 0.1, 2.4)
        errors.append(float(np.abs(profile_of(field) - exact).max()))

    assert errors[0] < 0.002
    assert order_between(*errors) == pytest.approx(2, abs=0.1)


def test_a_layer_without_disturbance_is_stokes_first_problem(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    """The wall moves at 1, and the layer is 1 thick at first: sqrt(4 nu t0) = 1."""
    errors = []
    for cells in (40, 80):
        size = [f"--n2={cells}", f"--dt={4 / cells}", f"--steps={5 * cells}", "--stretching=0"]
        options = ["--case=temporal", "--re=50", "--perturbation=0", *THIN, *size]
        sample, field = run(openmpi, tmp_path, *options)
        assert sample["error"] <= 1e-10
        thickness = math.sqrt(1 + 4 / 50 * 20)
        exact = np.array([math.erfc(y / thickness) for y in centres(cells, 10)])
        errors.append(float(np.abs(profile_of(field) - exact).max()))

    assert errors[0] < 0.01
    assert order_between(*errors) == pytest.approx(2, abs=0.1)


def test_vortices_decay_as_their_viscosity_says(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Taylor's and Green's: u = sin x cos z exp(-2 nu t)."""
    errors = []
    for cells in (12, 24):
        size = [f"--n1={cells}", "--n2=4", f"--n3={cells}", f"--dt={1.2 / cells}"]
        options = ["--case=taylor-green", "--re=20", *size, f"--steps={2 * cells}"]
        sample, field = run(openmpi, tmp_path, *options)
        assert sample["error"] <= 1e-10
        x, z = (np.arange(cells) + 1) * math.tau / cells, centres(cells, math.tau)
        exact = math.exp(-2 / 20 * 2.4) * np.sin(x)[None, :] * np.cos(z)[:, None]
        errors.append(float(np.abs(field[0][:, 0, :] - exact).max()))

    assert order_between(*errors) == pytest.approx(2, abs=0.1)


GROWTH = {7500: 0.00223497, 10000: 0.00373967}
"""Im omega of the Orr-Sommerfeld equation at alpha = 1. Source: Chebyshev collocation with 120
points; M. Malik, T. Zang and M. Hussaini, J. Comput. Phys. 61 (1985) have the first one, too."""


def growth_error(mpi: MpiLibrary, folder: Path, reynolds: int, refined: int) -> float:
    size = [f"--n1={24 * refined}", f"--n2={64 * refined}", "--n3=4"]
    time = [f"--dt={0.04 / refined}", f"--steps={1000 * refined}"]
    options = ["--case=orr-sommerfeld", f"--re={reynolds}", *size, *time]
    [sample] = samples(mpi.program("ww-tbl"), mpi, folder, *options)
    assert sample["verified"] is True
    error: float = abs(sample["details"]["growth"] - GROWTH[reynolds])
    return error


def test_the_growth_that_a_wave_is_held_against_is_the_published_one(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    for reynolds, growth in GROWTH.items():
        options = ["--case=orr-sommerfeld", f"--re={reynolds}", "--n1=8", "--n2=8", "--n3=4"]
        [sample] = samples(openmpi.program("ww-tbl"), openmpi, tmp_path, *options, "--steps=2")
        assert sample["details"]["growth_expected"] == pytest.approx(growth, abs=1e-8)


@pytest.mark.parametrize("reynolds", cases([7500], long=GROWTH))
def test_a_wave_grows_as_orr_and_sommerfeld_say(
    openmpi: MpiLibrary, tmp_path: Path, reynolds: int
) -> None:
    assert growth_error(openmpi, tmp_path, reynolds, 1) <= 0.0025


@pytest.mark.long
@pytest.mark.parametrize("reynolds", GROWTH)
def test_the_growth_of_a_wave_converges(openmpi: MpiLibrary, tmp_path: Path, reynolds: int) -> None:
    """Grids as coarse as these come nearer by more than their second order, which is the limit."""
    coarse, fine = (growth_error(openmpi, tmp_path, reynolds, refined) for refined in (1, 2))

    assert fine <= 0.0003
    assert 2 <= order_between(coarse, fine) <= 3.5


def test_convection_makes_no_energy(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Without viscosity only the steps in time do: half of a step by a quarter or less."""
    changes = []
    for halved in (1, 2):
        size = ["--n1=12", "--n2=10", "--n3=8", f"--dt={0.02 / halved}", f"--steps={20 * halved}"]
        options = ["--case=channel", "--inviscid", "--drive=none", "--perturbation=0.2", *size]
        [sample] = samples(openmpi.program("ww-tbl"), openmpi, tmp_path, *options)
        details = sample["details"]
        before, after = details["kinetic_energy_at_start"], details["energy"]["kinetic_energy"]
        changes.append(abs(after / before - 1))

    assert changes[0] < 1e-3
    assert 3.5 <= changes[0] / changes[1] <= 10


CUTS = [(1, 2), (2, 1), (1, 4), (2, 2), (4, 1), (1, 6), (2, 3), (3, 2), (6, 1)]
UNEVEN = ["--n1=13", "--n2=9", "--n3=11"]


@pytest.mark.in_turn
@pytest.mark.parametrize("cut", cases([(2, 2), (3, 2)], long=CUTS))
@pytest.mark.parametrize("flow", ["channel", "temporal"])
def test_fields_do_not_depend_on_the_decomposition(
    mpi: MpiLibrary, tmp_path: Path, flow: str, cut: Cut
) -> None:
    options = [f"--case={flow}", *UNEVEN, "--steps=10"]
    _, whole = run(mpi, tmp_path, *options)
    p1, p2 = cut

    sample, parts = run(mpi, tmp_path, *options, f"--p1={p1}", f"--p2={p2}", ranks=p1 * p2)

    assert (sample["parameters"]["p1"], sample["parameters"]["p2"]) == cut
    assert whole.shape == (4, 11, 9, 13)
    assert np.abs(whole[1:3]).max() > 0.01
    assert np.abs(parts - whole).max() <= 1e-12


@pytest.mark.in_turn
def test_fields_do_not_depend_on_the_threads(mpi: MpiLibrary, tmp_path: Path) -> None:
    options = ["--case=channel", *UNEVEN, "--steps=10"]
    _, one = run(mpi, tmp_path, *options)

    sample, three = run(mpi, tmp_path, *options, threads=3)

    assert sample["threads"] == 3
    assert np.abs(three - one).max() <= 1e-12


@pytest.mark.in_turn
@pytest.mark.parametrize("ranks", [1, 4])
def test_a_channel_keeps_its_bulk_velocity_and_its_budgets(
    mpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    options = ["--n1=16", "--n2=16", "--n3=16", "--steps=10"]

    [sample] = samples(mpi.program("ww-tbl"), mpi, tmp_path, *options, ranks=ranks)

    details = sample["details"]
    assert sample["verified"] is True
    assert details["bulk_velocity"] == pytest.approx(1, abs=1e-13)
    assert details["divergence"] <= 1e-13
    assert details["momentum_residual"] <= 1e-12
    energy = details["energy"]
    for part in ("convection", "pressure", "viscosity"):
        assert energy[f"{part}_residual"] <= 1e-12
    assert len(details["steps_s"]) == 10
    assert sum(details["sections"].values()) == pytest.approx(sum(details["steps_s"]), rel=0.5)


N = (12, 9, 10)
"""Neither axis 2 nor axis 3 divides by 4 or 6."""

SIZE = [f"--n{axis}={points}" for axis, points in enumerate(N, 1)]


def part(points: int, parts: int, number: int) -> int:
    return points * (number + 1) // parts - points * number // parts


def expected_messages(cut: Cut, rank: int, steps: int) -> dict[str, tuple[int, int]]:
    """Calls and bytes of a rank: of the steps, and of taking the divergence out of the start."""
    p1, p2 = cut
    row, column = rank % p1, rank // p1
    n1, n2, n3 = N
    m2, m3 = part(n2, p1, row), part(n3, p2, column)

    def transposed(on_axis_1: int) -> int:
        own_1, own_3 = part(on_axis_1, p2, column), part(n3, p1, row)
        return (on_axis_1 - own_1) * m2 * m3 + own_1 * m2 * (n3 - own_3)

    def back(on_axis_1: int) -> int:
        own_1, own_3 = part(on_axis_1, p2, column), part(n3, p1, row)
        return own_1 * own_3 * (n2 - m2) + own_1 * m2 * (n3 - m3)

    def both(on_axis_1: int) -> int:
        return transposed(on_axis_1) + back(on_axis_1)

    spectrum = 2 * both(n1 // 2 + 1)
    cuts = (p1 > 1) + (p2 > 1)
    below, above = row > 0, row < p1 - 1
    planes = n1 * m3 * (steps * 4 * (below + above) + 6 * above + 7 * below)
    if p2 > 1:
        planes += n1 * (m2 + 2) * (steps * 8 + 13)
    return {
        "MPI_Alltoallv": (
            (8 * steps + 2) * cuts,
            8 * (steps * (3 * both(n1) + spectrum) + spectrum),
        ),
        "MPI_Sendrecv": ((4 * steps + 5) * cuts, 8 * planes),
    }


REDUCTIONS = 19
"""Beside those that keep the bulk velocity: memory, FFTW, budgets, and what is reported."""


@pytest.mark.in_turn
@pytest.mark.parametrize("cut", [(1, 1), (1, 2), (2, 2), (2, 3)])
def test_messages_are_those_of_the_closed_form(
    waywiser: Waywiser, mpi: MpiLibrary, cut: Cut
) -> None:
    p1, p2 = cut
    options = [*SIZE, "--steps=3", f"--p1={p1}", f"--p2={p2}"]

    done = waywiser.profile(mpi.command(p1 * p2, mpi.program("ww-tbl"), *options))

    assert done.returncode == 0, done.stderr
    for rank, found in enumerate(waywiser.show("run", "--per-rank")["per_rank"]):
        functions = {name: (one["calls"], one["bytes"]) for name, one in found["functions"].items()}
        expected = expected_messages(cut, rank, 3)
        messages = {
            name: one
            for name, one in functions.items()
            if re.search("send|alltoall", name, re.IGNORECASE)
        }
        assert messages == {name: one for name, one in expected.items() if one[0] > 0}
        assert functions["MPI_Allreduce"][0] == 3 + REDUCTIONS


@pytest.mark.parametrize("ranks", [1, 2, 4, 6])
def test_the_bytes_that_a_sample_names_are_those_of_a_step(
    openmpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    options = [*SIZE, "--steps=1"]

    [sample] = samples(openmpi.program("ww-tbl"), openmpi, tmp_path, *options, ranks=ranks)

    cut = (sample["parameters"]["p1"], sample["parameters"]["p2"])
    of_step = dict.fromkeys(("MPI_Alltoallv", "MPI_Sendrecv"), 0)
    for rank in range(ranks):
        one, two = (expected_messages(cut, rank, steps) for steps in (1, 2))
        for name in of_step:
            of_step[name] += two[name][1] - one[name][1]
    details = sample["details"]
    assert details["transposed_bytes"] == of_step["MPI_Alltoallv"]
    assert details["halo_bytes"] == of_step["MPI_Sendrecv"]
    assert sample["bytes"] == sum(of_step.values())


def test_the_commands_of_the_page_run(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """With few cells and steps, and their file elsewhere."""
    page = (ROOT / "docs" / "tbl.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ mpirun -n (\d) ww-tbl (.*)$", page, re.MULTILINE)
    assert len(commands) >= 3
    for ranks, options in commands:
        words = [one for one in options.split() if not re.match("--(n1|n2|n3|steps|json)=", one)]
        short = ["--n1=8", "--n2=8", "--n3=8", "--steps=2", f"--json={tmp_path / 'tbl.json'}"]
        openmpi.run(int(ranks), openmpi.program("ww-tbl"), *words, *short)


def test_a_missing_library_is_named(openmpi: MpiLibrary, tmp_path: Path) -> None:
    absent = ("common/fourier.cpp", '"libfftw3.so.3"', '"libfftw3-absent.so.3"')
    program = mutant(openmpi, "tbl", absent, tmp_path)

    done = openmpi.run(2, program, check=False)

    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if line.startswith("ww-tbl: ")] == [
        "ww-tbl: FFTW 3 (libfftw3.so.3) is not installed; install it (Debian: libfftw3-double3) "
        "or name its directory in LD_LIBRARY_PATH"
    ]
