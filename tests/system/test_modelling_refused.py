"""ww-propa's modelling refuses in a sentence: options, positions, files of velocities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.kernel_programs import refusal
from tests.support import MpiLibrary

Floats = NDArray[np.floating[Any]]

MODEL = ["--source=200,200,200", "--frequency=15", "--steps=5"]


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.zeros((8, 8), np.float32), "has 2 axes; --velocity-file takes an array of shape"),
        (np.zeros((20, 20, 20), np.float32), "has a velocity that is not a number above 0"),
        (np.full((20, 20, 20), np.nan), "has a velocity that is not a number above 0"),
        (np.zeros((20, 20, 20), np.int32), "expected an array of float32 or float64 in C order"),
        (np.ones((20, 18, 16)).T, "expected an array of float32 or float64 in C order"),
        (np.ones((20, 20, 2), np.float32), "has 2 x 20 x 20 points, too few for order 8"),
    ],
    ids=["two axes", "zeros", "no numbers", "whole numbers", "Fortran", "too few"],
)
def test_files_of_velocities_are_checked(
    openmpi: MpiLibrary, tmp_path: Path, array: Floats, sentence: str
) -> None:
    file = tmp_path / "model.npy"
    np.save(file, array)
    message = refusal(openmpi, "ww-propa", 2, *MODEL, f"--velocity-file={file}")
    assert str(file) in message
    assert sentence in message


def test_a_file_that_was_cut_off_is_refused(openmpi: MpiLibrary, tmp_path: Path) -> None:
    file = tmp_path / "model.npy"
    np.save(file, np.full((20, 20, 20), 2000.0))
    file.write_bytes(file.read_bytes()[:-100])
    message = refusal(openmpi, "ww-propa", 2, *MODEL, f"--velocity-file={file}")
    assert "has fewer values than its header says" in message
