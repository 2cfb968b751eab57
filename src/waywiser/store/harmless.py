"""The allow-list of `export --anonymise`: words of commands and variables that identify nobody.

A text is harmless if it consists of numbers and of words of launchers, MPI libraries and their
settings. Names that a user or a site has given are not among them.
"""

from __future__ import annotations

import re

REMOVED = "(removed)"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WORDS = _words(
    # placement and binding of ranks
    """
    all auto balanced block board cache close closest cluster compact core cores cpu cpus cyclic die
    domain explicit false fine hwthread hwthreads l1cache l2cache l3cache ldoms map mapped master
    nic no node none nooverload nooversubscribe numa off on overload oversubscribe pack package pe
    plane ppr primary rank ranks scatter seq sequential slot slots socket sockets span spread thread
    threads true verbose yes
    """
    # transports
    """
    bml btl ch3 ch4 cm cma cxi dapl dc efa gdr gni hfi ib knem mem mlx mtl nemesis ob1 ofa ofi opx
    pml psm psm2 psm3 rc rxd rxm self shm shmem sm smcuda sysv tcp tmi uct ucx ud usnic vader verbs
    xpmem
    """
    # names of settings
    """
    active adjust affinity algorithm algorithms arena async base bind binding bindings blis
    blocktime buffer by cell cntr coll collective collectives compat count cvar device dynamic eager
    enable fabric fabrics fallback fanout fi first fork gomp grain group guided halving han hint
    huge hwloc hybrid i impi inter intra job kmp knomial kvalue ld length level levels libnbc
    library limit list malloc max mca memory min mkl mode mpi mpich mpir n nccl nested nodes np
    npernode ntasks num number omp ompi oob openblas order osc passive path per pin places pmi pmi1
    pmi2 pmix policy ppn preload priority proc process processor procs progress provider prrte prte
    rcache ring rmaps rndv root rules schedule segment segsize size slurm smp spin spincount ssh
    stacksize static task thresh threshold timeout tls topo topology transport tree tuned use v1 v2
    v3 v4 v5 wait warn zcopy
    """
    # collectives and their algorithms
    """
    allgather allgatherv allreduce alltoall alltoallv alltoallw barrier basic bcast binary binomial
    bruck brucks chain doubling exchange exscan gather gatherv iallgather iallreduce ialltoall
    ibarrier ibcast igather ireduce iscatter kary ladd linear multiplying neighbor nonoverlapping
    pairwise pipeline pipelined rabenseifner recursive reduce reducescatter scan scattered scatterv
    split throttled
    """
)

_NUMBER = re.compile(r"\d{1,9}(?:[kmgt]i?b?|b|s|ms|us|h)?", re.IGNORECASE)
_BETWEEN = re.compile(r"[,:;=+._^*(){}-]")
_HOST = re.compile(r"\d+(?:\.\d+){2}|[0-9a-f]*:[0-9a-f:]*:[0-9a-f]*:", re.IGNORECASE)
"""Addresses of hosts, which consist of numbers too."""

_ONE_VALUE = _words(
    """
    B N S bind-to binding bootstrap c cores-per-socket cores-per-task cpu-bind cpus-per-gpu
    cpus-per-rank cpus-per-task distribution gpu-bind gpus gpus-per-node gpus-per-proc gpus-per-task
    hint launcher m map-by mem mem-bind mem-per-cpu mem-per-gpu membind mincpus mpi n nodes np
    npernode npersocket ntasks ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket
    perhost ppn rank-by rmk sockets-per-node t tasks-per-core tasks-per-node threads-per-core time
    time-min timeout topolib
    """
)
_TWO_VALUES = _words("env genv gmca gpmixmca gprtemca mca omca pmixmca prtemca")
KEPT = dict.fromkeys(_ONE_VALUE, 1) | dict.fromkeys(_TWO_VALUES, 2)
"""Options of launchers whose harmless values are kept -> number of words of the value."""

