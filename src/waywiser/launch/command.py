"""Find the program in a launcher's command line, and insert words before it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from waywiser.errors import InvalidCommand, ToolMissing, alike
from waywiser.launch.ask import says_version
from waywiser.launch.launchers.launcher import Launcher, LauncherKind
from waywiser.launch.launchers.table import BATCH_LAUNCHERS, COMMANDS, IN_WORDS, KINDS, kind_beside

OTHER_LAUNCHERS = frozenset({"aprun", "flux", "prun", "ccc_mprun", "yod", "lrun", "ibrun"})


@dataclass(frozen=True)
class Command:
    """A command line, and the positions of its programs (several with `:`)."""

    words: tuple[str, ...]
    launcher: Launcher | None
    """Launcher of the program; None where the program is started alone, as MPI's singleton."""

    programs: tuple[int, ...]

    def program(self, index: int = 0) -> str:
        return self.words[self.programs[index]]

    def arguments(self, index: int = 0) -> tuple[str, ...]:
        start = self.programs[index]
        end = self.programs[index + 1] if index + 1 < len(self.programs) else len(self.words)
        words = self.words[start + 1 : end]
        return words[: words.index(":")] if ":" in words and self.launcher else words

    def file(self, index: int = 0) -> Path | None:
        """The program's file: in the launcher's option for the working directory, or here."""
        name = self.program(index)
        start = self.programs[index - 1] + 1 if index else 1
        changes = self.launcher.kind.working_directory if self.launcher else ()
        options = [
            w for word in self.words[start : self.programs[index]] for w in word.split("=", 1)
        ]
        for option, directory in pairwise(options):
            there = Path(directory) / name
            if option.lstrip("-") in changes and os.access(there, os.X_OK):
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
    """The file of a program's name: as a shell finds it, or in the working directory."""
    file = shutil.which(name) or shutil.which(f"./{name}")
    return None if file is None else Path(file)


def identify_launcher(path: Path) -> Launcher:
    """Identifies a launcher by its version text, its name or its installation.

    Raises:
        ToolMissing: Waywiser does not know the launcher.
    """
    output = says_version(path)
    for kind in KINDS:
        match = re.search(kind.version_pattern, output, re.MULTILINE)
        if match:
            return Launcher(path, kind, match[1])
    known_kind = BATCH_LAUNCHERS.get(path.name) or kind_beside(path)
    if known_kind is not None:
        return Launcher(path, known_kind, "")
    known = ", ".join(kind.name for kind in KINDS)
    raise ToolMissing(f"{path} is not a launcher that Waywiser knows; it knows those of {known}")


def values_taken(option: str, count: int, following: Sequence[str]) -> int:
    """The number of words that an option takes; Hydra accepts `-genv NAME=VALUE` as well."""
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
            # Unknown option: the next word is its value unless that is an executable.
            at += 1 if find_program(words[at + 1]) else 2
    return None


def parse_command(words: Sequence[str]) -> Command:
    """Finds launcher and programs in the user's command.

    Raises:
        InvalidCommand: the command has no program, or the program does not exist.
        ToolMissing: the launcher is not installed, or Waywiser does not know it.
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
            f"{words[0]} is a launcher that Waywiser does not know yet; use {IN_WORDS} (of {known})"
        )
    launcher = None
    programs = [0]
    if first in COMMANDS:
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
            raise InvalidCommand(
                f"there is no program {name} to profile{alike(name, _names_in_path())}, or it is "
                "not executable"
            )
    return command


def _names_in_path() -> Iterator[str]:
    """The files in the directories of PATH, and the launchers that Waywiser knows."""
    yield from COMMANDS
    for directory in os.get_exec_path():
        with suppress(OSError):
            yield from os.listdir(directory)
