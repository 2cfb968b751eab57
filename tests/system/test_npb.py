"""ww-npb against NPB's published norms, itself on other ranks, and wrong copies of it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import refusal, samples
from tests.mutants import mutant
from tests.support import ROOT, MpiLibrary, cases

BENCHMARKS = ["bt", "sp", "lu"]

CLASS_S = """\
bt residual 1.7034283709541311e-01 1.2975252070034097e-02 3.2527926989486055e-02 \
2.6436421275166801e-02 1.9211784131744430e-01
bt error 4.9976913345811579e-04 4.5195666782961927e-05 7.3973765172921357e-05 \
7.3821238632439731e-05 8.9269630987491446e-04
sp residual 2.7470315451339479e-02 1.0360746705285417e-02 1.6235745065095532e-02 \
1.5840557224455615e-02 3.4849040609362460e-02
sp error 2.7289258557377227e-05 1.0364446640837285e-05 1.6154798287166471e-05 \
1.5750704994480102e-05 3.4177666183390531e-05
lu residual 1.6196343210976702e-02 2.1976745164821318e-03 1.5179927653399185e-03 \
1.5029584435994323e-03 3.4264073155896461e-02
lu error 6.4223319957960924e-04 8.4144342047347926e-05 5.8588269616485186e-05 \
5.8474222595157350e-05 1.3103347914111294e-03
"""
"""Source: NAS TR RNR-94-007, and NPB 3.4, whose digits these are."""

SURFACE_S = 7.8418928865937083
"""Of LU: the integral of the pressure over the box's faces."""


def published(benchmark: str, norm: str) -> list[float]:
    [line] = [one for one in CLASS_S.splitlines() if one.startswith(f"{benchmark} {norm} ")]
    return [float(word) for word in line.split()[2:]]


@pytest.mark.in_turn
@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("ranks", cases([1, 4], long=[2, 3]))
def test_class_s_meets_the_published_norms(
    mpi: MpiLibrary, tmp_path: Path, benchmark: str, ranks: int
) -> None:
    options = [f"--benchmark={benchmark}", "--class=S", "--tries=2"]

    [sample] = samples(mpi.program("ww-npb"), mpi, tmp_path, *options, ranks=ranks)

    details = sample["details"]
    assert sample["verified"] is True
    assert sample["ranks"] == ranks
    assert details["residual"] == pytest.approx(published(benchmark, "residual"), rel=1e-8)
    assert details["error"] == pytest.approx(published(benchmark, "error"), rel=1e-8)
    if benchmark == "lu":
        assert details["surface"] == pytest.approx(SURFACE_S, rel=1e-8)
    assert len(details["tries_s"]) == 2
    assert details["mops"] == pytest.approx(sample["flops"] / sample["seconds"] * 1e-6)


@pytest.mark.long
@pytest.mark.in_turn
@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("ranks", [1, 4])
def test_class_w_meets_the_published_norms(
    mpi: MpiLibrary, tmp_path: Path, benchmark: str, ranks: int
) -> None:
    options = [f"--benchmark={benchmark}", "--class=W"]

    [sample] = samples(mpi.program("ww-npb"), mpi, tmp_path, *options, ranks=ranks, timeout=900)

    assert sample["verified"] is True
    assert sample["error"] <= 1e-8


