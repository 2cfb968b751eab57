"""Intel MPI: variables I_MPI_ADJUST_*, which take ranges of message sizes.

The documentation is incomplete. Measured with 2021.18: a lone range, or one beside algorithm 0 (the
library's own choice), applies to messages of every size, for any number of ranks. Ascending ranges
without gaps are obeyed, so only such ranges are written.

Source: Intel MPI Library Developer Reference for Linux 2021, "I_MPI_ADJUST Family Environment
Variables".
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from waywiser.launch.tuning.tuner import Algorithm, Environment, Rule, Tuner

SHARED = ("SHM_flat", "SHM_knomial", "SHM_knary")
NAMES = {
    "allgather": ("recursive_doubling", "Bruck", "ring", "topology_gatherv_bcast", "knomial"),
    "allreduce": (
        *("recursive_doubling", "Rabenseifner", "reduce_bcast", "topology_reduce_bcast"),
        *("binomial_gather_scatter", "topology_binomial_gather_scatter", "Shumilin_ring", "ring"),
        *("knomial", *SHARED),
    ),
    "alltoall": ("Bruck", "isend_irecv", "pairwise", "Plum"),
    "barrier": (
        *("dissemination", "recursive_doubling", "topology_dissemination"),
        *("topology_recursive_doubling", "binomial_gather_scatter"),
        *("topology_binomial_gather_scatter", *SHARED),
    ),
    "bcast": (
        *("binomial", "recursive_doubling", "ring", "topology_binomial"),
        *("topology_recursive_doubling", "topology_ring", "Shumilin", "knomial", *SHARED),
    ),
    "gather": ("binomial", "topology_binomial", "Shumilin", "binomial_segments"),
    "reduce": (
        *("Shumilin", "binomial", "topology_Shumilin", "topology_binomial", "Rabenseifner"),
        *("topology_Rabenseifner", "knomial", *SHARED),
    ),
    "scatter": ("binomial", "topology_binomial", "Shumilin"),
}
"""Algorithms of each collective, counted from 1 in this order."""


def algorithms(_launcher: Path, collective: str) -> list[Algorithm]:
    return [Algorithm(name, str(i)) for i, name in enumerate(NAMES.get(collective, ()), 1)]


def force(collective: str, algorithm: Algorithm) -> Environment:
    return {variable(collective): algorithm.value}


def write(_program: Path, rules: Sequence[Rule], _directory: Path) -> Environment:
    by_variable: dict[str, list[str]] = {}
    for rule in rules:
        by_variable.setdefault(variable(rule.collective), []).append(
            f"{rule.algorithm.value}:{rule.first}-{rule.last}"
        )
    return {name: ";".join(choices) for name, choices in by_variable.items()}


def variable(collective: str) -> str:
    return f"I_MPI_ADJUST_{collective.upper()}"


SIMULATED = {
    "allgather": {"1": "recursive doubling", "2": "Bruck", "3": "ring"},
    "allreduce": {"1": "recursive doubling", "2": "Rabenseifner", "8": "ring"},
    "alltoall": {"1": "Bruck", "2": "linear", "3": "pairwise exchange"},
    "barrier": {"1": "dissemination", "2": "recursive doubling"},
    "bcast": {"1": "binomial tree"},
    "gather": {"1": "binomial tree"},
    "reduce": {"2": "binomial tree", "5": "Rabenseifner"},
    "scatter": {"1": "binomial tree"},
}

INTEL = Tuner("impi", algorithms, force, write, covers="every", named="Intel", simulated=SIMULATED)
