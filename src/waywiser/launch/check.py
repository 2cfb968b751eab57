"""Whether the profiler can be preloaded into a command's programs, said before they are run."""

from __future__ import annotations

from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.launch.command import Command
from waywiser.launch.library import FAMILY_NAMES, Abi, mpi_library_of, read_executable
from waywiser.model.run import Program, readable

# Where the loader does not find the library, the name that the program asks for tells the family.
SONAMES: dict[str, Abi] = {
    "libmpi.so.40": "openmpi",
    "libmpi.so.12": "mpich",
    "libmpich.so.12": "mpich",
    "libmpi_abi.so.0": "standard",
    "libmpi_abi.so.1": "standard",
}


def check_program(command: Command, index: int = 0) -> Program:
    """What is known of a program from its file.

    Raises:
        InvalidCommand: it is statically linked, or linked to another MPI than the launcher's.
    """
    path = command.file(index)
    if path is None:
        raise InvalidCommand(f"there is no program {command.program(index)}")
    executable = read_executable(path)
    compiler, library, abi = "unknown", "unknown", None
    if executable is not None:
        compiler = executable.compiler
        if not executable.dynamic and executable.names_mpi:
            raise InvalidCommand(
                f"{path} is statically linked, so that nothing can be preloaded into it; "
                "link it dynamically (without -static) to profile it"
            )
        if executable.dynamic:
            found = mpi_library_of(path)
            if found is not None:
                library, abi = str(found.path), found.abi
            else:
                abi = next((SONAMES[name] for name in executable.needed if name in SONAMES), None)
    _check_pair(command, path, abi)
    return Program(
        path=readable(str(path.resolve())),
        arguments=tuple(map(readable, command.arguments(index))),
        compiler=compiler,
        mpi_library=readable(library),
    )


def _check_pair(command: Command, program: Path, abi: Abi | None) -> None:
    launcher = command.launcher
    if launcher is None or abi is None or abi == "unknown" or abi in launcher.kind.starts:
        return
    raise InvalidCommand(
        f"{program} is linked to {FAMILY_NAMES[abi]}, but {launcher.path} is the launcher of "
        f"{launcher.kind.name} {launcher.version}; start it with its own library's mpirun "
        "(`waywiser doctor` lists them)"
    )
