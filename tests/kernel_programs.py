"""Programs of kernels (ww-fd, ww-propa, ww-rupture) as tests run them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support import MpiLibrary, captured

Sample = dict[str, Any]


def samples(
    program: Path,
    mpi: MpiLibrary,
    directory: Path,
    *options: str,
    ranks: int = 1,
    threads: int = 1,
    code: int = 0,
    timeout: float = 400,
) -> list[Sample]:
    """Runs a program, which must end with `code`, and returns what it wrote."""
    environment = {
        "OMP_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "passive",  # ranks and threads are more than CPUs
        "XDG_CACHE_HOME": str(directory / "cache"),
    }
    how: dict[str, Any] = {"ranks": ranks, "code": code, "timeout": timeout}
    return measured(program, mpi, directory, *options, env=environment, **how)[0]


def measured(
    program: Path,
    mpi: MpiLibrary,
    directory: Path,
    *options: str,
    ranks: int = 2,
    code: int = 0,
    timeout: float = 400,
    env: Mapping[str, str] | None = None,
    name: str = "samples.jsonl",
) -> tuple[list[Sample], subprocess.CompletedProcess[str]]:
    """A program's samples and its finished process, whose exit code must be `code`."""
    file = directory / name
    file.unlink(missing_ok=True)
    words: list[str | Path] = [program, *options, f"--json={file}"]
    run = mpi.run(ranks, *words, check=False, env=env, timeout=timeout)
    assert run.returncode == code, run.stdout + run.stderr
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()], run


def mpibench(
    mpi: MpiLibrary, directory: Path, *options: str, **how: Any
) -> tuple[list[Sample], subprocess.CompletedProcess[str]]:
    """Samples of ww-mpibench, by default of 2 ranks, and how it ended."""
    program = mpi.program("ww-mpibench")
    return measured(program, mpi, directory, *options, name="mpibench.json", **how)


def refusal(mpi: MpiLibrary, name: str, ranks: int, *arguments: str) -> str:
    """The error of a program that refuses: one sentence, from one rank, before any output, and an
    orderly end.

    One rank needs no launcher.
    """
    words = [str(mpi.program(name)), *arguments]
    run = captured(words if ranks == 1 else mpi.command(ranks, *words))
    messages: list[str] = [line for line in run.stderr.splitlines() if line.startswith(f"{name}: ")]
    assert run.returncode == 2
    assert len(messages) == 1
    assert run.stdout == ""
    assert "MPI_ABORT" not in run.stderr
    return messages[0].removeprefix(f"{name}: ")
