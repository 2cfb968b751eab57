"""Remarks on a job script's mistakes, and on assumptions and omissions in its study file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from waywiser.study.remark import Remark, error, warning
from waywiser.study.script import Launch, Script, read_script
from waywiser.study.script_counts import RANKS, Counts, names_input
from waywiser.units import counted

PLACEHOLDER = "./PROGRAM"

BINDING = frozenset({"bind-to", "map-by", "rank-by", "cpu-bind", "cpu_bind", "distribution", "m"})


def faults_of(
    text: str, script: Script, launch: Launch, directory: Path, *, assumed: bool
) -> Iterator[Remark]:
    """All remarks on a script besides those of `check` on its study.

    Args:
        text: text of the script.
        assumed: True if the number of its nodes' cores is assumed.
    """
    yield from script.remarks
    yield from _on_counts(text, script, launch, Counts(script, launch))
    yield from _on_program(launch, directory)
    yield from _on_assumptions(script, assumed=assumed)
    yield from (warning("job script", f"not taken over: {left}") for left in script.left)
    yield from _on_options(script, launch)


def _on_counts(text: str, script: Script, launch: Launch, counts: Counts) -> Iterator[Remark]:
    if (written := launch.written(*RANKS)) and not launch.number(*RANKS):
        yield warning(
            f"line {launch.line}",
            f"{written} cannot be known from the script; "
            f"{counted(counts.ranks, 'rank')} assumed, write the real number into axes.ranks",
        )
    if counts.slots is None or counts.ranks <= counts.slots:
        return
    sentence = f"{written or launch.launcher} starts {counted(counts.ranks, 'rank')}, but "
    if counts.ranks_per_node:
        sentence += (
            f"{counts.ranks_per_node} on each of {counted(counts.nodes, 'node')} are {counts.slots}"
        )
    else:
        sentence += f"the job has {counts.slots} tasks"
    if _by_cores(text, script, counts):
        sentence += ": it multiplies by the cores of a node, where the number of nodes belongs"
    yield error(f"line {launch.line}", sentence)
    taken, cores = (counts.ranks_per_node or 0) * counts.threads, script.cores_per_node
    needed = taken + (counts.ranks_per_node or 0) * counts.free_cores
    if taken <= cores < needed:  # `check` would report it but for the wrong ranks
        yield error(
            f"line {launch.line}",
            f"{counts.ranks_per_node} ranks x {counts.threads} threads on a node of {cores} cores "
            "leave none free for the communication threads",
        )


def _by_cores(text: str, script: Script, counts: Counts) -> bool:
    """True if ranks and slots differ by cores per node / nodes, for any cores per node."""
    for cores in (script.cores_per_node, 2 * script.cores_per_node):
        variant = read_script(text, cores)
        again = Counts(variant, variant.launches[0])
        if not again.slots or again.ranks * counts.nodes != again.slots * cores:
            return False
    return True


def _on_program(launch: Launch, directory: Path) -> Iterator[Remark]:
    key, launcher = f"line {launch.line}", Path(launch.launcher).name
    if launch.program is None:
        yield error(key, f"the {launcher} line names no executable")
    elif not launch.program.known:
        yield error(
            key,
            f"the executable is {launch.program.text}, which the script does not set; the study "
            f"has {PLACEHOLDER} instead",
        )
    elif names_input(launch.program.text, directory):
        yield error(
            key,
            f"the {launcher} line names no executable: after the options comes "
            f"{launch.program.text}, which is none",
        )


def _on_assumptions(script: Script, *, assumed: bool) -> Iterator[Remark]:
    if assumed:
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
    for later in script.launches[1:]:
        program = later.program.text if later.program else "nothing"
        yield warning(
            f"line {later.line}", f"not taken over: it starts {program}; the study has the first"
        )
