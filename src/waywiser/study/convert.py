"""Converts a Slurm job script into a study file, and reports the script's mistakes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.launch.launchers.table import IN_WORDS
from waywiser.model.study import NAME
from waywiser.study.check import check
from waywiser.study.configurations import configurations_of
from waywiser.study.remark import Remark
from waywiser.study.script import Launch, Script, library_of, read_script, variables
from waywiser.study.script_counts import CORES_PER_RANK, RANKS, RANKS_PER_NODE, Counts, names_input
from waywiser.study.script_faults import BINDING, PLACEHOLDER, faults_of
from waywiser.study.study_file import parse_study

ASSUMED_CORES = 64
MOST_CHARACTERS = 1 << 18
"""Largest number of characters in a script, which takes less than 5 s even with commands of two
characters."""

SET_BY_STUDY = frozenset(
    {*RANKS, *RANKS_PER_NODE, *CORES_PER_RANK, "N", "nodes", "hosts", "host", "H", "hostfile"}
    | {"machinefile", "f", "nodelist", "w", "genv", "env", "x", "export", "mpi"}
)
KNOWN_DIRECTIVES = frozenset(
    {"--nodes", "--ntasks", "--ntasks-per-node", "--cpus-per-task", "--time", "--account"}
    | {"--partition", "--constraint", "--job-name", "--output", "--error", "--array"}
)
READERS = {
    "lammps": r"lmp|lammps",
    "quantum-espresso": r"pw\.x|cp\.x",
    "seissol": r"seissol",
    "gromacs": r"gmx|mdrun",
    "hpcg": r"hpcg",
    "hpl": r"hpl",
    "hpcc": r"hpcc",
    "osu": r"osu_",
    "imb": r"IMB-",
}


def from_script(
    text: str,
    name: str,
    directory: Path = Path(),
    *,
    cores_per_node: int = 0,
    readers: Mapping[str, str] | None = None,
) -> tuple[str, list[Remark]]:
    """A study file with the runs of a Slurm job script, and remarks on both.

    The script is read and not run. Remarks name all assumptions.

    Args:
        name: name of the script's file; its stem names the application.
        directory: directory of the script.
        cores_per_node: cores of a node, where the script queries its nodes; 0 means unknown.

    Raises:
        InvalidCommand: the script starts nothing with a launcher, or has words that are too
            long for a study file.
    """
    if len(text) > MOST_CHARACTERS:
        raise InvalidCommand(f"{name}: a job script has at most {MOST_CHARACTERS} characters")
    cores = cores_per_node or ASSUMED_CORES
    script = read_script(text, cores)
    if not script.launches:
        raise InvalidCommand(f"{name} starts nothing with {IN_WORDS}")
    launch = script.launches[0]
    assumed = not cores_per_node
    study_text = _study_text(script, launch, name, directory, assumed=assumed)
    study = parse_study(study_text, name)
    remarks = [
        *faults_of(text, script, launch, directory, assumed=assumed),
        *check(study, configurations_of(study), directory, readers),
    ]
    return study_text, sorted(dict.fromkeys(remarks), key=lambda remark: remark.level != "error")


def _study_text(
    script: Script, launch: Launch, name: str, directory: Path, *, assumed: bool
) -> str:
    library, counts = library_of(script, launch), Counts(script, launch)
    application = re.sub(r"[^A-Za-z0-9_.+-]+", "_", Path(name).stem).strip("_.-+") or "app"
    if not NAME.fullmatch(application):
        application = "app"
    mpi = library or "site"
    environment = {
        name: value
        for name, value in variables(script, launch).items()
        if name != "OMP_NUM_THREADS" and not name.startswith("SLURM_")
    }
    title = script.directives.get("--job-name") or Path(name).stem
    lines = [
        f"# Made from {Path(name).name}; `waywiser study check` says what is wrong with it.",
        f"title = {_toml(title.splitlines()[0] if title.strip() else 'study')}",
        "",
        f"[application.{_key(application)}]",
        *_application(script, launch, counts, directory),
        *_table(f"application.{_key(application)}.environment", environment),
        "",
        f"[mpi.{mpi}]",
        f"launcher = {_toml(_braces(launch.launcher))}",
        *([f"library = {_toml(library)}"] if library else []),
        *([f"modules = {_list(script.modules)}"] if script.modules else []),
        *_launcher(launch),
        "",
        "[axes]",
        f"nodes = [{counts.nodes}]",
        f"ranks = [{counts.ranks}]",
        f"threads = [{counts.threads}]",
        "",
        *_resources(script, assumed=assumed),
    ]
    return "\n".join(lines) + "\n"


def _application(script: Script, launch: Launch, counts: Counts, directory: Path) -> Iterator[str]:
    words = [value.text for value in launch.arguments]
    program = launch.program
    if program is None or not program.known or names_input(program.text, directory):
        words = [program.text, *words] if program and program.known else words
        yield f"program = {_toml(PLACEHOLDER)}  # the script names none"
    else:
        yield f"program = {_toml(_braces(program.text))}"
    marks = " ".join([program.text if program else "", *script.exported])
    known = (name for name, mark in READERS.items() if re.search(mark, marks, re.IGNORECASE))
    if reader := next(known, ""):
        yield f"reader = {_toml(reader)}"
    inputs = [
        word for word in words if not word.startswith("-") and os.path.isfile(directory / word)
    ]
    arguments = [Path(word).name if word in inputs else word for word in words]
    if arguments:
        yield f"arguments = {_list(arguments)}"
    if inputs:
        yield f"inputs = {_list(inputs)}"
    if counts.free_cores:
        yield f"free_cores = {counts.free_cores}"


def _launcher(launch: Launch) -> Iterator[str]:
    words = []
    for option in launch.options:
        if option.name == "mpi" and option.values:
            yield f"pmi = {_toml(option.values[0].text)}"
        elif option.name not in SET_BY_STUDY | BINDING:
            glued = len(option.words) == 1 and option.values
            head = option.words[0].partition("=")[0]
            texts = [value.text for value in option.values]
            words += [f"{head}={texts[0]}"] if glued else [head, *texts]
    if words:
        yield f"launcher_arguments = {_list(words)}"


def _resources(script: Script, *, assumed: bool) -> Iterator[str]:
    yield "[resources]"
    yield 'scheduler = "slurm"'
    yield f"cores_per_node = {script.cores_per_node}" + ("  # assumed" if assumed else "")
    minutes = _minutes(script.directives.get("--time", ""))
    if minutes:
        yield f"time_limit_minutes = {minutes:g}"
    for key in ("account", "partition", "constraint"):
        if text := script.directives.get(f"--{key}"):
            yield f"{key} = {_toml(text)}"
    rest = [
        f"{name}={value}" if value else name
        for name, value in script.directives.items()
        if name not in KNOWN_DIRECTIVES
    ]
    for key, texts in (("options", rest), ("setup", script.setup)):
        if texts:
            yield f"{key} = [{', '.join(map(_toml, texts))}]"


def _minutes(text: str) -> float:
    """sbatch's time: minutes, minutes:seconds, hours:minutes:seconds, days-hours[:…]."""
    if not re.fullmatch(r"(\d{1,4}-)?\d{1,6}(:\d{1,2}){0,2}", text):
        return 0
    days, dash, clock = text.rpartition("-")
    parts = [float(part) for part in clock.split(":")]
    if dash:
        hours, minutes, seconds = [*parts, 0.0, 0.0][:3]
        return (24 * float(days) + hours) * 60 + minutes + seconds / 60
    if len(parts) == 3:
        return parts[0] * 60 + parts[1] + parts[2] / 60
    return parts[0] + (parts[1] / 60 if len(parts) == 2 else 0)


def _table(heading: str, variables: Mapping[str, str]) -> Iterator[str]:
    if variables:
        yield ""
        yield f"[{heading}]"
        yield from (f"{_key(name)} = {_toml(_braces(text))}" for name, text in variables.items())


def _list(words: list[str]) -> str:
    return f"[{', '.join(_toml(_braces(word)) for word in words)}]"


def _braces(text: str) -> str:
    """Doubles the script's braces, which do not mark a configuration's value."""
    return text.replace("{", "{{").replace("}", "}}")


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(text: str) -> str:
    """The text as a string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
