"""Programs of kernels (ww-fd, ww-propa) as tests run them, and copies of them that are wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support import ROOT, MpiLibrary

Sample = dict[str, Any]
FOLDER = "workloads-openmpi"


def samples(
    program: Path,
    mpi: MpiLibrary,
    folder: Path,
    *options: str,
    ranks: int = 1,
    threads: int = 1,
    code: int = 0,
) -> list[Sample]:
    """Runs a program, which must end with `code`, and returns what it wrote."""
    file = folder / "samples.jsonl"
    file.unlink(missing_ok=True)
    environment = {"OMP_NUM_THREADS": str(threads), "XDG_CACHE_HOME": str(folder / "cache")}
    run = mpi.run(ranks, program, *options, f"--json={file}", check=False, env=environment)
    assert run.returncode == code, run.stdout + run.stderr
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def refusal(mpi: MpiLibrary, name: str, ranks: int, *arguments: str) -> str:
    """What a program says when it refuses: one sentence, from one rank, and an orderly end."""
    run = mpi.run(ranks, mpi.program(name), *arguments, check=False, timeout=30)
    said: list[str] = [line for line in run.stderr.splitlines() if line.startswith(f"{name}: ")]
    assert run.returncode == 2
    assert len(said) == 1
    assert "MPI_ABORT" not in run.stderr
    return said[0].removeprefix(f"{name}: ")


def wrong_copy(
    openmpi: MpiLibrary,
    folder: Path,
    name: str,
    changes: Mapping[str, tuple[str, str]],
    recompiled: Sequence[str],
) -> Path:
    """A copy of ww-NAME with texts of its sources replaced.

    Args:
        changes: file under native/workloads -> (what stands there once, what takes its place)
        recompiled: the files under native/workloads that the changes reach, beside the program's
            own; of the others, the objects of the build are linked
    """
    sources = folder / "native"
    for room in ("base", "workloads"):
        shutil.copytree(ROOT / "native" / room, sources / room)
    for file, (old, new) in changes.items():
        path = sources / "workloads" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file} has {old!r} {text.count(old)} times"
        path.write_text(text.replace(old, new), encoding="utf-8")
    files = [sources / "workloads" / file for file in recompiled]
    files += sorted((sources / "workloads" / name).glob("*.cpp"))
    built = ROOT / "build" / FOLDER / "native"
    archives = [
        *(built / "workloads" / f"libwaywiser_{room}.a" for room in ("stencil", "kernel")),
        built / "workloads" / "libwaywiser_workload.a",
        built / "base" / "libwaywiser_base.a",
    ]
    program = folder / f"ww-{name}"
    options = ["-std=c++20", "-O1", "-fopenmp", f"-I{sources}", "-o", str(program)]
    compiler = str(openmpi.bin / "mpicxx")
    command = [compiler, *options, *map(str, files), *map(str, archives)]
    subprocess.run(command, check=True, timeout=300)
    return program
