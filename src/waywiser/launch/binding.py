"""How many ranks, threads and free cores a run has, in the words of each launcher.

Each rank gets whole cores of its own, of which OpenMP's threads take the first ones; what is left
over is for the communication thread of a program that has one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from waywiser.launch.command import NO_LAUNCHER, Launcher
from waywiser.launch.discover import library_beside

PMI = {"openmpi": "pmix", "mpich": "pmi2", "standard": "pmi2"}
"""What srun's --mpi must say. Open MPI 5 knows no other than PMIx; MPICH and Intel MPI come with
a client of PMI-2 and none of PMIx."""

SYSTEM_FOLDERS = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/lib/*-linux-*",
    "/usr/lib/*-linux-*",
)
"""Where the loader looks anyway."""


@dataclass(frozen=True)
class Shape:
    """How a run occupies its nodes."""

    nodes: int
    ranks: int
    threads: int = 1
    free_cores: int = 0
    """Of each rank, left free for a communication thread."""

    cores_per_node: int = 0
    """0 means unknown."""

    @property
    def ranks_per_node(self) -> int:
        """On the fullest node."""
        return -(-self.ranks // self.nodes)

    @property
    def cores_per_rank(self) -> int:
        return self.threads + self.free_cores

    @property
    def fits(self) -> bool:
        """Whether each rank can have its cores for itself; assumed where nodes are unknown."""
        wanted = self.ranks_per_node * self.cores_per_rank
        return not self.cores_per_node or wanted <= self.cores_per_node


def enclosing(shapes: Sequence[Shape]) -> Shape:
    """The allocation in which a run of each of these shapes has its ranks and its cores.

    A launcher takes as many ranks as the allocation has tasks, however many cores these have.
    """
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    nodes = max(shape.nodes for shape in shapes)
    ranks = max(shape.ranks_per_node for shape in shapes)
    cores = max(shape.ranks_per_node * shape.cores_per_rank for shape in shapes)
    return Shape(nodes, ranks * nodes, -(-cores // ranks), cores_per_node=first.cores_per_node)


def _open_mpi(shape: Shape, bound: bool) -> list[str]:
    """mpirun(1) of Open MPI 4.1 and 5.0: PE counts cores, and a rank is bound to all of them."""
    places = f":PE={shape.cores_per_rank}" if bound else ""
    words = ["-n", str(shape.ranks)]
    if shape.nodes > 1:
        words += ["--map-by", f"ppr:{shape.ranks_per_node}:node{places}"]
    elif places:
        words += ["--map-by", f"slot{places}"]
    return [*words, "--bind-to", "core" if bound else "none"]


def _hydra(shape: Shape) -> list[str]:
    words = ["-n", str(shape.ranks)]
    return [*words, "-ppn", str(shape.ranks_per_node)] if shape.nodes > 1 else words


def _mpich(shape: Shape, bound: bool) -> list[str]:
    """`mpiexec.hydra -bind-to -help` of MPICH 4 and 5."""
    return [*_hydra(shape), "-bind-to", f"core:{shape.cores_per_rank}" if bound else "none"]


def _intel_mpi(shape: Shape, bound: bool) -> list[str]:
    """Its pinning is told through variables: see `binding_environment`."""
    return _hydra(shape)


def _srun(shape: Shape, bound: bool) -> list[str]:
    """srun(1). Since Slurm 22.05 a step does not take --cpus-per-task from its job."""
    counts = ["-N", str(shape.nodes), "-n", str(shape.ranks), "-c", str(shape.cores_per_rank)]
    return [*counts, f"--cpu-bind={'cores' if bound else 'none'}"]


WORDS: dict[str, Callable[[Shape, bool], list[str]]] = {
    "Open MPI": _open_mpi,
    "MPICH": _mpich,
    "Intel MPI": _intel_mpi,
    "Slurm": _srun,
}


BINDING_OPTIONS = frozenset({"bind-to", "map-by", "rankfile", "rf", "binding", "cpu-bind"})
"""By which users place and bind ranks themselves."""

SHARED_OPTIONS = BINDING_OPTIONS | {"ppn"}
"""Options of ours that users give as well: Hydra and PRRTE refuse what is given twice."""


def option_names(options: Sequence[str]) -> frozenset[str]:
    """ "bind-to" of "-bind-to none", "--bind-to=none"."""
    return frozenset(word.lstrip("-").partition("=")[0] for word in options if word.startswith("-"))


def binds_itself(options: Sequence[str]) -> bool:
    """Whether launcher options that a user gives bind the ranks, or leave them unbound."""
    return bool(option_names(options) & BINDING_OPTIONS)


def _without(words: Sequence[str], names: Collection[str]) -> list[str]:
    """Words of `WORDS`, each an option with its value, without those of these names."""
    kept: list[str] = []
    at = 0
    while at < len(words):
        name, joined, _ = words[at].lstrip("-").partition("=")
        end = at + (1 if joined else 2)
        kept += [] if name in names else words[at:end]
        at = end
    return kept


def launch_words(
    launcher: Launcher,
    shape: Shape,
    *,
    pmi: str = "",
    bound: bool = True,
    options: Sequence[str] = (),
) -> list[str]:
    """The launcher and its options for a run of this shape; the program's words come after them.

    Ranks that do not fit their nodes are not bound; nothing is added that lets a launcher take
    them nevertheless (see `why_unbound`).

    Args:
        pmi: for srun's --mpi; other launchers need none.
        options: that the user gives, and which are put behind ours: ours are left out where these
            say the same.
    """
    if launcher.kind == NO_LAUNCHER:
        return []
    given = option_names(options) & SHARED_OPTIONS
    if "map-by" in given:
        given |= {"bind-to"}
    words = WORDS[launcher.kind.name](shape, bound and shape.fits and not binds_itself(options))
    words = _without(words, given)
    if pmi and launcher.kind.name == "Slurm":
        words.append(f"--mpi={pmi}")
    return [str(launcher.path), *words]


def pmi_of(abi: str | None) -> str:
    """What srun's --mpi must say for programs of this family; "" means Slurm's default."""
    return PMI.get(abi or "", "")


def binding_environment(launcher: Launcher, shape: Shape, *, bound: bool = True) -> dict[str, str]:
    """The variables that belong to `launch_words`: OpenMP's, and Intel MPI's pinning.

    Source: OpenMP 5.2, sections 21.1.4 to 21.1.6 (`cores(N)` is N places of one core each, `close`
    takes them in order); Intel MPI Library Developer Reference for Linux 2021, "Process Pinning"
    (domains of N cells, here cores, that lie beside each other).
    """
    bound = bound and shape.fits
    variables = {"OMP_NUM_THREADS": str(shape.threads)}
    if bound:
        variables |= {"OMP_PLACES": f"cores({shape.threads})", "OMP_PROC_BIND": "close"}
    else:
        variables |= {"OMP_PROC_BIND": "false"}
    if launcher.kind.name in {"MPICH", "Intel MPI"}:
        # In a Slurm job, Hydra starts its proxies by srun, which would bind each to one core, and
        # Intel MPI then all ranks to it.
        variables["SLURM_CPU_BIND"] = "none"
        # Where Slurm's default is PMIx, MPICH's ranks would find that beside Hydra's own PMI.
        variables["SLURM_MPI_TYPE"] = "none"
    if launcher.kind.name == "Intel MPI":
        variables |= {"I_MPI_PIN": "1" if bound else "0"}
        if bound:
            domain = {"CELL": "core", "DOMAIN": f"{shape.cores_per_rank}:compact"}
            variables |= {f"I_MPI_PIN_{key}": value for key, value in domain.items()}
    return variables


def forwarding_words(launcher: Launcher, names: Iterable[str]) -> list[str]:
    """Options by which variables of these names reach ranks on other nodes as well.

    Hydra and srun pass on the whole environment, Open MPI's mpirun only its own variables.
    """
    if launcher.kind.name != "Open MPI":
        return []
    return [word for name in names for word in ("-x", name)]


def why_unbound(launcher: Launcher, shape: Shape) -> str | None:
    """A sentence on ranks that do not fit their nodes; None if they do."""
    if shape.fits:
        return None
    sentence = (
        f"{shape.ranks_per_node} ranks x {shape.cores_per_rank} cores do not fit the "
        f"{shape.cores_per_node} cores of a node, so no rank is bound"
    )
    option = oversubscription(launcher)
    return f"{sentence}; where {launcher} refuses them, {option} allows it" if option else sentence


def oversubscription(launcher: Launcher) -> str:
    """What a user writes to run more ranks than slots; "" where nothing is needed."""
    if launcher.kind.name == "Slurm":
        return 'launcher_arguments = ["--overcommit"]'
    if launcher.kind.name == "Open MPI":
        return 'launcher_arguments = ["--oversubscribe"]'
    return ""


def library_environment(launcher: Launcher) -> dict[str, str]:
    """LD_LIBRARY_PATH by which an unmodified program gets the launcher's own MPI library.

    Empty where the loader looks there anyway, and for srun, which has no library.
    """
    found = library_beside(launcher)
    if found is None:
        return {}
    folder = found[0].parent.resolve()
    if any(folder.match(pattern) for pattern in SYSTEM_FOLDERS):
        return {}
    others = [path for path in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if path]
    paths = dict.fromkeys([str(folder), *others])
    return {"LD_LIBRARY_PATH": os.pathsep.join(paths)}
