"""The programs of tests/native and tests/fuzz, built by presets of CMake, most under sanitizers."""

from __future__ import annotations

import fcntl
import functools
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support import BIN, ROOT


def sanitized(name: str, directory: str = "native", preset: str = "release") -> Path:
    """Builds the program `name` of tests/DIRECTORY; what it shares with others is compiled once.
    The readers of foreign bytes are under sanitizers in every preset (tests/fuzz/CMakeLists.txt).

    Tests in other processes may want others of the same directory: one builds at a time.
    """
    with _locked(preset):
        _configure(preset)
        _cmake("--build", "--preset", preset, "--target", name)
    return ROOT / "build" / preset / "tests" / directory / name


@contextmanager
def _locked(preset: str) -> Iterator[None]:
    file = ROOT / "build" / f"{preset}.lock"
    file.parent.mkdir(exist_ok=True)
    with file.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@functools.cache
def _configure(preset: str) -> None:
    _cmake("--preset", preset)


def _cmake(*arguments: str) -> None:
    done = subprocess.run(
        [str(BIN / "cmake"), *arguments],
        cwd=ROOT,
        env=os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,  # a preset's whole core, on a busy machine
    )
    assert done.returncode == 0, done.stdout + done.stderr
