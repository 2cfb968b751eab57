"""Settings that have every call of a collective take one algorithm, and how a replay plays it.

Sources: `ompi_info --param coll tuned --level 9`, Open MPI 5.0; MPICH 4 and 5, README.envvar; Intel
MPI Library Developer Reference for Linux 2021, "I_MPI_ADJUST Family Environment Variables".
Algorithms that a replay does not have are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from waywiser.launch.tuning.tuner import Algorithm, Environment
from waywiser.launch.tuning.tuners import TUNERS

PLAYED: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "openmpi": {
        "allgather": {"2": "Bruck", "3": "recursive doubling", "4": "ring"}
        | {"5": "neighbour exchange"},
        "allreduce": {"1": "linear", "3": "recursive doubling", "4": "ring"}
        | {"6": "Rabenseifner, folding halves"},
        "alltoall": {"1": "linear", "2": "pairwise exchange", "3": "Bruck"},
        "barrier": {"1": "linear", "3": "recursive doubling", "4": "dissemination"},
        "bcast": {"1": "linear", "6": "binomial tree"},
        "gather": {"1": "linear", "2": "binomial tree", "3": "linear, synchronised"},
        "reduce": {"1": "linear", "5": "binomial tree", "7": "Rabenseifner"},
        "scatter": {"1": "linear", "2": "binomial tree", "3": "linear, concurrent"},
    },
    "mpich": {
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
    },
    "impi": {
        "allgather": {"1": "recursive doubling", "2": "Bruck", "3": "ring"},
        "allreduce": {"1": "recursive doubling", "2": "Rabenseifner", "8": "ring"},
        "alltoall": {"1": "Bruck", "2": "linear", "3": "pairwise exchange"},
        "barrier": {"1": "dissemination", "2": "recursive doubling"},
        "bcast": {"1": "binomial tree"},
        "gather": {"1": "binomial tree"},
        "reduce": {"2": "binomial tree", "5": "Rabenseifner"},
        "scatter": {"1": "binomial tree"},
    },
}
"""Library -> collective -> the library's value -> the replay's algorithm."""

LIBRARIES = {"Open MPI": "openmpi", "Intel": "impi", "MPICH": "mpich"}
"""By a word in what libraries call themselves."""


def library_of(said: str) -> str | None:
    """ "Open MPI 5.0.11" -> "openmpi"; None where its settings are not known."""
    return next((name for word, name in LIBRARIES.items() if word in said), None)


def forced(library: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Algorithms by collective, that these variables force; none of a library that is not known."""
    found = {}
    for collective, algorithms in PLAYED.get(library, {}).items():
        for value, played in algorithms.items():
            wanted = TUNERS[library].force(collective, Algorithm("", value))
            if wanted.items() <= settings.items():
                found[collective] = played
    return found


def setting_of(library: str, collective: str, algorithm: str) -> Environment | None:
    """The variables that force an algorithm; None where the library has none for it."""
    for value, played in PLAYED.get(library, {}).get(collective, {}).items():
        if played == algorithm:
            return TUNERS[library].force(collective, Algorithm("", value))
    return None


def settings_of(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Variables of a run: of its environment, and those that its launcher was given."""
    return {**environment, **dict(_given(command))}


def _given(command: Sequence[str]) -> Iterator[tuple[str, str]]:
    for at, word in enumerate(command):
        option, following = word.lstrip("-"), [*command[at + 1 : at + 3], "", ""]
        if not word.startswith("-"):
            continue
        if option in ("mca", "omca", "gmca"):
            yield f"OMPI_MCA_{following[0]}", following[1]
        elif option in ("x", "genv", "env"):
            name, joined, value = following[0].partition("=")
            yield name, value if joined else following[1]
