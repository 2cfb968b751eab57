"""Options and variables by which each launcher places and binds a run's ranks and threads.

Each rank gets whole cores of its own, of which OpenMP's threads take the first ones. The remaining
cores are for the communication thread of a program that has one.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence

from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.launchers.table import NO_LAUNCHER
from waywiser.launch.library import FAMILIES, library_beside
from waywiser.launch.shape import Shape

SYSTEM_DIRECTORIES = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/lib/*-linux-*",
    "/usr/lib/*-linux-*",
)
"""Directories that the loader searches by default."""


def option_names(options: Sequence[str]) -> frozenset[str]:
    """ "bind-to" of "-bind-to none", "--bind-to=none"."""
    return frozenset(word.lstrip("-").partition("=")[0] for word in options if word.startswith("-"))


def binds_itself(launcher: Launcher, options: Sequence[str]) -> bool:
    """True if the user's launcher options bind the ranks, or leave them unbound."""
    return bool(option_names(options) & launcher.kind.binding)


def _without(words: Sequence[str], names: Collection[str]) -> list[str]:
    """The options that are not in `names`, each with its value."""
    kept: list[str] = []
    at = 0
    while at < len(words):
        name, joined, _ = words[at].lstrip("-").partition("=")
        end = at + (1 if joined else 2)
        kept += [] if name in names else words[at:end]
        at = end
    return kept


def launch_words(
    launcher: Launcher, shape: Shape, *, pmi: str = "", options: Sequence[str] = ()
) -> list[str]:
    """The launcher and its options for a run of this shape; the program's words come after them.

    Ranks that do not fit their nodes are not bound; no option is added that makes a launcher
    accept them.

    Args:
        pmi: value of srun's --mpi; other launchers need none.
        options: the user's options, which the caller appends: they replace ours of the same
            meaning.
    """
    if launcher.kind == NO_LAUNCHER:
        return []
    kind = launcher.kind
    # Hydra and PRRTE take each once.
    replaced = option_names(options) & (kind.binding | kind.shared)
    replaced |= {kind.synonyms.get(name, name) for name in replaced}
    if "map-by" in replaced:
        replaced |= {"bind-to"}
    words = kind.words(shape, shape.fits and not binds_itself(launcher, options))
    words = _without(words, replaced)
    if pmi and kind.pmi:
        words.append(f"{kind.pmi}{pmi}")
    return [str(launcher.path), *words]


def pmi_of(abi: str | None) -> str:
    """The value of srun's --mpi for programs of this family; "" means Slurm's default."""
    return next((family.pmi for name, family in FAMILIES.items() if name == abi), "")


def binding_environment(launcher: Launcher, shape: Shape, *, bound: bool = True) -> dict[str, str]:
    """The environment variables that go with `launch_words`: OpenMP's, and the launcher's.

    Source: OpenMP 5.2, sections 21.1.4 to 21.1.6 (`cores(N)` is N places of one core each, `close`
    takes them in order).
    """
    bound = bound and shape.fits
    variables = {"OMP_NUM_THREADS": str(shape.threads)}
    if bound:
        variables |= {"OMP_PLACES": f"cores({shape.threads})", "OMP_PROC_BIND": "close"}
    else:
        variables |= {"OMP_PROC_BIND": "false"}
    return variables | launcher.kind.variables(shape, bound)


def forwarding_words(launcher: Launcher, names: Iterable[str]) -> list[str]:
    """Options by which variables of these names reach ranks on other nodes as well.

    Hydra and srun pass on the whole environment, Open MPI's mpirun only its own variables.
    """
    option = launcher.kind.forwards
    return [word for name in names for word in (option, name)] if option else []


def quoted(options: Iterable[str]) -> str:
    """The options as elements of a list in the study file."""
    return ", ".join(f'"{option}"' for option in options)


def library_environment(launcher: Launcher) -> dict[str, str]:
    """LD_LIBRARY_PATH with which an unmodified program loads the launcher's own MPI library.

    Empty if the loader searches that directory by default, and for srun, which has no library.
    """
    library = library_beside(launcher)
    if library is None:
        return {}
    directory = library[0].parent.resolve()
    if any(directory.match(pattern) for pattern in SYSTEM_DIRECTORIES):
        return {}
    others = [path for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if path]
    paths = dict.fromkeys([str(directory), *others])
    return {"LD_LIBRARY_PATH": os.pathsep.join(paths)}
