"""Reads a Slurm job script's resources, variables, modules and commands, without running them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from waywiser.launch.check import PASSES_ON
from waywiser.launch.command import values_taken
from waywiser.launch.launchers.table import COMMANDS, KINDS, OWN_LAUNCHERS
from waywiser.study.remark import Remark, error
from waywiser.study.shell import ASSIGNMENT, Command, Shell, Value, commands, without_redirections

DIRECTIVE = re.compile(r"^#SBATCH[ \t]+(.*?)[ \t]*(?:[ \t]#.*)?$", re.MULTILINE)
SHORT = {
    **{"-N": "--nodes", "-n": "--ntasks", "-c": "--cpus-per-task", "-t": "--time"},
    **{"-A": "--account", "-p": "--partition", "-C": "--constraint", "-J": "--job-name"},
}

# `${omp-1}` is omp, or 1 where omp is not set: a sum needs $((omp-1)).
MISTAKEN_SUM = re.compile(r"\$\{(\w+)-(\d+)\}")

KEYWORDS = frozenset(
    {"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac"}
    | {"{", "}", "!", "time", "in"}
)
ASSIGNING = frozenset({"export", "declare", "typeset", "readonly", "local"})
SETUP = frozenset({"ulimit", "source", ".", "umask", "spack", "conda", "mamba"})
HARMLESS = frozenset({"echo", "printf", "date", "hostname", "set", "exit", "true", "env", "sleep"})


@dataclass(frozen=True)
class Option:
    name: str
    """Name without leading dashes."""

    values: tuple[Value, ...]
    words: tuple[str, ...]
    """Words as they are written."""


@dataclass(frozen=True)
class Launch:
    """A line that starts ranks."""

    line: int
    launcher: str
    options: tuple[Option, ...]
    program: Value | None
    arguments: tuple[Value, ...]
    redirections: tuple[str, ...]

    def number(self, *names: str) -> int | None:
        """The number of the option with one of these names."""
        for option in self.options:
            if option.name in names and option.values:
                return option.values[0].number
        return None

    def written(self, *names: str) -> str:
        return next((" ".join(o.words) for o in self.options if o.name in names), "")


@dataclass
class Script:
    cores_per_node: int
    """Assumed number of cores where the script queries its node."""

    directives: dict[str, str] = field(default_factory=dict)
    """Long option of sbatch -> its value."""

    modules: list[str] = field(default_factory=list)
    setup: list[str] = field(default_factory=list)
    exported: dict[str, Value] = field(default_factory=dict)
    launches: list[Launch] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Commands that a study file cannot express, with their lines."""

    remarks: list[Remark] = field(default_factory=list)
    free_cores: int = 0
    """Number of cores that a mistaken expression was meant to leave free."""

    asks_for_cores: bool = False
    shell: Shell = field(init=False)

    def __post_init__(self) -> None:
        self.shell = Shell(self._output_of)

    @property
    def nodes(self) -> int:
        match = re.match(r"\d{1,9}", self.directives.get("--nodes", ""))
        return max(1, int(match[0])) if match else 1

    def directive(self, name: str) -> int | None:
        text = self.directives.get(name, "")
        return int(text) if re.fullmatch(r"\d{1,9}", text) else None

    def _output_of(self, command: str) -> str | None:
        """The output of commands that query the size of the allocation."""
        if "scontrol" in command and re.search(r"show\s+host", command) and "wc" in command:
            return str(self.nodes)
        if re.search(r"\b(nproc|lscpu|_NPROCESSORS_ONLN)\b|/proc/cpuinfo", command):
            self.asks_for_cores = True
            parts = {"per core": 1, "per socket": self.cores_per_node // 2, r"\^Socket|Socket\(": 2}
            numbers = (number for text, number in parts.items() if re.search(text, command))
            return str(next(numbers, self.cores_per_node))
        return None


def read_script(text: str, cores_per_node: int) -> Script:
    """The contents of a job script.

    Args:
        cores_per_node: assumed number of cores where the script queries its node.
    """
    script = Script(cores_per_node)
    _read_directives(text, script)
    _set_slurm_variables(script)
    for command in commands(text):
        _read_command(command, script)
    return script


def _read_directives(text: str, script: Script) -> None:
    for line in DIRECTIVE.findall(text):
        for words in _options_of(line):
            name = SHORT.get(words[0], words[0])
            script.directives[name] = words[1] if len(words) > 1 else ""


def _options_of(line: str) -> list[list[str]]:
    """`--nodes=4 -p fast` -> [["--nodes", "4"], ["-p", "fast"]]."""
    options: list[list[str]] = []
    for word in line.split():
        if word.startswith("--"):
            options.append(word.split("=", 1))
        elif word.startswith("-"):
            options.append([word[:2], word[2:]] if len(word) > 2 else [word])
        elif options and len(options[-1]) == 1:
            options[-1].append(word)
    return options


def _set_slurm_variables(script: Script) -> None:
    sizes = {
        "SLURM_NNODES": script.nodes,
        "SLURM_JOB_NUM_NODES": script.nodes,
        "SLURM_CPUS_ON_NODE": script.cores_per_node,
        "SLURM_NTASKS": script.directive("--ntasks"),
        "SLURM_NPROCS": script.directive("--ntasks"),
        "SLURM_NTASKS_PER_NODE": script.directive("--ntasks-per-node"),
        "SLURM_CPUS_PER_TASK": script.directive("--cpus-per-task"),
    }
    script.shell.variables |= {n: Value(str(v)) for n, v in sizes.items() if v is not None}


def _read_command(command: Command, script: Script) -> None:
    words, redirections = without_redirections(command.words)
    for word in words:
        _look_for_mistaken_sum(command.line, word, script)
    if words and words[0] == "for" and len(words) > 3:
        script.shell.assign(words[1], words[3])
        _leave(
            command, script, f"of the loop only {words[1]} = {words[3]} is read; make it an axis"
        )
    while words and words[0] in KEYWORDS:
        words = [] if words[0] in {"for", "case"} else words[1:]
    while words and (match := ASSIGNMENT.fullmatch(words[0])):
        _assign(match, script, exported=match[1] in script.exported or len(words) > 1)
        words = words[1:]
    if not words:
        return
    name = Path(words[0]).name
    start = _launcher_at(words, script)
    if start is not None:
        script.launches.append(_launch(command.line, words[start:], redirections, script))
    elif name in ASSIGNING:
        for word in words[1:]:
            if match := ASSIGNMENT.fullmatch(word):
                _assign(match, script, exported=name == "export" or "-x" in words)
            elif name == "export" and word in script.shell.variables:
                script.exported[word] = script.shell.variables[word]
    elif name == "unset":
        for word in words[1:]:
            script.shell.variables.pop(word, None)
            script.exported.pop(word, None)
    elif name in {"module", "ml"}:
        _module(command, words, script)
    elif name in SETUP:
        script.setup.append(" ".join(command.words))
    elif name not in HARMLESS:
        _leave(command, script)


def _leave(command: Command, script: Script, why: str = "") -> None:
    script.left.append(f"line {command.line}: {why or '`' + ' '.join(command.words) + '`'}")


def _look_for_mistaken_sum(line: int, word: str, script: Script) -> None:
    for match in MISTAKEN_SUM.finditer(word):
        value = script.shell.variables.get(match[1])
        if value is None or not value.known or "SLURM" in match[1]:
            continue
        script.free_cores = int(match[2][:4])
        script.remarks.append(
            error(
                f"line {line}",
                f"{match[0]} is not a sum: it is the value of {match[1]}, {value.text}, or "
                f"{match[2]} where {match[1]} is not set; write $(({match[1]}-{match[2]}))",
            )
        )


def _assign(match: re.Match[str], script: Script, *, exported: bool) -> None:
    name, adds, word = match.groups()
    value = script.shell.expand(word)
    if adds:
        before = script.shell.variables.get(name, Value("", known=False))
        value = Value(before.text + value.text, before.known and value.known)
    script.shell.variables[name] = value
    if exported:
        script.exported[name] = value


def _module(command: Command, words: Sequence[str], script: Script) -> None:
    loads = words[0] == "ml" or words[1:2] in (["load"], ["add"])
    names = words[1:] if words[0] == "ml" else words[2:]
    if loads and names and not any(name.startswith("-") for name in names):
        script.modules += [script.shell.expand(name).text for name in names if name != "load"]
    elif words[1:2] == ["use"]:
        script.setup.append(" ".join(command.words))
    elif words[1:2] not in (["list"], ["purge"]):
        _leave(command, script)


def _launcher_at(words: Sequence[str], script: Script) -> int | None:
    """Index of the launcher: the first word, or the one after a prefix such as `time`; None if
    unknown."""
    for at, word in enumerate(words):
        name = Path(script.shell.expand(word).text).name
        if name in COMMANDS:
            return at
        if at == 0 and name not in PASSES_ON | {"exec"}:
            return None
    return None


def _launch(line: int, words: Sequence[str], redirections: Sequence[str], script: Script) -> Launch:
    launcher = script.shell.expand(words[0]).text
    kinds = [kind for kind in KINDS if Path(launcher).name in kind.commands]
    takes = {name: count for kind in kinds for name, count in kind.values.items()}
    joined = "".join(kind.joined for kind in kinds)
    options: list[Option] = []
    at = 1
    while at < len(words) and words[at].startswith("-"):
        name, equals, value = words[at].lstrip("-").partition("=")
        short = re.fullmatch(rf"-([{joined}])(\d+)", words[at]) if joined else None
        if short:
            name, equals, value = short[1], "=", short[2]
        count = values_taken(name, takes.get(name, 0), words[at + 1 : at + 2])
        count = 0 if equals else count
        values = [value] if equals else words[at + 1 : at + 1 + count]
        expanded = tuple(map(script.shell.expand, values))
        options.append(Option(name, expanded, tuple(words[at : at + 1 + count])))
        at += 1 + count
    rest = [script.shell.expand(word) for word in words[at:]]
    program = rest[0] if rest else None
    return Launch(line, launcher, tuple(options), program, tuple(rest[1:]), tuple(redirections))


def variables(script: Script, launch: Launch) -> dict[str, str]:
    """The ranks' environment variables, from exports and the launcher's options."""
    environment = {name: value.text for name, value in script.exported.items()}
    for option in launch.options:
        texts = [value.text for value in option.values]
        if option.name in {"genv", "env"} and len(texts) == 2:
            environment[texts[0]] = texts[1]
        elif option.name in {"genv", "env", "x", "export"} and texts:
            environment |= dict(part.split("=", 1) for part in texts[0].split(",") if "=" in part)
    return environment


def library_of(script: Script, launch: Launch) -> str:
    """The MPI library of the script, by its modules, variables and options; "" if unknown."""
    for module in reversed(script.modules):
        for library, kind in reversed(OWN_LAUNCHERS.items()):  # Intel's modules match others', too
            if re.search(kind.modules, module, re.IGNORECASE):
                return library
    environment = variables(script, launch)
    for library, kind in OWN_LAUNCHERS.items():
        begins = kind.telling_variables
        if begins and any(name.startswith(begins) for name in environment):
            return library
    names = {option.name for option in launch.options}
    named = (library for library, kind in OWN_LAUNCHERS.items() if names & kind.telling_options)
    return next(named, "")
