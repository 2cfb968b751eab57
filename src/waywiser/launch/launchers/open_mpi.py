"""Open MPI: mpirun and its other names.

Its forms of placement are rankfiles, and the hostfile that is read rank by rank.

Source: prterun(1) of Open MPI 5.0, with "--map-by" and "Rankfiles"; mpirun(1) of Open MPI 4.1.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from waywiser.launch.launchers.launcher import Launcher, LauncherKind, takes
from waywiser.launch.placing.form import Form
from waywiser.launch.placing.host_lists import write_host_list
from waywiser.launch.placing.placed import Placed
from waywiser.launch.shape import Shape

AS_ROOT = "--allow-run-as-root"
REFUSED_ROOT = re.compile(r"run(ning)?[ -]as[ -]root", re.IGNORECASE)
TOO_FEW_SLOTS = re.compile(r"enough[ -]slots|alloc-error|out-of-resource")


def _words(shape: Shape, bound: bool) -> list[str]:
    """PE counts cores, and a rank is bound to all of them."""
    places = f":PE={shape.cores_per_rank}" if bound else ""
    words = ["-n", str(shape.ranks)]
    if shape.nodes > 1:
        words += ["--map-by", f"ppr:{shape.ranks_per_node}:node{places}"]
    elif places:
        words += ["--map-by", f"slot{places}"]
    return [*words, "--bind-to", "core" if bound else "none"]


def _refusals(launcher: Launcher, output: str) -> list[str]:
    """Launchers from wheels often lack their help files and then print only a message's topic."""
    sentences = []
    if os.geteuid() == 0 and REFUSED_ROOT.search(output):
        sentences.append(
            f"{launcher} does not run as root unless it is told to: {launcher.path.name} "
            f"{AS_ROOT} …"
        )
    if TOO_FEW_SLOTS.search(output):
        old = launcher.version.split(".")[0] in "1234"
        option = "--oversubscribe" if old else "--map-by :OVERSUBSCRIBE"
        sentences.append(
            f"{launcher} has fewer slots than requested ranks (one per core, if no host file "
            f"says otherwise): request fewer, or allow more with {launcher.path.name} {option} …"
        )
    return sentences


def _rankfile(*, slots: bool, relative: bool = False) -> Callable[[Placed], str]:
    def write(placed: Placed) -> str:
        # Relative hosts are numbered as the launcher lists the allocation.
        number = {name: at for at, (name, _) in enumerate(placed.slots_of_hosts)}
        lines = []
        for rank, (host, slot) in enumerate(zip(placed.hosts, placed.positions, strict=True)):
            named = f"+n{number[host]}" if relative else host
            lines.append(f"rank {rank}={named}" + (f" slot={slot}" if slots else "") + "\n")
        return "".join(lines)

    return write


def _slow(placed: Placed) -> str:
    """Source: measured with `--display map-devel --do-not-launch`, on 1,024 nodes of 16 slots:
    over 100 s by rankfile, 17 s by a sequential hostfile."""
    if placed.ranks <= 4096:
        return ""
    return "Open MPI 5 maps a rankfile of this size slowly; --for openmpi-seq is faster"


BY_RANKFILE = "mpirun --hostfile {hosts} --map-by rankfile:FILE={placement} -n {ranks}"

FORMS = (
    Form(
        name="openmpi",
        about="rankfile of Open MPI 5; ranks are not bound",
        write=_rankfile(slots=False),
        command=BY_RANKFILE,
        families=("openmpi",),
        warn=_slow,
    ),
    Form(
        name="openmpi-slot",
        about="rankfile of Open MPI 5 that binds each rank to the core of its slot",
        write=_rankfile(slots=True),
        command=BY_RANKFILE,
        families=("openmpi",),
        warn=_slow,
    ),
    Form(
        name="openmpi-relative",
        about="rankfile of Open MPI 5 with hosts by their number in the allocation (+n0), bound",
        write=_rankfile(slots=True, relative=True),
        command=BY_RANKFILE,
        families=("openmpi",),
        warn=_slow,
    ),
    Form(
        name="openmpi-seq",
        about="hostfile of Open MPI 4 and 5, one line a rank, for --map-by seq",
        write=write_host_list,
        command="mpirun --hostfile {placement} --map-by seq -n {ranks}",
        families=("openmpi",),
    ),
    Form(
        name="openmpi4",
        about="rankfile of Open MPI 4, which binds each rank to the core of its slot",
        write=_rankfile(slots=True),
        command="mpirun --hostfile {hosts} --rankfile {placement} -n {ranks}",
        families=("openmpi",),
    ),
)

OPEN_MPI = LauncherKind(
    name="Open MPI",
    commands=(
        *("mpirun", "mpiexec", "orterun", "prterun"),
        *("mpirun.openmpi", "mpiexec.openmpi"),
    ),
    library="openmpi",
    version_pattern=r"\((?:Open MPI|OpenRTE|PRRTE)\) (\S+)",
    runtimes=("libopen-rte.so", "libprrte.so"),
    serves="Open MPI",
    modules=r"open-?mpi|ompi|hpcx",
    telling_options=frozenset(
        {"mca", "x", "map-by", "npernode", "oversubscribe", "report-bindings", "hostfile"}
    ),
    compiler_suffix=".openmpi",
    parameters="ompi_info",
    starts=("openmpi",),
    values=takes(2, "mca gmca pmixmca prtemca omca gpmixmca gprtemca tune-mca")
    | takes(
        1,
        "n np c N H host hostfile machinefile default-hostfile map-by rank-by bind-to x "
        "wdir wd set-cwd-to path output output-filename stdin timeout tune prefix "
        "personality preload-files npernode npersocket cpu-set cpu-list rankfile rf "
        "report-uri launch-agent max-restarts forward-signals display runtime-options "
        "dvm dvm-uri hnp pid uri add-host add-hostfile am ppr debug-verbose pidfile "
        "server-wait-time ompi-server rtos spawn-timeout get-stack-traces-timeout",
    ),
    working_directory=("wdir", "wd", "set-cwd-to"),
    reads_file=("app", "appfile"),
    words=_words,
    binding=frozenset({"bind-to", "map-by", "rankfile", "rf"}),
    forwards="-x",
    shares_cores=("--oversubscribe",),
    as_root=AS_ROOT,
    forms=FORMS,
    rank_variables="OMPI_COMM_WORLD_RANK and PMIX_RANK",
    binds_to_cores="mpirun --bind-to core",
    refusals=_refusals,
)