def field_after_3_steps(
    mpi: MpiLibrary, folder: Path, benchmark: str, points: int, ranks: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    file = folder / f"{ranks}.npy"
    options = [f"--benchmark={benchmark}", f"--n1={points}", "--iterations=3", f"--field={file}"]
    [sample] = samples(mpi.program("ww-npb"), mpi, folder, *options, ranks=ranks)
    assert sample["verified"] is None
    field: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = np.load(file)
    return field


@pytest.mark.in_turn
@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("ranks", cases([3, 4], long=[2, 6, 9]))
def test_fields_do_not_depend_on_the_decomposition(
    mpi: MpiLibrary, tmp_path: Path, benchmark: str, ranks: int
) -> None:
    """13 points leave uneven parts; of 9 ranks, the middle one has a neighbour on each side."""
    whole = field_after_3_steps(mpi, tmp_path, benchmark, 13, 1)

    parts = field_after_3_steps(mpi, tmp_path, benchmark, 13, ranks)

    assert whole.shape == (5, 13, 13, 13)
    assert np.all(np.abs(parts - whole) <= 1e-12 * np.abs(whole))


def test_what_has_no_published_norms_is_not_checked(openmpi: MpiLibrary) -> None:
    done = openmpi.run(1, openmpi.program("ww-npb"), "--benchmark=lu", "--dt=0.25")

    assert done.stdout.splitlines()[-1] == (
        "not checked: values are published for whole classes: leave out --n1, --iterations and --dt"
    )


def test_the_commands_of_the_page_run(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """With three steps each, and their file elsewhere."""
    page = (ROOT / "docs" / "npb.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ mpirun -n (\d) ww-npb (.*)$", page, re.MULTILINE)
    assert len(commands) == len(BENCHMARKS)
    short = ["--iterations=3", "--tries=1", f"--json={tmp_path / 'npb.json'}"]
    for ranks, options in commands:
        openmpi.run(int(ranks), openmpi.program("ww-npb"), *options.split(), *short)


@pytest.mark.parametrize(
    ("ranks", "arguments", "sentence"),
    [
        (1, ["--benchmark=cg"], "--benchmark does not take 'cg' but one of: bt, sp, lu"),
        (1, ["--class=G"], "--class does not take 'G' but one of: S, W, A, B, C, D, E, F"),
        (1, ["--n1=5"], "--n1 does not take '5' but a whole number from 6 to 10000"),
        (2, ["--class=F"], "2560 points an axis need 5640.7 GiB on a node that has "),
        (
            7,
            ["--benchmark=sp"],
            "7 ranks cannot share 12 points an axis in pencils with at least 2 points a side; "
            "the nearest counts that can: 6 and 8",
        ),
        (5, ["--n1=9"], "5 ranks cannot share 9 points an axis in pencils with at least 2 points "),
        (2, ["--field=nowhere/u.npy"], "cannot write 'nowhere/u.npy': give a file in a folder "),
    ],
)
def test_a_mistake_is_named_once(
    openmpi: MpiLibrary, ranks: int, arguments: list[str], sentence: str
) -> None:
    assert refusal(openmpi, "ww-npb", ranks, *arguments).startswith(sentence)


FAULTS = {
    "the forcing is off by a millionth": (
        *("sp", 1, "problem.cpp"),
        "value = -value;",
        "value *= -1.000001;",
    ),
    "the dissipation next to a face is the inner one": (
        *("bt", 1, "physics.hpp"),
        "row[2] = 5;",
        "row[2] = 6;",
    ),
    "a coefficient of the exact solution is wrong": (
        *("lu", 1, "exact.cpp"),
        "{2, 2, 0, 0, 0, 2, 3, .04,",
        "{2, 2, 0, 0, 0, 2, 3, .05,",
    ),
    "one layer of the halo is missing": (
        *("bt", 4, "problem.cpp"),
        "const Index3 width{Field::halo, Field::halo, Field::halo};",
        "const Index3 width{1, 1, 1};",
    ),
    "the box of the integral is symmetric": (
        *("lu", 1, "norms.cpp"),
        "{{1, 1, 2}, {points[0] - 1, points[1] - 2, points[2] - 1}}",
        "{{1, 1, 1}, {points[0] - 1, points[1] - 1, points[2] - 1}}",
    ),
    "a block has the other's sign": (
        *("bt", 1, "bt.cpp"),
        "coupling(before, line.axis, -1,",
        "coupling(before, line.axis, 1,",
    ),
    "scalar systems lack the conduction of heat": (
        *("sp", 1, "sp.cpp"),
        "heat_conduction * viscosity / flow.density",
        "viscosity / flow.density",
    ),
    "the sweep backwards receives into its own points": (
        *("lu", 4, "lu.cpp"),
        "inner_.lo[axis] - 1 : inner_.hi[axis]),",
        "inner_.lo[axis] - 1 : inner_.hi[axis] - 1),",
    ),
}


@pytest.mark.parametrize("name", cases(["the box of the integral is symmetric"], long=FAULTS))
def test_a_wrong_copy_is_not_verified(openmpi: MpiLibrary, tmp_path: Path, name: str) -> None:
    benchmark, ranks, file, right, wrong = FAULTS[name]
    program = mutant(openmpi, "npb", (f"npb/{file}", right, wrong), tmp_path)

    done = openmpi.run(ranks, program, f"--benchmark={benchmark}", check=False)

    assert done.returncode == 1, done.stdout
    assert done.stdout.splitlines()[-1] == (
        f"NOT VERIFIED: {benchmark}, baseline: norms differ from the published ones by more "
        "than 1e-8"
    )
