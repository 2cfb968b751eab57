"""`waywiser build`: workloads for a site's own MPI, with its compiler wrapper alone."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.support import MpiLibrary, Waywiser, assert_refused
from tests.system.conftest import TRANSPORT


def check(waywiser: Waywiser, mpi: MpiLibrary, env: dict[str, str]) -> None:
    compiler = mpi.bin / f"mpicxx{mpi.suffix}"

    built = waywiser("build", "minife", "--with", compiler, "-o", "programs", env=env, timeout=300)

    assert built.returncode == 0, built.stderr
    assert "built programs/ww-minife; it gets /" in built.stdout
    program = waywiser.directory / "programs" / "ww-minife"
    mpi.run(2, program, "--nx", "6", "--json", waywiser.directory / "samples", env=env)
    text = (waywiser.directory / "samples").read_text(encoding="utf-8")
    samples = [json.loads(line) for line in text.splitlines()]
    assert samples
    assert all(sample["verified"] and sample["ranks"] == 2 for sample in samples)


def test_nothing_but_the_wrapper_and_its_compiler_is_needed(
    waywiser: Waywiser, openmpi: MpiLibrary
) -> None:
    tools = waywiser.directory / "tools"
    tools.mkdir()
    for tool in ("c++", "as", "ld", "sh"):
        (tools / tool).symlink_to(Path("/usr/bin") / tool)

    check(waywiser, openmpi, {"PATH": os.pathsep.join([str(openmpi.bin), str(tools)])})


def test_kernels_have_threads(waywiser: Waywiser, openmpi: MpiLibrary) -> None:
    built = waywiser("build", "memory", "--with", openmpi.bin / "mpicxx", timeout=300)
    assert built.returncode == 0, built.stderr
    program, file = waywiser.directory / "ww-memory", waywiser.directory / "samples"

    options = ["--n1=16", "--tries=1", f"--json={file}"]
    openmpi.run(1, program, *options, env={"OMP_NUM_THREADS": "2"})

    samples = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert all(sample["verified"] and sample["threads"] == 2 for sample in samples)


def test_for_debians_libraries(waywiser: Waywiser, debian: MpiLibrary) -> None:
    check(waywiser, debian, TRANSPORT.get(debian.suffix, {}))


def test_what_is_missing_is_said(waywiser: Waywiser) -> None:
    for words, says in (
        (["minimd"], "there is no workload minimd; there is comm, fd, grid, memory, minife"),
        (["minife", "--with", "mpiCC-of-nobody"], "there is no compiler mpiCC-of-nobody"),
        (["minife", "--with", "c++"], "cannot build ww-minife, which needs mpi.h"),
    ):
        assert_refused(waywiser("build", *words), says)
