"""Studies with one mistake each, by the rule of `study check` that finds it: in texts, axes, cores
and variables."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    rule: str
    wrong: str
    right: str
    says: str
    key: str


CASES = [
    Case(
        "a text names a value that no point has",
        'application.app.arguments = ["-n", "{size}"]',
        'application.app.arguments = ["-n", "{ranks}"]',
        "there is no value size; there are application, mpi, nodes, ranks, threads",
        "application.app.arguments",
    ),
    Case(
        "a text names a value that no point has",
        'mpi.openmpi.environment.X = "{sise}"',
        'mpi.openmpi.environment.X = "{{sise}}"',
        "there is no value sise",
        "mpi.openmpi.environment.X",
    ),
    Case(
        "an axis changes nothing",
        "axes.size = [1, 2]",
        'axes.size = [1, 2]\napplication.app.arguments = ["{size}"]',
        "as {size}, or in a template as @size@",
        "axes.size",
    ),
    Case(
        "an axis changes nothing",
        'axes.mode = [{name = "a"}, {name = "b"}]',
        'axes.mode = [{name = "a"}, {name = "b", environment = {A = "1"}}]',
        "nothing reads it",
        "axes.mode",
    ),
    Case(
        "an axis has a value twice",
        "axes.ranks = [1, 2, 1]",
        "axes.ranks = [1, 2, 4]",
        "duplicate value 1; to repeat measurements set repeats.blocks",
        "axes.ranks",
    ),
    Case(
        "an application or library has no point",
        'exclude = [{mpi = "mpich"}]\nmpi.mpich = {}',
        'exclude = [{mpi = "mpich", ranks = 2}]\nmpi.mpich = {}',
        "no point",
        "mpi.mpich",
    ),
    Case(
        "nodes of unknown size",
        'resources = {scheduler = "slurm", cores_per_node = 0}',
        'resources = {scheduler = "slurm", cores_per_node = 64}',
        'scheduler = "slurm"',
        "resources.cores_per_node",
    ),
    Case(
        "several nodes without a scheduler",
        "axes.nodes = [1, 2]",
        'axes.nodes = [1, 2]\nresources.scheduler = "pbs"',
        "asks for 2 nodes, but a local run has one",
        "axes.nodes",
    ),
    Case(
        "several nodes without a scheduler",
        "axes.nodes = [2]",
        'axes.nodes = [2]\nmpi.openmpi.launcher_arguments = ["--hostfile", "hosts"]',
        "a local run has one",
        "axes.nodes",
    ),
    Case(
        "ranks that cannot be spread over the nodes",
        'axes = {nodes = [4], ranks = [3]}\nresources.scheduler = "slurm"',
        'axes = {nodes = [4], ranks = [4]}\nresources.scheduler = "slurm"',
        "3 ranks for 4 nodes",
        "axes.ranks",
    ),
    Case(
        "ranks that cannot be spread over the nodes",
        'axes = {nodes = [4], ranks = [6]}\nresources.scheduler = "slurm"',
        'axes = {nodes = [4], ranks = [8]}\nresources.scheduler = "slurm"',
        "some nodes have more",
        "axes.ranks",
    ),
    Case(
        "more ranks than slots",
        "axes.ranks = [1, 9]",
        "axes.ranks = [1, 8]",
        "r9: 9 ranks on a node are more than its 8 cores (slots); ask for fewer, or let them share "
        'cores with launcher_arguments = ["--oversubscribe"] for Open MPI',
        "axes.ranks",
    ),
    Case(
        "more ranks than slots",
        'axes.nodes = [2]\naxes.ranks = [17]\nresources.scheduler = "slurm"',
        'axes.nodes = [2]\naxes.ranks = [16]\nresources.scheduler = "slurm"',
        "9 ranks on a node",
        "axes.ranks",
    ),
    Case(
        "ranks and threads that do not fit the cores",
        "axes.threads = [4, 5]",
        "axes.threads = [3, 4]",
        "r2-t5: 2 ranks x 5 threads on a node are more than its 8 cores",
        "axes.threads",
    ),
    Case(
        "no core left for a communication thread",
        "axes.threads = [4]\napplication.app.free_cores = 1",
        "axes.threads = [3]\napplication.app.free_cores = 1",
        "leave no core free for each rank's communication thread on a node of 8 cores: with "
        "free_cores = 1 it would need 10",
        "axes.threads",
    ),
    Case(
        "a communication thread that nobody left a core for",
        'application.app.environment.SEISSOL_COMMTHREAD = "1"',
        'application.app.environment.SEISSOL_COMMTHREAD = "1"\napplication.app.free_cores = 1',
        "SEISSOL_COMMTHREAD gives each rank of r2 a communication thread",
        "application.app.free_cores",
    ),
    Case(
        "a communication thread that nobody left a core for",
        'application.app.reader = "seissol"',
        'application.app.reader = "seissol"\napplication.app.environment.SEISSOL_COMMTHREAD = "0"',
        "SeisSol gives each rank",
        "application.app.free_cores",
    ),
    Case(
        "OMP_NUM_THREADS is not the threads axis",
        'application.app.environment.OMP_NUM_THREADS = "4"',
        'application.app.environment.OMP_NUM_THREADS = "{threads}"',
        "OMP_NUM_THREADS = 4, but the point has 1",
        "application.app.environment.OMP_NUM_THREADS",
    ),
    Case(
        "OMP_PLACES and OMP_PROC_BIND contradict",
        'application.app.environment = {OMP_PROC_BIND = "false", OMP_PLACES = "cores"}',
        'application.app.environment = {OMP_PROC_BIND = "true", OMP_PLACES = "cores"}',
        "OMP_PLACES has no effect",
        "application.app.environment.OMP_PLACES",
    ),
    Case(
        "OMP_PLACES and OMP_PROC_BIND contradict",
        'application.app.environment.OMP_PROC_BIND = "scatter"',
        'application.app.environment.OMP_PROC_BIND = "spread,close"',
        "OMP_PROC_BIND = scatter is not a binding; expected one of close, false",
        "application.app.environment.OMP_PROC_BIND",
    ),
    Case(
        "OMP_PLACES and OMP_PROC_BIND contradict",
        'application.app.environment = {OMP_PROC_BIND = "close", KMP_AFFINITY = "compact"}',
        'application.app.environment = {OMP_PROC_BIND = "close"}',
        "KMP_AFFINITY and OMP_PROC_BIND both bind",
        "application.app.environment.KMP_AFFINITY",
    ),
    Case(
        "OMP_PLACES and OMP_PROC_BIND contradict",
        'application.app.environment.OMP_PLACES = "core(4)"',
        'application.app.environment.OMP_PLACES = "cores(4)"',
        "names no places",
        "application.app.environment.OMP_PLACES",
    ),
    Case(
        "OMP_PLACES and OMP_PROC_BIND contradict",
        'application.app.environment.OMP_PLACES = "cores(2)"\naxes.threads = [3]',
        'application.app.environment.OMP_PLACES = "{{0}}:3"\naxes.threads = [3]',
        "3 threads share the 2 places",
        "application.app.environment.OMP_PLACES",
    ),
    Case(
        "OMP_PLACES and OMP_PROC_BIND contradict",
        'application.app = {environment.OMP_PLACES = "cores(3)", free_cores = 1}\n'
        "axes.threads = [2]",
        'application.app = {environment.OMP_PLACES = "cores(2)", free_cores = 1}\n'
        "axes.threads = [2]",
        "the core that is to stay free, too; write cores(2)",
        "application.app.environment.OMP_PLACES",
    ),
    Case(
        "pinning of another size than a rank",
        'mpi.openmpi.environment.I_MPI_PIN_DOMAIN = "2:compact"\naxes.threads = [3]\n'
        "application.app.free_cores = 1",
        'mpi.openmpi.environment.I_MPI_PIN_DOMAIN = "4:compact"\naxes.threads = [3]\n'
        "application.app.free_cores = 1",
        "pins each rank to 2 processors, but 3 threads and 1 free need 4",
        "mpi.openmpi.environment.I_MPI_PIN_DOMAIN",
    ),
    Case(
        "a misspelt variable of a known library",
        'application.app.environment.XDMFWRITER_ALIGNMNET = "1"',
        'application.app.environment.XDMFWRITER_ALIGNMENT = "1"',
        "no library reads XDMFWRITER_ALIGNMNET; XDMFWRITER_ALIGNMENT is probably meant",
        "application.app.environment.XDMFWRITER_ALIGNMNET",
    ),
    Case(
        "a misspelt variable of a known library",
        'mpi.openmpi.launcher_arguments = ["--mca", "btl_tcp_if_inclde", "lo"]',
        'mpi.openmpi.launcher_arguments = ["--mca", "btl_tcp_if_include", "lo"]',
        "OMPI_MCA_btl_tcp_if_include is probably meant",
        "mpi.openmpi.launcher_arguments",
    ),
    Case(
        "a variable of another library",
        'mpi.openmpi.environment.I_MPI_DEBUG = "5"',
        'mpi.openmpi.environment.OMPI_MCA_btl = "self"',
        "Intel MPI reads it, and Open MPI does not",
        "mpi.openmpi.environment.I_MPI_DEBUG",
    ),
]
