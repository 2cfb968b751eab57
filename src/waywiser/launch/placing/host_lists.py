"""Host lists, read by Slurm, PBS and others: one line for each rank, with the name of its host."""

from __future__ import annotations

from waywiser.launch.placing.form import Form
from waywiser.launch.placing.placed import Placed


def write_host_list(placed: Placed) -> str:
    return "".join(f"{host}\n" for host in placed.hosts)


def _only_blocks_for_mpich(placed: Placed) -> str:
    if len(placed.blocks) == len({name for name, _ in placed.blocks}):
        return ""
    return (
        "for Intel MPI; Open MPI requires `--hostfile FILE --map-by seq` instead of -machinefile, "
        "and MPICH would lose shared memory: take --for mpich"
    )


FORMS = (
    Form(
        name="pbs",
        about="$PBS_NODEFILE in another order",
        write=write_host_list,
        command="mpirun -machinefile {placement} -n {ranks}",
        warn=_only_blocks_for_mpich,
    ),
)
