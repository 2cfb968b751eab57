"""A fresh machine: one line when something is missing, and a doctor that knows the rest."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support import BIN, ROOT, MpiLibrary, Waywiser, executable, mpi_libraries

ONE_LINE = "apt-get install g++ make python3-dev python3-venv"


def make(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | ({"PATH": path} if path else {})
    environment = {k: v for k, v in environment.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def fake_python(directory: Path, body: str) -> str:
    path = executable(directory / "python3", f"#!/bin/sh\n{body}\n")
    return str(path)


@pytest.mark.parametrize(
    "body",
    ["exit 1", "echo 'ModuleNotFoundError: ensurepip' >&2; exit 1"],
    ids=["no headers", "no ensurepip"],
)
def test_a_missing_prerequisite_is_one_line(tmp_path: Path, body: str) -> None:
    done = make("check-machine", f"PYTHON={fake_python(tmp_path, body)}")

    assert done.returncode == 2
    output = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
    assert len(output) == 1
    assert ONE_LINE in output[0]


def test_a_missing_compiler_is_the_same_line(tmp_path: Path) -> None:
    for tool in ("sh", "make"):
        path = next(
            Path(directory, tool)
            for directory in os.environ["PATH"].split(":")
            if Path(directory, tool).exists()
        )
        (tmp_path / tool).symlink_to(path)
    (tmp_path / "python3").symlink_to(BIN / "python")

    done = make("check-machine", path=str(tmp_path))

    assert done.returncode == 2
    assert ONE_LINE in done.stderr


def test_a_machine_that_has_everything_is_silent() -> None:
    done = make("check-machine")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_setup_leaves_each_library_with_its_launcher_and_workloads(mpi: MpiLibrary) -> None:
    assert os.access(mpi.bin / "mpirun", os.X_OK)
    assert os.access(mpi.program("ww-minife"), os.X_OK)


def test_the_plain_names_are_open_mpis(openmpi: MpiLibrary) -> None:
    assert (BIN / "ww-minife").resolve() == openmpi.program("ww-minife").resolve()
    assert os.access(BIN / "mpirun", os.X_OK)


def test_doctor_finds_the_libraries_and_says_what_works(waywiser: Waywiser) -> None:
    done = waywiser.succeeds("doctor", "--json")

    report = json.loads(done.stdout)
    assert report["profiler_loads"] is True
    own = {Path(mpi["launcher"]).parent.parent.name: mpi for mpi in report["mpi"]}
    for library in mpi_libraries():
        mpi = own[library.name]
        assert (mpi["name"], mpi["abi"]) == (library.full_name, library.abi)
        assert mpi["profiles"] is True
        assert "ww-minife" in mpi["workloads"]
        assert Path(mpi["compilers"]["mpicc"]).exists()
        assert Path(mpi["library"]).exists()


def test_doctor_speaks_to_people_too(waywiser: Waywiser) -> None:
    done = waywiser("doctor")

    assert done.returncode == 0
    assert "Open MPI 5" in done.stdout
    assert "MPICH 5" in done.stdout
    assert "MPI_Wtime" in done.stdout
