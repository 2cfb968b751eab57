"""Where the program is in a launcher's command line, and how to put something before it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.launch import slurm
from waywiser.launch.ask import says_version
from waywiser.launch.library import Abi


@dataclass(frozen=True)
class LauncherKind:
    """A family of launchers: how to know it, what it starts, which options take values."""

    name: str
    version_pattern: str
    """In what `mpirun --version` prints; group 1 is the version."""

    starts: tuple[Abi, ...]
    values: dict[str, int]
    """Options (without leading dashes) that take values, and how many."""

    reads_file: tuple[str, ...]
    """Options that hide the programs in a file."""

    instead_of_file: str = "write them into the command, separated by ':'"


def _takes(count: int, names: str) -> dict[str, int]:
    return dict.fromkeys(names.split(), count)


# Options as in prterun(1) and mpirun(1) of Open MPI 4.1 and 5.0, and mpiexec.hydra -help of MPICH
# 5.0 and Intel MPI 2021.
KINDS = (
    LauncherKind(
        name="Open MPI",
        version_pattern=r"\((?:Open MPI|OpenRTE|PRRTE)\) (\S+)",
        starts=("openmpi",),
        values=_takes(2, "mca gmca pmixmca prtemca omca gpmixmca gprtemca tune-mca")
        | _takes(
            1,
            "n np c N H host hostfile machinefile default-hostfile map-by rank-by bind-to x "
            "wdir wd set-cwd-to path output output-filename stdin timeout tune prefix "
            "personality preload-files npernode npersocket cpu-set cpu-list rankfile rf "
            "report-uri launch-agent max-restarts forward-signals display runtime-options "
            "dvm dvm-uri hnp pid uri add-host add-hostfile am ppr debug-verbose pidfile "
            "server-wait-time ompi-server rtos spawn-timeout get-stack-traces-timeout",
        ),
        reads_file=("app", "appfile"),
    ),
    LauncherKind(
        name="MPICH",
        version_pattern=r"HYDRA build details:\s+Version:\s+(\S+)",
        starts=("mpich", "standard"),
        values=_takes(2, "genv env")
        | _takes(
            1,
            "n np f hosts host hostfile machine machinefile wdir genvlist envlist launcher "
            "launcher-exec bootstrap bootstrap-exec rmk topolib bind-to map-by membind demux "
            "errfile-pattern outfile-pattern iface localhost nameserver ppn prepend-pattern "
            "usize rankmap gpus-per-proc memory-alloc-kinds path pmi-port-range",
        ),
        reads_file=("configfile",),
    ),
    LauncherKind(
        name="Intel MPI",
        version_pattern=r"Intel\(R\) MPI Library for Linux\* OS, Version (\S+)",
        starts=("mpich", "standard"),
        values=_takes(2, "genv env")
        | _takes(
            1,
            "n np f hosts host hostfile machine machinefile wdir genvlist envlist bootstrap "
            "bootstrap-exec rmk iface localhost nameserver ppn perhost grr rr usize path "
            "errfile-pattern outfile-pattern prepend-pattern binding",
        ),
        reads_file=("configfile",),
    ),
    LauncherKind(
        name=slurm.NAME,
        version_pattern=slurm.VERSION_PATTERN,
        starts=("openmpi", "mpich", "standard"),
        values=_takes(1, slurm.OPTIONS_WITH_VALUE),
        reads_file=(slurm.FILE_OPTION,),
        instead_of_file=slurm.INSTEAD_OF_FILE,
    ),
)

NO_LAUNCHER = LauncherKind(
    name="no launcher", version_pattern="", starts=(), values={}, reads_file=()
)
"""Of a program that is started alone."""

LAUNCHER_NAMES = frozenset(
    {
        *("mpirun", "mpiexec", "orterun", "prterun", "mpirun.openmpi", "mpiexec.openmpi"),
        *("mpiexec.hydra", "mpirun.hydra", "mpirun.mpich", "mpiexec.mpich"),
    }
)
BATCH_LAUNCHERS = frozenset({slurm.COMMAND})
"""They start the programs of any library, and belong to none."""

WORKING_FOLDER = frozenset({"wdir", "wd", "set-cwd-to", "chdir", "D"})
OTHER_LAUNCHERS = frozenset({"aprun", "jsrun", "flux", "prun", "ccc_mprun", "yod", "lrun", "ibrun"})


@dataclass(frozen=True)
class Launcher:
    path: Path
    kind: LauncherKind
    version: str
    """"" where the launcher was looked at and not asked."""

    @property
    def library(self) -> str:
        """The library that it belongs to, with the version if that is known."""
        return f"{self.kind.name} {self.version}".rstrip()

    def __str__(self) -> str:
        return f"{self.path.name} of {self.library}"


@dataclass(frozen=True)
class Command:
    """A command line, and where in it the programs stand (several with `:`)."""

    words: tuple[str, ...]
    launcher: Launcher | None
    """None where the program is started alone, as MPI's singleton."""

    programs: tuple[int, ...]

    def program(self, index: int = 0) -> str:
        return self.words[self.programs[index]]

    def arguments(self, index: int = 0) -> tuple[str, ...]:
        start = self.programs[index]
        end = self.programs[index + 1] if index + 1 < len(self.programs) else len(self.words)
        words = self.words[start + 1 : end]
        return words[: words.index(":")] if ":" in words and self.launcher else words

    def file(self, index: int = 0) -> Path | None:
        """The program's file: in the folder that the launcher is told to change to, or here."""
        name = self.program(index)
        start = self.programs[index - 1] + 1 if index else 1
        options = [
            w for word in self.words[start : self.programs[index]] for w in word.split("=", 1)
        ]
        for option, folder in pairwise(options):
            there = Path(folder) / name
            if option.lstrip("-") in WORKING_FOLDER and os.access(there, os.X_OK):
                return there
        return find_program(name)

    def before_each_program(self, inserted: Sequence[str]) -> list[str]:
        """The command line with `inserted` put before every program."""
        words: list[str] = []
        for position, word in enumerate(self.words):
            if position in self.programs:
                words += inserted
            words.append(word)
        return words


