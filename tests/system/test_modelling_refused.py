"""ww-propa's modelling refuses in a sentence: options, positions, files of velocities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.kernel_programs import refusal

if TYPE_CHECKING:
    from tests.support import MpiLibrary

Floats = NDArray[np.floating[Any]]

MODEL = ["--source=200,200,200", "--frequency=15", "--steps=5"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--source=1,2"], "--source stands without --frequency, the wavelet's in Hz"),
        (["--source=1,2", *MODEL[1:]], "--source does not take '1,2' but a position in metres"),
        (["--source=1,2,x", *MODEL[1:]], "--source does not take '1,2,x' but a position in metres"),
        (["--source=200,200,2000", *MODEL[1:]], "--source has a position of 2000 m on axis 3"),
        (MODEL[:2], "--source stands without --steps or --tmax: how long to model"),
        ([*MODEL, "--frequency=0"], "--frequency does not take '0' but a number from"),
        ([*MODEL, "--frequency=100"], "waves of 2.5 times the frequency are as short as 6.0"),
        ([*MODEL, "--spacing=10,10"], "--spacing does not take '10,10' but a length in metres"),
        ([*MODEL, "--spacing=-1"], "--spacing does not take '-1' but a length in metres"),
        ([*MODEL, "--velocity=0"], "--velocity does not take '0' but a number from 0.001"),
        ([*MODEL, "--velocity-file=/nowhere"], "cannot read '/nowhere'; expected an array of"),
        ([*MODEL, "--velocity-file=/dev/null"], "/dev/null is not an .npy file; expected an array"),
        ([*MODEL, "--receivers=0,0,0:1,1,1:x"], "--receivers does not take '0,0,0:1,1,1:x' but"),
        ([*MODEL, "--receivers=/nowhere"], "--receivers: cannot read '/nowhere'; it takes FROM:TO"),
        ([*MODEL, "--receivers=0,0,0:0,0,9999:3"], "--receivers has a position of 4999.5 m on"),
        ([*MODEL, "--traces=x.npy"], "--traces stands without --receivers, which record them"),
        ([*MODEL, "--snapshots=/nowhere/x"], "cannot write '/nowhere/x': give a file in a"),
        ([*MODEL, "--layer=0"], "--layer does not take '0' but a whole number from 1 to 1000"),
        ([*MODEL, "--layer=60"], "absorbing layers of 60 points do not fit into the 100 points"),
        ([*MODEL, "--boundary=open"], "--boundary does not take 'open' but mirror or none, or abs"),
        ([*MODEL, "--mode1=2"], "--mode1, --mode2 and --mode3 are of the eigenmode"),
        ([*MODEL, "--dt=1"], "--dt does not take 1.000000 but at most 0.0"),
        (["--frequency=15"], "--frequency is of the modelling case, and stands without --source"),
        (["--free-surface"], "--free-surface is of the modelling case, and stands without"),
        (
            ["--source=0,200,200", *MODEL[1:], "--free-surface"],
            "--source lies on the free surface, where P is 0",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_is_refused_in_a_sentence(
    openmpi: MpiLibrary, arguments: list[str], sentence: str
) -> None:
    assert refusal(openmpi, "ww-propa", 2, "--p3=2", *arguments).startswith(sentence)


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
    said = refusal(openmpi, "ww-propa", 2, *MODEL, f"--velocity-file={file}")
    assert str(file) in said
    assert sentence in said


def test_a_file_that_was_cut_off_is_refused(openmpi: MpiLibrary, tmp_path: Path) -> None:
    file = tmp_path / "model.npy"
    np.save(file, np.full((20, 20, 20), 2000.0))
    file.write_bytes(file.read_bytes()[:-100])
    said = refusal(openmpi, "ww-propa", 2, *MODEL, f"--velocity-file={file}")
    assert "has fewer values than its header says" in said
