"""Fuzzes the readers of profiles, states, recordings and traces, with as many inputs as it is told.

A failure leaves its input in the folder that the message names. `fuzz_readers --text FILE` makes a
file of tests/fuzz/corpus of it, so that every later run begins with it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.sanitized import sanitized

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.txt"))


def _fuzz(folder: Path, inputs: int, seed: int) -> str:
    done = subprocess.run(
        [sanitized("fuzz_readers", "fuzz"), str(inputs), str(seed), folder, *CORPUS],
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_no_input_harms_the_readers(tmp_path: Path) -> None:
    assert " 0 failures" in _fuzz(tmp_path, inputs=8_000, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3])
def test_no_input_of_many_harms_the_readers(tmp_path: Path, seed: int) -> None:
    assert " 0 failures" in _fuzz(tmp_path, inputs=100_000, seed=seed)
