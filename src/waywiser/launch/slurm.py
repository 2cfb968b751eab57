"""What must be known of srun to find the program in its command line.

Source: srun(1) of Slurm 22.05; newer long options that take values are added.
"""

NAME = "Slurm"
COMMAND = "srun"
VERSION_PATTERN = r"^slurm\S* (\d\S*)"

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

FILE_OPTION = "multi-prog"

INSTEAD_OF_FILE = (
    "write `ww-exec --run RUN --` before each program in the file, run the job without "
    "`waywiser profile`, and then `ww-merge RUN`"
)
"""Slurm's own `:` needs a heterogeneous allocation, which most jobs have not."""
