"""What a launcher is told against what spoils a run, in its own words."""

from __future__ import annotations

BINDS_TO_CORES = {
    "Open MPI": "mpirun --bind-to core",
    "MPICH": "mpiexec -bind-to core",
    "Intel MPI": "mpirun -genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN core",
    "Slurm": "srun --cpu-bind=cores",
}
"""What a user writes to bind each rank to a core of its own, by launcher."""
