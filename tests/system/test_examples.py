"""Examples do what they say, on any number of ranks."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.support import ROOT, captured, mpi_libraries


def example(name: str, directory: Path, ranks: int, *words: str) -> tuple[int, str]:
    """Builds one, and runs it: its exit code, and what it said."""
    mpi = mpi_libraries()[0]
    program = directory / name
    source = ROOT / "examples" / f"{name}.c"
    options = ["-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([mpi.bin / "mpicc", *options, "-o", program, source, "-lm"], check=True)
    done = captured([mpi.bin / "mpirun", "-n", str(ranks), program, *words])
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_regression_finds_its_weights(tmp_path: Path, ranks: int) -> None:
    code, output = example("regression", tmp_path, ranks, "1000", "100")
    assert code == 0
    assert printed("squared error", output) < 1e-12

    code, output = example("regression", tmp_path, ranks, "1000", "1")
    assert printed("squared error", output) == 4 * ranks


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_diffusion_by_alternating_directions_is_that_of_the_grids_wave(
    tmp_path: Path, ranks: int
) -> None:
    """Steps so long that the scheme's factors are far from those of the equation itself."""
    code, output = example("adi", tmp_path, ranks, "24", "5")
    assert code == 0
    assert printed("error", output) < 1e-12
    assert printed("time of a step", output) > 0


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_product_by_panels_is_the_sum_that_is_known(tmp_path: Path, ranks: int) -> None:
    """There are seven panels, so that several ranks never have equally many."""
    code, output = example("summa", tmp_path, ranks, "56", "8", "2")
    assert code == 0
    assert printed("error", output) == 0
    assert printed("time of a step", output) > 0


@pytest.mark.parametrize(
    ("name", "ranks", "words", "says"),
    [
        ("regression", 1, ["0"], "number of weights"),
        ("adi", 2, ["25"], "a multiple of the ranks"),
        ("summa", 2, ["56", "9"], "a multiple of the panel's columns"),
    ],
)
def test_what_cannot_be_divided_is_refused(
    tmp_path: Path, name: str, ranks: int, words: list[str], says: str
) -> None:
    code, output = example(name, tmp_path, ranks, *words)
    assert code == 2
    assert says in output


def printed(name: str, output: str) -> float:
    match = re.search(rf"^{name}: (\S+)", output, re.MULTILINE)
    assert match is not None, output
    return float(match[1])
