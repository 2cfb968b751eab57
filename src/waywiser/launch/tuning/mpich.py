"""MPICH: control variables that choose a collective's algorithm for messages of every size.

Its file of rules by size (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE) stands in the place of all of
the library's own choices, of every collective, so that what was not measured would be lost.

Source: MPICH 4 and 5, README.envvar, "MPIR_CVAR_*_INTRA_ALGORITHM" and
"MPIR_CVAR_*_POSIX_INTRA_ALGORITHM".
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from waywiser.launch.tuning.tuner import Algorithm, Environment, Rule, Tuner

NAMES = {
    "allgather": (
        *("brucks", "k_brucks", "recursive_doubling", "ring"),
        *("recexch_doubling", "recexch_halving"),
    ),
    "allreduce": (
        *("smp", "recursive_doubling", "recursive_multiplying", "reduce_scatter_allgather"),
        *("tree", "recexch", "ring", "k_reduce_scatter_allgather"),
    ),
    "alltoall": ("brucks", "k_brucks", "pairwise", "scattered"),
    "barrier": ("smp", "k_dissemination", "recexch"),
    "bcast": (
        *("binomial", "smp", "scatter_recursive_doubling_allgather", "scatter_ring_allgather"),
        *("pipelined_tree", "tree"),
    ),
    "gather": ("binomial", "nb"),
    "reduce": ("binomial", "smp", "reduce_scatter_gather"),
    "reduce_scatter_block": (
        *("noncommutative", "recursive_doubling", "pairwise", "recursive_halving"),
    ),
    "scatter": ("binomial", "nb"),
}

SHARED = {
    "allgather": ("ipc_read",),
    "allreduce": ("release_gather",),
    "alltoall": ("ipc_read",),
    "barrier": ("release_gather",),
    "bcast": ("release_gather", "ipc_read"),
    "reduce": ("release_gather",),
}
"""The device's own, between ranks that share memory."""


def algorithms(_launcher: Path, collective: str) -> list[Algorithm]:
    names = NAMES.get(collective, ()) + SHARED.get(collective, ())
    return [Algorithm(name, name) for name in names]


def force(collective: str, algorithm: Algorithm) -> Environment:
    """The device's own collectives, which would be tried first, are put aside for others."""
    name = collective.upper()
    if algorithm.value in SHARED.get(collective, ()):
        return {f"MPIR_CVAR_{name}_POSIX_INTRA_ALGORITHM": algorithm.value}
    return {
        f"MPIR_CVAR_{name}_INTRA_ALGORITHM": algorithm.value,
        f"MPIR_CVAR_{name}_DEVICE_COLLECTIVE": "0",
        "MPIR_CVAR_DEVICE_COLLECTIVES": "percoll",
    }


def write(rules: Sequence[Rule], _folder: Path) -> Environment:
    return {
        name: value
        for rule in rules
        for name, value in force(rule.collective, rule.algorithm).items()
    }


MPICH = Tuner("mpich", algorithms, force, write, covers="one")
