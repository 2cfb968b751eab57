"""PALS: mpiexec of HPE Cray's Parallel Application Launch Service, in jobs of PBS.

Cray MPICH has no launcher of its own. PALS's ranks are children of a daemon on each node, which
passes on the whole environment.

Source: mpiexec(1) of PALS 1.2 to 1.8, as the guides of sites quote it: "Running Jobs" of Polaris
and Aurora, Argonne Leadership Computing Facility. Directories and variables of PALS: flux-coral2
and Cray's Common Tools Interface. Tried with a script that answers as documented, on no Cray.
"""

from __future__ import annotations

from dataclasses import replace

from waywiser.launch.launchers.launcher import LauncherKind, takes
from waywiser.launch.placing.rank_orders import CRAY, REORDERED
from waywiser.launch.shape import Shape


def _words(shape: Shape, bound: bool) -> list[str]:
    """Each rank has --depth CPUs, of different cores first."""
    counts = ["-n", str(shape.ranks), "--ppn", str(shape.ranks_per_node)]
    depth = ["--depth", str(shape.cores_per_rank)]
    return [*counts, *depth, "--cpu-bind", "depth" if bound else "none"]


PALS = LauncherKind(
    name="PALS",
    commands=("mpiexec",),
    version_pattern=r"\bPALS\b\D*(\d[\w.]*)",
    beside=("libpals.so*",),
    serves=".*CRAY MPICH.*",
    starts=("mpich", "standard"),
    values=takes(2, "env genv")
    | takes(
        1,
        "n np ppn d depth cpu-bind mem-bind gpu-bind H host hosts hostlist hostfile envlist "
        "genvlist o e wdir pmi rlimits",
    ),
    working_directory=("wdir",),
    words=_words,
    binding=frozenset({"cpu-bind"}),
    shared=frozenset({"ppn", "depth", "d"}),
    synonyms={"d": "depth"},
    shares_cores=("--cpu-bind", "none"),
    forms=(
        replace(
            CRAY,
            name="pals",
            about="MPICH_RANK_ORDER of Cray MPICH, for mpiexec of PALS",
            command=f"{REORDERED} mpiexec -n {{ranks}}",
        ),
    ),
    rank_variables="PALS_RANKID and PMI_RANK",
    binds_to_cores="mpiexec --cpu-bind core",
    remote=True,
)
