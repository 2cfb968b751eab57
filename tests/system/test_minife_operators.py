"""ww-minife's operators in one run: all of them side by side, or the fastest, chosen once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary

OPERATORS = ["csr", "blocks", "symmetric", "matrix-free"]
SMALL = ("--nx=12",)


def operators_run(mpi: MpiLibrary, directory: Path, *options: str, ranks: int = 1) -> list[str]:
    written = samples(mpi.program("ww-minife"), mpi, directory, *SMALL, *options, ranks=ranks)
    return [line["parameters"]["operator"] for line in written if line["phase"] == "cg"]


@pytest.mark.parametrize("ranks", [1, 2])
def test_all_operators_are_compared_on_one_problem(
    openmpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    program = openmpi.program("ww-minife")

    written = samples(program, openmpi, tmp_path, *SMALL, "--operator=all", ranks=ranks)

    solved = [line for line in written if line["phase"] == "cg"]
    assert [line["variant"] for line in solved] == OPERATORS
    assert all(line["verified"] for line in written)
    centres = [line["details"]["centre"] for line in solved]
    assert centres == pytest.approx([centres[0]] * 4, abs=1e-12)
    memory = {line["variant"]: line["bytes"] for line in written if line["phase"] == "memory"}
    assert memory["matrix-free"] == 13**3 * 8
    assert memory["blocks"] == memory["csr"] > 37**3 * 12


def test_the_comparison_has_a_row_for_each(openmpi: MpiLibrary) -> None:
    options = ("--operator=all", "--fixed-iterations", "--iterations=5", "--cg=fused")

    output = openmpi.run(1, openmpi.program("ww-minife"), *SMALL, *options).stdout

    assert output.count("\nverified\n") == 4
    rows = re.findall(r"^(\S+)-fused +5 +\d+\.\d+ +(\d+) +[\d.]+$", output, re.MULTILINE)
    assert [name for name, _ in rows] == OPERATORS
    a_row = {name: int(number) for name, number in rows}
    assert a_row["matrix-free"] < a_row["symmetric"] < a_row["blocks"] < a_row["csr"]


def test_one_wrong_operator_fails_the_run(openmpi: MpiLibrary) -> None:
    program = openmpi.program("ww-minife")

    run = openmpi.run(1, program, *SMALL, "--operator=all", "--break-entry", check=False)

    assert run.returncode == 1
    assert run.stdout.count("NOT VERIFIED") == 4


def test_mixed_precision_leaves_out_what_has_no_single(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ("--operator=all", "--cg=fused", "--precision=mixed")

    assert operators_run(openmpi, tmp_path, *options) == OPERATORS[1:]


def test_the_choice_depends_on_the_solver_and_the_ranks(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    cache = tmp_path / "cache" / "waywiser" / "kernels.txt"

    operators_run(openmpi, tmp_path, "--operator=auto")
    operators_run(openmpi, tmp_path, "--operator=auto", ranks=2)
    operators_run(openmpi, tmp_path, "--operator=auto", "--cg=fused")

    keys = {line.split()[0] for line in cache.read_text(encoding="utf-8").splitlines()}
    assert len(keys) == 3
