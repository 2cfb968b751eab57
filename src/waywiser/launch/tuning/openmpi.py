"""Open MPI: the component coll/tuned, its parameters and its file of dynamic rules.

Source: "Tuning collectives" and `ompi_info --param coll tuned --level 9`, Open MPI 5.0; the file's
classic form, which releases 1.3 to 5.0 read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from waywiser.errors import ToolMissing
from waywiser.launch.ask import ask
from waywiser.launch.tuning.tuner import Algorithm, Environment, Rule, Tuner

DYNAMIC = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
IDS = {
    **{"allgather": 0, "allreduce": 2, "alltoall": 3, "barrier": 6, "bcast": 7, "gather": 9},
    **{"reduce": 11, "reduce_scatter_block": 13, "scatter": 15},
}
"""Numbers of collectives in the file of rules, in alphabetical order of MPI's collectives."""

BY_TOTAL = frozenset({"allgather", "alltoall", "gather", "scatter"})
"""Collectives whose rules count the blocks of all ranks, where ww-mpibench counts one block."""

OWN = "0 0 0"
"""Algorithm, fan-out and segment of a rule that leaves the choice to the library."""

PATIENCE_SECONDS = 60


def algorithms(launcher: Path, collective: str) -> list[Algorithm]:
    """The algorithms of this version, as ompi_info lists them."""
    pattern = rf":coll_tuned_{collective}_algorithm:enumerator:value:([1-9]\d*):(\S+)$"
    enumerators = re.findall(pattern, _parameters(launcher.resolve().parent, launcher.parent), re.M)
    return [Algorithm(name, number) for number, name in enumerators]


@cache
def _parameters(*directories: Path) -> str:
    tool = next((f / "ompi_info" for f in directories if (f / "ompi_info").exists()), None)
    if tool is None:
        raise ToolMissing(
            f"there is no ompi_info beside the launcher in {directories[-1]}, which would list "
            "Open MPI's algorithms"
        )
    words = [str(tool), "--param", "coll", "tuned", "--level", "9", "--parsable"]
    return ask(words, PATIENCE_SECONDS).stdout


def force(collective: str, algorithm: Algorithm) -> Environment:
    return DYNAMIC | {f"OMPI_MCA_coll_tuned_{collective}_algorithm": algorithm.value}


def write(_program: Path, rules: Sequence[Rule], directory: Path) -> Environment:
    text = "\n".join(_lines(rules)) + "\n"
    # The file is named after its contents, so that runs with other rules stay distinct.
    file = directory / f"openmpi-{hashlib.sha256(text.encode()).hexdigest()[:8]}.rules"
    file.write_text(text, encoding="utf-8")
    return DYNAMIC | {"OMPI_MCA_coll_tuned_dynamic_rules_filename": str(file.resolve())}


def _lines(rules: Sequence[Rule]) -> Iterator[str]:
    """The lines of the file. A rule applies from its size to the next rule's, for communicators and
    messages: entries with the library's own choice therefore enclose the tuned ones."""
    by_collective: dict[str, dict[int, list[Rule]]] = {}
    for rule in rules:
        by_collective.setdefault(rule.collective, {}).setdefault(rule.ranks, []).append(rule)
    yield f"{len(by_collective)} # collectives"
    for collective, by_ranks in by_collective.items():
        sizes = {0: [], **{ranks + 1: [] for ranks in by_ranks}, **by_ranks}
        yield f"{IDS[collective]} # {collective}"
        yield f"{len(sizes)} # sizes of communicators"
        for ranks, own in sorted(sizes.items()):
            messages = _messages(own)
            yield f"{ranks} # ranks"
            yield f"{len(messages)} # sizes of messages: from, algorithm, fan-out, segment"
            yield from (f"{size} {choice}" for size, choice in sorted(messages.items()))


def _messages(rules: Sequence[Rule]) -> dict[int, str]:
    by_size = {0: OWN}
    for rule in rules:
        blocks = rule.ranks if rule.collective in BY_TOTAL else 1
        by_size[blocks * rule.first] = f"{rule.algorithm.value} 0 0"
        by_size.setdefault(blocks * rule.last + 1, OWN)
    return by_size


SIMULATED = {
    "allgather": {"2": "Bruck", "3": "recursive doubling", "4": "ring"}
    | {"5": "neighbour exchange"},
    "allreduce": {"1": "linear", "3": "recursive doubling", "4": "ring"}
    | {"6": "Rabenseifner, folding halves"},
    "alltoall": {"1": "linear", "2": "pairwise exchange", "3": "Bruck"},
    "barrier": {"1": "linear", "3": "recursive doubling", "4": "dissemination"},
    "bcast": {"1": "linear", "6": "binomial tree"},
    "gather": {"1": "linear", "2": "binomial tree", "3": "linear, synchronised"},
    "reduce": {"1": "linear", "5": "binomial tree", "7": "Rabenseifner"},
    "scatter": {"1": "linear", "2": "binomial tree", "3": "linear, concurrent"},
}

OPENMPI = Tuner(
    "openmpi",
    algorithms,
    force,
    write,
    covers="some",
    named="Open MPI",
    simulated=SIMULATED,
    nested=True,
)
