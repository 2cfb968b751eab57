"""Hydra, the launcher of MPICH and Intel MPI; each starts the other's programs.

Their machinefiles have the same syntax and different meanings.
"""

from __future__ import annotations

from waywiser.launch.launchers.launcher import LauncherKind, takes
from waywiser.launch.shape import Shape

FILE = "mpiexec.hydra"
"""The launcher itself, where mpirun is a script."""


def counts(shape: Shape) -> list[str]:
    words = ["-n", str(shape.ranks)]
    return [*words, "-ppn", str(shape.ranks_per_node)] if shape.nodes > 1 else words


def in_slurm_jobs() -> dict[str, str]:
    return {
        # In a Slurm job, Hydra starts its proxies by srun, which would bind each to one core, and
        # Intel MPI then all ranks to it.
        "SLURM_CPU_BIND": "none",
        # Where Slurm's default is PMIx, MPICH's ranks would find that beside Hydra's own PMI.
        "SLURM_MPI_TYPE": "none",
    }


HYDRA = LauncherKind(
    name="Hydra",
    starts=("mpich", "standard"),
    values=takes(2, "genv env")
    | takes(
        1,
        "n np f hosts host hostfile machine machinefile wdir genvlist envlist bootstrap "
        "bootstrap-exec rmk iface localhost nameserver ppn usize path errfile-pattern "
        "outfile-pattern prepend-pattern",
    ),
    working_directory=("wdir",),
    reads_file=("configfile",),
    binding=frozenset({"bind-to", "map-by", "binding"}),
    shared=frozenset({"ppn"}),
    rank_variables="PMI_RANK",
)
"""The properties that both launchers share."""
