"""`waywiser build`: workloads for a site's own MPI, with its compiler wrapper alone."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser, assert_refused, cases, mpi_library
from tests.system.conftest import TRANSPORT
from waywiser.errors import ToolMissing
from waywiser.launch import discover
from waywiser.launch.discover import compiler_of

SMALL = {"memory": ["--n1=16", "--tries=1"], "minife": ["--nx=6"]}


def check(waywiser: Waywiser, mpi: MpiLibrary, workload: str, env: dict[str, str]) -> None:
    compiler = mpi.bin / f"mpicxx{mpi.suffix}"

    built = waywiser.succeeds(
        "build", workload, "--mpi", compiler, "-o", "programs", env=env, timeout=300
    )

    assert f"built programs/ww-{workload}; it gets /" in built.stdout
    program = waywiser.directory / "programs" / f"ww-{workload}"
    file = waywiser.directory / "samples"
    options = [*SMALL[workload], f"--json={file}"]
    threads = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    mpi.run(2, program, *options, env={**env, **threads})
    samples = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert samples
    assert all(sample["verified"] and sample["ranks"] == 2 for sample in samples)
    assert all(sample["threads"] == 2 for sample in samples)


@pytest.mark.parametrize("workload", cases(["memory"], long=["minife"]))
def test_nothing_but_the_wrapper_and_its_compiler_is_needed(
    waywiser: Waywiser, openmpi: MpiLibrary, workload: str
) -> None:
    tools = waywiser.directory / "tools"
    tools.mkdir()
    for tool in ("c++", "as", "ld", "sh"):
        (tools / tool).symlink_to(Path("/usr/bin") / tool)

    check(waywiser, openmpi, workload, {"PATH": os.pathsep.join([str(openmpi.bin), str(tools)])})


@pytest.mark.long
@pytest.mark.parametrize("debian", ["mpich", "openmpi"], indirect=True)
@pytest.mark.parametrize("workload", sorted(SMALL))
def test_for_debians_libraries(waywiser: Waywiser, debian: MpiLibrary, workload: str) -> None:
    check(waywiser, debian, workload, TRANSPORT.get(debian.suffix, {}))


@pytest.mark.long
@pytest.mark.parametrize("workload", sorted(SMALL))
def test_for_intels_library(waywiser: Waywiser, workload: str) -> None:
    """Intel's ABI is MPICH's: the other tests run it with workloads that are built for MPICH."""
    check(waywiser, mpi_library("impi"), workload, {})


@pytest.mark.parametrize("name", ["openmpi", "mpich"])
def test_the_name_of_a_library_stands_for_its_wrapper(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mpi = mpi_library(name)

    assert compiler_of(name) == str(mpi.bin / f"mpicxx{mpi.suffix}")
    assert compiler_of("mpicxx") == "mpicxx"
    monkeypatch.setattr(discover, "installations", list)
    with pytest.raises(ToolMissing, match=f"--mpi {name}: no C\\+\\+ compiler wrapper of"):
        compiler_of(name)


def test_a_wrapper_without_its_compiler_is_one_line(
    waywiser: Waywiser, openmpi: MpiLibrary
) -> None:
    wrapper = openmpi.bin / "mpicxx"

    done = waywiser("build", "minife", "--with", wrapper, env={"PATH": str(openmpi.bin)})

    assert_refused(done, f"{wrapper} finds no C++ compiler")


def test_what_is_missing_is_reported(waywiser: Waywiser) -> None:
    for words, says in (
        (
            ["minimd"],
            "there is no workload minimd (did you mean minife?); there are comm, fd, grid, lattice",
        ),
        (["minife", "--with", "mpiCC-of-nobody"], "there is no compiler mpiCC-of-nobody"),
        (["minife", "--with", "c++"], "cannot build ww-minife, which needs mpi.h"),
    ):
        assert_refused(waywiser("build", *words), says)
