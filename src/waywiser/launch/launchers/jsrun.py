"""jsrun of IBM's Job Step Manager (JSM), which starts programs in jobs of LSF.

It takes ranks by resource sets: here one rank each, bound to the set's cores. Ranks are children of
a daemon on each host, which passes on the whole environment.

Source: "jsrun" and "ERF file format", IBM Spectrum LSF 10.1, Job Step Manager 10.3 and 10.4.
"Running Jobs" of the Summit User Guide, Oak Ridge Leadership Computing Facility, and its tutorial
"ERF CPU Indexing". Tried with a script that answers as documented, on no such machine.
"""

from __future__ import annotations

from waywiser.launch.launchers.launcher import LauncherKind, takes
from waywiser.launch.placing.form import Form
from waywiser.launch.placing.placed import Placed
from waywiser.launch.shape import Shape


def _words(shape: Shape, bound: bool) -> list[str]:
    sets = ["-n", str(shape.ranks), "-r", str(shape.ranks_per_node), "-a", "1"]
    cores = shape.cores_per_rank if shape.fits else 1
    return [*sets, "-c", str(cores), "-b", "rs" if bound else "none"]


def _write(placed: Placed) -> str:
    """Hosts by their number among those of the job; 0 is the node on which its script runs."""
    number = {name: at for at, (name, _) in enumerate(placed.slots_of_hosts, 1)}
    ranks = enumerate(zip(placed.hosts, placed.positions, strict=True))
    lines = (
        f"rank: {rank}: {{ host: {number[host]}; cpu: {{{slot}}} }}\n"
        for rank, (host, slot) in ranks
    )
    return "cpu_index_using: logical\n" + "".join(lines)


JSRUN = LauncherKind(
    name="JSM",
    commands=("jsrun",),
    version_pattern=r"(?i)\b(?:jsrun|jsm)\b\D*(\d[\w.]*)",
    starts=("openmpi", "mpich", "standard"),
    values=takes(
        1,
        "a tasks_per_rs p np c cpu_per_rs d launch_distribution g gpu_per_rs K rs_per_socket "
        "l latency_priority m memory_per_rs n nrs r rs_per_host e stdio_mode I stdin_rank "
        "k stdio_stderr o stdio_stdout t stdio_input h chdir A allocate_only erf_input erf_output "
        "erf_output_pidx H launch_node_task J use_reservation L use_spindle M smpiargs "
        "P pre_post_exec S save_resources U use_resources x exclude_hosts X exit_on_error "
        "Z progress print_placement b bind D env_no_propagate E env F env_eval",
    ),
    working_directory=("chdir", "h"),
    joined="acgnprKX",
    reads_file=("appfile", "f"),
    rank_options=("np", "p"),
    words=_words,
    binding=frozenset({"b", "bind", "erf_input"}),
    shared=frozenset(
        {"n", "nrs", "r", "rs_per_host", "a", "tasks_per_rs", "c", "cpu_per_rs", "erf_input"}
    ),
    synonyms={
        **{"bind": "b", "nrs": "n", "rs_per_host": "r", "tasks_per_rs": "a", "cpu_per_rs": "c"},
    },
    shares_cores=("-b", "none"),
    forms=(
        Form(
            name="jsrun",
            about="explicit resource file of jsrun, one core a rank, in jobs with "
            "-alloc_flags smt1",
            write=_write,
            command="jsrun --erf_input={placement}",
        ),
    ),
    rank_variables="JSM_NAMESPACE_RANK, PMIX_RANK and OMPI_COMM_WORLD_RANK",
    binds_to_cores="jsrun -n RANKS -a 1 -c 1 -b rs",
    batch_system="LSF",
    remote=True,
)
