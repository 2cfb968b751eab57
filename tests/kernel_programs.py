"""Programs of kernels (ww-fd, ww-propa, ww-rupture) as tests run them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support import MpiLibrary, captured

Sample = dict[str, Any]


def samples(
    program: Path,
    mpi: MpiLibrary,
    folder: Path,
    *options: str,
    ranks: int = 1,
    threads: int = 1,
    code: int = 0,
    timeout: float = 400,
) -> list[Sample]:
    """Runs a program, which must end with `code`, and returns what it wrote."""
    file = folder / "samples.jsonl"
    file.unlink(missing_ok=True)
    environment = {
        "OMP_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "passive",  # ranks and threads are more than CPUs
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    run = mpi.run(
        ranks, program, *options, f"--json={file}", check=False, env=environment, timeout=timeout
    )
    assert run.returncode == code, run.stdout + run.stderr
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def refusal(mpi: MpiLibrary, name: str, ranks: int, *arguments: str) -> str:
    """What a program says when it refuses: one sentence, from one rank, and an orderly end.

    One rank needs no launcher.
    """
    words = [str(mpi.program(name)), *arguments]
    run = captured(words if ranks == 1 else mpi.command(ranks, *words))
    said: list[str] = [line for line in run.stderr.splitlines() if line.startswith(f"{name}: ")]
    assert run.returncode == 2
    assert len(said) == 1
    assert "MPI_ABORT" not in run.stderr
    return said[0].removeprefix(f"{name}: ")
