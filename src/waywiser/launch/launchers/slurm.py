"""Slurm's srun, which starts the programs of any library.

Source: srun(1) of Slurm 22.05; newer long options that take values are added.
"""

from __future__ import annotations

from waywiser.launch.launchers.launcher import LauncherKind, takes
from waywiser.launch.placing.form import Form
from waywiser.launch.placing.host_lists import write_host_list
from waywiser.launch.shape import Shape

OPTIONS_WITH_VALUE = (
    "A B c C d D e F G i J L m M n N o p q r S t T w W x accel-bind account acctg-freq bb "
    "bbf bcast-exclude begin chdir cluster-constraint clusters comment constraint container "
    "container-id context core-spec cores-per-socket cpu-bind cpu-freq cpus-per-gpu "
    "cpus-per-task deadline delay-boot dependency distribution epilog error exclude export "
    "extra extra-node-info gid gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket "
    "gpus-per-task gres gres-flags het-group hint input job-name jobid licenses mail-type "
    "mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu mincpus mpi msg-timeout "
    "network nodefile nodelist nodes ntasks ntasks-per-core ntasks-per-gpu ntasks-per-node "
    "ntasks-per-socket ntasks-per-tres open-mode output partition power prefer priority "
    "profile prolog qos relative reservation signal slurmd-debug sockets-per-node switches "
    "task-epilog task-prolog thread-spec threads threads-per-core time time-min tmp "
    "tree-width tres-bind tres-per-task uid wait wckey"
)
"""Values that are optional (--exclusive, --kill-on-bad-exit, …) are only written with `=`."""

INSTEAD_OF_FILE = (
    "write `ww-exec --run RUN --` before each program in the file, run the job without "
    "`waywiser profile`, and then `ww-merge RUN`"
)
"""Slurm's own `:` needs a heterogeneous allocation, which most jobs do not have."""

# Measured with Slurm 22.05.8 and MPICH 5.0.2; Open MPI 5.0.11 gets the right groups through PMIx.
WITHOUT_PMIX = (
    "with --distribution=arbitrary, Slurm's PMI-2 describes each rank of MPICH or Intel MPI as a "
    "node, so that ranks share no memory; use --for impi with mpirun, or --for rerank"
)


def _words(shape: Shape, bound: bool) -> list[str]:
    """Options of srun. Since Slurm 22.05 a step does not take --cpus-per-task from its job."""
    counts = ["-N", str(shape.nodes), "-n", str(shape.ranks), "-c", str(shape.cores_per_rank)]
    return [*counts, f"--cpu-bind={'cores' if bound else 'none'}"]


SLURM = LauncherKind(
    name="Slurm",
    commands=("srun",),
    version_pattern=r"^slurm\S* (\d\S*)",
    starts=("openmpi", "mpich", "standard"),
    values=takes(1, OPTIONS_WITH_VALUE),
    working_directory=("chdir", "D"),
    joined="Nncpt",
    reads_file=("multi-prog",),
    instead_of_file=INSTEAD_OF_FILE,
    words=_words,
    binding=frozenset({"cpu-bind"}),
    pmi="--mpi=",
    shares_cores=("--overcommit",),
    forms=(
        Form(
            name="slurm",
            about="SLURM_HOSTFILE of srun, --distribution=arbitrary, for programs of Open MPI "
            "(PMIx)",
            write=write_host_list,
            command="SLURM_HOSTFILE={placement} srun -n {ranks} --distribution=arbitrary",
            families=("openmpi",),
            stranger=WITHOUT_PMIX,
        ),
    ),
    rank_variables="SLURM_PROCID, PMI_RANK and PMIX_RANK",
    binds_to_cores="srun --cpu-bind=cores",
    exclusive="srun --exclusive",
    batch_system="Slurm",
    remote=True,
)