def find_program(name: str) -> Path | None:
    """The file that a program's name means: as a shell finds it, or in the working folder."""
    found = shutil.which(name) or shutil.which(f"./{name}")
    return None if found is None else Path(found)


def identify_launcher(path: Path) -> Launcher:
    """Asks a launcher what it is.

    Raises:
        ToolMissing: it is none that Waywiser knows.
    """
    said = says_version(path)
    for kind in KINDS:
        match = re.search(kind.version_pattern, said, re.MULTILINE)
        if match:
            return Launcher(path, kind, match[1])
    known = ", ".join(kind.name for kind in KINDS)
    raise ToolMissing(f"{path} is not a launcher that Waywiser knows; it knows those of {known}")


def values_taken(option: str, count: int, following: Sequence[str]) -> int:
    """How many words after an option belong to it; Hydra takes `-genv NAME=VALUE` as well."""
    joined = option in {"genv", "env"} and "=" in "".join(following)
    return 1 if joined else count


def _program_of(words: Sequence[str], start: int, kind: LauncherKind) -> int | None:
    """Position of the program in one `:`-separated part that begins at `start`."""
    at = start
    while at < len(words) and words[at] != ":":
        word = words[at]
        if not word.startswith("-"):
            return at
        name = word.lstrip("-")
        if name.split("=")[0] in kind.reads_file:
            raise InvalidCommand(f"{word} hides the programs in a file; {kind.instead_of_file}")
        if name in kind.values:
            at += 1 + values_taken(name, kind.values[name], words[at + 1 : at + 2])
        elif "=" in word or at + 1 >= len(words) or words[at + 1].startswith("-"):
            at += 1
        else:
            # An option that is in no table: what follows is its value unless it can be started.
            at += 1 if find_program(words[at + 1]) else 2
    return None


def parse_command(words: Sequence[str]) -> Command:
    """Finds launcher and programs in the user's command.

    Raises:
        InvalidCommand: there is no program, or it does not exist.
        ToolMissing: the launcher is not here, or none that Waywiser knows.
    """
    if not words:
        raise InvalidCommand(
            "no command was given; write it after '--', e.g. "
            "`waywiser profile -- mpirun -n 4 ./app`"
        )
    first = Path(words[0]).name
    if first in OTHER_LAUNCHERS:
        known = ", ".join(kind.name for kind in KINDS)
        raise InvalidCommand(
            f"{words[0]} is a launcher that Waywiser does not know yet; use mpirun, mpiexec or srun"
            f" (of {known})"
        )
    launcher = None
    programs = [0]
    if first in LAUNCHER_NAMES | BATCH_LAUNCHERS:
        path = shutil.which(words[0])
        if path is None:
            raise ToolMissing(f"there is no {words[0]} here; `waywiser doctor` lists the launchers")
        launcher = identify_launcher(Path(path).absolute())
        programs = []
        starts = [1, *(i + 1 for i, word in enumerate(words) if word == ":")]
        for start in starts:
            if start > 1 and (not programs or ":" not in words[programs[-1] : start]):
                continue
            program = _program_of(words, start, launcher.kind)
            if program is None:
                raise InvalidCommand(
                    f"no MPI program in the command `{' '.join(words)}`; it should be "
                    f"`{words[0]} [options] PROGRAM [arguments]`"
                )
            programs.append(program)
    command = Command(tuple(words), launcher, tuple(programs))
    for index in range(len(programs)):
        if command.file(index) is None:
            name = command.program(index)
            raise InvalidCommand(f"there is no program {name} to profile, or it is not executable")
    return command
