"""Settings that force one algorithm for all calls of a collective, and the replay's equivalents.

Sources: `ompi_info --param coll tuned --level 9`, Open MPI 5.0; MPICH 4 and 5, README.envvar; Intel
MPI Library Developer Reference for Linux 2021, "I_MPI_ADJUST Family Environment Variables".
Algorithms that a replay cannot simulate are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from waywiser.launch.tuning.tuner import Algorithm, Environment
from waywiser.launch.tuning.tuners import TUNERS

SIMULATED = {name: tuner.simulated for name, tuner in TUNERS.items()}


def library_of(version: str) -> str | None:
    """ "Open MPI 5.0.11" -> "openmpi"; None for a library whose settings are not known."""
    return next((name for name, tuner in TUNERS.items() if tuner.named in version), None)


def forced(library: str, settings: Mapping[str, str]) -> dict[str, str]:
    """The forced algorithm of each collective, from variables; none for an unknown library."""
    by_collective = {}
    for collective, algorithms in SIMULATED.get(library, {}).items():
        for value, simulated in algorithms.items():
            needed = TUNERS[library].force(collective, Algorithm("", value))
            if needed.items() <= settings.items():
                by_collective[collective] = simulated
    return by_collective


def setting_of(library: str, collective: str, algorithm: str) -> Environment | None:
    """The variables that force an algorithm; None if the library has none for it."""
    for value, simulated in SIMULATED.get(library, {}).get(collective, {}).items():
        if simulated == algorithm:
            return TUNERS[library].force(collective, Algorithm("", value))
    return None


def settings_of(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of a run's environment and of its launcher's options."""
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
