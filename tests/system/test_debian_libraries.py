"""Debian's Open MPI 4.1 and MPICH 4.0, where they are installed: the same profiler serves them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, mpi_libraries
from tests.system.conftest import PROGRAMS

LIBRARIES = {"openmpi": ("Open MPI", "4.1"), "mpich": ("MPICH", "4.0")}


@pytest.fixture(params=sorted(LIBRARIES))
def debian(request: pytest.FixtureRequest, tmp_path: Path) -> MpiLibrary:
    """One of Debian's libraries, its commands under their plain names in a folder of their own."""
    name: str = request.param
    for tool in ("mpirun", "mpicc"):
        path = shutil.which(f"{tool}.{name}")
        if path is None:
            pytest.skip(f"Debian's {name} is not installed ({tool}.{name})")
        (tmp_path / tool).symlink_to(path)
    return MpiLibrary(name, tmp_path)


def test_the_matrix_program_gives_the_same_profile(debian: MpiLibrary, waywiser: Waywiser) -> None:
    """Against the wheels' library of the same name, whose profile other tests hold to the truth."""
    namesake = next(library for library in mpi_libraries() if library.name == debian.name)
    documents: list[dict[str, Any]] = []
    for library in (debian, namesake):
        program = library.build(
            PROGRAMS / "matrix.c", waywiser.directory / f"matrix-{len(documents)}"
        )
        run = f"run-{len(documents)}"
        done = waywiser.profile(library.command(4, program), run)
        assert done.returncode == 0, done.stderr
        documents.append(waywiser.show(run))
    theirs, ours = documents
    library_name, version = LIBRARIES[debian.name]
    assert theirs["mpi"]["library"] == library_name
    assert theirs["mpi"]["version"].startswith(version)
    assert theirs["matrix"] == ours["matrix"]
    for name, function in ours["functions"].items():
        for key in ("calls", "bytes", "posted_bytes"):
            assert theirs["functions"][name][key] == function[key], (name, key)
