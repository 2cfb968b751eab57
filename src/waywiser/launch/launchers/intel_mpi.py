"""Intel MPI: mpirun, which is Hydra with options and a pinning of its own.

Source: `mpiexec.hydra -help` of Intel MPI 2021; Intel MPI Library Developer Reference for Linux
2021, "Process Pinning" (domains of N cells, here cores, that lie beside each other).
"""

from __future__ import annotations

from dataclasses import replace

from waywiser.launch.launchers import hydra
from waywiser.launch.launchers.launcher import takes
from waywiser.launch.placing.form import Form
from waywiser.launch.shape import Shape


def _words(shape: Shape, bound: bool) -> list[str]:
    """Options for the shape alone: Intel MPI reads its pinning from variables."""
    return hydra.counts(shape)


def _variables(shape: Shape, bound: bool) -> dict[str, str]:
    variables = hydra.in_slurm_jobs() | {"I_MPI_PIN": "1" if bound else "0"}
    if bound:
        domain = {"CELL": "core", "DOMAIN": f"{shape.cores_per_rank}:compact"}
        variables |= {f"I_MPI_PIN_{key}": value for key, value in domain.items()}
    return variables


INTEL_MPI = replace(
    hydra.HYDRA,
    name="Intel MPI",
    commands=("mpirun", "mpiexec", "mpiexec.hydra"),
    library="impi",
    version_pattern=r"Intel\(R\) MPI Library for Linux\* OS, Version (\S+)",
    marks=(b"Intel(R) MPI Library for Linux",),
    serves="Intel MPI",
    modules=r"impi|intel-?mpi|oneapi-mpi|intel.*mpi|mpi/20\d\d",
    telling_options=frozenset({"perhost", "bootstrap"}),
    telling_variables="I_MPI_",
    values=hydra.HYDRA.values | takes(1, "perhost grr rr binding"),
    words=_words,
    variables=_variables,
    shares_cores=("-genv", "I_MPI_PIN", "0"),
    forms=(
        Form(
            name="impi",
            about="machinefile of Intel MPI, one line a rank",
            write=lambda placed: "".join(f"{host}:1\n" for host in placed.hosts),
            command="mpirun -machinefile {placement} -n {ranks}",
            families=hydra.HYDRA.starts,
        ),
    ),
    binds_to_cores="mpirun -genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN core",
)
