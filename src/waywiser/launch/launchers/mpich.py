"""MPICH: mpiexec, which is Hydra.

In its machinefile each line is a node of its own, even where it repeats a host. The ranks of a line
do not share memory with those of other lines (MPI_COMM_TYPE_SHARED has size 1). So a host may have
one line only, and then its ranks follow each other.

Source: `mpiexec.hydra -help` and `-bind-to -help` of MPICH 4 and 5.
"""

from __future__ import annotations

from dataclasses import replace

from waywiser.launch.launchers import hydra
from waywiser.launch.launchers.launcher import takes
from waywiser.launch.placing.form import Form
from waywiser.launch.placing.placed import Placed
from waywiser.launch.shape import Shape


def _words(shape: Shape, bound: bool) -> list[str]:
    cores = f"core:{shape.cores_per_rank}" if bound else "none"
    return [*hydra.counts(shape), "-bind-to", cores]


def _variables(shape: Shape, bound: bool) -> dict[str, str]:
    return hydra.in_slurm_jobs()


def _repeats_a_host(placed: Placed) -> str:
    seen: set[str] = set()
    for host, _ in placed.blocks:
        if host in seen:
            return (
                f"{host} would have two lines in the machinefile, and MPICH takes these for two "
                "nodes: their ranks would not share memory. Its -rankmap does not help, since it "
                "garbles irregular maps. Take --for rerank, which renumbers the ranks in MPI_Init"
            )
        seen.add(host)
    return ""


MPICH = replace(
    hydra.HYDRA,
    name="MPICH",
    commands=(
        *("mpiexec", "mpirun", "mpiexec.hydra", "mpirun.hydra"),
        *("mpirun.mpich", "mpiexec.mpich"),
    ),
    library="mpich",
    version_pattern=r"HYDRA build details:\s+Version:\s+(\S+)",
    marks=(b"HYDRA build details",),
    serves="MPICH",
    modules=r"mpich|mvapich|parastation|psmpi",
    telling_options=frozenset({"genv", "genvall", "genvlist", "ppn", "hosts", "launcher"}),
    compiler_suffix=".mpich",
    values=hydra.HYDRA.values
    | takes(
        1,
        "launcher launcher-exec topolib bind-to map-by membind demux rankmap gpus-per-proc "
        "memory-alloc-kinds pmi-port-range",
    ),
    words=_words,
    variables=_variables,
    shares_cores=("-bind-to", "none"),
    forms=(
        Form(
            name="mpich",
            about="machinefile of MPICH's mpiexec, one line a host; other orders are refused",
            write=lambda placed: "".join(f"{host}:{count}\n" for host, count in placed.blocks),
            command="mpiexec -f {placement} -n {ranks}",
            families=hydra.HYDRA.starts,
            refuse=_repeats_a_host,
        ),
    ),
    binds_to_cores="mpiexec -bind-to core",
)
