"""Check that the profiler can be preloaded into a command's programs before they are run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.launch.command import Command, find_program
from waywiser.launch.launchers.launcher import Launcher, LauncherKind
from waywiser.launch.library import (
    FAMILIES,
    library_beside,
    mpi_library_of,
    read_executable,
    requested_abi,
)
from waywiser.launch.masking import masked_words
from waywiser.launch.workloads import make_ready
from waywiser.model.run import Abi, Program, readable

# What starts the program that its arguments name in its own place.
PASSES_ON = frozenset(
    {
        *("chrt", "env", "ionice", "nice", "nohup", "numactl"),
        *("setarch", "setsid", "stdbuf", "taskset", "time", "timeout"),
    }
)


def check_program(command: Command, index: int = 0) -> Program:
    """The properties of a program that its file shows.

    Raises:
        InvalidCommand: the program is statically linked, or linked to another MPI than the
            launcher's.
    """
    path = command.file(index)
    if path is None:
        raise InvalidCommand(f"there is no program {command.program(index)}")
    started = _started_by(path, command.arguments(index))
    make_ready(started)
    executable = read_executable(started)
    compiler, build_id, library, abi = "unknown", "", "unknown", None
    if executable is not None:
        compiler, build_id = executable.compiler, executable.build_id
        mpi_library = mpi_library_of(started) if executable.dynamic else None
        if executable.defines_mpi and mpi_library is None:
            raise InvalidCommand(
                f"MPI is statically linked into {started}, so that no call can be seen; link it "
                f"dynamically, as with `mpicc OBJECTS -Wl,-Bdynamic -lmpi -o {started.name}` and "
                "without -static"
            )
        if mpi_library is not None:
            library, abi = str(mpi_library.path), mpi_library.abi
        else:
            abi = requested_abi(executable)
    _check_pair(command.launcher, started, abi)
    return Program(
        path=readable(str(path.resolve())),
        arguments=masked_words(tuple(map(readable, command.arguments(index)))),
        compiler=compiler,
        mpi_library=readable(library),
        build_id=build_id,
    )


def _started_by(program: Path, arguments: Sequence[str]) -> Path:
    """The program itself, or the MPI program by which it replaces itself (`env A=1 ./app`)."""
    if program.name in PASSES_ON:
        for path in filter(None, map(find_program, arguments)):
            executable = read_executable(path)
            if executable is not None and executable.dynamic and mpi_library_of(path) is not None:
                return path
    return program


def check_pairing(
    program: Path, launcher: Launcher, environment: Mapping[str, str] | None = None
) -> Abi | None:
    """The family of the MPI library that a program needs, if it can run with this launcher.

    The program's file is read; the program is not started.

    Args:
        environment: variables of the run, including `binding.library_environment`.

    Returns:
        None for a program that is linked to no MPI, such as a script.

    Raises:
        InvalidCommand: the program needs another family than the launcher's, or has an rpath by
            which it would load another library than the launcher's.
    """
    executable = read_executable(program)
    if executable is None:
        return None
    abi = requested_abi(executable)
    mpi_library = mpi_library_of(program, environment, start=False) if executable.dynamic else None
    if mpi_library is not None:
        abi = mpi_library.abi
    _check_pair(launcher, program, abi)
    own = library_beside(launcher)
    if (
        mpi_library is None
        or own is None
        or mpi_library.path.resolve().parent == own[0].resolve().parent
    ):
        return abi
    raise InvalidCommand(
        f"{program} would run with {mpi_library.path} and not with the library of {launcher}, "
        f"{own[0]}: it was linked with -rpath, which comes before LD_LIBRARY_PATH; link it "
        "without (`patchelf --remove-rpath`), or give a program for each library"
    )


def check_family(program: Path, own: LauncherKind, environment: Mapping[str, str]) -> None:
    """Checks that a library can serve a program, where the library's launcher is not installed.

    Args:
        own: kind of the library's launcher.
        environment: variables of the run.

    Raises:
        InvalidCommand: the program is linked to a library of another family.
    """
    executable = read_executable(program)
    if executable is None:
        return
    mpi_library = mpi_library_of(program, environment, start=False) if executable.dynamic else None
    named = requested_abi(executable)
    abi = mpi_library.abi if mpi_library else named
    if abi is not None and abi != "unknown" and abi not in own.starts:
        raise InvalidCommand(
            f"{program} is linked to {FAMILIES[abi].name}, which {own.name} cannot serve; give the "
            "program of that library, or the library of that program"
        )


def _check_pair(launcher: Launcher | None, program: Path, abi: Abi | None) -> None:
    if launcher is None or abi is None or abi == "unknown" or abi in launcher.kind.starts:
        return
    raise InvalidCommand(
        f"{program} is linked to {FAMILIES[abi].name}, but {launcher.path} is the launcher of "
        f"{launcher.library}; start it with its own library's mpirun "
        "(`waywiser doctor` lists them)"
    )
