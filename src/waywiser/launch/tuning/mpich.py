"""MPICH: a file for each changed tree of rules (`mpich_rules.py`); for collectives that rules
cannot select by size, control variables that apply to messages of every size.

The root of a Gather or Scatter may pass no size, and a Barrier has none.

Source: MPICH 4 and 5, README.envvar, "MPIR_CVAR_*_INTRA_ALGORITHM" and
"MPIR_CVAR_*_POSIX_INTRA_ALGORITHM".
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from waywiser.errors import ToolMissing
from waywiser.launch.library import mpi_library_of
from waywiser.launch.tuning.mpich_rules import Reach, knows, write_rules
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
"""Algorithms of the device for ranks that share memory."""

WITHOUT_RULES = frozenset({"allgather", "alltoall"})
"""Collectives of `SHARED` that a variable turns on, since the device has no rules for them."""

UNSIZED = frozenset({"barrier", "gather", "scatter"})


def algorithms(_launcher: Path, collective: str) -> list[Algorithm]:
    names = NAMES.get(collective, ()) + SHARED.get(collective, ())
    return [Algorithm(name, name) for name in names]


def force(collective: str, algorithm: Algorithm) -> Environment:
    """Force an algorithm; disable the device's own collectives, which MPICH tries first, if it is
    not one of them."""
    name = collective.upper()
    if algorithm.value in SHARED.get(collective, ()):
        return {f"MPIR_CVAR_{name}_POSIX_INTRA_ALGORITHM": algorithm.value}
    return {
        f"MPIR_CVAR_{name}_INTRA_ALGORITHM": algorithm.value,
        f"MPIR_CVAR_{name}_DEVICE_COLLECTIVE": "0",
        "MPIR_CVAR_DEVICE_COLLECTIVES": "percoll",
    }


def write(program: Path, rules: Sequence[Rule], directory: Path) -> Environment:
    """
    Raises:
        ToolMissing: the library that the program loads is not found, or has no rules.
    """
    environment: Environment = {}
    sized: dict[Reach, list[Rule]] = {}
    for rule in rules:
        reach = _reach(rule.collective, rule.algorithm)
        if rule.collective in UNSIZED or reach == "variable":
            environment |= force(rule.collective, rule.algorithm)
        if rule.collective not in UNSIZED:
            sized.setdefault(reach, []).append(rule)
    return environment | (write_rules(_library(program), sized, directory) if sized else {})


def takes(program: Path, collective: str, algorithm: Algorithm) -> bool:
    """
    Raises:
        ToolMissing: the library that the program loads is not found.
    """
    reach = _reach(collective, algorithm)
    return collective in UNSIZED or knows(_library(program), reach, collective, algorithm.value)


def _reach(collective: str, algorithm: Algorithm) -> Reach:
    if algorithm.value not in SHARED.get(collective, ()):
        return "whole"
    return "variable" if collective in WITHOUT_RULES else "shared_memory"


def _library(program: Path) -> Path:
    library = mpi_library_of(program)
    if library is None:
        raise ToolMissing(f"{program} loads no MPI library, whose rules would be changed")
    return library.path


SIMULATED = {
    "allgather": {
        "brucks": "Bruck",
        "recursive_doubling": "recursive doubling",
        "ring": "ring",
    },
    "allreduce": {"recursive_doubling": "recursive doubling", "ring": "ring"}
    | {"reduce_scatter_allgather": "Rabenseifner"},
    "alltoall": {"brucks": "Bruck", "pairwise": "pairwise exchange"}
    | {"scattered": "linear, throttled"},
    "bcast": {"binomial": "binomial tree"}
    | {"scatter_recursive_doubling_allgather": "scatter and recursive doubling allgather"}
    | {"scatter_ring_allgather": "scatter and ring allgather"},
    "gather": {"binomial": "binomial tree"},
    "reduce": {"binomial": "binomial tree", "reduce_scatter_gather": "Rabenseifner"},
    "scatter": {"binomial": "binomial tree"},
}

MPICH = Tuner(
    "mpich",
    algorithms,
    force,
    write,
    covers="some",
    takes=takes,
    unsized=UNSIZED,
    named="MPICH",
    simulated=SIMULATED,
)
