"""Fixtures of all tests: the MPI libraries that are installed, and the command under test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser, mpi_libraries


@pytest.fixture(params=mpi_libraries(), ids=lambda library: library.name)
def mpi(request: pytest.FixtureRequest) -> MpiLibrary:
    """Each MPI library in turn."""
    library: MpiLibrary = request.param
    return library


@pytest.fixture(scope="session")
def openmpi() -> MpiLibrary:
    """One library, where which one it is does not matter."""
    return next(library for library in mpi_libraries() if library.name == "openmpi")


@pytest.fixture
def waywiser(tmp_path: Path) -> Waywiser:
    """The installed command, run in an empty folder."""
    return Waywiser(tmp_path)
