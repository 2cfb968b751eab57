"""A program and the MPI library that it is to run with: any one of its family, none of another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MpiLibrary, mpi_libraries
from waywiser.errors import InvalidCommand
from waywiser.launch.check import check_program
from waywiser.launch.command import Command, parse_command

LIBRARIES = {library.name: library for library in mpi_libraries()}
LOADER_PATH = "LD_LIBRARY_PATH"


def folder_of(library: MpiLibrary) -> str:
    return str(library.bin.parent / "lib")


def started_by(library: MpiLibrary) -> Command:
    """A program without a library path of its own, linked to libmpi.so.12, under a launcher."""
    benchmarks = LIBRARIES["impi"].program("IMB-MPI1")
    return parse_command(library.command(2, benchmarks))


@pytest.mark.parametrize("launcher", ["mpich", "impi"])
@pytest.mark.parametrize("name", ["mpich", "impi"])
def test_the_loader_path_chooses_within_the_family(
    name: str, launcher: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LOADER_PATH, folder_of(LIBRARIES[name]))

    program = check_program(started_by(LIBRARIES[launcher]))

    assert Path(program.mpi_library).name == "libmpi.so.12"
    assert Path(program.mpi_library).parent == Path(folder_of(LIBRARIES[name]))


@pytest.mark.parametrize("name", ["mpich", "impi", "openmpi"])
def test_the_launcher_of_another_family_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the loader finds: with Open MPI's folder there is no libmpi.so.12 at all."""
    monkeypatch.setenv(LOADER_PATH, folder_of(LIBRARIES[name]))

    with pytest.raises(InvalidCommand, match=r"linked to MPICH's family.*launcher of Open MPI"):
        check_program(started_by(LIBRARIES["openmpi"]))


@pytest.mark.parametrize("name", ["mpich", "impi"])
def test_a_program_of_open_mpi_under_another_launcher_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LOADER_PATH, folder_of(LIBRARIES[name]))
    program = LIBRARIES["openmpi"].program("ww-minife")

    with pytest.raises(InvalidCommand, match=r"linked to Open MPI.*launcher of"):
        check_program(parse_command(LIBRARIES[name].command(2, program)))
