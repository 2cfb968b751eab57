"""Debian's Open MPI 4.1 and MPICH 4.0, where they are installed: the same profiler serves them."""

from __future__ import annotations

from typing import Any

from tests.support import MpiLibrary, Waywiser, mpi_library
from tests.system.conftest import PROGRAMS, TRANSPORT

VERSIONS = {"openmpi": ("Open MPI", "4.1"), "mpich": ("MPICH", "4.0")}


def test_the_matrix_program_gives_the_same_profile(debian: MpiLibrary, waywiser: Waywiser) -> None:
    """The reference is the wheels' library of the same name, whose profile other tests check."""
    namesake = mpi_library(debian.name)
    documents: list[dict[str, Any]] = []
    for library in (debian, namesake):
        program = library.build(
            PROGRAMS / "matrix.c", waywiser.directory / f"matrix-{len(documents)}"
        )
        run = f"run-{len(documents)}"
        waywiser.profiles(library.command(4, program), run, env=TRANSPORT.get(library.suffix))
        documents.append(waywiser.show(run))
    theirs, ours = documents
    library_name, version = VERSIONS[debian.name]
    assert theirs["mpi"]["library"] == library_name
    assert theirs["mpi"]["version"].startswith(version)
    assert theirs["matrix"] == ours["matrix"]
    for name, function in ours["functions"].items():
        for key in ("calls", "bytes", "receive_bytes"):
            assert theirs["functions"][name][key] == function[key], (name, key)
