"""A program and the MPI library that it is to run with: any one of its family, none of another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MpiLibrary, mpi_libraries
from waywiser.errors import InvalidCommand
from waywiser.launch.check import check_pairing, check_program
from waywiser.launch.command import identify_launcher, parse_command
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.library import loaded_libraries

LIBRARIES = {library.name: library for library in mpi_libraries()}
LOADER_PATH = "LD_LIBRARY_PATH"
MPICHS = ("mpich", "impi")
BENCHMARKS = "IMB-MPI1"
"""A program of Intel's wheel: linked to libmpi.so.12, without a run path that leads to it."""


def loader_path(name: str) -> dict[str, str]:
    return {LOADER_PATH: str(LIBRARIES[name].bin.parent / "lib")}


def launcher_of(library: MpiLibrary) -> Launcher:
    return identify_launcher(library.bin / "mpirun")


@pytest.mark.parametrize("name", MPICHS)
def test_the_loader_path_chooses_within_the_family(name: str) -> None:
    program = LIBRARIES["impi"].program(BENCHMARKS)

    assert check_pairing(program, launcher_of(LIBRARIES[name]), loader_path(name)) == "mpich"
    library = loaded_libraries(program, loader_path(name))["libmpi.so.12"]
    assert library.parent == LIBRARIES[name].bin.parent / "lib"


@pytest.mark.parametrize("name", MPICHS)
def test_another_library_of_the_family_than_the_launchers_is_refused(name: str) -> None:
    other_name = next(each for each in MPICHS if each != name)
    program = LIBRARIES["impi"].program(BENCHMARKS)

    with pytest.raises(InvalidCommand, match=r"would run with .* and not with the library of"):
        check_pairing(program, launcher_of(LIBRARIES[name]), loader_path(other_name))


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_launcher_of_another_family_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the loader finds: with Open MPI's directory there is no libmpi.so.12 at all."""
    library, program = LIBRARIES["openmpi"], LIBRARIES["impi"].program(BENCHMARKS)
    says = r"linked to MPICH's family.*launcher of Open MPI"

    with pytest.raises(InvalidCommand, match=says):
        check_pairing(program, launcher_of(library), loader_path(name))
    monkeypatch.setenv(LOADER_PATH, loader_path(name)[LOADER_PATH])
    with pytest.raises(InvalidCommand, match=says):
        check_program(parse_command(library.command(2, program)))


@pytest.mark.parametrize("name", MPICHS)
def test_a_program_of_open_mpi_under_another_launcher_is_refused(name: str) -> None:
    program = LIBRARIES["openmpi"].program("ww-minife")

    with pytest.raises(InvalidCommand, match=r"linked to Open MPI.*launcher of"):
        check_pairing(program, launcher_of(LIBRARIES[name]), loader_path(name))


def test_a_script_has_no_family(tmp_path: Path) -> None:
    script = tmp_path / "script.sh"
    script.write_text("#!/bin/sh\n")

    assert check_pairing(script, launcher_of(LIBRARIES["mpich"])) is None
