"""Every operator, form, precision and preconditioner of ww-minife against the exact solution."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.support import MpiLibrary, cases
from tests.verification.minife_oracle import solve
from tests.verification.test_minife import axes, minife, samples_of

OPERATORS = ["csr", "blocks", "symmetric", "matrix-free"]
FORMS = ["standard", "fused", "pipelined"]
MIXED = ["blocks", "symmetric", "matrix-free"]

VARIANTS = [
    *(f"--operator={a} --cg={cg}" for a, cg in itertools.product(OPERATORS, FORMS)),
    *(f"--operator={a} --cg=fused --precision=mixed" for a in MIXED),
    *(
        f"--operator={a} --preconditioner=multigrid --precision={numbers}"
        for a, numbers in itertools.product(["csr", "matrix-free"], ["double", "mixed"])
    ),
]

TIGHT = "--tolerance=1e-13"
"""An error of the solver below 1e-12 at the centre, with ||b|| = 22."""


def assert_exact(
    mpi: MpiLibrary,
    tmp_path: Path,
    ranks: int,
    elements: tuple[int, int, int],
    *options: str,
    threads: int = 1,
) -> None:
    exact = solve(*elements)
    sample = minife(mpi, tmp_path, ranks, *axes(elements), *options, threads=threads)
    details = sample["details"]
    assert sample["verified"] is True
    assert details["centre"] == pytest.approx(exact.centre, abs=1e-12)
    assert details["free_sum"] == pytest.approx(exact.free_sum, rel=1e-12)
    assert details["free_norm"] == pytest.approx(exact.free_norm, rel=1e-12)
    assert details["right_side_norm"] == pytest.approx(exact.right_side_norm, rel=1e-12)


@pytest.mark.parametrize("team", cases([(3, 2)], long=[(1, 1), (3, 1), (2, 2), (1, 3)]), ids=str)
@pytest.mark.parametrize("variant", [*VARIANTS, "--operator=matrix-free --cg=fused --overlap"])
def test_every_variant_finds_the_discrete_solution_to_twelve_digits(
    openmpi: MpiLibrary, tmp_path: Path, variant: str, team: tuple[int, int]
) -> None:
    ranks, threads = team
    assert_exact(openmpi, tmp_path, ranks, (12, 18, 24), *variant.split(), TIGHT, threads=threads)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "variant",
    cases(
        [
            "--operator=blocks --overlap",
            "--operator=matrix-free --preconditioner=multigrid --overlap",
            "--operator=blocks --cg=fused --precision=mixed --overlap",
        ],
        long=[
            "--operator=symmetric --cg=fused --overlap",
            "--operator=matrix-free --cg=fused --overlap --load-imbalance=20",
            "--operator=matrix-free --cg=pipelined --overlap",
        ],
    ),
)
def test_with_cuts_on_all_axes_and_overlap(mpi: MpiLibrary, tmp_path: Path, variant: str) -> None:
    assert_exact(mpi, tmp_path, 7, (20, 20, 20), *variant.split(), TIGHT)


@pytest.mark.parametrize("cg", FORMS)
def test_as_many_threads_find_the_same_digits_again(
    openmpi: MpiLibrary, tmp_path: Path, cg: str
) -> None:
    options = ["--nx=24", "--operator=blocks", f"--cg={cg}"]

    first, again = (minife(openmpi, tmp_path, 1, *options, threads=3) for _ in range(2))

    assert first["threads"] == 3
    for metric in ("residual_norm", "free_norm", "centre"):
        assert first["details"][metric] == again["details"][metric]
    assert first["parameters"]["iterations"] == again["parameters"]["iterations"]


@pytest.mark.parametrize("operator", OPERATORS)
def test_more_threads_than_planes_work(openmpi: MpiLibrary, tmp_path: Path, operator: str) -> None:
    options = ["--nx=40", "--nz=3", f"--operator={operator}", "--cg=fused"]

    assert minife(openmpi, tmp_path, 1, *options, threads=5)["verified"] is True


@pytest.mark.parametrize(
    "elements", cases([(1, 4, 4), (31, 9, 5)], long=[(2, 2, 2), (3, 2, 5)]), ids=str
)
@pytest.mark.parametrize(
    "variant",
    [
        *(f"--operator={a} --cg=fused" for a in OPERATORS),
        "--operator=matrix-free --preconditioner=multigrid",
    ],
)
def test_small_and_odd_meshes_work(
    openmpi: MpiLibrary, tmp_path: Path, elements: tuple[int, int, int], variant: str
) -> None:
    sample = minife(openmpi, tmp_path, 1, *axes(elements), *variant.split())

    assert sample["verified"] is True
    assert (sample["error"] is None) == (1 in elements)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("ranks", cases([3], long=[1]))
def test_a_millionth_of_one_coupling_is_noticed(
    openmpi: MpiLibrary, tmp_path: Path, operator: str, ranks: int
) -> None:
    options = ["--nx=10", f"--operator={operator}", "--break-entry"]

    details = minife(openmpi, tmp_path, ranks, *options, code=1)["details"]

    # The matrix-free form counts 9^3 free rows, and the 9^2 right sides beside the face x = 1.
    expected = {"csr": "1 matrix", "blocks": "1 rows", "symmetric": "2 rows", "matrix-free": "810"}
    assert details["failure"].startswith(expected[operator])


@pytest.mark.parametrize("numbers", ["double", "mixed"])
@pytest.mark.parametrize("size", cases([(16, 1), (48, 3)], long=[(32, 1), (64, 2)]), ids=str)
def test_multigrid_takes_as_many_iterations_on_every_mesh(
    openmpi: MpiLibrary, tmp_path: Path, size: tuple[int, int], numbers: str
) -> None:
    nx, ranks = size
    options = [f"--nx={nx}", "--operator=matrix-free", "--preconditioner=multigrid"]

    sample = minife(openmpi, tmp_path, ranks, *options, f"--precision={numbers}")

    # The smoother damps by 1/7 what the coarse mesh cannot show: two decimals a cycle, 14 in all.
    assert 6 <= sample["parameters"]["iterations"] <= 8


@pytest.mark.parametrize(
    "elements",
    cases(
        [(16, 16, 128), (16, 128, 16), (32, 48, 64)],
        long=[(128, 16, 16), (64, 64, 8), (8, 8, 256), (16, 64, 256), (30, 30, 240)],
    ),
    ids=str,
)
def test_multigrid_takes_few_iterations_on_stretched_bricks(
    openmpi: MpiLibrary, tmp_path: Path, elements: tuple[int, int, int]
) -> None:
    options = ["--operator=matrix-free", "--preconditioner=multigrid"]

    iterations = minife(openmpi, tmp_path, 1, *axes(elements), *options)["parameters"]["iterations"]

    assert iterations <= 7
    # Six steps of 27 operations before and after, on meshes of a half each: 650 and a little.
    # Halving all axes at once would take as few iterations, of thousands of operations.
    cycles = samples_of(tmp_path / "samples.jsonl")["precondition"]
    assert cycles["flops"] / cycles["points"] / iterations < 750


@pytest.mark.parametrize(
    ("elements", "ranks", "threads"),
    [((8, 16, 96), 3, 1), ((48, 8, 16), 2, 2), ((60, 36, 8), 7, 1)],
)
@pytest.mark.parametrize("numbers", ["double", "mixed"])
def test_multigrid_on_stretched_bricks_is_exact_on_any_number_of_ranks(
    openmpi: MpiLibrary,
    tmp_path: Path,
    elements: tuple[int, int, int],
    ranks: int,
    threads: int,
    numbers: str,
) -> None:
    options = ["--operator=matrix-free", "--preconditioner=multigrid", f"--precision={numbers}"]

    assert_exact(openmpi, tmp_path, ranks, elements, *options, TIGHT, threads=threads)


def test_mixed_precision_needs_no_more_than_half_again_as_many_iterations(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    options = ["--nx=48", "--operator=matrix-free", "--cg=fused"]
    double, mixed = (
        minife(openmpi, tmp_path, 1, *options, f"--precision={numbers}")["parameters"]["iterations"]
        for numbers in ("double", "mixed")
    )
    assert double < mixed < 1.5 * double


@pytest.mark.parametrize(
    ("variant", "bytes_a_row"),
    [
        # Values of a product: of the matrix, of x, of y twice for its write-allocate.
        ("--operator=csr", 12 * 25.7 + 8 + 24),
        ("--operator=blocks", 216 * 48 / 41 + 24),
        ("--operator=symmetric", 112 * 42 / 41 + 24),
        ("--operator=matrix-free", 24),
        # The update of the directions joins, and nothing but those is written.
        ("--operator=matrix-free --cg=fused", 24),
    ],
)
def test_bytes_are_those_of_the_format(
    openmpi: MpiLibrary, tmp_path: Path, variant: str, bytes_a_row: float
) -> None:
    file = tmp_path / "samples.jsonl"
    options = ["--nx=40", "--iterations=20", "--fixed-iterations", *variant.split()]
    program = str(openmpi.program("ww-minife"))
    openmpi.run(1, program, *options, f"--json={file}")
    matvec = samples_of(file)["matvec"]
    assert matvec["bytes"] / matvec["points"] / 20 == pytest.approx(
        bytes_a_row, rel=0.07
    )  # one product more
