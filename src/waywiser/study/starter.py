"""The study file that `waywiser study init` writes."""

STARTER = """\
# A study: what is run, where, how often, and what is compared.
# `waywiser study check FILE` reports its faults and what it will take.
# `waywiser study run FILE` runs it, and `waywiser study report FILE` writes the report.

title = "What this study is about"

# The MPI libraries to run with. `waywiser doctor` lists those that are here; one from a module is
# written as a table instead of this line:
#   [mpi.site]
#   library = "openmpi"              # or "mpich", "impi"
#   modules = ["openmpi/5.0"]
mpi = ["openmpi"]

[application.app]
program = "./app"                    # a file beside this one, or a name in PATH
# arguments = ["-in", "{input}"]     # {NAME} is the configuration's value of that axis
# inputs = ["input.txt"]             # every run finds them in its directory
# reader = "lammps"                  # reads its output, instead of the metrics below
# environment = { FI_PROVIDER = "tcp" }
# free_cores = 1                     # of each rank's cores, for a communication thread
success = "finished"                 # a run that does not print this has failed

[application.app.metrics.time]       # a metric; the group is the number
pattern = 'elapsed: ([0-9.]+) s'
unit = "s"
better = "lower"

# Every combination of the axes is a configuration. Besides these, any name may be an axis.
[axes]
ranks = [1, 2, 4]
# threads = [1, 2]
# nodes = [1, 2]

[repeats]
blocks = 6                           # a block is one run of each configuration; 6 give an interval
# at_most = 20                       # go on until intervals are narrow, but not further
# core_hours = 100                   # begin no run once so much is spent

[resources]
scheduler = "local"                  # or "slurm", "pbs", "flux"
# cores_per_node = 64                # a batch study must say
# account = "project"
# partition = "normal"
time_limit_minutes = 30              # of one run
# expected_seconds = 60              # of one run, for the estimate

# [report]
# scaling = "strong"                 # or "weak"
# compare = "mpi"
"""


def starter_text() -> str:
    """A commented study file to start from, valid without changes."""
    return STARTER
