"""Makes a study file of a Slurm job script, and says what is wrong with the script."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.model.study import NAME, parse_study
from waywiser.study.check import check
from waywiser.study.points import points_of
from waywiser.study.remark import Remark, error, warning
from waywiser.study.script import (
    Launch,
    Script,
    library_of,
    read_script,
    remarks_on_left,
    variables,
)
from waywiser.units import counted

ASSUMED_CORES = 64
PLACEHOLDER = "./PROGRAM"

NO_PROGRAM = re.compile(
    r".*\.(par|in|inp|nml|txt|dat|data|json|toml|ya?ml|xml|cfg|conf|ini|csv|log|out\.txt)",
    re.IGNORECASE,
)
"""Names that input files have and programs do not."""

RANKS = ("n", "np", "ntasks")
RANKS_PER_NODE = ("ppn", "perhost", "npernode", "ntasks-per-node")
CORES_PER_RANK = ("cpus-per-task", "c")
TOLD_BY_STUDY = frozenset(
    {*RANKS, *RANKS_PER_NODE, *CORES_PER_RANK, "N", "nodes", "hosts", "host", "H", "hostfile"}
    | {"machinefile", "f", "nodelist", "w", "genv", "env", "x", "export", "mpi"}
)
BINDING = frozenset({"bind-to", "map-by", "rank-by", "cpu-bind", "cpu_bind", "distribution", "m"})
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
    folder: Path = Path(),
    *,
    cores_per_node: int = 0,
    readers: Mapping[str, str] | None = None,
) -> tuple[str, list[Remark]]:
    """A study file that runs what a Slurm job script runs, and what is wrong with both.

    The script is only read. What it leaves open is assumed, and said so.

    Args:
        name: of the script's file; its stem names the application.
        folder: of the script.
        cores_per_node: where the script asks its nodes; 0 means that nobody knows.

    Raises:
        InvalidCommand: it starts nothing with mpirun, mpiexec or srun, or has words that are too
            long for a study file.
    """
    cores = cores_per_node or ASSUMED_CORES
    script = read_script(text, cores)
    if not script.launches:
        raise InvalidCommand(f"{name} starts nothing with mpirun, mpiexec or srun")
    launch = script.launches[0]
    shape = Shape(script, launch)
    study_text = _study_text(script, launch, shape, name, folder, assumed=not cores_per_node)
    study = parse_study(study_text, name)
    remarks = [
        *script.remarks,
        *_on_counts(text, script, launch, shape),
        *_on_program(launch, folder),
        *_on_assumptions(script, cores_per_node),
        *remarks_on_left(script),
        *_on_options(script, launch),
        *check(study, points_of(study), folder, readers),
    ]
    found = dict.fromkeys(remarks)
    return study_text, sorted(found, key=lambda remark: remark.level != "error")


class Shape:
    """Nodes, ranks, threads and free cores that a script asks for."""

    def __init__(self, script: Script, launch: Launch) -> None:
        self.nodes = launch.number("N", "nodes") or script.nodes
        per_node = launch.number(*RANKS_PER_NODE) or script.directive("--ntasks-per-node")
        self.ranks_per_node = per_node
        """None if the script does not say."""

        tasks = script.directive("--ntasks") or (per_node or 1) * self.nodes
        self.ranks = max(1, launch.number(*RANKS) or tasks)
        self.slots = per_node * self.nodes if per_node else script.directive("--ntasks")
        """Ranks for which the script makes place; None if it does not say."""

        environment = variables(script, launch)
        per_rank = launch.number(*CORES_PER_RANK) or script.directive("--cpus-per-task")
        threads = re.match(r"\d{1,6}", environment.get("OMP_NUM_THREADS", ""))
        self.threads = max(1, int(threads[0]) if threads else per_rank or 1)
        domain = re.match(r"\d{1,6}", environment.get("I_MPI_PIN_DOMAIN", ""))
        room = per_rank or (int(domain[0]) if domain else 0)
        # A domain of two processors for each thread are the two of a core.
        spare = room - self.threads if room < 2 * self.threads or per_rank else 0
        self.free_cores = script.free_cores or max(0, spare)


def _on_counts(text: str, script: Script, launch: Launch, shape: Shape) -> Iterator[Remark]:
    if (written := launch.written(*RANKS)) and not launch.number(*RANKS):
        yield warning(
            f"line {launch.line}",
            f"{written} is no number that can be known from the script; "
            f"{counted(shape.ranks, 'rank')} assumed, write the real number into axes.ranks",
        )
    if shape.slots is None or shape.ranks <= shape.slots:
        return
    said = f"{written or launch.launcher} starts {counted(shape.ranks, 'rank')}, but "
    if shape.ranks_per_node:
        said += (
            f"{shape.ranks_per_node} on each of {counted(shape.nodes, 'node')} are {shape.slots}"
        )
    else:
        said += f"the job has {shape.slots} tasks"
    if _by_cores(text, script, shape):
        said += ": it multiplies by the cores of a node, where the number of nodes belongs"
    yield error(f"line {launch.line}", said)
    taken, cores = (shape.ranks_per_node or 0) * shape.threads, script.cores_per_node
    wanted = taken + (shape.ranks_per_node or 0) * shape.free_cores
    if taken <= cores < wanted:  # as `check` would say if it were not for the wrong ranks
        yield error(
            f"line {launch.line}",
            f"{shape.ranks_per_node} ranks x {shape.threads} threads on a node of {cores} cores "
            "leave none free for the communication threads",
        )


def _by_cores(text: str, script: Script, shape: Shape) -> bool:
    """Whether ranks and slots differ by cores per node / nodes, whatever a node has."""
    for cores in (script.cores_per_node, 2 * script.cores_per_node):
        other = read_script(text, cores)
        again = Shape(other, other.launches[0])
        if not again.slots or again.ranks * shape.nodes != again.slots * cores:
            return False
    return True


def _on_program(launch: Launch, folder: Path) -> Iterator[Remark]:
    key, launcher = f"line {launch.line}", Path(launch.launcher).name
    if launch.program is None:
        yield error(key, f"the {launcher} line names no executable")
    elif not launch.program.known:
        yield error(
            key,
            f"the executable is {launch.program.text}, which the script does not set; the study "
            f"has {PLACEHOLDER} instead",
        )
    elif _is_input(launch.program.text, folder):
        yield error(
            key,
            f"the {launcher} line names no executable: after the options comes "
            f"{launch.program.text}, which is none",
        )


def _is_input(name: str, folder: Path) -> bool:
    return bool(NO_PROGRAM.fullmatch(name)) and not _executable(folder / name)


def _executable(file: Path) -> bool:
    return os.path.isfile(file) and os.access(file, os.X_OK)


def _on_assumptions(script: Script, cores_per_node: int) -> Iterator[Remark]:
    if not cores_per_node:
        asks = "the script asks its nodes" if script.asks_for_cores else "the script does not say"
        yield warning(
            "resources.cores_per_node",
            f"{asks} how many cores they have; {script.cores_per_node} are assumed, write the "
            "real number",
        )
    if "--nodes" not in script.directives and script.directive("--ntasks") is None:
        yield warning("axes.nodes", "the script does not say how many nodes; 1 is assumed")


def _on_options(script: Script, launch: Launch) -> Iterator[Remark]:
    if bound := [" ".join(o.words) for o in launch.options if o.name in BINDING]:
        yield warning(
            f"line {launch.line}",
            f"not taken over: {', '.join(bound)}; a study binds each rank to cores of its own",
        )
    if led := [word for word in launch.redirections if "<" in word]:
        yield warning(f"line {launch.line}", f"not taken over: {' '.join(led)}; give it as input")
    for other in script.launches[1:]:
        program = other.program.text if other.program else "nothing"
        yield warning(
            f"line {other.line}", f"not taken over: it starts {program}; the study has the first"
        )


def _study_text(
    script: Script, launch: Launch, shape: Shape, name: str, folder: Path, *, assumed: bool
) -> str:
    library = library_of(script, launch)
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
        *_application(script, launch, shape, folder),
        *_table(f"application.{_key(application)}.environment", environment),
        "",
        f"[mpi.{mpi}]",
        f"launcher = {_toml(_braces(launch.launcher))}",
        *([f"library = {_toml(library)}"] if library else []),
        *([f"modules = {_list(script.modules)}"] if script.modules else []),
        *_launcher(launch),
        "",
        "[axes]",
        f"nodes = [{shape.nodes}]",
        f"ranks = [{shape.ranks}]",
        f"threads = [{shape.threads}]",
        "",
        *_resources(script, assumed=assumed),
    ]
    return "\n".join(lines) + "\n"


def _application(script: Script, launch: Launch, shape: Shape, folder: Path) -> Iterator[str]:
    words = [value.text for value in launch.arguments]
    program = launch.program
    if program is None or not program.known or _is_input(program.text, folder):
        words = [program.text, *words] if program and program.known else words
        yield f"program = {_toml(PLACEHOLDER)}  # the script names none"
    else:
        yield f"program = {_toml(_braces(program.text))}"
    marks = " ".join([program.text if program else "", *script.exported])
    known = (name for name, mark in READERS.items() if re.search(mark, marks, re.IGNORECASE))
    if reader := next(known, ""):
        yield f"reader = {_toml(reader)}"
    inputs = [word for word in words if not word.startswith("-") and os.path.isfile(folder / word)]
    arguments = [Path(word).name if word in inputs else word for word in words]
    if arguments:
        yield f"arguments = {_list(arguments)}"
    if inputs:
        yield f"inputs = {_list(inputs)}"
    if shape.free_cores:
        yield f"free_cores = {shape.free_cores}"


def _launcher(launch: Launch) -> Iterator[str]:
    words = []
    for option in launch.options:
        if option.name == "mpi" and option.values:
            yield f"pmi = {_toml(option.values[0].text)}"
        elif option.name not in TOLD_BY_STUDY | BINDING:
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
    """A brace of the script is no value of a point."""
    return text.replace("{", "{{").replace("}", "}}")


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(text: str) -> str:
    """A text as TOML writes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
