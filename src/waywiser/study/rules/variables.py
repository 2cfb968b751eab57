"""Rules on variables that no library reads: misspelt variables, and those of another library.

Known names come from the installed libraries' files, from `ompi_info`, and from the documented
names in `known_variables`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from waywiser.launch.ask import ask
from waywiser.launch.launchers.table import kind_named
from waywiser.model.study import LIBRARIES
from waywiser.study.configurations import Configuration
from waywiser.study.remark import Remark, warning
from waywiser.study.rules.known_variables import DOCUMENTED, FAMILIES, Family
from waywiser.study.rules.subject import Subject

PREFIXES = [prefix.encode() for family in FAMILIES for prefix in family.prefixes]
IN_BINARY = [
    re.compile(prefix + rb"(?<![A-Z0-9_]" + prefix + rb")[A-Z0-9_]*[A-Z0-9](?![a-z_])")
    for prefix in PREFIXES
]
"""A pattern that begins with letters is searched for four times as fast as one of alternatives."""
PARAMETER = re.compile(r":param:([A-Za-z0-9_]+):")
PATIENCE_SECONDS = 20


def misspelt(subject: Subject) -> Iterator[Remark]:
    used = {
        (key, name, str(configuration.values["mpi"])): None
        for configuration in subject.configurations
        for name, key in _names(subject, configuration)
        if name not in DOCUMENTED
    }
    for key, name, mpi in used:
        if meant := meant_by(name, variables_here(subject, mpi)):
            yield warning(key, f"no library reads {name}; {meant} is probably meant")


def of_another_library(subject: Subject) -> Iterator[Remark]:
    for mpi, choice in subject.study.mpi.items():
        library = subject.library(mpi)
        for name in choice.environment:
            family = _family(name)
            if family and library and family.libraries and library not in family.libraries:
                yield warning(
                    f"mpi.{mpi}.environment.{name}",
                    f"{family.name} reads it, and {LIBRARIES[library]} does not",
                )


def _names(subject: Subject, configuration: Configuration) -> Iterator[tuple[str, str]]:
    """The variables that a configuration sets, with the key that sets each."""
    for name, setting in subject.environment(configuration).items():
        yield name, setting.key
    words = subject.launcher_words(configuration)
    key = f"mpi.{configuration.values['mpi']}.launcher_arguments"
    for option, value in pairwise(words):
        match option.lstrip("-"):
            case "x" | "genv" | "env":
                yield value.split("=")[0], key
            case "mca" | "gmca" | "omca":
                yield f"OMPI_MCA_{value}", key
            case "prtemca" | "pmixmca":
                yield f"{option.lstrip('-')[:-3].upper()}_MCA_{value}", key


def meant_by(name: str, here: frozenset[str] = frozenset()) -> str:
    """The known variable that is nearest to a misspelt name; "" for a known name, or if none is
    near.

    Args:
        here: names that the libraries of this machine know.

    Names are near within two slips, three in long names; a slip is a letter too many, too few or
    wrong, or two swapped letters.
    """
    if name in DOCUMENTED or name in here:
        return ""
    slips = 1 if len(name) < 8 else 2 if len(name) < 24 else 3
    near = {
        known: distance
        for known in DOCUMENTED | here
        if abs(len(known) - len(name)) <= slips
        and (distance := edit_distance(name.upper(), known.upper(), slips)) <= slips
    }
    # FI_TCP_PORT and FI_UDP_PORT are near each other: in a family with unknown variables, names
    # must be closer than that.
    family = _family(name)
    if family and family.open_ended and not _names_any(family, here):
        near = {known: distance for known, distance in near.items() if distance == 1}
    return min(near, key=lambda known: (near[known], known), default="")


def _family(name: str) -> Family | None:
    families = [f for f in FAMILIES if any(name.startswith(prefix) for prefix in f.prefixes)]
    return families[0] if families else None


def _names_any(family: Family, names: Iterable[str]) -> bool:
    return any(name.startswith(prefix) for prefix in family.prefixes for name in names)


def variables_here(subject: Subject, mpi: str) -> frozenset[str]:
    """Every variable that a configuration's own library knows; empty if they cannot be found."""
    installed = subject.installations.get(mpi)
    if installed is None:
        return frozenset()
    names = frozenset[str]()
    if program := kind_named(installed.name).parameters:
        names = _parameters(Path(installed.launcher).parent / program)
    if installed.library is None:
        return names
    library = Path(installed.library)
    fabrics = [*library.parent.glob("libfabric.so.1"), *library.parent.glob("*/libfabric.so.1")]
    return names.union(*map(_names_in, (library, *fabrics)))


@cache
def _names_in(library: Path) -> frozenset[str]:
    """Names of variables in a library's file, which has the names that the library reads."""
    try:
        content = library.read_bytes()
    except OSError:
        return frozenset()
    return frozenset(name.decode() for pattern in IN_BINARY for name in pattern.findall(content))


@cache
def _parameters(program: Path) -> frozenset[str]:
    """Parameters that `ompi_info` lists; none if it is not installed. Open MPI composes names at
    run time, so that its files do not contain them."""
    try:
        listed = ask([program, "--all", "--parsable"], PATIENCE_SECONDS).stdout
    except (OSError, subprocess.TimeoutExpired):
        return frozenset()
    return frozenset(f"OMPI_MCA_{name}" for name in PARAMETER.findall(listed))


def edit_distance(first: str, second: str, most: int) -> int:
    """Number of letters to insert, delete, replace or swap with their neighbour, at most
    `most` + 1.

    Sources: L. Boytsov, "Indexing methods for approximate dictionary searching", ACM Journal of
    Experimental Algorithmics 16, 2011 (optimal string alignment); E. Ukkonen, "Algorithms for
    approximate string matching", Information and Control 64, 1985 (only cells near the diagonal).
    """
    before: list[int] = []
    last = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        row = [i] + [most + 1] * len(second)
        for j in range(max(1, i - most), min(len(second), i + most) + 1):
            b = second[j - 1]
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                row[j] = min(row[j], before[j - 2] + 1)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)
