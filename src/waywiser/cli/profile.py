"""`waywiser profile -- mpirun -n 4 ./app`: runs an unmodified program under the profiler."""

from __future__ import annotations

import argparse
import os
import pwd
import secrets
import shlex
import signal
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import waywiser.native
from waywiser import __version__
from waywiser.errors import InvalidCommand, NotSaved
from waywiser.launch.check import check_program
from waywiser.launch.command import Command, parse_command
from waywiser.launch.execute import execute
from waywiser.launch.host import environment, machine
from waywiser.launch.library import Abi, name_and_version
from waywiser.launch.refusal import why_refused
from waywiser.model.run import Mpi, Program, Run, Status, readable
from waywiser.native._native import Ending, Profile
from waywiser.store import RunDirectory

NATIVE = Path(waywiser.native.__file__).parent
NODE_MEMORY = Path("/dev/shm")


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "profile",
        help="run a program under the profiler",
        description=__doc__,
        usage="waywiser profile [-o RUN] -- LAUNCHER [options] PROGRAM [arguments]",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="RUN", help="directory for the run")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command, after '--'")
    parser.set_defaults(action=run)


def run(arguments: argparse.Namespace) -> int:
    words = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    command = parse_command(words)
    programs = [check_program(command, i) for i in range(len(command.programs))]
    files = RunDirectory((arguments.output or default_name(programs[0])).absolute())
    started = describe(command, programs[0])
    files.create()
    try:
        files.write_run(started)
    except NotSaved as error:
        raise InvalidCommand(f"{error}; give another place with -o") from error
    try:
        code, notes = execute(profiled(command, files, started), files.path)
    except OSError as error:
        raise InvalidCommand(f"{words[0]} cannot be started: {error.strerror}") from error
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not lose what is there
    profile = files.merge(started.state_directory)
    notes += _nothing_seen(command, programs[0], profile, code)
    if code and not profile.ranks and command.launcher:
        notes += why_refused(command.launcher, files.stderr_tail())
    for note in notes:
        say(note)
    saved_elsewhere = save(files, finish(started, profile, code, notes), profile, started)
    return code or int(saved_elsewhere)


def profiled(command: Command, files: RunDirectory, run: Run) -> list[str]:
    """The user's command with the profiler's shim before each program."""
    return command.before_each_program(
        [
            str(NATIVE / "ww-exec"),
            str(NATIVE / "libwaywiser-profile.so"),
            str(files.path),
            run.state_directory or "",
        ]
    )


def default_name(program: Program) -> Path:
    """PROGRAM-TIME.ww in the working folder."""
    moment = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    return Path(f"{Path(program.path).name}-{moment}.ww")


def describe(command: Command, program: Program) -> Run:
    """What is known before the program starts."""
    shared = NODE_MEMORY if os.access(NODE_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    return Run(
        waywiser=__version__,
        status="running",
        command=tuple(map(readable, command.words)),
        directory=readable(str(Path.cwd())),
        user=_user(),
        program=program,
        mpi=Mpi(library="unknown", version="unknown", abi="unknown"),
        machine=machine(),
        environment=environment(),
        started=datetime.now(UTC),
        state_directory=str(shared / f"waywiser-{os.getuid()}-{secrets.token_hex(8)}"),
    )


def _user() -> str:
    """The user's name; his number where the system has no name for it, as in many containers."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def finish(run: Run, profile: Profile, code: int, notes: list[str]) -> Run:
    """The run with its end, and with what the library said of itself."""
    library, version = name_and_version(profile.library)
    abi: Abi = profile.abi  # type: ignore[assignment]  # one of Abi's values, by the native enum
    whole = len(profile.ranks) == profile.world_size and all(
        rank.ending == Ending.finalised for rank in profile.ranks
    )
    status: Status = "partial" if not whole else "failed" if code else "complete"
    return run.model_copy(
        update={
            "status": status,
            "ended": datetime.now(UTC),
            "exit_code": code,
            "mpi": Mpi(
                library=library,
                version=version,
                abi=abi,
                transport=profile.transport or "unknown",
            ),
            "notes": tuple(notes),
            "state_directory": None,
        }
    )


def save(files: RunDirectory, run: Run, profile: Profile, started: Run) -> bool:
    """Saves the run; elsewhere if its own place does not take it.

    Returns:
        Whether it had to be saved elsewhere.
    """
    elsewhere = False
    try:
        files.write_profile(profile)
        files.write_run(run)
    except NotSaved as error:
        elsewhere = True
        files = RunDirectory(Path(tempfile.mkdtemp(prefix="waywiser-")))
        files.write_profile(profile)
        files.write_run(run)
        say(f"{error}; the run is kept in {files.path} instead")
    files.remove_states(started.state_directory)
    if profile.ranks:
        place = shlex.quote(os.path.relpath(files.path))
        partial = "" if run.status == "complete" else f" ({run.status})"
        say(f"profiled {len(profile.ranks)} ranks{partial}; see `waywiser show {place}`")
    return elsewhere


def _nothing_seen(command: Command, program: Program, profile: Profile, code: int) -> list[str]:
    """Why there is no profile, if there is none."""
    if profile.ranks:
        return []
    name = command.program()
    if code:
        why = f"the command ended with exit code {code} before {name} called MPI"
    elif program.mpi_library == "unknown":
        why = f"{name} is not linked to an MPI library, and nothing that it started called MPI"
    else:
        why = f"{name} is linked to {program.mpi_library}, but it never called MPI_Init"
    return [f"0 MPI calls seen: {why}"]


def say(sentence: str) -> None:
    print(f"waywiser: {sentence}", file=sys.stderr)
