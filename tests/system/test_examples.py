"""Examples do what they say, on any number of ranks."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.support import ROOT, MpiLibrary, environment, mpi_libraries


def regression(mpi: MpiLibrary, folder: Path, ranks: int, *words: str) -> tuple[int, str]:
    program = folder / "regression"
    source = ROOT / "examples" / "regression.c"
    warnings = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run([mpi.bin / "mpicc", "-O2", *warnings, "-o", program, source], check=True)
    done = subprocess.run(
        [mpi.bin / "mpirun", "-n", str(ranks), program, *words],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_regression_finds_its_weights(tmp_path: Path, ranks: int) -> None:
    mpi = mpi_libraries()[0]
    code, output = regression(mpi, tmp_path, ranks, "1000", "100")
    error = re.search(r"^squared error: (\S+)$", output, re.MULTILINE)
    assert code == 0
    assert error is not None, output
    assert float(error[1]) < 1e-12

    code, output = regression(mpi, tmp_path, ranks, "1000", "1")
    error = re.search(r"^squared error: (\S+)$", output, re.MULTILINE)
    assert error is not None
    assert float(error[1]) == 4 * ranks


def test_a_regression_without_weights_is_refused(tmp_path: Path) -> None:
    code, output = regression(mpi_libraries()[0], tmp_path, 1, "0")
    assert code == 2
    assert "number of weights" in output