FLAGS = _words(
    """
    K O allow-run-as-root bind-to-core bind-to-socket bynode byslot display-allocation display-map
    display-topo envall envnone exclusive genvall genvnone kill-on-bad-exit l label nolocal
    overcommit overlap oversubscribe pernode q quiet report-bindings tag-output u unbuffered
    use-hwthread-cpus v verbose
    """
)
NAMED = _words(
    """
    A C D H J M a account add-host chdir comment constraint d default-hostfile dependency e error
    exclude f gres host hostfile hosts i input job-name licenses machine machinefile mail-type
    mail-user nodefile nodelist o output output-filename p partition path prefix qos rankfile
    reservation stdin uid user-name w wckey wd wdir working-dir
    """
)
"""Options whose names are kept and whose values are removed."""

VARIABLE_LISTS = frozenset({"envlist", "export", "genvlist", "x"})
"""Options that take variables, with or without values; srun's -x takes hosts instead."""

LAUNCHERS = _words(
    """
    aprun flux jsrun mpiexec mpiexec.hydra mpiexec.mpich mpiexec.openmpi mpirun mpirun.hydra
    mpirun.mpich mpirun.openmpi orterun prterun prun qsub sbatch srun
    """
)

VARIABLES = re.compile(
    r"(?:OMPI_MCA|PRTE_MCA|PMIX_MCA|MPICH|MPIR_CVAR|I_MPI|FI|UCX|HFI|PSM2|PSM3|NCCL|OMP|KMP|GOMP"
    r"|MKL|OPENBLAS|BLIS|MALLOC)_\w+|LD_LIBRARY_PATH|LD_PRELOAD"
    r"|SLURM_(?:JOB_NUM_NODES|NTASKS|CPUS_PER_TASK)"
)
"""Names of environment variables that may be shown; a run's numbers of jobs and names of partitions
are left out."""


OPTIONS = KEPT | dict.fromkeys(FLAGS | NAMED, 0) | dict.fromkeys(VARIABLE_LISTS, 1)
"""Option -> number of words of harmless values that follow it."""


def harmless(text: str) -> bool:
    """True if a text consists of numbers and known words alone."""
    if _HOST.search(text):
        return False
    parts = (part.lower() for part in _BETWEEN.split(text))
    return all(not part or part in WORDS or _NUMBER.fullmatch(part) for part in parts)


def harmless_options(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a launcher's words; words that are not known to be harmless are replaced."""
    result = []
    option, values, known = "", 0, True
    for word in words:
        if values and not word.startswith("-"):
            values -= 1
            known = known and _harmless_value(option, word)  # of an unknown setting, no value
            result.append(word if known else REMOVED)
            continue
        dashes_and_option, equals, value = word.partition("=")
        option, values, known = dashes_and_option.lstrip("-"), 0, True
        if word == ":" or re.fullmatch(r"-[BNScnt]\d+", word):
            result.append(word)
        elif not word.startswith("-") or option not in OPTIONS:
            result.append(REMOVED)
        elif equals:
            kept = OPTIONS[option] and _harmless_value(option, value)
            result.append(word if kept else f"{dashes_and_option}={REMOVED}")
        else:
            values = OPTIONS[option]
            result.append(word)
    return tuple(result)


def _harmless_value(option: str, text: str) -> bool:
    if option in VARIABLE_LISTS:
        names = (part.partition("=")[0] for part in text.split(","))
        return harmless(text) and all(
            name in {"ALL", "NONE", "NIL"} or VARIABLES.fullmatch(name) for name in names
        )
    return harmless(text)


def harmless_variables(variables: dict[str, str]) -> dict[str, str]:
    """Return the variables with known names; values that are not harmless are replaced."""
    return {
        name: value if harmless(value) else REMOVED
        for name, value in variables.items()
        if VARIABLES.fullmatch(name) and harmless(name)
    }
