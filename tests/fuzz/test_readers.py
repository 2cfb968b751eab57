"""Fuzzes the readers of profiles, states, recordings and traces, with as many inputs as it is told.

A failure leaves its input in the directory that the message names. `fuzz_readers --text FILE` makes
a file of tests/fuzz/corpus of it, so that every later run begins with it. That directory is in
memory: files that live for a millisecond would make the fuzzer wait for the disk.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.sanitized import sanitized

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.txt"))


def _fuzz(inputs: int, seed: int, preset: str = "release") -> None:
    memory = Path("/dev/shm")
    directory = tempfile.mkdtemp(prefix="ww-fuzz-", dir=memory if memory.is_dir() else None)
    done = subprocess.run(
        [sanitized("fuzz_readers", "fuzz", preset), str(inputs), str(seed), directory, *CORPUS],
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 failures" in done.stdout
    shutil.rmtree(directory)


def test_no_input_harms_the_readers() -> None:
    _fuzz(inputs=2_000, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3])
def test_no_input_of_many_harms_the_readers(seed: int) -> None:
    """AddressSanitizer checks each access, in the readers and in what works on their results."""
    _fuzz(inputs=40_000, seed=seed, preset="asan")
