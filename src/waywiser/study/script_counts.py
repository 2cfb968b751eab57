"""The nodes, ranks, threads and program of a job script's launch."""

from __future__ import annotations

import os
import re
from pathlib import Path

from waywiser.study.script import Launch, Script, variables

NO_PROGRAM = re.compile(
    r".*\.(par|in|inp|nml|txt|dat|data|json|toml|ya?ml|xml|cfg|conf|ini|csv|log|out\.txt)",
    re.IGNORECASE,
)
"""Names of input files that no program has."""

RANKS = ("n", "np", "ntasks")
RANKS_PER_NODE = ("ppn", "perhost", "npernode", "ntasks-per-node")
CORES_PER_RANK = ("cpus-per-task", "c")


class Counts:
    """Nodes, ranks, threads and free cores that a script requests."""

    def __init__(self, script: Script, launch: Launch) -> None:
        self.nodes = launch.number("N", "nodes") or script.nodes
        per_node = launch.number(*RANKS_PER_NODE) or script.directive("--ntasks-per-node")
        self.ranks_per_node = per_node
        """Number of ranks on a node; None if the script does not say."""

        tasks = script.directive("--ntasks") or (per_node or 1) * self.nodes
        self.ranks = max(1, launch.number(*RANKS) or tasks)
        self.slots = per_node * self.nodes if per_node else script.directive("--ntasks")
        """Number of ranks for which the script reserves slots; None if it does not say."""

        environment = variables(script, launch)
        per_rank = launch.number(*CORES_PER_RANK) or script.directive("--cpus-per-task")
        threads = re.match(r"\d{1,6}", environment.get("OMP_NUM_THREADS", ""))
        self.threads = max(1, int(threads[0]) if threads else per_rank or 1)
        domain = re.match(r"\d{1,6}", environment.get("I_MPI_PIN_DOMAIN", ""))
        room = per_rank or (int(domain[0]) if domain else 0)
        # In a domain of two processors for each thread, both are of one core.
        spare = room - self.threads if room < 2 * self.threads or per_rank else 0
        self.free_cores = script.free_cores or max(0, spare)


def names_input(name: str, directory: Path) -> bool:
    return bool(NO_PROGRAM.fullmatch(name)) and not _executable(directory / name)


def _executable(file: Path) -> bool:
    return os.path.isfile(file) and os.access(file, os.X_OK)
